#include "kernels/all_reduce/all_reduce.h"

#include "kernels/all_reduce/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, parts, name, type)                                                           \
  TILE_KERNEL TILE_THREADS(threads) void allreduce_##type##_once_##name(AllReduceArguments arguments) { \
    all_reduce_at_once<tile::RowShape<threads, threads, parts>, tile::type>(arguments);              \
  }                                                                                                  \
  TILE_KERNEL TILE_THREADS(threads) void allreduce_##type##_slices_##name(                           \
      AllReduceArguments arguments) {                                                                \
    all_reduce_in_slices<tile::RowShape<threads, threads, parts>, tile::type>(arguments);            \
  }
#define KERNELS(threads, parts, name, why) \
  KERNEL(threads, parts, name, f16)        \
  KERNEL(threads, parts, name, bf16)
WAVESMITH_ALL_REDUCE_CONFIGURATIONS(KERNELS)
