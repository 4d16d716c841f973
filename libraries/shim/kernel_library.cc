#include "libraries/shim/kernel_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "libraries/shim/stream.h"

namespace wavesmith::libraries {
namespace {

bool host_is_asked_for() {
  const char* const wanted = std::getenv("WAVESMITH_STAND_INS");
  return wanted && std::strcmp(wanted, "host") == 0;
}

/// It lies beside the runtime that this library is linked to, and is of no use to another runtime.
void* open_kernel_library() {
  Dl_info runtime{};
  if (host_is_asked_for() || !dladdr(reinterpret_cast<void*>(hipLaunchHostFunc), &runtime)) return nullptr;
  char* const file = realpath(runtime.dli_fname, nullptr);
  if (!file) return nullptr;
  std::string path = file;
  std::free(file);
  path.replace(path.rfind('/') + 1, std::string::npos, "libwavesmith_kernels.so.0");
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

void* kernel_function(const char* name) {
  static void* const library = open_kernel_library();
  return library ? dlsym(library, name) : nullptr;
}

wavesmith_kernels_type kernel_type(Number type) {
  switch (type) {
    case Number::F16:
      return WAVESMITH_KERNELS_F16;
    case Number::BF16:
      return WAVESMITH_KERNELS_BF16;
    case Number::I8:
      return WAVESMITH_KERNELS_I8;
    case Number::I32:
      return WAVESMITH_KERNELS_I32;
    case Number::Fp8:
      return WAVESMITH_KERNELS_E4M3;
    case Number::Bf8:
      return WAVESMITH_KERNELS_E5M2;
    case Number::Fp8Fnuz:
      return WAVESMITH_KERNELS_E4M3_FNUZ;
    case Number::Bf8Fnuz:
      return WAVESMITH_KERNELS_E5M2_FNUZ;
    default:
      return WAVESMITH_KERNELS_F32;
  }
}

}  // namespace wavesmith::libraries
