// The chips that tables of matrix multiplications name, as ours.
#pragma once

#include <string_view>

namespace wavesmith::validate {

struct GemmChip {
  std::string_view begins;  ///< how the table's "gpu" begins

  std::string_view id;      ///< our GPU
  std::string_view family;  ///< in strata
};

/// nullptr: a GPU that is not described.
const GemmChip* gemm_chip(std::string_view gpu);

}  // namespace wavesmith::validate
