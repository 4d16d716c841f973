// The cycle model of `wavesmith profile`: the MI300A programs' own event times, told by it, against those
// measured. Three sizes of each program, among those that took less than a millisecond, so that all of them
// take a minute.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "validate/family.h"
#include "validate/mi300a_programs.h"
#include "validate/split.h"

namespace wavesmith::validate {
namespace {

struct Row {
  std::string size, where;
  double milliseconds = 0;
};

/// The shortest, the middle one and the longest.
std::vector<Row> three(std::vector<Row> rows) {
  std::ranges::sort(rows, {}, &Row::milliseconds);
  if (rows.size() <= 3) return rows;
  return {rows.front(), rows[rows.size() / 2], rows.back()};
}

}  // namespace

Result<FamilyReport> judge_profile(Data& data) {
  constexpr double kLongest = 1;  // ms
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  Mi300aPrograms programs({"profile", "--time", "--sampled", "--gpu", "mi300a"});
  if (Result<void> ready = programs.prepare(); !ready) return tl::unexpected(ready.error());
  std::map<std::string, std::vector<Row>> rows;
  for (const Csv* const table : *tables) {
    const auto kernels = table->column("kernel_name"), sizes = table->column("problem_size"),
               averages = table->column("avg_ms");
    if (!kernels || !sizes || !averages)
      return fail(ErrorKind::BadInput, "columns are missing", table->name());
    for (size_t row = 0; row < table->rows(); ++row) {
      const std::string kernel(table->cell(row, *kernels));
      const double measured = number<double>(table->cell(row, *averages)).value_or(0);
      // Copies are no kernels.
      if (!Mi300aPrograms::known(kernel) || kernel.starts_with("memcopy") || measured <= 0 ||
          measured > kLongest)
        continue;
      rows[kernel].push_back({std::string(table->cell(row, *sizes)), table->where(row), measured});
    }
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
  for (const auto& [kernel, all] : rows)
    for (const Row& row : three(all)) {
      const auto milliseconds = programs.milliseconds(kernel, row.size);
      if (!milliseconds) return tl::unexpected(milliseconds.error());
      if (*milliseconds <= 0) {
        report.notes.push_back(fmt::format("{} {} printed no time", kernel, row.size));
        continue;
      }
      Case one;
      one.gpu = "MI300A";
      one.label = fmt::format("{} {}", kernel, row.size);
      one.where = row.where;
      one.measured = row.milliseconds * 1e-3;
      one.predicted = *milliseconds * 1e-3;
      one.strata = {kernel, "all"};
      if (!data.foreign())
        one.strata.push_back(half_of("MI300A", kernel, "", row.size) == Half::A ? "half A" : "half B");
      fmt::print(stderr, "profile: {} {:.4f} ms, measured {:.4f}\n", one.label, *milliseconds,
                 row.milliseconds);
      cases.push_back(std::move(one));
    }
  report.strata = strata_of(cases);
  report.worst = worst_of(cases);
  std::vector<double> errors;
  for (const Case& one : cases) errors.push_back(one.error());
  report.summary = {
      {"profile_wmape", weighted_error(cases), cases.size()},
      {"profile_mean",  mean(errors),          cases.size()},
  };
  return report;
}

}  // namespace wavesmith::validate
