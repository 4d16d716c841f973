// AMD's steps of an fp8 product on an MI355X (validate/gemm/ladder.h) under the cycle model: our own programs
// of these steps (validate/cdna4_fp8/*.hip) under `wavesmith profile --time`, against AMD's times.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "validate/report.h"
#include "validate/table.h"

namespace wavesmith::validate {

/// A step of the ladder: its program, and its name there.
struct StepProgram {
  std::string_view rung, program, step;
};
/// One for each step, in the ladder's order.
std::span<const StepProgram> fp8_step_programs();

/// Adds cases, notes, a description of the comparison, and the summary `profile_ladder_pairs_in_order` and
/// `profile_ladder_mean`.
Result<void> judge_cdna4_fp8(Data& data, std::vector<Case>& cases, FamilyReport& report);

}  // namespace wavesmith::validate
