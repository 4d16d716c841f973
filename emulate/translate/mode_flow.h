// Which modes that change what an instruction means may be on where: M0-relative VGPRs (s_set_gpr_idx_on) and
// skipped vector instructions (s_setvskip). Translation has to know; so the modes are followed along the flow
// of control.
#pragma once

#include <cstdint>
#include <map>

#include "isa/instruction.h"

namespace wavesmith::emulate {

/// What holds where an instruction begins.
struct Modes {
  bool may_skip = false;      ///< VSKIP may be 1
  bool may_index = false;     ///< GPR_IDX_EN may be 1 ...
  bool may_not_index = true;  ///< ... and may be 0
  bool operator==(const Modes&) const = default;
};

/// Modes at each instruction of `code` that can be reached from `entry`, where all of them are off; empty
/// when no instruction switches one.
std::map<uint64_t, Modes> follow_modes(const std::map<uint64_t, isa::Instruction>& code, uint64_t entry);

/// True for what VSKIP skips.
bool is_vector(const isa::Instruction& instruction);

}  // namespace wavesmith::emulate
