// A row of the MI300A programs' measured times, and the report of a family that predicts such rows.
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

  /// The case for predicted milliseconds. `halves`: adds a stratum for the row's half, of which the first is
  /// called `half_a`, to those of the program and of all rows.
  [[nodiscard]] Case case_of(double predicted, bool halves, std::string_view half_a) const;
};

/// Error: a column is missing.
Result<std::vector<Mi300aRow>> mi300a_rows(const Csv& table);

/// Fills in strata, worst cases and the summary, whose names begin with the family's.
void report_times(FamilyReport& report, const std::vector<Case>& cases);

}  // namespace wavesmith::validate
