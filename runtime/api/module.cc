// The functions over modules and kernels.
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "object/bundle.h"
#include "runtime/api/origin.h"
#include "runtime/device/properties.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/launch/module.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

struct Modules {
  std::mutex mutex;
  std::unordered_map<hipModule_t, std::shared_ptr<Module>> live;
};

Modules& modules() {
  static auto& all = *new Modules;
  return all;
}

std::shared_ptr<Module> find(hipModule_t handle) {
  Modules& all = modules();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.live.find(handle);
  return found == all.live.end() ? nullptr : found->second;
}

hipError_t load(Platform& platform, std::span<const uint8_t> image, const void* caller, hipModule_t* handle) {
  auto module = Module::load(platform, platform.current(), image);
  if (!module) {
    report(module.error());
    return hip_error(module.error());
  }
  (*module)->origin = file_of(caller);
  *handle = reinterpret_cast<hipModule_t>(module->get());
  Modules& all = modules();
  const std::scoped_lock lock(all.mutex);
  all.live[*handle] = std::move(*module);
  return hipSuccess;
}

}  // namespace

namespace {
hipError_t load_data(hipModule_t* handle, const void* image, const void* caller) {
  return api([&](Platform& platform) {
    if (!handle || !image) return hipErrorInvalidValue;
    const std::span<const uint8_t> readable = readable_from(image);
    const auto size = object::extent(readable);
    if (!size) {
      report(size.error());
      return hip_error(size.error());
    }
    return load(platform, readable.first(*size), caller, handle);
  });
}
}  // namespace

HIP_API hipError_t hipModuleLoadData(hipModule_t* handle, const void* image) {
  return load_data(handle, image, __builtin_return_address(0));
}

HIP_API hipError_t hipModuleLoadDataEx(hipModule_t* handle, const void* image, unsigned /*count*/,
                                       int* /*options*/, void** /*values*/) {
  return load_data(handle, image, __builtin_return_address(0));
}
HIP_API hipError_t hipModuleLoadFatBinary(hipModule_t* handle, const void* image) {
  return load_data(handle, image, __builtin_return_address(0));
}

HIP_API hipError_t hipModuleLoad(hipModule_t* handle, const char* path) {
  const void* const caller = __builtin_return_address(0);
  return api([&](Platform& platform) {
    if (!handle || !path || !*path) return hipErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return hipErrorFileNotFound;
    const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    return load(platform, bytes, caller, handle);
  });
}

