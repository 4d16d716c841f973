#include "kernels/pointwise/functions.h"
#include "kernels/pointwise/pointwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_f32(PointwiseArguments arguments) {
  pointwise<float, 1>(arguments);
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_f32_groups(PointwiseArguments arguments) {
  pointwise<float, elements_at_once(WAVESMITH_POINTWISE_F32)>(arguments);
}
