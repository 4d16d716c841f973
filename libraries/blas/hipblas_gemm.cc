// hipBLAS: gemm and gemv (libraries/blas/gemm.h), factorisations and solutions (factor.h, qr.h). hipblas.h of
// ROCm 7.0.
#include "libraries/blas/gemm_entry.h"
#include "libraries/blas/hipblas_statuses.h"
#include "libraries/blas/operations.h"
#include "libraries/solver/factor_batch_entry.h"
#include "libraries/solver/orthogonal_entry.h"

using namespace wavesmith::libraries;

WAVESMITH_GEMM(hipblasHgemm, hipblasHgemmBatched, hipblasHgemmStridedBatched, Number::F16)
WAVESMITH_GEMM(hipblasSgemm, hipblasSgemmBatched, hipblasSgemmStridedBatched, Number::F32)
WAVESMITH_GEMM(hipblasDgemm, hipblasDgemmBatched, hipblasDgemmStridedBatched, Number::F64)
WAVESMITH_GEMM(hipblasCgemm, hipblasCgemmBatched, hipblasCgemmStridedBatched, Number::C32)
WAVESMITH_GEMM(hipblasZgemm, hipblasZgemmBatched, hipblasZgemmStridedBatched, Number::C64)
WAVESMITH_GEMV(hipblasSgemv, Number::F32)
WAVESMITH_GEMV(hipblasDgemv, Number::F64)
WAVESMITH_GEMV(hipblasCgemv, Number::C32)
WAVESMITH_GEMV(hipblasZgemv, Number::C64)

namespace {

/// What the three functions of mixed types ask for: the result stands where C does.
Gemm mixed(const Handle& h, int op_a, int op_b, int m, int n, int k, const void* alpha, const Columns& a,
           const Columns& b, const void* beta, const Columns& c, int compute, int batches = 1,
           bool arrays = false) {
  return {h, op_a, op_b, m, n, k, alpha, a, b, beta, c, c, scalars_of(compute), batches, arrays};
}

}  // namespace

WAVESMITH_SERVED int hipblasGemmEx(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                   const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                                   const void* beta, void* c, int c_type, int ldc, int compute, int) {
  return run_gemm(kStatuses, handle, "hipblasGemmEx", [&](const Handle& h) {
    return mixed(h, op_a, op_b, m, n, k, alpha, {a, number_of(a_type), lda}, {b, number_of(b_type), ldb},
                 beta, {c, number_of(c_type), ldc}, compute);
  });
}

WAVESMITH_SERVED int hipblasGemmBatchedEx(void* handle, int op_a, int op_b, int m, int n, int k,
                                          const void* alpha, const void* a, int a_type, int lda,
                                          const void* b, int b_type, int ldb, const void* beta, void* c,
                                          int c_type, int ldc, int batches, int compute, int) {
  return run_gemm(kStatuses, handle, "hipblasGemmBatchedEx", [&](const Handle& h) {
    return mixed(h, op_a, op_b, m, n, k, alpha, {a, number_of(a_type), lda}, {b, number_of(b_type), ldb},
                 beta, {c, number_of(c_type), ldc}, compute, batches, true);
  });
}

WAVESMITH_SERVED int hipblasGemmStridedBatchedEx(void* handle, int op_a, int op_b, int m, int n, int k,
                                                 const void* alpha, const void* a, int a_type, int lda,
                                                 long long stride_a, const void* b, int b_type, int ldb,
                                                 long long stride_b, const void* beta, void* c, int c_type,
                                                 int ldc, long long stride_c, int batches, int compute, int) {
  return run_gemm(kStatuses, handle, "hipblasGemmStridedBatchedEx", [&](const Handle& h) {
    return mixed(h, op_a, op_b, m, n, k, alpha, {a, number_of(a_type), lda, stride_a},
                 {b, number_of(b_type), ldb, stride_b}, beta, {c, number_of(c_type), ldc, stride_c}, compute,
                 batches);
  });
}

WAVESMITH_SERVED int hipblasGemmEx_v2(void* handle, int op_a, int op_b, int m, int n, int k,
                                      const void* alpha, const void* a, int a_type, int lda, const void* b,
                                      int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                                      int compute, int algorithm) {
  return hipblasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,
                       ldc, compute, algorithm);
}

WAVESMITH_SERVED int hipblasGemmBatchedEx_v2(void* handle, int op_a, int op_b, int m, int n, int k,
                                             const void* alpha, const void* a, int a_type, int lda,
                                             const void* b, int b_type, int ldb, const void* beta, void* c,
                                             int c_type, int ldc, int batches, int compute, int algorithm) {
  return hipblasGemmBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                              c_type, ldc, batches, compute, algorithm);
}

