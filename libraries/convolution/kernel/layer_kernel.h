// Layers of networks as kernels of the kernel library, where it covers them: tensors of f32, f16 and bf16 in
// a GPU's memory that are rows of columns which follow each other, with results that replace what was there.
#pragma once

#include "libraries/convolution/layers.h"

namespace wavesmith::libraries {

/// Launches a layer whose tensors lie in their allocations. False: nothing was launched, and the host serves
/// it.
bool launch_layer_kernel(const Softmax& layer, void* stream);
bool launch_layer_kernel(const Activate& layer, void* stream);
bool launch_layer_kernel(const CombineTensors& layer, void* stream);

/// Those that no kernel covers.
template <class Layer>
bool launch_layer_kernel(const Layer&, void*) {
  return false;
}

}  // namespace wavesmith::libraries
