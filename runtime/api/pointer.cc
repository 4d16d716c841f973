// The functions that say what a pointer points to.
#include <cstring>

#include "runtime/abi/memory.h"
#include "runtime/api/version.h"
#include "runtime/device/platform.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

using Kind = Allocation::Kind;

/// The number of a memory type: HIP 6 renumbered them.
int type_number(hipMemoryType type) {
  if (hip_major() >= 6) return type;
  switch (type) {
    case hipMemoryTypeHost:
      return 0;
    case hipMemoryTypeDevice:
      return 1;
    case hipMemoryTypeArray:
      return 2;
    case hipMemoryTypeManaged:
      return 4;
    default:
      return 3;
  }
}

hipMemoryType type_of(const Allocation& allocation) {
  if (allocation.kind == Kind::Managed) return hipMemoryTypeManaged;
  return allocation.on_host() ? hipMemoryTypeHost : hipMemoryTypeDevice;
}

template <class T>
hipError_t put(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return hipSuccess;
}

/// An attribute that the pointer lacks.
template <class T>
hipError_t lacks(void* data, T value) {
  put(data, value);
  return hipErrorInvalidValue;
}

/// Each value has the size that ROCm writes, which callers make room for: four bytes for a range's size, too.
hipError_t attribute(Platform& platform, void* data, hipPointer_attribute which, void* pointer) {
  const auto allocation = platform.allocations.find(pointer);
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      if (!allocation) return lacks(data, 0u);
      return put(data, type_number(type_of(*allocation)));
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return allocation ? put(data, pointer) : lacks<void*>(data, nullptr);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!allocation || !(allocation->on_host() || allocation->kind == Kind::Managed))
        return lacks<void*>(data, nullptr);
      return put(data, pointer);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put(data, bool{allocation && allocation->synchronous});
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
      return allocation ? put(data, static_cast<uint32_t>(allocation->id)) : lacks(data, 0u);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(data, allocation && allocation->kind == Kind::Managed);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return allocation ? put(data, allocation->device) : lacks(data, -2);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return allocation ? put(data, allocation->pointer()) : lacks<void*>(data, nullptr);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return allocation ? put(data, static_cast<uint32_t>(allocation->size)) : lacks(data, 0u);
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      return put(data, allocation.has_value());
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return allocation ? put(data, int{hipMemAccessFlagsProtReadWrite}) : hipErrorInvalidValue;
    // HIP has the names of these, and no more.
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return hipErrorNotSupported;
    default:
      return hipErrorInvalidValue;
  }
}

}  // namespace

HIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return api([&](Platform& platform) {
    if (!attributes || !pointer) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(pointer);
    *attributes = {};
    if (!allocation) {
      // Before HIP 6 memory of nobody's was an error; since then it is a type of its own.
      if (hip_major() < 6) return hipErrorInvalidValue;
      attributes->type = hipMemoryTypeUnregistered;
      attributes->device = hipInvalidDeviceId;
      return hipSuccess;
    }
    attributes->type = static_cast<hipMemoryType>(type_number(type_of(*allocation)));
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (allocation->on_host() || allocation->kind == Kind::Managed)
      attributes->hostPointer = const_cast<void*>(pointer);
    attributes->isManaged = allocation->kind == Kind::Managed;
    attributes->allocationFlags = allocation->flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute which, hipDeviceptr_t pointer) {
  return api([&](Platform& platform) {
    if (!data || !pointer) return hipErrorInvalidValue;
    return attribute(platform, data, which, pointer);
  });
}

HIP_API hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* which, void** data,
                                              hipDeviceptr_t pointer) {
  return api([&](Platform& platform) {
    if (!which || !data || !pointer || count == 0) return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      if (!data[i]) return hipErrorInvalidValue;
      const hipError_t error = attribute(platform, data[i], which[i], pointer);
      // What does not apply to the pointer reads as zero; unknown attributes are errors.
      if (error != hipSuccess &&
          (which[i] < HIP_POINTER_ATTRIBUTE_CONTEXT || which[i] > HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE))
        return error;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute which,
                                          hipDeviceptr_t pointer) {
  return api([&](Platform& platform) {
    if (!value || !pointer || which != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS) return hipErrorInvalidValue;
    int synchronous;
    std::memcpy(&synchronous, value, sizeof synchronous);
    return platform.allocations.set_synchronous(pointer, synchronous != 0) ? hipSuccess
                                                                           : hipErrorInvalidDevicePointer;
  });
}

HIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t pointer) {
  return api([&](Platform& platform) {
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation) return hipErrorNotFound;
    if (base) *base = allocation->pointer();
    if (size) *size = allocation->size;
    return hipSuccess;
  });
}
