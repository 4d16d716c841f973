// AMD's analytical model, rocm-origami from PyPI, on the same matrix multiplications: the model to compare
// with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validate/gemm/row.h"

namespace wavesmith::validate {

/// The Python interpreter whose `origami` is asked: $WAVESMITH_ORIGAMI_PYTHON, else python3. Whether it has
/// one is found out by asking.
std::string origami_python();

/// Origami's latency of each row, in seconds at the row's clock; NaN where it has none, for all of them where
/// the package is not there.
std::vector<double> origami_seconds(std::span<const GemmRow* const> rows);

}  // namespace wavesmith::validate
