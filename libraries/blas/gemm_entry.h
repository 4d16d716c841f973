// gemm and gemv as hipBLAS and rocBLAS offer them, under different names and with different statuses.
#pragma once

#include <cstdint>

#include "libraries/blas/gemm.h"
#include "libraries/shim/unserved.h"

namespace wavesmith::libraries {

/// A library's status for each outcome of a call, and the name of one.
struct GemmStatuses {
  int done, bad_handle, bad_operation, bad_size, bad_pointer, not_served, no_memory, not_launched;
  const char* not_served_text;
};

inline int status_of(GemmStatus status, const GemmStatuses& statuses) {
  switch (status) {
    case GemmStatus::Done:
      return statuses.done;
    case GemmStatus::BadOperation:
      return statuses.bad_operation;
    case GemmStatus::BadSize:
      return statuses.bad_size;
    case GemmStatus::BadPointer:
      return statuses.bad_pointer;
    case GemmStatus::NotServed:
      return statuses.not_served;
    case GemmStatus::NoMemory:
      return statuses.no_memory;
    case GemmStatus::NotLaunched:
      return statuses.not_launched;
  }
  return statuses.not_launched;
}

/// Enqueues the product that `make` returns for the handle. Unsupported types are reported on stderr once per
/// function, as each has a `make` of its own type.
template <class Make>
int run_gemm(const GemmStatuses& statuses, void* handle, const char* function, const Make& make) {
  if (!handle) return statuses.bad_handle;
  const Called called(function);
  const GemmStatus status = enqueue(make(*handle_of(handle)));
  static std::atomic_flag said;
  return status == GemmStatus::NotServed
             ? unsupported(function, statuses.not_served_text, statuses.not_served, said)
             : status_of(status, statuses);
}

}  // namespace wavesmith::libraries

// Where they stand, `kStatuses` is the library's GemmStatuses.
// clang-format off
#define WAVESMITH_GEMM(plain, batched, strided, type)                                                                 \
  WAVESMITH_SERVED int plain(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,                  \
      const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {                            \
    return run_gemm(kStatuses, handle, #plain, [&](const Handle& h) {                                                   \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int batched(void* handle, int op_a, int op_b, int m, int n, int k,                                   \
      const void* alpha, const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc, int batches) { \
    return run_gemm(kStatuses, handle, #batched, [&](const Handle& h) {                                                 \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda}, {b, type, ldb}, beta, {c, type, ldc}, {c, type, ldc}, type, batches, true}; \
    });                                                                                                               \
  }                                                                                                                   \
  WAVESMITH_SERVED int strided(void* handle, int op_a, int op_b, int m, int n, int k,                                   \
      const void* alpha, const void* a, int lda, int64_t stride_a, const void* b, int ldb, int64_t stride_b,           \
      const void* beta, void* c, int ldc, int64_t stride_c, int batches) {                                             \
    return run_gemm(kStatuses, handle, #strided, [&](const Handle& h) {                                                 \
      return Gemm{h, op_a, op_b, m, n, k, alpha, {a, type, lda, stride_a}, {b, type, ldb, stride_b}, beta,             \
                  {c, type, ldc, stride_c}, {c, type, ldc, stride_c}, type, batches};                                  \
    });                                                                                                               \
  }
#define WAVESMITH_GEMV(plain, type)                                                                                   \
  WAVESMITH_SERVED int plain(void* handle, int op, int m, int n, const void* alpha, const void* a,                      \
      int lda, const void* x, int x_step, const void* beta, void* y, int y_step) {                                     \
    return run_gemm(kStatuses, handle, #plain, [&](const Handle& h) {                                                   \
      return Gemv{h, op, m, n, alpha, {a, type, lda}, x, x_step, beta, y, y_step};                                     \
    });                                                                                                               \
  }
// clang-format on