HIP_API hipError_t hipModuleUnload(hipModule_t handle) {
  return api([&](Platform&) {
    if (!handle) return hipErrorInvalidHandle;
    const auto module = find(handle);
    if (!module) return hipErrorNotFound;
    module->device.synchronize();
    Modules& all = modules();
    const std::scoped_lock lock(all.mutex);
    all.live.erase(handle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t handle, const char* name) {
  return api([&](Platform&) {
    if (!function || !name) return hipErrorInvalidValue;
    if (*name == 0) return hipErrorNotFound;
    const auto module = find(handle);
    if (!module) return hipErrorInvalidHandle;
    const auto found = module->function(name);
    if (!found) return hip_error(found.error());
    *function = reinterpret_cast<hipFunction_t>(*found);
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetFunctionCount(unsigned* count, hipModule_t handle) {
  return api([&](Platform&) {
    const auto module = find(handle);
    if (!module) return hipErrorInvalidHandle;
    if (!count) return hipErrorInvalidValue;
    *count = static_cast<unsigned>(module->object().kernels().size());
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* size, hipModule_t handle,
                                      const char* name) {
  return api([&](Platform&) {
    if (!name || !*name || (!address && !size)) return hipErrorInvalidValue;
    const auto module = find(handle);
    if (!module) return hipErrorInvalidHandle;
    const auto variable = module->variable(name);
    if (!variable) return hip_error(variable.error());
    if (address) *address = variable->address;
    if (size) *size = variable->size;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* symbol) {
  return api([&](Platform& platform) {
    if (!function) return hipErrorInvalidValue;
    const auto found = registered_function(platform, platform.current(), symbol);
    if (!found)
      return found.error().kind == ErrorKind::WrongTarget ? hipErrorNoBinaryForGpu
                                                          : hipErrorInvalidDeviceFunction;
    *function = reinterpret_cast<hipFunction_t>(*found);
    return hipSuccess;
  });
}

namespace {
/// Bytes of LDS that a launch may add to a kernel's own, as long as hipFuncSetAttribute has not said less.
int available_dynamic_lds(Platform& platform, const KernelFunction& function) {
  return static_cast<int>(platform.current().gpu.lds_per_workgroup) -
         static_cast<int>(function.kernel->fields.group_segment_fixed_size);
}
int most_dynamic_lds(Platform& platform, const KernelFunction& function) {
  return function.most_dynamic_lds.value_or(available_dynamic_lds(platform, function));
}

/// 94 for gfx942, as the properties have it.
int binary_version(Platform& platform) {
  const auto known = properties(platform, platform.current());
  return known.major * 10 + known.minor;
}

/// A kernel by the program's own name for it, or by a module's handle: ROCm 7 takes either for a function.
Result<KernelFunction*> function_of(Platform& platform, const void* function) {
  if (KernelFunction* const found =
          find_function(reinterpret_cast<hipFunction_t>(const_cast<void*>(function))))
    return found;
  return registered_function(platform, platform.current(), function);
}
}  // namespace

HIP_API hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* host) {
  return api([&](Platform& platform) {
    if (!attributes) return hipErrorInvalidValue;
    const auto found = function_of(platform, host);
    if (!found) return hipErrorInvalidDeviceFunction;
    const KernelFunction& function = **found;
    const object::Kernel& kernel = *function.kernel;
    *attributes = {};
    attributes->localSizeBytes = kernel.fields.private_segment_fixed_size;
    attributes->sharedSizeBytes = kernel.fields.group_segment_fixed_size;
    attributes->numRegs = static_cast<int>(kernel.vgpr_count);
    attributes->maxThreadsPerBlock = static_cast<int>(kernel.max_flat_workgroup_size);
    attributes->maxDynamicSharedSizeBytes = most_dynamic_lds(platform, function);
    attributes->binaryVersion = attributes->ptxVersion = binary_version(platform);
    return hipSuccess;
  });
}

HIP_API hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t handle) {
  return api([&](Platform& platform) {
    if (!value) return hipErrorInvalidValue;
    if (!handle) return hipErrorInvalidHandle;
    const auto& function = *reinterpret_cast<KernelFunction*>(handle);
    const object::Kernel& kernel = *function.kernel;
    switch (attribute) {
      case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = static_cast<int>(kernel.max_flat_workgroup_size);
        break;
      case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(kernel.fields.group_segment_fixed_size);
        break;
      case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = 0;
        break;
      case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(kernel.fields.private_segment_fixed_size);
        break;
      case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = static_cast<int>(kernel.vgpr_count);
        break;
      case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
      case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = binary_version(platform);
        break;
      case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        break;
      case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = available_dynamic_lds(platform, function);  // whatever hipFuncSetAttribute said
        break;
      case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = 0;
        break;
      default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipFuncSetAttribute(const void* host, hipFuncAttribute attribute, int value) {
  return api([&](Platform& platform) {
    if (!host) return hipErrorInvalidDeviceFunction;
    const auto found = function_of(platform, host);
    if (!found) return hipErrorInvalidDeviceFunction;
    if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0 || value > available_dynamic_lds(platform, **found)) return hipErrorInvalidValue;
      (*found)->most_dynamic_lds = value;
      return hipSuccess;
    }
    return attribute == hipFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100
               ? hipSuccess
               : hipErrorInvalidValue;
  });
}

HIP_API const char* hipKernelNameRef(hipFunction_t handle) {
  return handle ? reinterpret_cast<KernelFunction*>(handle)->kernel->name.c_str() : nullptr;
}

HIP_API const char* hipKernelNameRefByPtr(const void* host, hipStream_t) {
  return host ? registered_name(host) : nullptr;
}

HIP_API hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  return api([&](Platform& platform) {
    if (!address) return hipErrorInvalidValue;
    const auto variable = registered_variable(platform, platform.current(), symbol);
    if (!variable) return hipErrorInvalidSymbol;
    *address = variable->address;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  return api([&](Platform& platform) {
    if (!size) return hipErrorInvalidValue;
    const auto variable = registered_variable(platform, platform.current(), symbol);
    if (!variable) return hipErrorInvalidSymbol;
    *size = variable->size;
    return hipSuccess;
  });
}
