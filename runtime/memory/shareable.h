// Memory that processes share, and the handle that one passes to the other.
#pragma once

#include "runtime/device/platform.h"

namespace wavesmith::runtime {

/// Plain data, small enough for HIP's 64-byte handles.
struct SharedMemory {
  uint64_t magic = 0;
  int process = 0, file = 0;
  uint64_t serial = 0, bytes = 0;
  int number = 0;  ///< of the GPU in the machine
};

/// Makes an allocation's pages sharable; they stay where they are. No kernel may be writing to them, so the
/// device is waited for.
hipError_t share_memory(Platform& platform, const Allocation& allocation, SharedMemory& shared);

/// Maps another process's memory into this one. Repeated calls return the same address; the memory is
/// unmapped when it has been detached as often as attached.
hipError_t attach_memory(Platform& platform, Device& device, const SharedMemory& shared, void*& address);
hipError_t detach_memory(Platform& platform, void* address);

}  // namespace wavesmith::runtime
