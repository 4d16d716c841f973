#include "kernels/convolution/depthwise_weights.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kDepthwiseThreads) void depthwise_##name

KERNEL(eights)(DepthwiseArguments arguments) { convolve_eights(arguments); }
KERNEL(elements)(DepthwiseArguments arguments) { convolve_elements(arguments); }
KERNEL(weights_eights)(DepthwiseWeightsArguments arguments) { sum_weights<true>(arguments); }
KERNEL(weights_elements)(DepthwiseWeightsArguments arguments) { sum_weights<false>(arguments); }
TILE_KERNEL TILE_THREADS(kDepthwiseThreads) void combine_depthwise(DepthwiseWeightsArguments arguments) {
  combine_weights(arguments);
}
