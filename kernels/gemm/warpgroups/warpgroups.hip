// Tiles of 128 by 256: a warpgroup's sums take half of its registers, and what a stage brings is multiplied most often.
// Without clusters 8,192 cubed of bf16 takes 3 to 20 % longer, measured on an H100.
#include "kernels/gemm/warpgroups/warpgroups.h"

using namespace wavesmith::kernels;

#define GEMM_KERNEL(name, shape)                                                                        \
  TILE_KERNEL TILE_CLUSTER(2) TILE_THREADS_WAVES(shape::kThreads, 3)                                    \
  void gemm_##name##_kk(TILE_IN_PLACE GemmTensorArguments arguments) {                                  \
    extern TILE_SHARED char memory[];                                                                   \
    gemm_by_warpgroups<shape>(arguments, memory);                                                       \
  }
GEMM_KERNEL(bf16_128x256x64, GemmWarpgroupShape<tile::bf16>)
GEMM_KERNEL(f16_128x256x64, GemmWarpgroupShape<tile::f16>)
GEMM_KERNEL(e4m3_128x256x128, GemmWarpgroupShape<tile::e4m3>)
using InParts = GemmWarpgroupShape<tile::e4m3, true>;
GEMM_KERNEL(e4m3_128x128x128, InParts)
