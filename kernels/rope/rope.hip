#include "kernels/rope/rope.h"

#include "kernels/rows/configurations.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void rope(RopeArguments arguments) {
  wavesmith::kernels::rope<kRowThreads>(arguments);
}
