#include "kernels/rope/rope.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads))) void rope(
    RopeArguments arguments) {
  wavesmith::kernels::rope<kRowThreads>(arguments);
}
