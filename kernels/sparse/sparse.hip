#include "kernels/sparse/sparse.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kSparseThreads) void sparse_##name
KERNEL(sum_f32)(SparseArguments arguments) { sparse_sum<float>(argument_in_place(arguments)); }
KERNEL(sum_f64)(SparseArguments arguments) { sparse_sum<double>(argument_in_place(arguments)); }
KERNEL(sum_eights_f16)(SparseArguments arguments) {
  sparse_sum_eights<tile::f16>(argument_in_place(arguments));
}
KERNEL(sum_eights_bf16)(SparseArguments arguments) {
  sparse_sum_eights<tile::bf16>(argument_in_place(arguments));
}
KERNEL(maximum_f64)(SparseArguments arguments) { sparse_maximum(argument_in_place(arguments)); }
