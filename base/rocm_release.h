// The release of ROCm that Wavesmith presents to programs (files, tools, CMake packages, the runtime),
// whatever version of the headers is installed.
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

/// Parses a release such as "6.3", as in WAVESMITH_HIP_VERSION; nullopt unless it is a version from 4 to 7.
inline std::optional<RocmRelease> rocm_release_named(const char* text) {
  char* end = nullptr;
  const long major = std::strtol(text, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
  if (*end != '\0' || major < 4 || major > 7 || minor < 0 || minor >= 100) return {};
  if (major == kRocmRelease.major && minor == kRocmRelease.minor) return kRocmRelease;
  return RocmRelease{static_cast<int>(major), static_cast<int>(minor)};
}

/// The release that WAVESMITH_HIP_VERSION asks for, else ours. An invalid value is ignored here; the runtime
/// reports it.
inline RocmRelease rocm_release() {
  const char* const asked = std::getenv("WAVESMITH_HIP_VERSION");
  return asked && *asked ? rocm_release_named(asked).value_or(kRocmRelease) : kRocmRelease;
}

}  // namespace wavesmith
