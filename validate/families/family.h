// The families of operations that are judged, one file each. A new one: a function here, a line in family.cc.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "validate/report.h"
#include "validate/table.h"

namespace wavesmith::validate {

struct Family {
  std::string_view name;   ///< "gemm"
  std::string_view about;  ///< one line
  std::vector<TableKind> tables;
  Result<FamilyReport> (*judge)(Data& data);
};

/// Every family, in the order in which they are reported.
std::span<const Family> families();
/// nullptr: there is none of that name.
const Family* find_family(std::string_view name);

/// Summary: `gemm_worst_stratum_median`.
Result<FamilyReport> judge_gemm(Data& data);
/// Summaries: `attention_median`, `norm_median`, `moe_median`, `memory_bound_median`.
Result<FamilyReport> judge_attention(Data& data);
Result<FamilyReport> judge_norm(Data& data);
Result<FamilyReport> judge_moe(Data& data);
Result<FamilyReport> judge_memory_bound(Data& data);
Result<FamilyReport> judge_collectives(Data& data);
Result<FamilyReport> judge_convolution(Data& data);
/// Summary: `issue_rdna_exact`, `issue_gfx950_within4` and others, each program judged with constants fitted
/// without it, and the same of the constants of the tables, `issue_fitted_on_gfx1100_exact`...
Result<FamilyReport> judge_issue(Data& data);
/// Judges a user's table only. Summary: `statistics_latency_median` and others.
Result<FamilyReport> judge_statistics(Data& data);
/// Summary: `mi300a_wmape` and `mi300a_mean`, each program judged with constants fitted without it, and the
/// same of the constants fitted on all, `mi300a_fitted_on_wmape` and `mi300a_fitted_on_mean`.
Result<FamilyReport> judge_mi300a(Data& data);
/// Summary: `profile_wmape` and `profile_mean`; `profile_ladder_pairs_in_order` and `profile_ladder_mean`.
Result<FamilyReport> judge_profile(Data& data);
/// Summary: `tensile_kernels_median`, `tensile_kernels_mean`, `tensile_kernels_wmape`.
Result<FamilyReport> judge_tensile_kernels(Data& data);

}  // namespace wavesmith::validate
