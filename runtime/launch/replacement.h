// Replaces a program's code: with WAVESMITH_CODE set to the path of a code object, that is loaded in place of
// every code object of the same target whose kernels it all has. So variants of a kernel run in the program
// that launches it, without recompiling the program.
#pragma once

#include <span>

#include "object/code_object.h"

namespace wavesmith::runtime {

/// The file to load in place of `object`; empty: load `object` itself.
std::span<const uint8_t> replacement_of(const object::CodeObject& object);

/// The number of code objects replaced so far.
unsigned replaced_objects();

}  // namespace wavesmith::runtime
