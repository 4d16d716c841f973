// hipBLAS: handles and modes. Types and values: hipblas-common.h and hipblas.h of ROCm 7.0.

#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kAllocFailed = 2, kInvalidValue = 3, kHandleIsNull = 9 };
}  // namespace

WAVESMITH_SERVED int hipblasCreate(void** handle) {
  if (!handle) return kHandleIsNull;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipblasDestroy(void* handle) { return destroy(handle, kHandleIsNull); }

WAVESMITH_SERVED int hipblasSetStream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kHandleIsNull);
}

WAVESMITH_SERVED int hipblasGetStream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kHandleIsNull, kInvalidValue);
}

WAVESMITH_SERVED int hipblasSetPointerMode(void* handle, int mode) {
  return set(handle, &Handle::pointer_mode, mode, kHandleIsNull);
}

WAVESMITH_SERVED int hipblasGetPointerMode(void* handle, int* mode) {
  return get(handle, &Handle::pointer_mode, mode, kHandleIsNull, kInvalidValue);
}

WAVESMITH_SERVED int hipblasSetAtomicsMode(void* handle, int mode) {
  return set(handle, &Handle::atomics_mode, mode, kHandleIsNull);
}

WAVESMITH_SERVED int hipblasGetAtomicsMode(void* handle, int* mode) {
  return get(handle, &Handle::atomics_mode, mode, kHandleIsNull, kInvalidValue);
}

WAVESMITH_SERVED const char* hipblasStatusToString(int status) {
  static constexpr const char* kNames[] = {
      "HIPBLAS_STATUS_SUCCESS",           "HIPBLAS_STATUS_NOT_INITIALIZED", "HIPBLAS_STATUS_ALLOC_FAILED",
      "HIPBLAS_STATUS_INVALID_VALUE",     "HIPBLAS_STATUS_MAPPING_ERROR",   "HIPBLAS_STATUS_EXECUTION_FAILED",
      "HIPBLAS_STATUS_INTERNAL_ERROR",    "HIPBLAS_STATUS_NOT_SUPPORTED",   "HIPBLAS_STATUS_ARCH_MISMATCH",
      "HIPBLAS_STATUS_HANDLE_IS_NULLPTR", "HIPBLAS_STATUS_INVALID_ENUM",    "HIPBLAS_STATUS_UNKNOWN"};
  return name_of(kNames, status, "HIPBLAS_STATUS_UNKNOWN");
}
