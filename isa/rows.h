// Every row, as data: what the interpreter, the analyser and the timing model know of an instruction.
#pragma once

#include <span>

#include "isa/row.h"

namespace wavesmith::isa {

/// All rows of all families.
std::span<const Row> rows();

/// The row of a mnemonic (without encoding suffix) in a target's generation; nullptr when there is none, as
/// for control. `saturates` asks for the row of the form with `clamp` where that has one of its own.
const Row* find_row(std::string_view mnemonic, const Target& target, bool saturates = false);

}  // namespace wavesmith::isa
