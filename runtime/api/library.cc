// Libraries of kernels that belong to no device: loaded on a device when a kernel is asked for there.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>

#include "object/bundle.h"
#include "runtime/abi/launch.h"
#include "runtime/api/origin.h"
#include "runtime/launch/module.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

struct Library {
  std::vector<uint8_t> image;
  std::string origin;
  std::map<int, std::shared_ptr<Module>> modules;  ///< by device
};

struct Libraries {
  std::mutex mutex;
  std::unordered_map<hipLibrary_t, std::unique_ptr<Library>> live;
};
Libraries& libraries() {
  static auto& all = *new Libraries;
  return all;
}

Library* find(hipLibrary_t handle) {
  const auto found = libraries().live.find(handle);
  return found == libraries().live.end() ? nullptr : found->second.get();
}

/// A kernel's handle is a function's, of the device that was current when it was asked for: it can be
/// launched as one.
hipKernel_t handle_of(const KernelFunction& function) {
  return reinterpret_cast<hipKernel_t>(const_cast<KernelFunction*>(&function));
}

/// The function of a handle and its library; null when it is of none.
std::pair<const KernelFunction*, hipLibrary_t> find(hipKernel_t handle) {
  const KernelFunction* const function = find_function(reinterpret_cast<hipFunction_t>(handle));
  if (function)
    for (const auto& [library_handle, library] : libraries().live)
      for (const auto& [device, module] : library->modules)
        if (module.get() == function->module) return {function, library_handle};
  return {};
}

template <class Body>
hipError_t locked(Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const std::scoped_lock lock(libraries().mutex);
    return body(platform);
  });
}

/// The library's code on the current device.
Result<Module*> module_of(Platform& platform, Library& library) {
  std::shared_ptr<Module>& module = library.modules[platform.current().ordinal];
  if (!module) {
    auto loaded = Module::load(platform, platform.current(), library.image);
    if (!loaded) return tl::unexpected(loaded.error());
    module = std::move(*loaded);
    module->origin = library.origin;
  }
  return module.get();
}

hipError_t add(Platform& platform, hipLibrary_t* handle, std::vector<uint8_t> image, const void* caller) {
  auto library = std::make_unique<Library>();
  library->image = std::move(image);
  library->origin = file_of(caller);
  // What cannot be loaded at all is said now.
  if (const auto module = module_of(platform, *library); !module)
    return report(module.error()), hip_error(module.error());
  *handle = reinterpret_cast<hipLibrary_t>(library.get());
  libraries().live[*handle] = std::move(library);
  return hipSuccess;
}

}  // namespace

HIP_API hipError_t hipLibraryLoadData(hipLibrary_t* handle, const void* code, hipJitOption*, void**, unsigned,
                                      hipLibraryOption*, void**, unsigned) {
  const void* const caller = __builtin_return_address(0);
  return locked([&](Platform& platform) {
    if (!handle || !code) return hipErrorInvalidValue;
    const auto readable = readable_from(code);
    const auto size = object::extent(readable);
    if (!size) return hip_error(size.error());
    return add(platform, handle, {readable.begin(), readable.begin() + static_cast<ptrdiff_t>(*size)},
               caller);
  });
}

HIP_API hipError_t hipLibraryLoadFromFile(hipLibrary_t* handle, const char* path, hipJitOption*, void**,
                                          unsigned, hipLibraryOption*, void**, unsigned) {
  const void* const caller = __builtin_return_address(0);
  return locked([&](Platform& platform) {
    if (!handle || !path) return hipErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return hipErrorFileNotFound;
    return add(platform, handle, {std::istreambuf_iterator<char>(file), {}}, caller);
  });
}

HIP_API hipError_t hipLibraryUnload(hipLibrary_t handle) {
  return locked([&](Platform& platform) {
    if (!find(handle)) return hipErrorInvalidResourceHandle;
    for (const auto& device : platform.devices) device->synchronize();
    libraries().live.erase(handle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryGetKernel(hipKernel_t* out, hipLibrary_t handle, const char* name) {
  return locked([&](Platform& platform) {
    Library* const library = find(handle);
    if (!out || !name) return hipErrorInvalidValue;
    if (!library) return hipErrorInvalidResourceHandle;
    const auto module = module_of(platform, *library);
    if (!module) return hip_error(module.error());
    const auto function = (*module)->function(name);
    if (!function) return hip_error(function.error());
    *out = handle_of(**function);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryGetKernelCount(unsigned* count, hipLibrary_t handle) {
  return locked([&](Platform& platform) {
    Library* const library = find(handle);
    if (!count) return hipErrorInvalidValue;
    if (!library) return hipErrorInvalidResourceHandle;
    const auto module = module_of(platform, *library);
    if (!module) return hip_error(module.error());
    *count = static_cast<unsigned>((*module)->object().kernels().size());
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned room, hipLibrary_t handle) {
  return locked([&](Platform& platform) {
    Library* const library = find(handle);
    if (!kernels) return hipErrorInvalidValue;
    if (!library) return hipErrorInvalidResourceHandle;
    const auto module = module_of(platform, *library);
    if (!module) return hip_error(module.error());
    const auto& all = (*module)->object().kernels();
    for (size_t i = 0; i < std::min<size_t>(room, all.size()); ++i) {
      const auto function = (*module)->function(all[i].name);
      if (!function) return hip_error(function.error());
      kernels[i] = handle_of(**function);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelGetName(const char** name, hipKernel_t handle) {
  return locked([&](Platform&) {
    const auto [function, library] = find(handle);
    if (!name) return hipErrorInvalidValue;
    return function ? (*name = function->kernel->name.c_str(), hipSuccess) : hipErrorInvalidResourceHandle;
  });
}

HIP_API hipError_t hipKernelGetLibrary(hipLibrary_t* out, hipKernel_t handle) {
  return locked([&](Platform&) {
    const auto [function, library] = find(handle);
    if (!out) return hipErrorInvalidValue;
    return function ? (*out = library, hipSuccess) : hipErrorInvalidResourceHandle;
  });
}
