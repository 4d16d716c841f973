// hipRAND: the version. hiprand.h of ROCm 7.0.
#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kOutOfRange = 104 };
constexpr int kVersion = 300000;  // major * 100000 + minor * 100 + patch: ROCm 7.0's 3.0.0
}  // namespace

WAVESMITH_SERVED int hiprandGetVersion(int* version) {
  if (!version) return kOutOfRange;
  *version = kVersion;
  return kSuccess;
}
