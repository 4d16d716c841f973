#include "kernels/norm/norm.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                     \
  TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads))) \
  void norm_##name(NormArguments arguments) {                                        \
    norm<tile::RowShape<kRowThreads, lanes, parts, aligned>, false>(arguments);      \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
