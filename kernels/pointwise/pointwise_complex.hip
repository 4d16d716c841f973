#include "kernels/pointwise/complex.h"
#include "kernels/pointwise/pointwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_c64(PointwiseArguments arguments) {
  pointwise<Complex<float>, 1>(arguments);
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_c128(PointwiseArguments arguments) {
  pointwise<Complex<double>, 1>(arguments);
}
