// How much memory graphs hold on a device.
#include "runtime/device/platform.h"
#include "runtime/graph/graph.h"

using namespace wavesmith::runtime;

namespace {

template <class Body>
hipError_t with_device(int ordinal, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    return platform.device(ordinal) ? body(graph_memory(ordinal)) : hipErrorInvalidDevice;
  });
}

}  // namespace

HIP_API hipError_t hipDeviceGetGraphMemAttribute(int ordinal, hipGraphMemAttributeType which, void* value) {
  return with_device(ordinal, [&](const GraphMemory& memory) {
    if (!value) return hipErrorInvalidValue;
    // What is reserved is what is used: nothing is kept for later.
    switch (which) {
      case hipGraphMemAttrUsedMemCurrent:
      case hipGraphMemAttrReservedMemCurrent:
        *static_cast<uint64_t*>(value) = memory.used;
        return hipSuccess;
      case hipGraphMemAttrUsedMemHigh:
      case hipGraphMemAttrReservedMemHigh:
        *static_cast<uint64_t*>(value) = memory.high;
        return hipSuccess;
    }
    return hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipDeviceSetGraphMemAttribute(int ordinal, hipGraphMemAttributeType which, void* value) {
  return with_device(ordinal, [&](GraphMemory& memory) {
    if (which != hipGraphMemAttrUsedMemHigh && which != hipGraphMemAttrReservedMemHigh)
      return hipErrorInvalidValue;
    if (!value || *static_cast<uint64_t*>(value) != 0) return hipErrorInvalidValue;
    memory.high = memory.used.load();
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGraphMemTrim(int ordinal) {
  return with_device(ordinal, [](const GraphMemory&) { return hipSuccess; });
}
