// The process's environment, and whether a file is there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace wavesmith {

/// An environment variable's value; empty where it isn't set.
inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Whether a file exists; false if the path cannot be accessed.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace wavesmith
