#include "validate/programs/mi300a_row.h"

#include <fmt/format.h>

#include "validate/split.h"

namespace wavesmith::validate {

Case Mi300aRow::case_of(double predicted, bool halves, std::string_view half_a) const {
  Case one;
  one.gpu = "MI300A";
  one.label = fmt::format("{} {}", kernel, size);
  one.where = where;
  one.measured = milliseconds * 1e-3;
  one.predicted = predicted * 1e-3;
  one.strata = {kernel, "all"};
  if (halves) one.strata.emplace_back(half_of("MI300A", kernel, "", size) == Half::A ? half_a : "half B");
  return one;
}

Result<std::vector<Mi300aRow>> mi300a_rows(const Csv& table) {
  const auto kernels = table.column("kernel_name"), sizes = table.column("problem_size"),
             averages = table.column("avg_ms");
  if (!kernels || !sizes || !averages) return fail(ErrorKind::BadInput, "columns are missing", table.name());
  std::vector<Mi300aRow> rows;
  for (size_t row = 0; row < table.rows(); ++row)
    rows.push_back({std::string(table.cell(row, *kernels)), std::string(table.cell(row, *sizes)),
                    table.where(row), number<double>(table.cell(row, *averages)).value_or(0)});
  return rows;
}

void report_times(FamilyReport& report, const std::vector<Case>& cases) {
  report.strata = strata_of(cases);
  report.worst = worst_of(cases);
  std::vector<double> errors;
  for (const Case& one : cases) errors.push_back(one.error());
  report.summary = {
      {report.family + "_wmape", weighted_error(cases), cases.size()},
      {report.family + "_mean", mean(errors), cases.size()},
  };
}

}  // namespace wavesmith::validate
