#include "kernels/combine_backward/combine_backward.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void combine_backward(CombineBackwardArguments arguments) {
  wavesmith::kernels::combine_backward(arguments);
}
