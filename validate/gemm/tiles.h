// Counts the kernels that libraries choose, to make model/fitted/gemm_tiles.toml.
#pragma once

#include <string>

#include "validate/gemm/row.h"

namespace wavesmith::validate {

struct GemmTilesOptions {
  size_t most = 16;  ///< of a set and schedule
  size_t least = 2;  ///< rows of half A that a kernel was the fastest for
};

/// The tables of model/fitted/gemm_tiles.toml, as text.
std::string count_gemm_tiles(const GemmRows& rows, const GemmTilesOptions& options = {});

}  // namespace wavesmith::validate
