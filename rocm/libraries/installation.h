// A folder that `wavesmith libraries install` filled: AMD's libraries, their dependencies, and a C library.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace wavesmith::rocm {

/// A package that is in the folder.
struct InstalledPackage {
  std::string name, version, part;  ///< part: the folder that it was unpacked into: amd, support or libc
  uint64_t bytes = 0;               ///< of the archive
};

struct Installation {
  std::string folder, suite, mirror;
  std::vector<std::string> asked;  ///< the names that were installed
  std::vector<InstalledPackage> packages;

  [[nodiscard]] bool has(const std::string& name) const;
  /// Folders with shared libraries of a part ("amd").
  [[nodiscard]] std::vector<std::string> libraries(const std::string& part) const;
  /// The dynamic linker of its C library; empty: it has none.
  [[nodiscard]] std::string loader() const;
};

inline constexpr const char* kInstalledFile = "installed.json";

/// Reads the folder's list; empty `packages`: nothing was installed there.
Installation read_installation(const std::string& folder);

/// Replaces the folder's list; false when it cannot be written.
bool write_installation(const Installation& installation);

}  // namespace wavesmith::rocm
