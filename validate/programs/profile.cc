// The cycle model of `wavesmith profile`: the MI300A programs' own event times, told by it, against those
// measured. Three sizes of each program, among those that took less than a millisecond, so that all of them
// take a minute. And AMD's steps of an fp8 product on an MI355X, as programs of our own.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "validate/families/family.h"
#include "validate/programs/cdna4_fp8.h"
#include "validate/programs/mi300a_programs.h"
#include "validate/programs/mi300a_row.h"

namespace wavesmith::validate {
namespace {

/// The shortest, the middle one and the longest.
std::vector<Mi300aRow> three(std::vector<Mi300aRow> rows) {
  std::ranges::sort(rows, {}, &Mi300aRow::milliseconds);
  if (rows.size() <= 3) return rows;
  return {rows.front(), rows[rows.size() / 2], rows.back()};
}

}  // namespace

Result<FamilyReport> judge_profile(Data& data) {
  constexpr double kLongest = 1;  // ms
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  Mi300aPrograms programs(data, {"profile", "--time", "--sampled", "--gpu", "mi300a"});
  if (Result<void> ready = programs.prepare(); !ready) return tl::unexpected(ready.error());
  std::map<std::string, std::vector<Mi300aRow>> rows;
  for (const Csv* const table : *tables) {
    const Result<std::vector<Mi300aRow>> all = mi300a_rows(*table);
    if (!all) return tl::unexpected(all.error());
    for (const Mi300aRow& row : *all)
      // Copies are no kernels.
      if (Mi300aPrograms::known(row.kernel) && !row.kernel.starts_with("memcopy") && row.milliseconds > 0 &&
          row.milliseconds <= kLongest)
        rows[row.kernel].push_back(row);
  }
  FamilyReport report;
  report.family = "profile";
  report.method =
      "Average event times of programs on an MI300A (51 iterations) against what the same programs print "
      "under "
      "`wavesmith profile --time --sampled`: every instruction of the sampled workgroups is replayed. Of "
      "each program "
      "the shortest, the middle and the longest run below 1 ms. Nothing was fitted for it: memory is that of "
      "the family "
      "mi300a, costs of instructions are those of the family issue.";
  std::vector<Case> cases;
  size_t wanted = 0;
  for (const auto& [kernel, all] : rows) wanted += three(all).size();
  for (const auto& [kernel, all] : rows)
    for (const Mi300aRow& row : three(all)) {
      const auto milliseconds = programs.milliseconds(kernel, row.size);
      if (!milliseconds) return tl::unexpected(milliseconds.error());
      if (*milliseconds <= 0) {
        report.notes.push_back(fmt::format("{} {} printed no time", kernel, row.size));
        continue;
      }
      cases.push_back(row.case_of(*milliseconds, !data.foreign(), "half A"));
      data.tell(fmt::format("profile: {} of {}: {} {:.4f} ms, measured {:.4f}", cases.size(), wanted,
                            cases.back().label, *milliseconds, row.milliseconds));
    }
  report_times(report, cases);
  if (data.foreign()) return report;
  if (const Result<void> done = judge_cdna4_fp8(data, cases, report); !done)
    return tl::unexpected(done.error());
  report.strata = strata_of(cases);
  report.worst = worst_of(cases);
  return report;
}

}  // namespace wavesmith::validate
