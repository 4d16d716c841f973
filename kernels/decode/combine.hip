#include "kernels/decode/combine.h"

using namespace wavesmith::kernels;

constexpr int kThreads = kCombineWaves * tile::arch::kHere.wave_lanes;

#define COMBINE_KERNEL(name, Element)                                                         \
  TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kThreads, kThreads))) void name(     \
      CombineArguments arguments) {                                                           \
    combine<Element>(arguments);                                                              \
  }
COMBINE_KERNEL(decode_f16_combine, tile::f16)
COMBINE_KERNEL(decode_bf16_combine, tile::bf16)
