// For tests: AMD's libraries as a program finds them, by their names, and the numbers of operations that
// BLAS libraries share.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

namespace wavesmith::libraries {

inline constexpr int kAsItIs = 111, kTransposed = 112, kConjugated = 113, kUpper = 121, kLower = 122,
                     kNonUnit = 131, kUnit = 132, kLeft = 141, kRight = 142;

inline void* open_library(const char* name) {
  void* const library =
      dlopen((std::string(WAVESMITH_LIBRARIES) + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) ADD_FAILURE() << dlerror();
  return library;
}

/// The status of a function called with exactly these types.
template <class... Args>
int call(void* library, const std::string& name, Args... args) {
  auto* const function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name.c_str()));
  if (!function) ADD_FAILURE() << name;
  return function ? function(args...) : -1;
}

}  // namespace wavesmith::libraries
