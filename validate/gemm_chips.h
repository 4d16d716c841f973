// The chips that tables of matrix multiplications name, as ours.
#pragma once

#include <string_view>

namespace wavesmith::validate {

struct GemmChip {
  std::string_view begins;  ///< how the table's "gpu" begins
  std::string_view id;      ///< our GPU
  std::string_view family;  ///< in strata
};

/// By the table's "gpu", and for tuned kernels Tensile's name of the types, the
/// kernel's, and its WorkGroupMapping. nullptr: a GPU that is not
/// described.
const GemmChip* gemm_chip(std::string_view gpu, std::string_view types = {}, std::string_view kernel = {},
                          int group_m = 1);

}  // namespace wavesmith::validate
