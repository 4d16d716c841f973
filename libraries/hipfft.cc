// hipFFT: the version. hipfft.h of ROCm 7.0.
#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kInvalidValue = 4 };
constexpr int kVersion = 10020;  // major * 10000 + minor * 100 + patch: ROCm 7.0's 1.0.20
}  // namespace

WAVESMITH_SERVED int hipfftGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
