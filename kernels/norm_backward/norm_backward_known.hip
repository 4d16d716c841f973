#include "kernels/norm_backward/norm_backward.h"

#include "kernels/norm_backward/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, lanes, parts, name, type)                                                         \
  TILE_KERNEL TILE_THREADS(threads) void norm_backward_##type##_##name(NormBackwardArguments arguments) { \
    using Shape = tile::RowShape<threads, lanes, parts>;                                                  \
    norm_backward_kept<Shape, KnownAccess<Shape, tile::type>>(arguments);                                 \
  }
#define KERNELS(threads, lanes, parts, name, why) \
  KERNEL(threads, lanes, parts, name, f16)        \
  KERNEL(threads, lanes, parts, name, bf16)
WAVESMITH_NORM_BACKWARD_KNOWN(KERNELS)
