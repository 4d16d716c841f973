// AMD's analytical model, rocm-origami from PyPI, on the same matrix multiplications, for comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validate/gemm/row.h"

namespace wavesmith::validate {

/// The Python interpreter that runs `origami`: $WAVESMITH_ORIGAMI_PYTHON, else python3. It may lack the
/// package.
std::string origami_python();

/// Origami's latency of each row, in seconds at the row's clock; NaN where it has none, or for all rows if
/// the package is missing.
std::vector<double> origami_seconds(std::span<const GemmRow* const> rows);

}  // namespace wavesmith::validate
