#include "kernels/decode/combine.h"

using namespace wavesmith::kernels;

constexpr int kThreads = kCombineWaves * tile::arch::kHere.wave_lanes;

#define COMBINE_KERNEL(name, Element) \
  TILE_KERNEL TILE_THREADS(kThreads) void name(CombineArguments arguments) { combine<Element>(arguments); }
COMBINE_KERNEL(decode_f16_combine, tile::f16)
COMBINE_KERNEL(decode_bf16_combine, tile::bf16)
