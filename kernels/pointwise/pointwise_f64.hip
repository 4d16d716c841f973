#include "kernels/pointwise/functions.h"
#include "kernels/pointwise/pointwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_f64(PointwiseArguments arguments) {
  pointwise<double, 1>(arguments);
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_f64_groups(PointwiseArguments arguments) {
  pointwise<double, elements_at_once(WAVESMITH_POINTWISE_F64)>(arguments);
}
