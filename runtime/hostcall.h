// Calls from a kernel to the host: printf, assert, and memory for device malloc.
#pragma once

#include "runtime/platform.h"

namespace wavesmith::runtime {

/// The buffer that kernels of a device put their calls into.
const void* hostcall_buffer(Platform& platform, Device& device);
/// Answers the calls that wait in the buffer.
void serve_hostcalls(Platform& platform, Device& device);
/// What device malloc keeps its books in.
const void* device_heap(Platform& platform, Device& device);

}  // namespace wavesmith::runtime
