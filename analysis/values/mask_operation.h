// A scalar instruction's result as one operation on two lane masks or numbers.
#pragma once

#include <optional>

#include "isa/instruction.h"
#include "isa/meaning/expression.h"
#include "isa/meaning/sources.h"
#include "isa/row.h"

namespace wavesmith::analysis {

/// `a op b`, or with the complement of b; a Select is `SCC ? a : b`.
struct MaskOperation {
  isa::Op op;
  isa::SourcePlace a, b;
  bool complement = false;
};

/// The operation of a result, counted as in the row; nullopt unless it is And, Or, Xor or Select of sources.
std::optional<MaskOperation> mask_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes, size_t result = 0);

/// The operation whose result goes to EXEC implicitly, as with s_and_saveexec_b64.
std::optional<MaskOperation> exec_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes);

/// Whether a row compares lane by lane, so that inactive lanes give 0.
bool compares_lanes(const isa::Row* row);

}  // namespace wavesmith::analysis
