#include "kernels/gate/gate.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads))) void gate(
    GateArguments arguments) {
  wavesmith::kernels::gate<kRowThreads>(arguments);
}