WAVESMITH_SERVED int hipblasGemmStridedBatchedEx_v2(void* handle, int op_a, int op_b, int m, int n, int k,
                                                    const void* alpha, const void* a, int a_type, int lda,
                                                    long long stride_a, const void* b, int b_type, int ldb,
                                                    long long stride_b, const void* beta, void* c, int c_type,
                                                    int ldc, long long stride_c, int batches, int compute,
                                                    int algorithm) {
  return hipblasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type,
                                     ldb, stride_b, beta, c, c_type, ldc, stride_c, batches, compute,
                                     algorithm);
}

namespace {
constexpr FactorStatuses kFactors{
    .bad_handle = 1, .bad_operation = 10, .bad_size = 3, .bad_pointer = 3, .no_memory = 2, .not_launched = 5};

/// `info` is the host's: it speaks of arguments only.
int run_getrs_batch(void* handle, Number type, int operation, int n, int columns, void* const* matrices,
                    int lda, const int* pivots, void* const* vectors, int ldb, int* info, int count,
                    const Called& = {}) {
  if (!handle) return kFactors.bad_handle;
  if (!info) return kFactors.bad_pointer;
  *info = 0;
  return run_getrs_batch(kFactors, handle, type, operation, n, columns, matrices, lda, pivots, n, vectors,
                         ldb, count);
}
}  // namespace

#define FACTORISATIONS(letter, type)                                                                         \
  WAVESMITH_SERVED int hipblas##letter##trsm(void* handle, int side, int part, int operation, int diagonal,  \
                                             int m, int n, const void* alpha, const void* a, int lda,        \
                                             void* b, int ldb) {                                             \
    return run_trsm(kFactors, handle, type, side, part, operation, diagonal, m, n, alpha, a, lda, b, ldb,    \
                    -1);                                                                                     \
  }                                                                                                          \
  WAVESMITH_SERVED int hipblas##letter##trsmBatched(void* handle, int side, int part, int operation,         \
                                                    int diagonal, int m, int n, const void* alpha,           \
                                                    void* const* a, int lda, void** b, int ldb, int count) { \
    if (count < 0) return kFactors.bad_size;                                                                 \
    return run_trsm(kFactors, handle, type, side, part, operation, diagonal, m, n, alpha, a, lda, b, ldb,    \
                    count);                                                                                  \
  }                                                                                                          \
  WAVESMITH_SERVED int hipblas##letter##getrfBatched(void* handle, int n, void** matrices, int lda,          \
                                                     int* pivots, int* info, int count) {                    \
    return run_getrf_batch(kFactors, handle, type, n, n, matrices, lda, pivots, n, info, count);             \
  }                                                                                                          \
  WAVESMITH_SERVED int hipblas##letter##getrsBatched(void* handle, int operation, int n, int columns,        \
                                                     void* const* matrices, int lda, const int* pivots,      \
                                                     void* const* vectors, int ldb, int* info, int count) {  \
    return run_getrs_batch(handle, type, operation, n, columns, matrices, lda, pivots, vectors, ldb, info,   \
                           count);                                                                           \
  }                                                                                                          \
  WAVESMITH_SERVED int hipblas##letter##getriBatched(void* handle, int n, void* const* matrices, int lda,    \
                                                     const int* pivots, void* const* inverses, int ld,       \
                                                     int* info, int count) {                                 \
    if (count > 0 && !inverses) return kFactors.bad_pointer;                                                 \
    return run_getri_batch(kFactors, handle, type, n, matrices, lda, pivots, n, inverses, ld, info, count);  \
  }                                                                                                          \
  WAVESMITH_SERVED int hipblas##letter##geqrfBatched(void* handle, int m, int n, void* const* matrices,      \
                                                     int lda, void* const* scales, int* info, int count) {   \
    if (!handle) return kFactors.bad_handle;                                                                 \
    if (!info) return kFactors.bad_pointer;                                                                  \
    *info = 0;                                                                                               \
    if (count == 0) return 0;                                                                                \
    return run_geqrf(kFactors, handle, type, m, n, {nullptr, lda, 0, matrices}, {nullptr, 1, 0, scales},     \
                     nullptr, count);                                                                        \
  }
FACTORISATIONS(S, Number::F32)
FACTORISATIONS(D, Number::F64)
FACTORISATIONS(C, Number::C32)
FACTORISATIONS(Z, Number::C64)
