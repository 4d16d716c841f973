// Calls from a kernel to the host: printf, assert, and memory for device malloc.
#pragma once

#include "runtime/device/platform.h"

namespace wavesmith::runtime {

/// The buffer that kernels of a device put their calls into.
const void* hostcall_buffer(Platform& platform, Device& device);
/// Serves the calls that wait in the device's buffer. For Dispatch::serve, with the device as context.
void serve_hostcalls(void* device);
/// The memory with the bookkeeping of device malloc.
const void* device_heap(Platform& platform, Device& device);

}  // namespace wavesmith::runtime
