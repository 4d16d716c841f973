// rocBLAS's own kernels under the cycle model: rows of its tuning with the profile of the kernel that each
// row names (validate/tensile_kernels/measure.py).
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

/// The tuning run of a row, "MI210 HHS_BH" or "RX 7900 XTX SB in GFLOP/s": its rows share a fixed time.
std::string tuning_of(const GemmRow& row);

/// Seconds that a launch of a tuning run adds to its kernel: the value with the least mean relative error on
/// these kernels; 0 for none. `most`, an upper bound: the time of a short kernel of the run, which includes a
/// launch.
double fitted_launch(const std::vector<const TensileKernel*>& kernels, double most);

}  // namespace wavesmith::validate
