// Every row, as data: what the interpreter, the analyser and the timing model know of an instruction.
#pragma once

#include <span>

#include "isa/row.h"

namespace wavesmith::isa {

/// All rows of all families.
std::span<const Row> rows();

}  // namespace wavesmith::isa
