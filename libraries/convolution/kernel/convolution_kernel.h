// Convolutions as kernels of the kernel library (kernels/wavesmith_convolution.h), where it covers them:
// tensors of f32, f16 and bf16 in a GPU's memory.
#pragma once

#include "libraries/convolution/convolution.h"

namespace wavesmith::libraries {

/// Launches a convolution whose tensors lie in their allocations, with a workspace from the stream's pool.
/// False: the host serves it.
bool launch_convolution_kernel(const Convolve& what, void* stream);

}  // namespace wavesmith::libraries
