// Finds the tools on this machine to compile HIP with: compilers, HIP headers, device libraries. Nothing of
// ROCm is needed; where it is installed, it is preferred.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wavesmith::toolchain {

/// A set of HIP headers.
struct Headers {
  enum class Origin : unsigned char { Given, Rocm, Installed, Triton, TensorFlow, Debian };
  Origin origin = Origin::Given;
  std::string include;  ///< the folder that has hip/hip_runtime.h
  int major = 0, minor = 0, patch = 0;
  [[nodiscard]] bool has(const std::string& header) const;  ///< "hip/hip_fp16.h"
};
std::string name_of(Headers::Origin origin);

/// A folder with ocml.bc and ockl.bc.
struct DeviceLibraries {
  Headers::Origin origin = Headers::Origin::Given;
  std::string folder;
};

struct Toolchain {
  std::string clang;                       ///< clang++; empty: none found
  std::string lld;                         ///< the linker beside it, which device code needs
  std::string bundler;                     ///< clang-offload-bundler beside it
  std::string builtins;                    ///< its library of what code calls that it generates; empty: none
  std::string openmp;                      ///< LLVM's OpenMP runtime beside it; empty: none
  std::string hipcc;                       ///< ROCm's own compiler driver; empty: no ROCm
  std::vector<Headers> headers;            ///< best first
  std::vector<DeviceLibraries> libraries;  ///< best first
  std::string runtime;                     ///< the folder with our libamdhip64.so; empty: not found
};

/// Looks at the environment (WAVESMITH_CLANG, WAVESMITH_HIP_PATH, ROCM_PATH, WAVESMITH_LIBRARIES,
/// VIRTUAL_ENV, PYTHONPATH), PATH, /opt/rocm, what `wavesmith libraries install` has put somewhere, the usual
/// folders of Python packages and Debian's folders. Runs nothing.
Toolchain discover();
/// Fails, with instructions, if there is no clang++ with lld; `who` needs them.
Result<void> require_compiler(const Toolchain& tools, std::string_view who);
/// Fails, with the packages to install, if there are no device libraries; `who` needs them.
Result<void> require_device_libraries(const Toolchain& tools, std::string_view who);
/// Fails, with the package to install, if there is no OpenMP runtime for the host's code.
Result<void> require_openmp(const Toolchain& tools);

/// Marks a folder that only imitates ROCm's: `wavesmith run` builds it for programs from what discover()
/// finds.
inline constexpr const char* kShownFile = ".wavesmith";

/// The library or program that this code is in; empty: not found.
std::filesystem::path own_file();

/// Where generated files are kept: WAVESMITH_CACHE, else wavesmith under XDG_CACHE_HOME or ~/.cache.
std::string cache_folder();

/// Where `wavesmith libraries install` puts Debian's packages of AMD's libraries, if it is told no other
/// folder.
std::string installation_folder();

}  // namespace wavesmith::toolchain
