#include "kernels/gemm/warpgroups.h"

using namespace wavesmith::kernels;

#define GEMM_KERNEL(type, columns, stages, cluster)                                                                \
  TILE_KERNEL TILE_CLUSTER(cluster) TILE_THREADS_WAVES((GemmWarpgroupShape<tile::type, columns, stages, cluster>::kThreads), 3) \
  void gemm_##type##_128x##columns##_##stages##_##cluster(TILE_IN_PLACE GemmTensorArguments arguments) {           \
    extern TILE_SHARED char memory[];                                                                              \
    gemm_by_warpgroups<GemmWarpgroupShape<tile::type, columns, stages, cluster>>(arguments, memory);               \
  }
GEMM_KERNEL(bf16, 256, 4, 2)
GEMM_KERNEL(f16, 256, 4, 2)
GEMM_KERNEL(e4m3, 256, 4, 2)
GEMM_KERNEL(bf16, 256, 4, 1)
GEMM_KERNEL(e4m3, 256, 4, 1)
