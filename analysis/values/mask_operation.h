// What a scalar instruction makes of two masks of lanes, or numbers, as the whole of a result.
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

/// Of a result, counted as the row's results; nullopt for anything else than And, Or, Xor and Select of
/// sources.
std::optional<MaskOperation> mask_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes, size_t result = 0);

/// The same of what goes to EXEC without being printed, as with s_and_saveexec_b64.
std::optional<MaskOperation> exec_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes);

/// Whether a row compares lane by lane, so that lanes that are switched off give 0.
bool compares_lanes(const isa::Row* row);

}  // namespace wavesmith::analysis
