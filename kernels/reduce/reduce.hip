#include "kernels/reduce/reduce.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                        \
  TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_##name(ReduceArguments arguments) { \
    reduce<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments);              \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
