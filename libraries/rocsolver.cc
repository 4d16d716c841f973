// rocSOLVER: the version (its handles are rocBLAS's). rocsolver-aux-functions.h of ROCm 7.0.
#include <cstddef>
#include <cstring>

#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kInvalidPointer = 4, kInvalidSize = 3 };
constexpr char kVersion[] = "3.30.0";  // ROCm 7.0's
}  // namespace

WAVESMITH_SERVED int rocsolver_get_version_string_size(size_t* size) {
  if (!size) return kInvalidPointer;
  *size = sizeof kVersion;
  return kSuccess;
}

WAVESMITH_SERVED int rocsolver_get_version_string(char* text, size_t size) {
  if (!text) return kInvalidPointer;
  if (size < sizeof kVersion) return kInvalidSize;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}
