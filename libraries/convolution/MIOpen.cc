// MIOpen: handles, the version and the names of its statuses. Types and values: miopen.h of ROCm 7.0.
#include <cstddef>

#include "libraries/convolution/MIOpen_types.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::miopen;

WAVESMITH_SERVED int miopenCreate(void** handle) {
  if (!handle) return kBadParm;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int miopenCreateWithStream(void** handle, void* stream) {
  const int status = miopenCreate(handle);
  if (status == kSuccess) handle_of(*handle)->stream = stream;
  return status;
}

WAVESMITH_SERVED int miopenDestroy(void* handle) { return destroy(handle, kBadParm); }

WAVESMITH_SERVED int miopenSetStream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kBadParm);
}

WAVESMITH_SERVED int miopenGetStream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kBadParm, kBadParm);
}

// ROCm 7.0's.
WAVESMITH_SERVED int miopenGetVersion(size_t* major, size_t* minor, size_t* patch) {
  if (major) *major = 3;
  if (minor) *minor = 5;
  if (patch) *patch = 0;
  return kSuccess;
}

WAVESMITH_SERVED const char* miopenGetErrorString(int status) {
  static constexpr const char* kNames[] = {"miopenStatusSuccess",        "miopenStatusNotInitialized",
                                           "miopenStatusInvalidValue",   "miopenStatusBadParm",
                                           "miopenStatusAllocFailed",    "miopenStatusInternalError",
                                           "miopenStatusNotImplemented", "miopenStatusUnknownError",
                                           "miopenStatusUnsupportedOp",  "miopenStatusGpuOperationsSkipped",
                                           "miopenStatusVersionMismatch"};
  return name_of(kNames, status, "miopenStatusUnknownError");
}
