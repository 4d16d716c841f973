// The part of HIP's public API that running a code object needs, from the library that `wavesmith` was built
// with. It is loaded when it is needed, as a program would: the other commands start without it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace wavesmith::cli {

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

  /// Loads libamdhip64.so from beside the command. Error: NotFound.
  static Result<HipLibrary> load();

  /// The failure of a call as an Error; `what` says what was tried.
  [[nodiscard]] Error error(int code, const std::string& what) const;
};

}  // namespace wavesmith::cli
