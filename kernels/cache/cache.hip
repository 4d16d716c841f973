#include "kernels/cache/cache.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads))) void cache(
    CacheArguments arguments) {
  write_cache<kRowThreads>(arguments);
}
