#include "kernels/cache/cache.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void cache(CacheArguments arguments) {
  write_cache<kRowThreads>(arguments);
}
