// Checks for the programs of this folder: a failure is said with its line, and the program's exit code tells.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition) && ++failures <= 10)                                       \
      std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
  } while (0)

#define CHECK_HIP(call)                                                                           \
  do {                                                                                            \
    const hipError_t error_ = (call);                                                             \
    if (error_ != hipSuccess) {                                                                   \
      std::printf("%s:%d: %s returned %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_)); \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (0)

/// Checks that a call returns that error.
#define CHECK_ERROR(call, expected)                                                                      \
  do {                                                                                                   \
    const hipError_t error_ = (call);                                                                    \
    if (error_ != (expected) && ++failures <= 10)                                                        \
      std::printf("%s:%d: %s returned %s, not %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_), \
                  #expected);                                                                            \
  } while (0)

/// What main() returns.
inline int finish() {
  std::printf(failures ? "%d checks failed\n" : "passed\n", failures);
  return failures != 0;
}
