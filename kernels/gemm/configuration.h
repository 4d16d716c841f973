// The GEMM kernels that there are: rows of configurations.tsv, which the build turns into this table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::kernels {

struct GemmConfiguration {
  std::string_view target;
  std::string_view name;  ///< "256x256x32"
  int rows, columns, depth;
  int threads;  ///< per workgroup
  int step_cycles, fixed_cycles, at_once;
  bool elements;  ///< has kernels that read element by element
  std::string_view why;
};

std::span<const GemmConfiguration> gemm_configurations();

}  // namespace wavesmith::kernels
