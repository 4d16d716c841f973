// hipBLAS: gemm and gemv (libraries/gemm.h). hipblas.h of ROCm 7.0.
#include <cstdint>

#include "libraries/answer.h"
#include "libraries/gemm.h"

using namespace wavesmith::libraries;

namespace {

enum Status {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kExecutionFailed = 5,
  kNotSupported = 7,
  kInvalidEnum = 10
};

int status_of(GemmStatus status) {
  switch (status) {
    case GemmStatus::Done:
      return kSuccess;
    case GemmStatus::BadOperation:
      return kInvalidEnum;
    case GemmStatus::BadSize:
    case GemmStatus::BadPointer:
      return kInvalidValue;
    case GemmStatus::NotServed:
      return kNotSupported;
    case GemmStatus::NoMemory:
      return kAllocFailed;
    case GemmStatus::NotLaunched:
      return kExecutionFailed;
  }
  return kExecutionFailed;
}

template <class Call>
int run(void* handle, const char* function, const Call& make) {
  if (!handle) return kNotInitialized;
  const int status = status_of(enqueue(make(*handle_of(handle))));
  static std::atomic_flag said;
  return status == kNotSupported
             ? answer(function, "HIPBLAS_STATUS_NOT_SUPPORTED for these types", kNotSupported, said)
             : status;
}

}  // namespace

// clang-format off
#define GEMM(letter, type)                                                                                            \
  WAVESMITH_SERVED int hipblas##letter##gemm(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, \
      const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {                            \
    return run(handle, "hipblas" #letter "gemm", [&](const Handle& h) {                                                \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int hipblas##letter##gemmBatched(void* handle, int op_a, int op_b, int m, int n, int k,              \
      const void* alpha, const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc, int batches) { \
    return run(handle, "hipblas" #letter "gemmBatched", [&](const Handle& h) {                                         \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type, batches, true}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int hipblas##letter##gemmStridedBatched(void* handle, int op_a, int op_b, int m, int n, int k,       \
      const void* alpha, const void* a, int lda, long long stride_a, const void* b, int ldb, long long stride_b,       \
      const void* beta, void* c, int ldc, long long stride_c, int batches) {                                           \
    return run(handle, "hipblas" #letter "gemmStridedBatched", [&](const Handle& h) {                                  \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda, stride_a}, {b, type, ldb, stride_b}, beta,             \
                  {c, type, ldc, stride_c}, {c, type, ldc, stride_c}, type, batches};                                  \
    });                                                                                                               \
  }
#define GEMV(letter, type)                                                                                            \
  WAVESMITH_SERVED int hipblas##letter##gemv(void* handle, int op, int m, int n, const void* alpha, const void* a,      \
      int lda, const void* x, int x_step, const void* beta, void* y, int y_step) {                                     \
    return run(handle, "hipblas" #letter "gemv", [&](const Handle& h) {                                                \
      return Gemv{h, op, m, n, alpha, {a, type, lda}, x, x_step, beta, y, y_step};                                     \
    });                                                                                                               \
  }
// clang-format on

GEMM(H, Number::F16)
GEMM(S, Number::F32)
GEMM(D, Number::F64)
GEMM(C, Number::C32)
GEMM(Z, Number::C64)
GEMV(S, Number::F32)
GEMV(D, Number::F64)
GEMV(C, Number::C32)
GEMV(Z, Number::C64)

WAVESMITH_SERVED int hipblasGemmEx(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                   const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                                   const void* beta, void* c, int c_type, int ldc, int compute, int) {
  return run(handle, "hipblasGemmEx", [&](const Handle& h) {
    const Columns result{c, number_of(c_type), ldc};
    return Gemm{
        h,
        op_a,
        op_b,
        m,
        n,
        k,
        alpha,
        {a, number_of(a_type), lda},
        {b, number_of(b_type), ldb},
        beta,
        result,
        result,
        scalars_of(compute)
    };
  });
}

WAVESMITH_SERVED int hipblasGemmStridedBatchedEx(void* handle, int op_a, int op_b, int m, int n, int k,
                                                 const void* alpha, const void* a, int a_type, int lda,
                                                 long long stride_a, const void* b, int b_type, int ldb,
                                                 long long stride_b, const void* beta, void* c, int c_type,
                                                 int ldc, long long stride_c, int batches, int compute, int) {
  return run(handle, "hipblasGemmStridedBatchedEx", [&](const Handle& h) {
    const Columns result{c, number_of(c_type), ldc, stride_c};
    return Gemm{
        h,
        op_a,
        op_b,
        m,
        n,
        k,
        alpha,
        {a, number_of(a_type), lda, stride_a},
        {b, number_of(b_type), ldb, stride_b},
        beta,
        result,
        result,
        scalars_of(compute),
        batches
    };
  });
}

WAVESMITH_SERVED int hipblasGemmEx_v2(void* handle, int op_a, int op_b, int m, int n, int k,
                                      const void* alpha, const void* a, int a_type, int lda, const void* b,
                                      int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                                      int compute, int algorithm) {
  return hipblasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,
                       ldc, compute, algorithm);
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
