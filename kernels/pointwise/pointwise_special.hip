#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/special_functions.h"

using namespace wavesmith::kernels;

using OfDouble = Group<double, 1>;

TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_bessel(PointwiseArguments arguments) {
  pointwise_by<double, 1>(arguments, [](Pointwise operation, OfDouble& v, const double (&)[3], tile::u32) {
    v.x[0] = bessel_function(operation, v.x[0]);
  });
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_gamma(PointwiseArguments arguments) {
  pointwise_by<double, 1>(arguments, [](Pointwise operation, OfDouble& v, const double (&)[3], tile::u32) {
    v.x[0] = gamma_function(operation, v.x[0]);
  });
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_zeta(PointwiseArguments arguments) {
  pointwise_by<double, 1>(arguments,
                          [](Pointwise operation, OfDouble& v, const double (&numbers)[3], tile::u32) {
                            v.x[0] = zeta_function(operation, v.x[0], v.z[0], numbers[0]);
                          });
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_incomplete(PointwiseArguments arguments) {
  pointwise_by<double, 1>(arguments, [](Pointwise operation, OfDouble& v, const double (&)[3], tile::u32) {
    const bool upper = operation == WAVESMITH_POINTWISE_UPPER_INCOMPLETE_GAMMA;
    v.x[0] = wide::incomplete_gamma(v.x[0], v.z[0], upper);
  });
}
TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_polynomial(PointwiseArguments arguments) {
  pointwise_by<double, 1>(arguments,
                          [](Pointwise operation, OfDouble& v, const double (&numbers)[3], tile::u32) {
                            v.x[0] = wide::orthogonal(operation, v.x[0], v.z[0], numbers[0]);
                          });
}
