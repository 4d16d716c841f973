// Adapts HIP headers and device libraries to a clang that did not come with them.
//
// A clang of the LLVM project takes a folder for a HIP installation when it finds share/hip/version there;
// wants small bitcode files with constants (oclc_*.bc) beside ocml.bc and ockl.bc, which only ROCm's packages
// have complete; and no longer defines macros that older headers rely on. All that is generated once, in the
// cache folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "toolchain/discover.h"

namespace wavesmith::toolchain {

/// Folders to give to clang. Empty members: there is none, compile without.
struct Prepared {
  std::string hip;       ///< --hip-path: has include/ and share/hip/version
  std::string bitcode;   ///< --rocm-device-lib-path
  std::string preamble;  ///< a header to include before everything
  std::string spare;     ///< -idirafter: toolchain/spare_headers.h
};

struct Choice {
  const Headers* headers = nullptr;
  const DeviceLibraries* libraries = nullptr;
  bool flush_denormals = false;  ///< -fgpu-flush-denormals-to-zero
};

/// Fills the cache if needed and returns its folders. Safe to call from several threads and processes at
/// once.
Result<Prepared> prepare(const Toolchain& tools, const Choice& choice);

/// The cache folder of that name. If it does not exist, `make` fills a scratch folder that is renamed into
/// place, so it is complete or absent.
Result<std::string> cached(const std::string& name,
                           const std::function<Result<void>(const std::filesystem::path&)>& make);

/// A hash of a text as eight digits, for names in the cache.
std::string tag_of(const std::string& text);

}  // namespace wavesmith::toolchain
