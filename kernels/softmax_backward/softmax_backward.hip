#include "kernels/softmax_backward/softmax_backward.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                                           \
  TILE_KERNEL TILE_THREADS(kRowThreads) void softmax_backward_##name(SoftmaxBackwardArguments arguments) { \
    using Shape = tile::RowShape<kRowThreads, lanes, parts, aligned>;                                      \
    if constexpr (Shape::kKept)                                                                            \
      softmax_backward_kept<Shape, AnyAccess<Shape>>(arguments);                                           \
    else                                                                                                   \
      softmax_backward_again<Shape>(arguments);                                                            \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
