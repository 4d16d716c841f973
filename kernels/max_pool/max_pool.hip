#include "kernels/max_pool/max_pool.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kMaxPoolThreads) void max_pool_##name
KERNEL(f32)(MaxPoolArguments arguments) { max_pool<float>(argument_in_place(arguments)); }
KERNEL(f64)(MaxPoolArguments arguments) { max_pool<double>(argument_in_place(arguments)); }
KERNEL(i64)(MaxPoolArguments arguments) { max_pool<tile::i64>(argument_in_place(arguments)); }
KERNEL(gradient_f32)(MaxPoolArguments arguments) { max_pool_gradient<float>(argument_in_place(arguments)); }
KERNEL(gradient_f64)(MaxPoolArguments arguments) { max_pool_gradient<double>(argument_in_place(arguments)); }
