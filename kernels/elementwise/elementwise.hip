#include "kernels/elementwise/elementwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads)))
void elementwise(ElementwiseArguments arguments) {
  wavesmith::kernels::elementwise(arguments);
}
