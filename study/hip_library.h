// The part of HIP's public API that is needed to run a code object, from the library that `wavesmith` was
// built with. It is loaded on demand, so that other commands start without it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "toolchain/discover.h"

namespace wavesmith::study {

struct HipLibrary {
  int (*hipInit)(unsigned) = nullptr;
  int (*hipModuleLoadData)(void** module, const void* image) = nullptr;
  int (*hipModuleGetFunction)(void** function, void* module, const char* name) = nullptr;
  int (*hipModuleUnload)(void* module) = nullptr;
  int (*hipMalloc)(void** pointer, size_t size) = nullptr;
  int (*hipFree)(void* pointer) = nullptr;
  int (*hipMemcpy)(void* to, const void* from, size_t size, int kind) = nullptr;
  int (*hipModuleLaunchKernel)(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, void* stream, void** parameters,
                               void** extra) = nullptr;
  int (*hipDeviceSynchronize)() = nullptr;
  const char* (*hipGetErrorString)(int) = nullptr;
  int (*hipGetLastError)() = nullptr;

  int (*hipEventCreateWithFlags)(void** event, unsigned flags) = nullptr;
  int (*hipEventRecord)(void* event, void* stream) = nullptr;
  int (*hipEventDestroy)(void* event) = nullptr;
  int (*hipStreamWaitEvent)(void* stream, void* event, unsigned flags) = nullptr;

  int (*hipExtMallocWithFlags)(void** pointer, size_t size, unsigned flags) = nullptr;
  int (*hipMemset)(void* pointer, int value, size_t size) = nullptr;
  int (*hipDeviceEnablePeerAccess)(int peer, unsigned flags) = nullptr;
  int (*hipGetDevice)(int* device) = nullptr;
  int (*hipSetDevice)(int device) = nullptr;
  /// runtime/wavesmith.h; nullptr where the library is not ours.
  size_t (*wavesmith_last_failure)(char* text, size_t size) = nullptr;

  /// Loads libamdhip64.so from beside the command, or the one named. Error: NotFound.
  static Result<HipLibrary> load();
  static Result<HipLibrary> load(const std::string& path);

  /// The failure of a call as an Error; `what` describes the attempt.
  [[nodiscard]] Error error(int code, const std::string& what) const;
};

/// The folder with our libraries. Error: NotFound.
Result<std::string> library_folder(const toolchain::Toolchain& tools);

}  // namespace wavesmith::study
