#include "kernels/softmax_backward/softmax_backward.h"

#include "kernels/rows/known.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, lanes, parts, name, type)                            \
  TILE_KERNEL TILE_THREADS(threads) void softmax_backward_##type##_##name(   \
      SoftmaxBackwardArguments arguments) {                                  \
    using Shape = tile::RowShape<threads, lanes, parts>;                     \
    softmax_backward_kept<Shape, KnownAccess<Shape, tile::type>>(arguments); \
  }
#define KERNELS(threads, lanes, parts, name, why) \
  KERNEL(threads, lanes, parts, name, f16)        \
  KERNEL(threads, lanes, parts, name, bf16)
WAVESMITH_KNOWN_ROW_CONFIGURATIONS(KERNELS)
