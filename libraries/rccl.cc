// RCCL: the version and the names of its results. rccl.h of ROCm 7.0 (NCCL's interface of the version given).

#include "libraries/answer.h"

namespace {
enum Result { kSuccess = 0, kInvalidArgument = 4 };
constexpr int kVersion = 22606;  // major * 10000 + minor * 100 + patch
}  // namespace

WAVESMITH_SERVED int ncclGetVersion(int* version) {
  if (!version) return kInvalidArgument;
  *version = kVersion;
  return kSuccess;
}

WAVESMITH_SERVED const char* ncclGetErrorString(int result) {
  static constexpr const char* kTexts[] = {
      "no error",
      "unhandled HIP error",
      "unhandled system error",
      "internal error",
      "invalid argument",
      "invalid usage: communication between GPUs is not served by Wavesmith",
      "remote process exited or there was a network error",
      "operation in progress"};
  return wavesmith::libraries::name_of(kTexts, result, "unknown result code");
}

WAVESMITH_SERVED const char* ncclGetLastError(void*) { return ""; }
