// A row of the MI300A programs' measured times, and a family's report of what was told for such rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "validate/csv.h"
#include "validate/report.h"

namespace wavesmith::validate {

struct Mi300aRow {
  std::string kernel, size, where;
  double milliseconds = 0;  ///< measured, on average; 0: the cell has no number

  /// The case of a program that told so many milliseconds. `halves`: beside those of the program and of all,
  /// a stratum for its half, whose first one is called `half_a`.
  [[nodiscard]] Case told(double predicted, bool halves, std::string_view half_a) const;
};

/// Error: a column is missing.
Result<std::vector<Mi300aRow>> mi300a_rows(const Csv& table);

/// Strata, worst cases and the summary, whose names begin with the family's.
void report_times(FamilyReport& report, const std::vector<Case>& cases);

}  // namespace wavesmith::validate
