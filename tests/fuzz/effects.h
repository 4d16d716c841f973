// What an instruction may read and write: its row's roles, bound to the operands that are printed.
#pragma once

#include <optional>
#include <vector>

#include "isa/instruction.h"
#include "isa/row.h"

namespace wavesmith::fuzz {

/// Registers of one kind: dwords of Wave::s, or rows numbered as VGPRs are, accumulation registers after 256.
struct RegisterRange {
  bool scalar;
  int first, count;
};

struct Effects {
  std::vector<RegisterRange> reads,
      writes;                        ///< a register that is written may be read as well only if it is in both
  bool keeps_inactive_lanes = true;  ///< of the rows written
};

/// Of an instruction with a row; nullopt for one whose registers depend on more than what is printed
/// (M0-relative ones).
std::optional<Effects> effects_of(const isa::Instruction& instruction, const isa::Row& row, int lanes);

}  // namespace wavesmith::fuzz
