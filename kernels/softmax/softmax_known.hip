#include "kernels/softmax/softmax_known.h"

#include "kernels/rows/known.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, lanes, parts, name, type)                                              \
  TILE_KERNEL TILE_THREADS(threads) void softmax_##type##_##name(SoftmaxArguments arguments) { \
    softmax_known<tile::RowShape<threads, lanes, parts>, tile::type>(arguments);               \
  }
#define KERNELS(threads, lanes, parts, name, why) \
  KERNEL(threads, lanes, parts, name, f16)        \
  KERNEL(threads, lanes, parts, name, bf16)
WAVESMITH_KNOWN_ROW_CONFIGURATIONS(KERNELS)
