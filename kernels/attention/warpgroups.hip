#include "kernels/attention/warpgroups.h"

using namespace wavesmith::kernels;

#define ATTENTION_KERNEL(type, head)                                                           \
  TILE_KERNEL TILE_THREADS_WAVES((AttentionWarpgroupShape<tile::type, head>::kThreads), 3)     \
  void attention_##type##_##head##_warpgroups(TILE_IN_PLACE AttentionTensorArguments arguments) { \
    extern TILE_SHARED char memory[];                                                          \
    attention_by_warpgroups<AttentionWarpgroupShape<tile::type, head>>(arguments, memory);     \
  }
ATTENTION_KERNEL(bf16, 128)
ATTENTION_KERNEL(f16, 128)
ATTENTION_KERNEL(bf16, 64)
ATTENTION_KERNEL(f16, 64)
