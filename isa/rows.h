// Every row, as data: what the interpreter, the analyser and the timing model know of an instruction.
#pragma once

#include <span>
#include <string_view>

#include "isa/row.h"

namespace wavesmith::isa {

/// All rows of all families.
std::span<const Row> rows();

/// The row of a mnemonic (without encoding suffix) in a generation; nullptr when there is none.
const Row* find_row(std::string_view mnemonic, const Target& target);

}  // namespace wavesmith::isa
