// What a scalar instruction does with two masks of lanes, or numbers, as the whole of its result.
#pragma once

#include <optional>

#include "isa/instruction.h"
#include "isa/meaning/expression.h"
#include "isa/row.h"

namespace wavesmith::analysis {

/// `a op b`, or with the complement of b; a Select is `SCC ? a : b`. The operands are the instruction's.
struct MaskOperation {
  isa::Op op;
  const isa::Operand* a;
  const isa::Operand* b;
  bool complement = false;
};

/// Of the row's first result; nullopt for anything else than And, Or, Xor and Select of what is printed.
std::optional<MaskOperation> mask_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes);

}  // namespace wavesmith::analysis
