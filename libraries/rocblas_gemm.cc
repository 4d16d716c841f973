// rocBLAS: gemm and gemv (libraries/gemm.h). rocblas-functions.h of ROCm 7.0.
#include <cstdint>

#include "libraries/answer.h"
#include "libraries/gemm.h"

using namespace wavesmith::libraries;

namespace {

enum Status {
  kSuccess = 0,
  kInvalidHandle = 1,
  kNotImplemented = 2,
  kInvalidPointer = 3,
  kInvalidSize = 4,
  kMemoryError = 5,
  kInternalError = 6,
  kInvalidValue = 11
};

int status_of(GemmStatus status) {
  switch (status) {
    case GemmStatus::Done:
      return kSuccess;
    case GemmStatus::BadOperation:
      return kInvalidValue;
    case GemmStatus::BadSize:
      return kInvalidSize;
    case GemmStatus::BadPointer:
      return kInvalidPointer;
    case GemmStatus::NotServed:
      return kNotImplemented;
    case GemmStatus::NoMemory:
      return kMemoryError;
    case GemmStatus::NotLaunched:
      return kInternalError;
  }
  return kInternalError;
}

template <class Call>
int run(void* handle, const char* function, const Call& make) {
  if (!handle) return kInvalidHandle;
  const int status = status_of(enqueue(make(*handle_of(handle))));
  static std::atomic_flag said;
  return status == kNotImplemented
             ? answer(function, "rocblas_status_not_implemented for these types", kNotImplemented, said)
             : status;
}

}  // namespace

// clang-format off
#define GEMM(letter, type)                                                                                            \
  WAVESMITH_SERVED int rocblas_##letter##gemm(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, \
      const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {                            \
    return run(handle, "rocblas_" #letter "gemm", [&](const Handle& h) {                                               \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int rocblas_##letter##gemm_batched(void* handle, int op_a, int op_b, int m, int n, int k,            \
      const void* alpha, const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc, int batches) { \
    return run(handle, "rocblas_" #letter "gemm_batched", [&](const Handle& h) {                                       \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type, batches, true}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int rocblas_##letter##gemm_strided_batched(void* handle, int op_a, int op_b, int m, int n, int k,    \
      const void* alpha, const void* a, int lda, int64_t stride_a, const void* b, int ldb, int64_t stride_b,           \
      const void* beta, void* c, int ldc, int64_t stride_c, int batches) {                                             \
    return run(handle, "rocblas_" #letter "gemm_strided_batched", [&](const Handle& h) {                               \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda, stride_a}, {b, type, ldb, stride_b}, beta,             \
                  {c, type, ldc, stride_c}, {c, type, ldc, stride_c}, type, batches};                                  \
    });                                                                                                               \
  }
#define GEMV(letter, type)                                                                                            \
  WAVESMITH_SERVED int rocblas_##letter##gemv(void* handle, int op, int m, int n, const void* alpha, const void* a,     \
      int lda, const void* x, int x_step, const void* beta, void* y, int y_step) {                                     \
    return run(handle, "rocblas_" #letter "gemv", [&](const Handle& h) {                                               \
      return Gemv{h, op, m, n, alpha, {a, type, lda}, x, x_step, beta, y, y_step};                                     \
    });                                                                                                               \
  }
// clang-format on

GEMM(h, Number::F16)
GEMM(s, Number::F32)
GEMM(d, Number::F64)
GEMM(c, Number::C32)
GEMM(z, Number::C64)
GEMV(s, Number::F32)
GEMV(d, Number::F64)
GEMV(c, Number::C32)
GEMV(z, Number::C64)

// Which kernel computes, the caller may choose on a GPU: algorithm, solution and flags mean nothing here.

WAVESMITH_SERVED int rocblas_gemm_ex(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                     const void* a, int a_type, int lda, const void* b, int b_type, int ldb,
                                     const void* beta, const void* c, int c_type, int ldc, void* d,
                                     int d_type, int ldd, int compute, int, int32_t, uint32_t) {
  return run(handle, "rocblas_gemm_ex", [&](const Handle& h) {
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
        {c, number_of(c_type), ldc},
        {d, number_of(d_type), ldd},
        number_of(compute)
    };
  });
}

WAVESMITH_SERVED int rocblas_gemm_batched_ex(void* handle, int op_a, int op_b, int m, int n, int k,
                                             const void* alpha, const void* a, int a_type, int lda,
                                             const void* b, int b_type, int ldb, const void* beta,
                                             const void* c, int c_type, int ldc, void* d, int d_type, int ldd,
                                             int batches, int compute, int, int32_t, uint32_t) {
  return run(handle, "rocblas_gemm_batched_ex", [&](const Handle& h) {
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
        {c, number_of(c_type), ldc},
        {d, number_of(d_type), ldd},
        number_of(compute),
        batches,
        true
    };
  });
}

WAVESMITH_SERVED int rocblas_gemm_strided_batched_ex(void* handle, int op_a, int op_b, int m, int n, int k,
                                                     const void* alpha, const void* a, int a_type, int lda,
                                                     int64_t stride_a, const void* b, int b_type, int ldb,
                                                     int64_t stride_b, const void* beta, const void* c,
                                                     int c_type, int ldc, int64_t stride_c, void* d,
                                                     int d_type, int ldd, int64_t stride_d, int batches,
                                                     int compute, int, int32_t, uint32_t) {
  return run(handle, "rocblas_gemm_strided_batched_ex", [&](const Handle& h) {
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
        {c, number_of(c_type), ldc, stride_c},
        {d, number_of(d_type), ldd, stride_d},
        number_of(compute),
        batches
    };
  });
}
