#include "kernels/attention/warpgroups.h"

using namespace wavesmith::kernels;

#define ATTENTION_KERNEL(type, head, keys, stages, queries)                                                       \
  TILE_KERNEL TILE_THREADS_WAVES((AttentionWarpgroupShape<tile::type, head, keys, stages, queries>::kThreads), 3) \
  void attention_##type##_##head##_##keys##_##stages##_##queries(TILE_IN_PLACE AttentionTensorArguments arguments) { \
    extern TILE_SHARED char memory[];                                                                             \
    attention_by_warpgroups<AttentionWarpgroupShape<tile::type, head, keys, stages, queries>>(arguments, memory); \
  }
ATTENTION_KERNEL(bf16, 128, 128, 2, 2)
ATTENTION_KERNEL(f16, 128, 128, 2, 2)
