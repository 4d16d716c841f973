// Fits the constants of matrix multiplication on half A. It made model/fitted/gemm.toml and is run again when
// the model changes.
#pragma once

#include <string>

#include "base/result.h"
#include "validate/table.h"

namespace wavesmith::validate {

struct GemmFitOptions {
  size_t rows = 4000;  ///< of half A for each set, at most; every stratum gets its share
  int steps = 60;      ///< of Levenberg and Marquardt's method
  std::string only;    ///< sets whose "CDNA2 f64 BLAS" contains it; empty: all
};

/// The sets of model/fitted/gemm.toml, and the tables of gemm_tiles.toml, as text. Error: the tables cannot
/// be read.
Result<std::string> fit_gemm(Data& data, const GemmFitOptions& options);

}  // namespace wavesmith::validate
