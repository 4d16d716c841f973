// The functions that describe devices.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/api/version.h"
#include "runtime/device/attributes.h"
#include "runtime/device/properties.h"

using namespace wavesmith::runtime;

namespace {

/// Runs `body(Platform&, Device&)` for the device of that ordinal.
template <class Body>
hipError_t device_api(int ordinal, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    Device* const device = platform.device(ordinal);
    return device ? body(platform, *device) : platform.no_device(ordinal);
  });
}

/// How many of the wishes (fields that are not zero) a device meets; -1 when it misses one.
template <class Properties>
int score(const Properties& has, const Properties& wanted) {
  int met = 0;
  bool all = true;
  const auto wish = [&](auto given, auto asked) {
    if (asked == decltype(asked){}) return;
    all &= given >= asked;
    ++met;
  };
  wish(has.major, wanted.major);
  wish(has.minor, wanted.minor);
  wish(has.totalGlobalMem, wanted.totalGlobalMem);
  wish(has.sharedMemPerBlock, wanted.sharedMemPerBlock);
  wish(has.maxThreadsPerBlock, wanted.maxThreadsPerBlock);
  wish(has.totalConstMem, wanted.totalConstMem);
  wish(has.multiProcessorCount, wanted.multiProcessorCount);
  wish(has.maxThreadsPerMultiProcessor, wanted.maxThreadsPerMultiProcessor);
  wish(has.memoryClockRate, wanted.memoryClockRate);
  wish(has.memoryBusWidth, wanted.memoryBusWidth);
  wish(has.l2CacheSize, wanted.l2CacheSize);
  wish(has.regsPerBlock, wanted.regsPerBlock);
  wish(has.maxSharedMemoryPerMultiProcessor, wanted.maxSharedMemoryPerMultiProcessor);
  wish(has.warpSize, wanted.warpSize);
  return all ? met : -1;
}

template <class Properties, class Get>
hipError_t choose(int* chosen, const Properties* wanted, Get get) {
  return api([&](Platform& platform) {
    if (!chosen || !wanted) return hipErrorInvalidValue;
    int best = -1;
    *chosen = 0;
    for (const auto& device : platform.devices)
      if (const int met = score(get(platform, *device), *wanted); met > best)
        best = met, *chosen = device->ordinal;
    return hipSuccess;
  });
}

hipDeviceProp_tR0000 older(const Platform& platform, const Device& device) {
  return properties_of_hip5(properties(platform, device), device.target);
}

}  // namespace

HIP_API hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* out, int ordinal) {
  if (!out) return finish(hipErrorInvalidValue);
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    return *out = properties(platform, device), hipSuccess;
  });
}

HIP_API hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* out, int ordinal) {
  if (!out) return finish(hipErrorInvalidValue);
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    return *out = older(platform, device), hipSuccess;
  });
}

/// The name without a suffix is HIP 5's: newer headers rename it.
HIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* out, int ordinal) {
  return hipGetDevicePropertiesR0000(out, ordinal);
}

HIP_API hipError_t hipChooseDeviceR0600(int* chosen, const hipDeviceProp_tR0600* wanted) {
  return choose(chosen, wanted, properties);
}
HIP_API hipError_t hipChooseDeviceR0000(int* chosen, const hipDeviceProp_tR0000* wanted) {
  return choose(chosen, wanted, older);
}
HIP_API hipError_t hipChooseDevice(int* chosen, const hipDeviceProp_tR0000* wanted) {
  return choose(chosen, wanted, older);
}

HIP_API hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int ordinal) {
  if (!value) return finish(hipErrorInvalidValue);
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    // HIP 5 had the architecture's number where 6 has nothing.
    constexpr auto kGcnArch = hipDeviceAttributeUnused4;
    if (which == kGcnArch && hip_major() < 6) return *value = older(platform, device).gcnArch, hipSuccess;
    const auto found = attribute(platform, device, which);
    if (!found) return hipErrorInvalidValue;
    *value = *found;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t ordinal) {
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    if (!major || !minor) return hipErrorInvalidValue;
    const auto p = properties(platform, device);
    *major = p.major;
    *minor = p.minor;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetName(char* name, int size, hipDevice_t ordinal) {
  return device_api(ordinal, [&](Platform&, Device& device) {
    if (!name || size <= 0) return hipErrorInvalidValue;
    std::snprintf(name, static_cast<size_t>(size), "%s", device.gpu.name.c_str());
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t ordinal) {
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    if (!uuid) return hipErrorInvalidValue;
    *uuid = properties(platform, device).uuid;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetPCIBusId(char* text, int size, int ordinal) {
  return device_api(ordinal, [&](Platform&, Device& device) {
    if (!text || size < 0) return hipErrorInvalidValue;
    const int needed = std::snprintf(text, static_cast<size_t>(size), "%s", pci_address(device).data());
    return size > needed ? hipSuccess : hipErrorInvalidValue;  // what fits is there all the same
  });
}

HIP_API hipError_t hipDeviceGetByPCIBusId(int* ordinal, const char* text) {
  return api([&](Platform& platform) {
    if (!ordinal || !text) return hipErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(text, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
      return hipErrorInvalidValue;
    char wanted[32];
    std::snprintf(wanted, sizeof wanted, "%04x:%02x:%02x.%x", domain, bus, slot, function);
    for (const auto& device : platform.devices)
      if (std::strcmp(pci_address(*device).data(), wanted) == 0)
        return *ordinal = device->ordinal, hipSuccess;
    return hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t* texels, const hipChannelFormatDesc* format,
                                                       int ordinal) {
  return device_api(ordinal, [&](Platform& platform, Device& device) {
    if (!texels || !format) return hipErrorInvalidValue;
    const int bytes = (format->x + format->y + format->z + format->w) / 8;
    if (bytes <= 0) return hipErrorInvalidValue;
    *texels =
        static_cast<size_t>(properties(platform, device).maxTexture1DLinear) / static_cast<size_t>(bytes);
    return hipSuccess;
  });
}
