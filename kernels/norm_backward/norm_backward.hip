#include "kernels/norm_backward/norm_backward.h"

#include "kernels/norm_backward/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, name) \
  TILE_KERNEL TILE_THREADS(threads) void norm_backward_##name(NormBackwardArguments arguments)

#define KEPT(threads, lanes, parts, aligned, name, why)           \
  KERNEL(threads, name) {                                         \
    using Shape = tile::RowShape<threads, lanes, parts, aligned>; \
    norm_backward_kept<Shape, AnyAccess<Shape>>(arguments);       \
  }
WAVESMITH_NORM_BACKWARD_KEPT(KEPT)

#define AGAIN(threads, lanes, parts, aligned, name, why) \
  KERNEL(threads, name) { norm_backward_again<tile::RowShape<threads, lanes, parts, aligned>>(arguments); }
WAVESMITH_NORM_BACKWARD_AGAIN(AGAIN)

TILE_KERNEL TILE_THREADS(kRowThreads) void norm_backward_sums(NormBackwardSumsArguments arguments) {
  wavesmith::kernels::norm_backward_sums(arguments);
}
