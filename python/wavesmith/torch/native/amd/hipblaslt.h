// Products by hipBLASLt.
#pragma once

#include <string>

#include <c10/core/Device.h>
#include <wavesmith_kernels.h>

#include "device/hip.h"

namespace wavesmith::device::amd {

// Its version, whose it is and its file. Raises PyTorch's error where the process has none.
std::string describe_hipblaslt();

// Launches the product; else the reason why hipBLASLt does not, and nothing was done.
std::string multiply_by_hipblaslt(const wavesmith_kernels_gemm_description& gemm, c10::DeviceIndex device,
                                  hipStream_t stream);

}  // namespace wavesmith::device::amd
