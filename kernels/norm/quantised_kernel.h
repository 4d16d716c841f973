// A norm's kernel with quantising output, of a line of WAVESMITH_ROW_CONFIGURATIONS.
#pragma once

#include "kernels/norm/norm.h"
#include "kernels/rows/configurations.h"

#define WAVESMITH_NORM_QUANTISED(lanes, parts, aligned, name, why)                                          \
  TILE_KERNEL TILE_THREADS(wavesmith::kernels::kRowThreads) void norm_quantised_##name(                     \
      wavesmith::kernels::NormArguments arguments) {                                                        \
    wavesmith::kernels::norm<tile::RowShape<wavesmith::kernels::kRowThreads, lanes, parts, aligned>, true>( \
        arguments);                                                                                         \
  }
