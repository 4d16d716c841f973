#include "kernels/experts/expert_combine.h"

using namespace wavesmith::kernels;

#define COMBINE_KERNEL(name, add)                                                                \
  TILE_KERNEL TILE_THREADS(kCombineRowThreads) void name(ExpertCombineArguments arguments) {     \
    combine_experts(arguments, [&](tile::Eight& sum, tile::i64 first, int column) {                   \
      add(sum, arguments, first, column);                                                        \
    });                                                                                          \
  }
COMBINE_KERNEL(experts_combine_f32, add_aligned<float>)
COMBINE_KERNEL(experts_combine_f16, add_aligned<tile::f16>)
COMBINE_KERNEL(experts_combine_bf16, add_aligned<tile::bf16>)
COMBINE_KERNEL(experts_combine_elements, add_elements)
