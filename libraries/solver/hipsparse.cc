// hipSPARSE: handles, the descriptors that a sparse matrix is made with, and systems with three diagonals
// (tridiagonal.h). Types and values: hipsparse.h of ROCm 7.0.

#include <algorithm>
#include <cstddef>

#include "libraries/blas/matrices.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"
#include "libraries/solver/tridiagonal.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kAllocFailed = 2, kInvalidValue = 3, kExecutionFailed = 6 };
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

/// No memory of the caller's is needed.
int no_workspace(void* handle, size_t* size) {
  if (!handle || !size) return kInvalidValue;
  *size = 0;
  return kSuccess;
}

int run_gtsv(void* handle, const TridiagonalSolve& solve, const Called& = {}) {
  if (!handle || solve.m < 0 || solve.columns < 0 || solve.count < 0 ||
      solve.ldb < std::max<int64_t>(1, solve.m) || (solve.count > 1 && solve.stride < solve.m))
    return kInvalidValue;
  if (solve.m == 0 || solve.columns == 0 || solve.count == 0) return kSuccess;
  for (const void* diagonal : {solve.lower, solve.diagonal, solve.upper})
    if (!diagonal || !lie_in_memory(Matrices{const_cast<void*>(diagonal), solve.m, solve.stride}, solve.type,
                                    solve.m, 1, solve.count))
      return kInvalidValue;
  if (!solve.b || !lie_in_memory(Matrices{solve.b, solve.ldb, solve.stride}, solve.type, solve.m,
                                 solve.columns, solve.count))
    return kInvalidValue;
  return status_of(enqueue(handle_of(handle)->stream, solve), {.done = kSuccess,
                                                               .not_served = kExecutionFailed,
                                                               .bad_pointer = kInvalidValue,
                                                               .no_memory = kAllocFailed,
                                                               .not_launched = kExecutionFailed});
}

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

#define GTSV(letter, type)                                                                                 \
  WAVESMITH_SERVED int hipsparse##letter##gtsv2_bufferSizeExt(                                             \
      void* handle, int, int, const void*, const void*, const void*, const void*, int, size_t* size) {     \
    return no_workspace(handle, size);                                                                     \
  }                                                                                                        \
  WAVESMITH_SERVED int hipsparse##letter##gtsv2(void* handle, int m, int n, const void* lower,             \
                                                const void* diagonal, const void* upper, void* b, int ldb, \
                                                void*) {                                                   \
    return run_gtsv(handle, {type, m, n, lower, diagonal, upper, b, ldb});                                 \
  }                                                                                                        \
  WAVESMITH_SERVED int hipsparse##letter##gtsv2StridedBatch_bufferSizeExt(                                 \
      void* handle, int, const void*, const void*, const void*, const void*, int, int, size_t* size) {     \
    return no_workspace(handle, size);                                                                     \
  }                                                                                                        \
  WAVESMITH_SERVED int hipsparse##letter##gtsv2StridedBatch(void* handle, int m, const void* lower,        \
                                                            const void* diagonal, const void* upper,       \
                                                            void* x, int count, int stride, void*) {       \
    return run_gtsv(handle, {type, m, 1, lower, diagonal, upper, x, std::max(1, m), count, stride});       \
  }
GTSV(S, Number::F32)
GTSV(D, Number::F64)
GTSV(C, Number::C32)
GTSV(Z, Number::C64)
