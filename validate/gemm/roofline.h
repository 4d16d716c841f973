// The calibrated roofline of matrix multiplications: one for each family of chips, type and origin, fitted on
// half A of the rows.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "validate/gemm/row.h"
#include "validate/roofline.h"

namespace wavesmith::validate {

class GemmRooflines {
 public:
  /// Fits on the rows of half A and ignores the others.
  explicit GemmRooflines(std::span<const GemmRow> rows);
  /// The roofline's time for a row; NaN: nothing was fitted for such rows.
  [[nodiscard]] double seconds(const GemmRow& row) const;
  /// One line per roofline: "calibrated roofline, MI100 bf16 BLAS: 0.444 of the arithmetic...".
  [[nodiscard]] std::vector<std::string> described() const;

 private:
  std::map<std::string, Roofline> fitted_;
};

}  // namespace wavesmith::validate
