// Matrix products as kernels of the kernel library (kernels/wavesmith_kernels.h), where it covers them: AMD
// machine code on the caller's stream, which reports, profiles and modelled time see.
#pragma once

#include "libraries/blas/product.h"

namespace wavesmith::libraries {

/// Launches a product that is served, and whose matrices do not reach past their allocations. False: nothing
/// was launched, because no kernel covers it, a matrix lies where no GPU reaches it, there is no kernel
/// library or no code for the GPU, or WAVESMITH_STAND_INS is "host". The host serves it then.
bool launch_product_kernel(const Product& product, void* stream);

/// Bytes of workspace with which a kernel of the current device would take the least time; its matrices need
/// no memory yet. 0 where none serves it.
size_t product_workspace(const Product& product);

}  // namespace wavesmith::libraries
