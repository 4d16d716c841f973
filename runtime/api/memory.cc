// The functions that allocate and free memory.
#include <algorithm>
#include <cstring>

#include "check/host_call.h"
#include "runtime/abi/memory.h"
#include "runtime/api/error.h"
#include "runtime/device/platform.h"
#include "runtime/graph/graph.h"
#include "runtime/observe/check.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

using Kind = Allocation::Kind;

hipError_t allocate(void** pointer, size_t size, Kind kind, unsigned flags = 0) {
  return api([&](Platform& platform) {
    if (!pointer) return hipErrorInvalidValue;
    if (refuse_while_capturing()) return hipErrorStreamCaptureUnsupported;
    *pointer = nullptr;
    if (size == 0) return hipSuccess;
    const auto memory = platform.allocate(platform.current(), size, kind, flags);
    if (!memory) return hip_error(memory.error());
    *pointer = *memory;
    return hipSuccess;
  });
}

/// Frees what `allowed` accepts; waits first for the devices, whose work may use the memory.
template <class Allowed>
hipError_t release(void* pointer, Allowed allowed) {
  return api([&](Platform& platform) {
    if (!pointer) return hipSuccess;
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->pointer() != pointer || !allowed(allocation->kind)) {
      tell_release_refused(*platform.memory, pointer);
      return hipErrorInvalidValue;
    }
    // Another GPU's copies may use it as well, its kernels where it is a peer's.
    for (const auto& device : platform.devices) device->synchronize();
    end_graph_memory(pointer);
    return platform.release(pointer) ? hipSuccess : hipErrorInvalidValue;
  });
}

/// Rows of pitched memory begin at multiples of this.
constexpr size_t kPitch = 256;

}  // namespace

HIP_API hipError_t hipMalloc(void** pointer, size_t size) {
  const wavesmith::check::HostCallScope call;
  return allocate(pointer, size, Kind::Device);
}

HIP_API hipError_t hipExtMallocWithFlags(void** pointer, size_t size, unsigned flags) {
  const wavesmith::check::HostCallScope call;
  if (flags > hipDeviceMallocContiguous) return plain_api([] { return hipErrorInvalidValue; });
  if (flags == hipMallocSignalMemory && size != 8) return plain_api([] { return hipErrorInvalidValue; });
  return allocate(pointer, size, Kind::Device, flags);
}

HIP_API hipError_t hipFree(void* pointer) {
  const wavesmith::check::HostCallScope call;
  return release(
      pointer, [](Kind kind) { return kind == Kind::Device || kind == Kind::Managed || kind == Kind::Host; });
}

HIP_API hipError_t hipHostMalloc(void** pointer, size_t size, unsigned flags) {
  const wavesmith::check::HostCallScope call;
  constexpr unsigned kKnown = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                              hipHostMallocUncached | hipHostMallocNumaUser | hipHostMallocCoherent |
                              hipHostMallocNonCoherent;
  constexpr unsigned kCoherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if ((flags & ~kKnown) || (flags & kCoherence) == kCoherence)
    return plain_api([] { return hipErrorInvalidValue; });
  return allocate(pointer, size, Kind::Host, flags);
}
HIP_API hipError_t hipHostAlloc(void** pointer, size_t size, unsigned flags) {
  const wavesmith::check::HostCallScope call;
  return hipHostMalloc(pointer, size, flags);
}
HIP_API hipError_t hipExtHostAlloc(void** pointer, size_t size, unsigned flags) {
  const wavesmith::check::HostCallScope call;
  return hipHostMalloc(pointer, size, flags);
}
HIP_API hipError_t hipMallocHost(void** pointer, size_t size) {
  const wavesmith::check::HostCallScope call;
  return hipHostMalloc(pointer, size, 0);
}
HIP_API hipError_t hipMemAllocHost(void** pointer, size_t size) {
  const wavesmith::check::HostCallScope call;
  return hipHostMalloc(pointer, size, 0);
}

HIP_API hipError_t hipHostFree(void* pointer) {
  const wavesmith::check::HostCallScope call;
  return release(
      pointer, [](Kind kind) { return kind == Kind::Host || kind == Kind::Device || kind == Kind::Managed; });
}
HIP_API hipError_t hipFreeHost(void* pointer) {
  const wavesmith::check::HostCallScope call;
  return hipHostFree(pointer);
}

HIP_API hipError_t hipMallocManaged(void** pointer, size_t size, unsigned flags) {
  const wavesmith::check::HostCallScope call;
  if (size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
    return plain_api([] { return hipErrorInvalidValue; });
  return allocate(pointer, size, Kind::Managed, flags);
}

HIP_API hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const wavesmith::check::HostCallScope call;
  if (!pointer || !pitch) return plain_api([] { return hipErrorInvalidValue; });
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  if (height && *pitch > SIZE_MAX / height) return plain_api([] { return hipErrorOutOfMemory; });
  return allocate(pointer, *pitch * height, Kind::Device);
}

HIP_API hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width, size_t height,
                                    unsigned element) {
  const wavesmith::check::HostCallScope call;
  if (!pointer || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return plain_api([] { return hipErrorInvalidValue; });
  return hipMallocPitch(pointer, pitch, width, height);
}

HIP_API hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent) {
  const wavesmith::check::HostCallScope call;
  if (!pitched) return plain_api([] { return hipErrorInvalidValue; });
  size_t pitch = 0;
  if (extent.depth && extent.height > SIZE_MAX / extent.depth)
    return plain_api([] { return hipErrorOutOfMemory; });
  const hipError_t error = hipMallocPitch(&pitched->ptr, &pitch, extent.width, extent.height * extent.depth);
  if (error != hipSuccess) return error;
  pitched->pitch = pitch;
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return hipSuccess;
}

HIP_API hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  return api([&](Platform& platform) {
    if (!free || !total) return hipErrorInvalidValue;
    const Device& device = platform.current();
    *total = device.gpu.memory_bytes;
    const uint64_t taken = platform.allocations.used(device.ordinal) + platform.hidden_bytes;
    *free = device.gpu.memory_bytes - std::min(device.gpu.memory_bytes, taken);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t ordinal) {
  return api([&](Platform& platform) {
    const Device* const device = platform.device(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (!bytes) return hipErrorInvalidValue;
    *bytes = device->gpu.memory_bytes;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPtrGetInfo(void* pointer, size_t* size) {
  return api([&](Platform& platform) {
    if (!size) return hipErrorInvalidValue;
    if (!pointer) {
      *size = 0;
      return hipSuccess;
    }
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation) return hipErrorInvalidValue;
    *size = allocation->size;
    return hipSuccess;
  });
}
