// rocBLAS's own kernels under the cycle model: rows of its tuning, with what `wavesmith profile` said of the
// kernel that the row names (validate/tensile_kernels/measure.py).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "validate/gemm/row.h"

namespace wavesmith::validate {

struct TensileKernel {
  GemmRow row;            ///< measured
  std::string kernel;     ///< its name in the library
  std::string library;    ///< the package and its version
  std::string bound;      ///< by what, as profile says
  std::string tuning;     ///< whose rows share a fixed time: "MI210 HHS_BH"
  double cycles = 0;      ///< modelled, of all kernels of one call
  double engine_mhz = 0;  ///< at which the measured time is told
  [[nodiscard]] double seconds() const { return cycles / (engine_mhz * 1e6); }
};

struct TensileKernels {
  std::vector<TensileKernel> kernels;
  std::vector<std::string> left_out;  ///< "3 rows: ..."
};

/// Error: a column is missing, or a cell is no number.
Result<TensileKernels> tensile_kernels(const Csv& csv);

/// Whose rows share a fixed time: "MI210 HHS_BH", "RX 7900 XTX SB in GFLOP/s".
std::string tuning_of(const GemmRow& row);

/// Seconds that a launch of such a tuning run takes beside its kernel: with the least mean relative error on
/// these, 0 for none; `most`: a short time of the run, which holds a launch, too.
double fitted_launch(const std::vector<const TensileKernel*>& kernels, double most);

}  // namespace wavesmith::validate
