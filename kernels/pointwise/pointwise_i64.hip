#include "kernels/pointwise/integers.h"
#include "kernels/pointwise/pointwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_i64(PointwiseArguments arguments) {
  pointwise<tile::i64, 1>(arguments);
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_i64_groups(PointwiseArguments arguments) {
  pointwise<tile::i64, elements_at_once(WAVESMITH_POINTWISE_I64)>(arguments);
}
