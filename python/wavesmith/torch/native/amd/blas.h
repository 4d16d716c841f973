// Products by the library of AMD's that the user prefers.
#pragma once

#include <c10/core/Device.h>
#include <wavesmith_kernels.h>

#include "device/hip.h"

namespace wavesmith::device::amd {

// Whether the library that is preferred adds that bias itself: one element for each column of a result that
// lies by rows, or for each row of one by columns, or the others. Wavesmith's kernels add each.
bool adds_bias(bool along_result);

// Launches a product in a stream of the calling thread's device. False where Wavesmith's kernels are
// preferred, or where the library does not take this product, which is said (choice.h). `what` is the
// operator.
bool multiply(const wavesmith_kernels_gemm_description& gemm, c10::DeviceIndex device, hipStream_t stream,
              const char* what);

}  // namespace wavesmith::device::amd
