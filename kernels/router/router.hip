#include "kernels/router/router.h"

#include "kernels/router/router_backward.h"

using namespace wavesmith::kernels;

#define KERNELS(lanes, each, name, why)                                                                     \
  TILE_KERNEL TILE_THREADS(kRouterThreads) void router_##name(RouterArguments arguments) {                  \
    router<RouterShape<lanes, each>>(arguments);                                                            \
  }                                                                                                         \
  TILE_KERNEL TILE_THREADS(kRouterThreads) void router_backward_##name(RouterBackwardArguments arguments) { \
    router_backward<RouterShape<lanes, each>>(arguments);                                                   \
  }
WAVESMITH_ROUTER_CONFIGURATIONS(KERNELS)
