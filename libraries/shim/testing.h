// Helpers for tests: open AMD's libraries by their names, as programs do, and name the operations that BLAS
// libraries share.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <type_traits>

namespace wavesmith::libraries {

inline constexpr int kAsItIs = 111, kTransposed = 112, kConjugated = 113, kUpper = 121, kLower = 122,
                     kNonUnit = 131, kUnit = 132, kLeft = 141, kRight = 142;

/// A stand-in, or a library that lies with the runtime; nullptr when there is none.
inline void* open_any(const std::string& name) {
  void* const library = dlopen((WAVESMITH_LIBRARIES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  return library ? library : dlopen((WAVESMITH_RUNTIME "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}
inline void* open_library(const char* name) {
  void* const library = open_any(name);
  if (!library) ADD_FAILURE() << dlerror();
  return library;
}

/// The types of numbers that the functions of linear algebra have, and what of four words is a type's.
using BlasTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
template <class T>
constexpr const char* of_type(const char* s, const char* d, const char* c, const char* z) {
  if (std::is_same_v<T, float>) return s;
  if (std::is_same_v<T, double>) return d;
  return std::is_same_v<T, std::complex<float>> ? c : z;
}
/// The type's letter in functions' names: rocBLAS's and rocSOLVER's small, others' large.
template <class T>
inline constexpr const char* kSmall = of_type<T>("s", "d", "c", "z");
template <class T>
inline constexpr const char* kLarge = of_type<T>("S", "D", "C", "Z");

/// The status of a function called with exactly these types.
template <class... Args>
int call(void* library, const std::string& name, Args... args) {
  auto* const function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name.c_str()));
  if (!function) ADD_FAILURE() << name;
  return function ? function(args...) : -1;
}

}  // namespace wavesmith::libraries
