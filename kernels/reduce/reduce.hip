#include "kernels/reduce/reduce.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                     \
  TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads))) \
  void reduce_##name(ReduceArguments arguments) {                                    \
    reduce<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments);           \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
