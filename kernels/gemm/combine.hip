#include "kernels/gemm/combine.h"

using namespace wavesmith::kernels;

using Floats = CombinedFloats<(tile::arch::kHere.largest_e4m3 > 0)>::Type;

#define COMBINE_KERNEL(name, A, Sum)                                                    \
  TILE_KERNEL TILE_THREADS(kCombineThreads) void name(GemmCombineArguments arguments) { \
    combine_gemm<A, Sum>(arguments);                                                    \
  }
COMBINE_KERNEL(combine_floats, Floats, float)
COMBINE_KERNEL(combine_integers, tile::i8, int)
