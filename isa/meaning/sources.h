// Where the sources of a row's expression stand in an instruction: Node::constant of an Op::Source counts the
// row's roles that read.
#pragma once

#include <optional>

#include "isa/effects.h"
#include "isa/instruction.h"
#include "isa/row.h"

namespace wavesmith::isa {

struct SourcePlace {
  Role role;
  const Operand* operand = nullptr;       ///< where it is printed
  RegisterRange registers;                ///< none for a constant
  std::optional<uint64_t> modifier = {};  ///< the constant, where a modifier gives it: v_bitop3's table
};

/// Operand nullptr and no register where the instruction does not print as many as its row reads.
SourcePlace source_place(const Instruction& instruction, const Row& row, uint64_t number, int wave_lanes);

/// How many results a row prints; its sources follow these.
int printed_results(const Row& row);

/// Whether an instruction does no more to its operands than its row's body says: no modifier chooses lanes or
/// parts of them, clamps, or changes a sign.
bool is_plain(const Instruction& instruction);

}  // namespace wavesmith::isa
