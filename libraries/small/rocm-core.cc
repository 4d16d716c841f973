// rocm-core: which release this is. rocm_version.h of ROCm 7.0.
#include "base/rocm_release.h"

#include "libraries/shim/unserved.h"

namespace {
enum Status { kSuccess = 0, kWrongParameters = 1 };
}  // namespace

WAVESMITH_SERVED int getROCmVersion(unsigned* major, unsigned* minor, unsigned* patch) {
  if (!major || !minor || !patch) return kWrongParameters;
  const wavesmith::RocmRelease release = wavesmith::rocm_release();
  *major = static_cast<unsigned>(release.major);
  *minor = static_cast<unsigned>(release.minor);
  *patch = static_cast<unsigned>(release.patch);
  return kSuccess;
}
