// hipSOLVER: handles. Types and values: hipsolver-types.h of ROCm 7.0.
#include "libraries/answer.h"
#include "libraries/handle.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kNotInitialized = 1, kAllocFailed = 2, kInvalidValue = 3 };
}  // namespace

WAVESMITH_SERVED int hipsolverCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipsolverDestroy(void* handle) { return destroy(handle, kNotInitialized); }

WAVESMITH_SERVED int hipsolverSetStream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kNotInitialized);
}

WAVESMITH_SERVED int hipsolverGetStream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kNotInitialized, kInvalidValue);
}
