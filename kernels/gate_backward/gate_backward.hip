#include "kernels/gate_backward/gate_backward.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void gate_backward(GateBackwardArguments arguments) {
  wavesmith::kernels::gate_backward(arguments);
}
