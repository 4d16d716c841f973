// rocFFT: what programs call around their transforms. rocfft.h of ROCm 7.0.
#include <cstddef>
#include <cstring>

#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kInvalidArgument = 2 };
constexpr char kVersion[] = "1.0.34";  // ROCm 7.0's
}  // namespace

WAVESMITH_SERVED int rocfft_setup() { return kSuccess; }
WAVESMITH_SERVED int rocfft_cleanup() { return kSuccess; }

WAVESMITH_SERVED int rocfft_get_version_string(char* text, size_t size) {
  if (!text || size < sizeof kVersion) return kInvalidArgument;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}
