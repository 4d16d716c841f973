// hipSPARSE: handles, and the descriptors that a sparse matrix is made with. Types and values: hipsparse.h of
// ROCm 7.0.

#include "libraries/answer.h"
#include "libraries/handle.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kAllocFailed = 2, kInvalidValue = 3 };
constexpr int kVersion = 400000;  // major * 100000 + minor * 100 + patch: 4.0.0, ROCm 7.0's

/// hipsparseMatDescr_t; what a new one holds is 0 in each: general, lower, non-unit, based at 0.
struct Matrix {
  int type;
  int fill_mode;
  int diagonal;
  int index_base;
};

int set(void* matrix, int Matrix::* field, int value, int last) {
  if (!matrix || value < 0 || value > last) return kInvalidValue;
  static_cast<Matrix*>(matrix)->*field = value;
  return kSuccess;
}

int get(const void* matrix, int Matrix::* field) {
  return matrix ? static_cast<const Matrix*>(matrix)->*field : 0;
}

constexpr const char* kNames[] = {"HIPSPARSE_STATUS_SUCCESS",
                                  "HIPSPARSE_STATUS_NOT_INITIALIZED",
                                  "HIPSPARSE_STATUS_ALLOC_FAILED",
                                  "HIPSPARSE_STATUS_INVALID_VALUE",
                                  "HIPSPARSE_STATUS_ARCH_MISMATCH",
                                  "HIPSPARSE_STATUS_MAPPING_ERROR",
                                  "HIPSPARSE_STATUS_EXECUTION_FAILED",
                                  "HIPSPARSE_STATUS_INTERNAL_ERROR",
                                  "HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                  "HIPSPARSE_STATUS_ZERO_PIVOT",
                                  "HIPSPARSE_STATUS_NOT_SUPPORTED",
                                  "HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES"};

const char* text_of(int status) { return name_of(kNames, status, "unknown hipSPARSE status"); }
}  // namespace

WAVESMITH_SERVED int hipsparseCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipsparseDestroy(void* handle) { return destroy(handle, kInvalidValue); }

WAVESMITH_SERVED int hipsparseGetVersion(void* handle, int* version) {
  if (!handle || !version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}

WAVESMITH_SERVED int hipsparseSetStream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kInvalidValue);
}

WAVESMITH_SERVED int hipsparseGetStream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kInvalidValue, kInvalidValue);
}

WAVESMITH_SERVED int hipsparseSetPointerMode(void* handle, int mode) {
  return set(handle, &Handle::pointer_mode, mode, kInvalidValue);
}

WAVESMITH_SERVED int hipsparseGetPointerMode(void* handle, int* mode) {
  return get(handle, &Handle::pointer_mode, mode, kInvalidValue, kInvalidValue);
}

WAVESMITH_SERVED int hipsparseCreateMatDescr(void** matrix) {
  if (!matrix) return kInvalidValue;
  return create<Matrix>(matrix) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipsparseDestroyMatDescr(void* matrix) {
  std::free(matrix);
  return kSuccess;
}

// clang-format off
WAVESMITH_SERVED int hipsparseSetMatType     (void* matrix, int value) { return set(matrix, &Matrix::type, value, 3); }
WAVESMITH_SERVED int hipsparseSetMatFillMode (void* matrix, int value) { return set(matrix, &Matrix::fill_mode, value, 1); }
WAVESMITH_SERVED int hipsparseSetMatDiagType (void* matrix, int value) { return set(matrix, &Matrix::diagonal, value, 1); }
WAVESMITH_SERVED int hipsparseSetMatIndexBase(void* matrix, int value) { return set(matrix, &Matrix::index_base, value, 1); }
WAVESMITH_SERVED int hipsparseGetMatType     (const void* matrix) { return get(matrix, &Matrix::type); }
WAVESMITH_SERVED int hipsparseGetMatFillMode (const void* matrix) { return get(matrix, &Matrix::fill_mode); }
WAVESMITH_SERVED int hipsparseGetMatDiagType (const void* matrix) { return get(matrix, &Matrix::diagonal); }
WAVESMITH_SERVED int hipsparseGetMatIndexBase(const void* matrix) { return get(matrix, &Matrix::index_base); }
// clang-format on

WAVESMITH_SERVED const char* hipsparseGetErrorName(int status) { return text_of(status); }
WAVESMITH_SERVED const char* hipsparseGetErrorString(int status) { return text_of(status); }
