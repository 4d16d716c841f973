// AMD's steps of an fp8 product on an MI355X (gemm_ladder.h) under the cycle model: what our own programs of
// these steps (validate/cdna4_fp8/*.hip) print under `wavesmith profile --time`, against AMD's times.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "validate/report.h"
#include "validate/table.h"

namespace wavesmith::validate {

/// A step of the ladder: which of the programs makes it, and how it is called there.
struct StepProgram {
  std::string_view rung, program, step;
};
/// One for each step, in the ladder's order.
std::span<const StepProgram> fp8_step_programs();

/// Adds cases, notes, what is compared to the method, and the summary `profile_ladder_pairs_in_order` and
/// `profile_ladder_mean`.
Result<void> judge_cdna4_fp8(Data& data, std::vector<Case>& cases, FamilyReport& report);

}  // namespace wavesmith::validate
