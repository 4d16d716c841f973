// Contexts. HIP keeps CUDA's driver interface, but a device has one context only: the handle names the
// device.
#include <mutex>
#include <vector>

#include "runtime/abi/device.h"
#include "runtime/device/platform.h"

using namespace wavesmith::runtime;

extern "C" hipError_t hipDeviceSynchronize();

namespace {

/// The thread's stack of current contexts. Its top is the current device; an empty stack leaves the device as
/// it was.
thread_local std::vector<int> stack;

hipCtx_t handle_of(Device& device) { return reinterpret_cast<hipCtx_t>(&device); }

Device* device_of(Platform& platform, hipCtx_t handle) {
  for (const auto& device : platform.devices)
    if (handle_of(*device) == handle) return device.get();
  return nullptr;
}

bool is_cache_config(hipFuncCache_t config) {
  return config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual;
}
bool is_bank_config(hipSharedMemConfig config) {
  return config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte;
}

}  // namespace

HIP_API hipError_t hipCtxCreate(hipCtx_t* context, unsigned flags, hipDevice_t ordinal) {
  return api([&](Platform& platform) {
    Device* const device = platform.device(ordinal);
    if (!context || !device) return hipErrorInvalidValue;
    device->flags = flags;
    stack.push_back(ordinal);
    Platform::current_ordinal() = ordinal;
    *context = handle_of(*device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxDestroy(hipCtx_t context) {
  return api([&](Platform& platform) {
    const Device* const device = device_of(platform, context);
    if (!device) return hipErrorInvalidValue;
    if (!stack.empty() && stack.back() == device->ordinal) stack.pop_back();
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return api([&](Platform& platform) {
    const Device* const device = device_of(platform, context);
    if (!device) return hipErrorInvalidContext;
    stack.push_back(device->ordinal);
    Platform::current_ordinal() = device->ordinal;
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  return api([&](Platform& platform) {
    if (stack.empty()) return hipErrorInvalidContext;
    if (context) *context = handle_of(*platform.devices[static_cast<size_t>(stack.back())]);
    stack.pop_back();
    if (!stack.empty()) Platform::current_ordinal() = stack.back();
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return api([&](Platform& platform) {
    if (!context) {
      if (!stack.empty()) stack.pop_back();
      return hipSuccess;
    }
    const Device* const device = device_of(platform, context);
    if (!device) return hipErrorInvalidContext;
    if (!stack.empty()) stack.pop_back();
    stack.push_back(device->ordinal);
    Platform::current_ordinal() = device->ordinal;
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxGetCurrent(hipCtx_t* context) {
  return api([&](Platform& platform) {
    return context ? (*context = handle_of(platform.current()), hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipCtxGetDevice(hipDevice_t* ordinal) {
  return api([&](Platform&) {
    return ordinal ? (*ordinal = Platform::current_ordinal(), hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipCtxGetApiVersion(hipCtx_t context, int* version) {
  return api([&](Platform& platform) {
    if (!version) return hipErrorInvalidValue;
    if (context && !device_of(platform, context)) return hipErrorInvalidContext;
    *version = 4;  // as hipCtx_t of ROCm's first release numbers it; nothing else was ever defined
    return hipSuccess;
  });
}

HIP_API hipError_t hipCtxGetFlags(unsigned* flags) {
  return api([&](Platform& platform) {
    return flags ? (*flags = platform.current().flags, hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }

HIP_API hipError_t hipCtxGetCacheConfig(hipFuncCache_t* config) {
  return plain_api(
      [&] { return config ? (*config = hipFuncCachePreferNone, hipSuccess) : hipErrorInvalidValue; });
}
HIP_API hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) {
  return plain_api([&] { return is_cache_config(config) ? hipSuccess : hipErrorInvalidValue; });
}
HIP_API hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) {
  return plain_api(
      [&] { return config ? (*config = hipSharedMemBankSizeFourByte, hipSuccess) : hipErrorInvalidValue; });
}
HIP_API hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
  return plain_api([&] { return is_bank_config(config) ? hipSuccess : hipErrorInvalidValue; });
}

HIP_API hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  return api([&](Platform& platform) {
    if (flags) return hipErrorInvalidValue;
    return device_of(platform, peer) ? hipSuccess : hipErrorInvalidContext;
  });
}
HIP_API hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  return api(
      [&](Platform& platform) { return device_of(platform, peer) ? hipSuccess : hipErrorInvalidContext; });
}

HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t ordinal) {
  return api([&](Platform& platform) {
    Device* const device = platform.device(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (!context) return hipErrorInvalidValue;
    *context = handle_of(*device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t ordinal) {
  return api(
      [&](Platform& platform) { return platform.device(ordinal) ? hipSuccess : hipErrorInvalidDevice; });
}

HIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t ordinal) {
  return api(
      [&](Platform& platform) { return platform.device(ordinal) ? hipSuccess : hipErrorInvalidDevice; });
}

HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t ordinal, unsigned* flags, int* active) {
  return api([&](Platform& platform) {
    Device* const device = platform.device(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (flags) *flags = device->flags;
    // Active: something has used the device.
    if (active) *active = device->ordinal == Platform::current_ordinal() || device->streams().size() > 1;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t ordinal, unsigned) {
  return api([&](Platform& platform) {
    return platform.device(ordinal) ? hipErrorContextAlreadyInUse : hipErrorInvalidDevice;
  });
}
