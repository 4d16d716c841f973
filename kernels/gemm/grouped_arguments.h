// What a grouped kernel is given beside its rows: scales that each group's matrix of B has of its own.
#pragma once

#include "kernels/gemm/arguments.h"

namespace wavesmith::kernels {

/// Of kernels of grouped.h.
struct GemmRowGroupArguments : GemmGroupedArguments {
  long batch_scale_b;  ///< floats from the scale_b of a group's B to that of the next one; 0: all have one
};

}  // namespace wavesmith::kernels
