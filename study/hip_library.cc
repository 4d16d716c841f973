#include "study/hip_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "toolchain/discover.h"

namespace wavesmith::study {
namespace {

/// HIP's error codes (hip_runtime_api.h, hipError_t) by what they mean for a script.
ErrorKind kind_of(int code) {
  switch (code) {
    case 2:
      return ErrorKind::OutOfMemory;  // hipErrorOutOfMemory
    case 98:                          // hipErrorInvalidDeviceFunction
    case 500:
      return ErrorKind::NotFound;  // hipErrorNotFound
    case 209:
      return ErrorKind::WrongTarget;  // hipErrorNoBinaryForGpu
    case 700:
      return ErrorKind::MemoryFault;  // hipErrorIllegalAddress
    case 701:
      return ErrorKind::OutOfResources;  // hipErrorLaunchOutOfResources
    case 702:
      return ErrorKind::Budget;  // hipErrorLaunchTimeOut
    case 710:                    // hipErrorAssert
    case 719:
      return ErrorKind::Trap;  // hipErrorLaunchFailure
    case 801:
      return ErrorKind::Unsupported;  // hipErrorNotSupported
    default:
      return ErrorKind::BadInput;
  }
}

}  // namespace

Result<std::string> library_folder(const toolchain::Toolchain& tools) {
  if (!tools.runtime.empty()) return tools.runtime;
  return fail(ErrorKind::NotFound, "no libamdhip64.so beside this command", {},
              "build all of Wavesmith: make build");
}

Result<HipLibrary> HipLibrary::load() {
  const Result<std::string> folder = library_folder(toolchain::discover());
  if (!folder) return tl::unexpected(folder.error());
  return load(*folder + "/libamdhip64.so.7");
}

Result<HipLibrary> HipLibrary::load(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail(ErrorKind::NotFound, fmt::format("cannot load the HIP runtime: {}", dlerror()));
  HipLibrary library;
  const char* missing = nullptr;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function) missing = name;
  };
  find(library.hipInit, "hipInit");
  find(library.hipModuleLoadData, "hipModuleLoadData");
  find(library.hipModuleGetFunction, "hipModuleGetFunction");
  find(library.hipModuleUnload, "hipModuleUnload");
  find(library.hipMalloc, "hipMalloc");
  find(library.hipFree, "hipFree");
  find(library.hipMemcpy, "hipMemcpy");
  find(library.hipExtMallocWithFlags, "hipExtMallocWithFlags");
  find(library.hipMemset, "hipMemset");
  find(library.hipDeviceEnablePeerAccess, "hipDeviceEnablePeerAccess");
  find(library.hipModuleLaunchKernel, "hipModuleLaunchKernel");
  find(library.hipDeviceSynchronize, "hipDeviceSynchronize");
  find(library.hipGetErrorString, "hipGetErrorString");
  find(library.hipGetLastError, "hipGetLastError");
  find(library.hipEventCreateWithFlags, "hipEventCreateWithFlags");
  find(library.hipEventRecord, "hipEventRecord");
  find(library.hipEventDestroy, "hipEventDestroy");
  find(library.hipStreamWaitEvent, "hipStreamWaitEvent");
  find(library.hipGetDevice, "hipGetDevice");
  find(library.hipSetDevice, "hipSetDevice");
  if (missing) return fail(ErrorKind::NotFound, fmt::format("'{}' has no {}", path, missing));
  find(library.wavesmith_last_failure, "wavesmith_last_failure");
  return library;
}

Error HipLibrary::error(int code, const std::string& what) const {
  return {kind_of(code), fmt::format("{}: {} (HIP error {})", what, hipGetErrorString(code), code)};
}

}  // namespace wavesmith::study
