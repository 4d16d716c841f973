#include "kernels/elementwise/elementwise.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void elementwise(ElementwiseArguments arguments) {
  wavesmith::kernels::elementwise(arguments);
}
