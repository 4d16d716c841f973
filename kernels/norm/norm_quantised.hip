#include "kernels/norm/norm.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                              \
  TILE_KERNEL TILE_THREADS(kRowThreads) void norm_quantised_##name(NormArguments arguments) { \
    norm<tile::RowShape<kRowThreads, lanes, parts, aligned>, true>(arguments);                \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
