// As much of the public HIP API as the library uses, so that building it needs no HIP headers.
#pragma once

#include <cstddef>

extern "C" {
int hipGetDevice(int* device);
int hipDeviceGetAttribute(int* value, int attribute, int device);
int hipModuleLoadData(void** module, const void* image);
int hipModuleGetFunction(void** function, void* module, const char* name);
int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                          void** parameters, void** extra);
int hipMemsetAsync(void* pointer, int value, size_t bytes, void* stream);
const char* hipGetErrorName(int error);
}

namespace wavesmith::kernels {

/// hipDeviceAttribute_t of HIP 6 and 7.
inline constexpr int kComputeCapabilityMajor = 23, kMaxThreadsPerMultiProcessor = 57,
                     kComputeCapabilityMinor = 61, kMultiprocessorCount = 63;

}  // namespace wavesmith::kernels
