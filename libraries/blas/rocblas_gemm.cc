// rocBLAS: gemm and gemv (libraries/blas/gemm.h), and trsm (factor.h). rocblas-functions.h of ROCm 7.0.
#include "libraries/blas/gemm_entry.h"
#include "libraries/blas/rocblas_statuses.h"
#include "libraries/solver/factor_entry.h"

using namespace wavesmith::libraries;

WAVESMITH_GEMM(rocblas_hgemm, rocblas_hgemm_batched, rocblas_hgemm_strided_batched, Number::F16)
WAVESMITH_GEMM(rocblas_sgemm, rocblas_sgemm_batched, rocblas_sgemm_strided_batched, Number::F32)
WAVESMITH_GEMM(rocblas_dgemm, rocblas_dgemm_batched, rocblas_dgemm_strided_batched, Number::F64)
WAVESMITH_GEMM(rocblas_cgemm, rocblas_cgemm_batched, rocblas_cgemm_strided_batched, Number::C32)
WAVESMITH_GEMM(rocblas_zgemm, rocblas_zgemm_batched, rocblas_zgemm_strided_batched, Number::C64)
WAVESMITH_GEMV(rocblas_sgemv, Number::F32)
WAVESMITH_GEMV(rocblas_dgemv, Number::F64)
WAVESMITH_GEMV(rocblas_cgemv, Number::C32)
WAVESMITH_GEMV(rocblas_zgemv, Number::C64)

// Which kernel computes, the caller may choose on a GPU: algorithm, solution and flags mean nothing here.

WAVESMITH_SERVED int rocblas_gemm_ex(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                     const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                                     const void* beta, const void* c, int c_type, int ldc, void* d,
                                     int d_type, int ldd, int compute, int, int32_t, uint32_t) {
  return run_gemm(kStatuses, handle, "rocblas_gemm_ex", [&](const Handle& h) {
    return Gemm{h,
                op_a,
                op_b,
                m,
                n,
                k,
                alpha,
                {a, number_of(a_type), lda},
                {b, number_of(b_type), ldb},
                beta,
                {c, number_of(c_type), ldc},
                {d, number_of(d_type), ldd},
                number_of(compute)};
  });
}

WAVESMITH_SERVED int rocblas_gemm_batched_ex(void* handle, int op_a, int op_b, int m, int n, int k,
                                             const void* alpha, const void* a, int a_type, int lda,
                                             const void* b, int b_type, int ldb, const void* beta,
                                             const void* c, int c_type, int ldc, void* d, int d_type, int ldd,
                                             int batches, int compute, int, int32_t, uint32_t) {
  return run_gemm(kStatuses, handle, "rocblas_gemm_batched_ex", [&](const Handle& h) {
    return Gemm{h,
                op_a,
                op_b,
                m,
                n,
                k,
                alpha,
                {a, number_of(a_type), lda},
                {b, number_of(b_type), ldb},
                beta,
                {c, number_of(c_type), ldc},
                {d, number_of(d_type), ldd},
                number_of(compute),
                batches,
                true};
  });
}

WAVESMITH_SERVED int rocblas_gemm_strided_batched_ex(void* handle, int op_a, int op_b, int m, int n, int k,
                                                     const void* alpha, const void* a, int a_type, int lda,
                                                     int64_t stride_a, const void* b, int b_type, int ldb,
                                                     int64_t stride_b, const void* beta, const void* c,
                                                     int c_type, int ldc, int64_t stride_c, void* d,
                                                     int d_type, int ldd, int64_t stride_d, int batches,
                                                     int compute, int, int32_t, uint32_t) {
  return run_gemm(kStatuses, handle, "rocblas_gemm_strided_batched_ex", [&](const Handle& h) {
    return Gemm{h,
                op_a,
                op_b,
                m,
                n,
                k,
                alpha,
                {a, number_of(a_type), lda, stride_a},
                {b, number_of(b_type), ldb, stride_b},
                beta,
                {c, number_of(c_type), ldc, stride_c},
                {d, number_of(d_type), ldd, stride_d},
                number_of(compute),
                batches};
  });
}

namespace {
constexpr FactorStatuses kSolves{
    .bad_handle = 1, .bad_operation = 11, .bad_size = 4, .bad_pointer = 3, .no_memory = 5, .not_launched = 6};
}  // namespace

#define TRSM(letter, type)                                                                                   \
  WAVESMITH_SERVED int rocblas_##letter##trsm(void* handle, int side, int part, int operation, int diagonal, \
                                              int m, int n, const void* alpha, const void* a, int lda,       \
                                              void* b, int ldb) {                                            \
    return run_trsm(kSolves, handle, type, side, part, operation, diagonal, m, n, alpha, a, lda, b, ldb,     \
                    -1);                                                                                     \
  }                                                                                                          \
  WAVESMITH_SERVED int rocblas_##letter##trsm_batched(void* handle, int side, int part, int operation,       \
                                                      int diagonal, int m, int n, const void* alpha,         \
                                                      const void* a, int lda, void* b, int ldb, int count) { \
    return run_trsm(kSolves, handle, type, side, part, operation, diagonal, m, n, alpha, a, lda, b, ldb,     \
                    count < 0 ? 0 : count);                                                                  \
  }
TRSM(s, Number::F32)
TRSM(d, Number::F64)
TRSM(c, Number::C32)
TRSM(z, Number::C64)
