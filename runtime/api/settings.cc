// Settings of devices, functions and the process that change nothing that can be observed here, but are
// remembered where they can be asked for.
#include <array>
#include <atomic>

#include "runtime/abi/device.h"
#include "runtime/abi/launch.h"
#include "runtime/api/exports.h"
#include "runtime/device/platform.h"
#include "runtime/launch/module.h"

using namespace wavesmith::runtime;

namespace {

// ROCm's defaults: 1 KiB of stack a work-item, a heap of 128 KiB to begin with.
std::atomic<size_t> stack_size{1024}, heap_size{size_t{128} << 10}, printf_size{size_t{1} << 20};
// Scratch that the GPU may keep, as ROCr limits it.
constexpr size_t kScratchMost = size_t{4} << 30;
std::atomic<size_t> scratch_now{kScratchMost};

bool is_cache_config(hipFuncCache_t config) {
  return config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual;
}
bool is_bank_config(hipSharedMemConfig config) {
  return config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte;
}

}  // namespace

HIP_API hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  return api([&](Platform&) {
    if (!value) return hipErrorInvalidValue;
    switch (limit) {
      case hipLimitStackSize:
        *value = stack_size;
        return hipSuccess;
      case hipLimitMallocHeapSize:
        *value = heap_size;
        return hipSuccess;
      case hipLimitPrintfFifoSize:
        *value = printf_size;
        return hipSuccess;
      case hipExtLimitScratchMin:
        *value = 0;
        return hipSuccess;
      case hipExtLimitScratchMax:
        *value = kScratchMost;
        return hipSuccess;
      case hipExtLimitScratchCurrent:
        *value = scratch_now;
        return hipSuccess;
      default:
        return limit > hipLimitRange ? hipErrorInvalidValue : hipErrorUnsupportedLimit;
    }
  });
}

HIP_API hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  return api([&](Platform&) {
    // Kernels state their stack themselves and the heap grows as it is used: the values are kept, and nothing
    // else.
    constexpr size_t kStackMost = 131'056;  // the largest that a wave's scratch descriptor can say
    switch (limit) {
      case hipLimitStackSize:
        if (value > kStackMost) return hipErrorInvalidValue;
        stack_size = value;
        return hipSuccess;
      case hipLimitMallocHeapSize:
        heap_size = value;
        return hipSuccess;
      case hipLimitPrintfFifoSize:
        printf_size = value;
        return hipSuccess;
      case hipExtLimitScratchCurrent:
        if (value > kScratchMost) return hipErrorInvalidValue;
        scratch_now = value;
        return hipSuccess;
      default:
        return limit > hipLimitRange ? hipErrorInvalidValue : hipErrorUnsupportedLimit;
    }
  });
}

HIP_API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  return api([&](Platform&) {
    return config ? (*config = hipFuncCachePreferNone, hipSuccess) : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
  return api([&](Platform&) { return is_cache_config(config) ? hipSuccess : hipErrorInvalidValue; });
}
HIP_API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return api([&](Platform&) {
    return config ? (*config = hipSharedMemBankSizeFourByte, hipSuccess) : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return api([&](Platform&) { return is_bank_config(config) ? hipSuccess : hipErrorInvalidValue; });
}
HIP_API hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t config) {
  return api([&](Platform&) {
    if (!function) return hipErrorInvalidDeviceFunction;
    return is_cache_config(config) ? hipSuccess : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipFuncSetSharedMemConfig(const void* function, hipSharedMemConfig config) {
  return api([&](Platform&) {
    if (!function) return hipErrorInvalidDeviceFunction;
    return is_bank_config(config) ? hipSuccess : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGetDeviceFlags(unsigned* flags) {
  return api([&](Platform& platform) {
    return flags ? (*flags = platform.current().flags, hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
  return api([&](Platform& platform) {
    if (flags & ~(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax))
      return hipErrorInvalidValue;
    const unsigned schedule = flags & hipDeviceScheduleMask;
    if (schedule & (schedule - 1)) return hipErrorInvalidValue;  // at most one way to wait
    platform.current().flags = schedule;
    return hipSuccess;
  });
}

HIP_API hipError_t hipSetValidDevices(int* devices, int count) {
  return api([&](Platform& platform) {
    if (count < 0 || (count > 0 && !devices)) return hipErrorInvalidValue;
    for (int i = 0; i < count; ++i)
      if (!platform.device(devices[i])) return hipErrorInvalidDevice;
    if (count > 0) Platform::current_ordinal() = devices[0];
    return hipSuccess;
  });
}

// Profilers attach by other means; HIP marks these calls as deprecated and without effect.
HIP_API hipError_t hipProfilerStart() {
  return unsupported("hipProfilerStart", "there is no profiler to start");
}
HIP_API hipError_t hipProfilerStop() {
  return unsupported("hipProfilerStop", "there is no profiler to stop");
}

HIP_API void hipRegisterTracerCallback(int (*)(unsigned, unsigned, void*)) {}

HIP_API const char* hipApiName(uint32_t id) {
  for (const Export& function : exports())
    if (id && function.id == id) return function.name.data();  // a literal, so that it ends with 0
  return "unknown";
}
HIP_API const char* hipGetCmdName(unsigned) { return "unknown"; }
/// The precompiled header of ROCm's compiler: there is none.
HIP_API void __hipGetPCH(const char** header, unsigned* size) {
  if (header) *header = nullptr;
  if (size) *size = 0;
}
