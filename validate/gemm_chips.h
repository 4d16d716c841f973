// The chips that tables of matrix multiplications name, as ours.
#pragma once

#include <string_view>

namespace wavesmith::validate {

struct GemmChip {
  std::string_view begins;  ///< how the table's "gpu" begins
  std::string_view id;      ///< our GPU
  std::string_view family;  ///< in strata
};

/// What a table says of a tuned kernel.
struct TunedKernel {
  std::string_view types, name;  ///< Tensile's names
  int group_m = 1;               ///< WorkGroupMapping
  double workgroups = 0;         ///< tiles times parts of K
  bool split = false;            ///< K has several parts
  double share = 0;              ///< of the peak that was measured; 0: not told
};

/// By the table's "gpu" and the kernel. nullptr: a GPU that is not described.
const GemmChip* gemm_chip(std::string_view gpu, const TunedKernel& kernel = {});

}  // namespace wavesmith::validate
