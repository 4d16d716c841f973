// A measured matrix multiplication, read from a row of either table that has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/gemm/gemm.h"
#include "validate/csv.h"
#include "validate/split.h"

namespace wavesmith::validate {

struct GemmRow {
  std::string gpu;      ///< as the table writes it
  std::string chip;     ///< our id: "mi250x"
  std::string family;   ///< of chips, for strata: "MI250X", "MI350/MI355X"
  std::string library;  ///< "rocBLAS", "AITER/ck"...
  model::GemmProblem problem;
  std::optional<model::GemmKernel> kernel;
  model::Conditions conditions;
  double seconds = 0;  ///< measured; for shares of the peak at an unknown clock: at conditions.clock_mhz
  Half half = Half::A;
  size_t line = 0;
  double weight = 1;
};

/// "rocBLAS f16 1024x1024x4096 batch 2 tile 128x64x32 split 2", for people.
std::string label(const GemmRow& row);

struct GemmRows {
  std::vector<GemmRow> rows;
  std::vector<std::string> left_out;  ///< "123 rows: complex half ..."; why they are not judged
};

/// Tuned GEMMs of rocBLAS and hipBLASLt. Error: a cell that is no number, with its line.
Result<GemmRows> tensile_rows(const Csv& csv);
/// AITER's tuned GEMMs among the published kernels.
Result<GemmRows> aiter_rows(const Csv& csv);

}  // namespace wavesmith::validate
