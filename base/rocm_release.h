// The release of ROCm that Wavesmith stands for. Headers of any version may lie beside it: what programs are
// told of the installation (files, tools, CMake packages, the runtime) is this one.
#pragma once

#include <cstdlib>
#include <optional>

namespace wavesmith {

/// A release of ROCm, "7.1.0", and the version of HIP in it, "7.1.25424".
struct RocmRelease {
  int major = 0, minor = 0, patch = 0;
  int hip_patch = 0;
  friend bool operator==(const RocmRelease&, const RocmRelease&) = default;
};

/// The newest release whose headers runtime/abi was checked against; HIP's number: its hip_version.h.
inline constexpr RocmRelease kRocmRelease{7, 1, 0, 25424};

/// "6.3", as WAVESMITH_HIP_VERSION has it; nothing when it is no version from 4 to 7.
inline std::optional<RocmRelease> rocm_release_named(const char* text) {
  char* end = nullptr;
  const long major = std::strtol(text, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
  if (*end != '\0' || major < 4 || major > 7 || minor < 0 || minor >= 100) return {};
  if (major == kRocmRelease.major && minor == kRocmRelease.minor) return kRocmRelease;
  return RocmRelease{static_cast<int>(major), static_cast<int>(minor)};
}

/// The release that WAVESMITH_HIP_VERSION asks for, else ours. What is no version is ignored here; the
/// runtime says so.
inline RocmRelease rocm_release() {
  const char* const asked = std::getenv("WAVESMITH_HIP_VERSION");
  return asked && *asked ? rocm_release_named(asked).value_or(kRocmRelease) : kRocmRelease;
}

}  // namespace wavesmith
