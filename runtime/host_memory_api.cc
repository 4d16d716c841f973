// The functions that make the host's own memory visible to kernels, and hints about where memory should be.
#include <algorithm>

#include "runtime/abi/memory.h"
#include "runtime/platform.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

using Kind = Allocation::Kind;

/// Whether [pointer, pointer + size) is memory that host and devices may share.
bool shareable(Platform& platform, const void* pointer, size_t size) {
  const auto allocation = platform.allocations.find(pointer);
  if (!allocation) return platform.xnack;
  return (allocation->kind == Kind::Managed || platform.xnack) &&
         platform.allocations.contains_or_foreign(pointer, size);
}

bool is_place(const Platform& platform, int device) {
  return device == hipCpuDeviceId || (device >= 0 && static_cast<size_t>(device) < platform.devices.size());
}

}  // namespace

HIP_API hipError_t hipHostRegister(void* pointer, size_t size, unsigned flags) {
  return api([&](Platform& platform) {
    constexpr unsigned kKnown = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                                hipHostRegisterReadOnly | hipExtHostRegisterUncached;
    if (!pointer || size == 0 || (flags & ~kKnown)) return hipErrorInvalidValue;
    if (platform.allocations.overlaps(pointer, size)) return hipErrorHostMemoryAlreadyRegistered;
    const int device = Platform::current_ordinal();
    const auto done =
        platform.memory->register_host(pointer, size, {.kind = 0, .flags = flags, .device = device});
    if (!done) return hipErrorHostMemoryAlreadyRegistered;
    platform.allocations.insert({reinterpret_cast<uint64_t>(pointer), size, Kind::Registered, device, flags});
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostUnregister(void* pointer) {
  return api([&](Platform& platform) {
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->kind != Kind::Registered || allocation->pointer() != pointer)
      return hipErrorHostMemoryNotRegistered;
    for (const auto& device : platform.devices) device->synchronize();
    platform.allocations.erase(pointer);
    return platform.memory->unregister_host(pointer) ? hipSuccess : hipErrorHostMemoryNotRegistered;
  });
}

HIP_API hipError_t hipHostGetDevicePointer(void** device_pointer, void* host, unsigned flags) {
  return api([&](Platform& platform) {
    if (!device_pointer || !host || flags) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(host);
    if (!allocation || (!allocation->on_host() && allocation->kind != Kind::Managed))
      return hipErrorInvalidValue;
    *device_pointer = host;
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return api([&](Platform& platform) {
    if (!flags || !host) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(host);
    if (!allocation || !allocation->on_host()) return hipErrorInvalidValue;
    *flags = allocation->flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemAdvise(const void* pointer, size_t size, hipMemoryAdvise /*advice*/, int device) {
  return api([&](Platform& platform) {
    if (!pointer || size == 0) return hipErrorInvalidValue;
    if (!is_place(platform, device)) return hipErrorInvalidDevice;
    return shareable(platform, pointer, size) ? hipSuccess : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipMemAdvise_v2(const void* pointer, size_t size, hipMemoryAdvise advice,
                                   hipMemLocation where) {
  return hipMemAdvise(pointer, size, advice,
                      where.type == hipMemLocationTypeDevice ? where.id : hipCpuDeviceId);
}

HIP_API hipError_t hipMemPrefetchAsync(const void* pointer, size_t size, int device, hipStream_t handle) {
  return api([&](Platform& platform) {
    if (!platform.stream(handle)) return hipErrorInvalidHandle;
    if (!pointer || size == 0) return hipErrorInvalidValue;
    if (!is_place(platform, device)) return hipErrorInvalidDevice;
    // Memory has no place here: both sides reach it where it is.
    return shareable(platform, pointer, size) ? hipSuccess : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t size, hipMemLocation where,
                                          unsigned flags, hipStream_t stream) {
  if (flags) return plain_api([] { return hipErrorInvalidValue; });
  return hipMemPrefetchAsync(pointer, size,
                             where.type == hipMemLocationTypeDevice ? where.id : hipCpuDeviceId, stream);
}

HIP_API hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute,
                                           const void* pointer, size_t size) {
  return api([&](Platform& platform) {
    if (!data || data_size < sizeof(int) || data_size % sizeof(int) || !pointer || size == 0)
      return hipErrorInvalidValue;
    if (!shareable(platform, pointer, size)) return hipErrorInvalidValue;
    auto* const values = static_cast<int*>(data);
    std::fill_n(values, data_size / sizeof(int), hipInvalidDeviceId);
    switch (attribute) {
      case hipMemRangeAttributeReadMostly:
        *values = 0;
        break;
      case hipMemRangeAttributePreferredLocation:
      case hipMemRangeAttributeAccessedBy:
      case hipMemRangeAttributeLastPrefetchLocation:
        break;
      case hipMemRangeAttributeCoherencyMode:
        *values = hipMemRangeCoherencyModeFineGrain;
        break;
      default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemRangeGetAttributes(void** data, size_t* sizes, hipMemRangeAttribute* attributes,
                                            size_t count, const void* pointer, size_t size) {
  if (!data || !sizes || !attributes || count == 0) return plain_api([] { return hipErrorInvalidValue; });
  for (size_t i = 0; i < count; ++i)
    if (const hipError_t error = hipMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, size);
        error != hipSuccess)
      return error;
  return hipSuccess;
}
