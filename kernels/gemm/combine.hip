#include "kernels/gemm/combine.h"

using namespace wavesmith::kernels;

using Floats = CombinedFloats<(tile::arch::kHere.largest_e4m3 > 0)>::Type;

#define COMBINE_KERNEL(name, A, Sum, halves)                                            \
  TILE_KERNEL TILE_THREADS(kCombineThreads) void name(GemmCombineArguments arguments) { \
    combine_gemm<A, Sum, halves>(arguments);                                            \
  }
COMBINE_KERNEL(combine_floats, Floats, float, 1)
COMBINE_KERNEL(combine_integers, tile::i8, int, 1)
COMBINE_KERNEL(combine_gated_floats, Floats, float, 2)
COMBINE_KERNEL(combine_gated_integers, tile::i8, int, 2)
