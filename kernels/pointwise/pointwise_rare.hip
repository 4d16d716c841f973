#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/rare_functions.h"

using namespace wavesmith::kernels;

template <class C>
TILE_DEVICE void pointwise_rare(const PointwiseArguments& g) {
  pointwise_by<C, 1>(g, [](Pointwise operation, Group<C, 1>& v, const C(&numbers)[3], tile::u32) {
    apply_rare(operation, v, numbers);
  });
}

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kPointwiseThreads) void pointwise_rare_##name
KERNEL(f32)(PointwiseArguments arguments) { pointwise_rare<float>(arguments); }
KERNEL(f64)(PointwiseArguments arguments) { pointwise_rare<double>(arguments); }
KERNEL(i64)(PointwiseArguments arguments) { pointwise_rare<tile::i64>(arguments); }
KERNEL(complex)(PointwiseArguments arguments) { pointwise_rare<Complex<double>>(arguments); }
