#include "kernels/convolution/depthwise.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kDepthwiseThreads) void depthwise_##name

KERNEL(eights)(DepthwiseArguments arguments) { convolve_eights(arguments); }
KERNEL(elements)(DepthwiseArguments arguments) { convolve_elements(arguments); }
