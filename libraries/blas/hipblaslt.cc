// hipBLASLt: handles and the version. Types and values: hipblaslt.h of ROCm 7.0.
#include "libraries/blas/hipblaslt_types.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {
constexpr int kVersion = 100000;  // major * 100000 + minor * 100 + patch: 1.0.0, ROCm 7.0's
}  // namespace

WAVESMITH_SERVED int hipblasLtCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipblasLtDestroy(void* handle) { return destroy(handle, kInvalidValue); }

WAVESMITH_SERVED int hipblasLtGetVersion(void* handle, int* version) {
  if (!handle || !version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
