// rocBLAS: handles, modes and versions. Types and values: rocblas-types.h of ROCm 7.0.
#include <cstddef>
#include <cstring>

#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kInvalidHandle = 1, kInvalidPointer = 3, kInvalidSize = 4, kMemoryError = 5 };
// rocblas_atomics_allowed: what rocBLAS's handles start with.
constexpr int kAtomicsAllowed = 1;
constexpr char kVersion[] = "5.0.0";  // ROCm 7.0's
}  // namespace

WAVESMITH_SERVED int rocblas_create_handle(void** handle) {
  if (!handle) return kInvalidHandle;
  if (!create(handle)) return kMemoryError;
  handle_of(*handle)->mark = kRocblasMark;
  handle_of(*handle)->atomics_mode = kAtomicsAllowed;
  return kSuccess;
}

WAVESMITH_SERVED int rocblas_destroy_handle(void* handle) { return destroy(handle, kInvalidHandle); }

WAVESMITH_SERVED int rocblas_set_stream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kInvalidHandle);
}

WAVESMITH_SERVED int rocblas_get_stream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kInvalidHandle, kInvalidPointer);
}

WAVESMITH_SERVED int rocblas_set_pointer_mode(void* handle, int mode) {
  return set(handle, &Handle::pointer_mode, mode, kInvalidHandle);
}

WAVESMITH_SERVED int rocblas_get_pointer_mode(void* handle, int* mode) {
  return get(handle, &Handle::pointer_mode, mode, kInvalidHandle, kInvalidPointer);
}

WAVESMITH_SERVED int rocblas_set_atomics_mode(void* handle, int mode) {
  return set(handle, &Handle::atomics_mode, mode, kInvalidHandle);
}

WAVESMITH_SERVED int rocblas_get_atomics_mode(void* handle, int* mode) {
  return get(handle, &Handle::atomics_mode, mode, kInvalidHandle, kInvalidPointer);
}

// Nothing here needs memory of the caller's.
WAVESMITH_SERVED int rocblas_set_workspace(void* handle, void*, size_t) {
  return handle ? kSuccess : kInvalidHandle;
}

WAVESMITH_SERVED void rocblas_initialize() {}

WAVESMITH_SERVED int rocblas_get_version_string_size(size_t* size) {
  if (!size) return kInvalidPointer;
  *size = sizeof kVersion;
  return kSuccess;
}

WAVESMITH_SERVED int rocblas_get_version_string(char* text, size_t size) {
  if (!text) return kInvalidPointer;
  if (size < sizeof kVersion) return kInvalidSize;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}

WAVESMITH_SERVED const char* rocblas_status_to_string(int status) {
  static constexpr const char* kNames[] = {"rocblas_status_success",
                                           "rocblas_status_invalid_handle",
                                           "rocblas_status_not_implemented",
                                           "rocblas_status_invalid_pointer",
                                           "rocblas_status_invalid_size",
                                           "rocblas_status_memory_error",
                                           "rocblas_status_internal_error",
                                           "rocblas_status_perf_degraded",
                                           "rocblas_status_size_query_mismatch",
                                           "rocblas_status_size_increased",
                                           "rocblas_status_size_unchanged",
                                           "rocblas_status_invalid_value",
                                           "rocblas_status_continue",
                                           "rocblas_status_check_numerics_fail"};
  return name_of(kNames, status, "rocblas_status_?");
}
