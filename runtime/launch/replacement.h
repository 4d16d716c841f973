// Other code for a program's kernels: with WAVESMITH_CODE set to a code object's path, it is loaded in place
// of every code object of the program for the same target whose kernels it has all. So variants of a kernel
// run in the program that launches it, which is compiled once.
#pragma once

#include <span>

#include "object/code_object.h"

namespace wavesmith::runtime {

/// The file that is loaded in place of `object`; empty: `object` itself is.
std::span<const uint8_t> replacement_of(const object::CodeObject& object);

/// How many code objects have been replaced so far.
unsigned replaced_objects();

}  // namespace wavesmith::runtime
