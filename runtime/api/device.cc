// The functions that choose and describe devices: the few that everything needs.
#include "runtime/abi/handles.h"
#include "runtime/api/version.h"
#include "runtime/device/platform.h"
#include "runtime/graph/capture_state.h"
#include "runtime/memory/pool.h"

using namespace wavesmith::runtime;

HIP_API hipError_t hipInit(unsigned flags) {
  return api([&](Platform&) { return flags ? hipErrorInvalidValue : hipSuccess; });
}

HIP_API hipError_t hipDriverGetVersion(int* version) {
  return plain_api([&] { return version ? (*version = hip_version(), hipSuccess) : hipErrorInvalidValue; });
}
HIP_API hipError_t hipRuntimeGetVersion(int* version) {
  return plain_api([&] { return version ? (*version = hip_version(), hipSuccess) : hipErrorInvalidValue; });
}

HIP_API hipError_t hipGetDeviceCount(int* count) {
  return plain_api([&] {
    if (!count) return hipErrorInvalidValue;
    Platform* const platform = Platform::get();
    *count = platform ? static_cast<int>(platform->devices.size()) : 0;
    return platform ? hipSuccess : hipErrorNoDevice;
  });
}

HIP_API hipError_t hipSetDevice(int ordinal) {
  return api([&](Platform& platform) {
    if (!platform.device(ordinal)) return platform.no_device(ordinal);
    Platform::current_ordinal() = ordinal;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetDevice(int* ordinal) {
  return api([&](Platform&) {
    return ordinal ? (*ordinal = Platform::current_ordinal(), hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return api([&](Platform& platform) {
    if (!device) return hipErrorInvalidValue;
    if (!platform.device(ordinal)) return platform.no_device(ordinal);
    *device = ordinal;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSynchronize() {
  return api([](Platform& platform) {
    if (refuse_while_anything_is_captured()) return hipErrorStreamCaptureUnsupported;
    platform.current().synchronize();
    trim_pools();
    return platform.current().failure();
  });
}

HIP_API hipError_t hipDeviceReset() {
  return api([](Platform& platform) {
    Device& device = platform.current();
    device.synchronize();
    // Code and managed variables belong to the program, not to what it did since.
    for (const Allocation& allocation : platform.allocations.all())
      if (allocation.device == device.ordinal &&
          (allocation.kind == Allocation::Kind::Device || allocation.kind == Allocation::Kind::Host))
        (void)platform.release(allocation.pointer());
    for (const auto& stream : device.streams()) drop_from_capture(*stream);
    device.remove_streams();
    device.flags = 0;
    device.clear_failure();
    return hipSuccess;
  });
}
