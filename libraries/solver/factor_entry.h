// potrf, getrf and getrs: the checks that rocSOLVER and hipSOLVER share, with the statuses of each.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "libraries/blas/operations.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"
#include "libraries/solver/factor.h"

namespace wavesmith::libraries {

/// A library's status for each outcome of a call.
struct FactorStatuses {
  int bad_handle, bad_operation, bad_size, bad_pointer, no_memory, not_launched;
  bool always_pivots = false;  ///< batches cannot be factorised without pivots
};

template <class Request>
int launch(const FactorStatuses& statuses, void* handle, const Request& request, const Called& = {}) {
  return status_of(enqueue(handle_of(handle)->stream, request), {.done = 0,
                                                                 .not_served = statuses.not_launched,
                                                                 .bad_pointer = statuses.bad_pointer,
                                                                 .no_memory = statuses.no_memory,
                                                                 .not_launched = statuses.not_launched});
}

/// Whether a column-major matrix lies in its allocation; if not, a line on stderr says so.
inline bool lies_in_memory(const void* data, Number type, int64_t rows, int64_t columns, int64_t ld) {
  if (rows == 0 || columns == 0 || reaches(data, 0, (columns - 1) * ld + rows - 1, size_of(type)))
    return true;
  std::fprintf(stderr, "wavesmith: a matrix of %lld by %lld reaches past the end of its allocation\n",
               static_cast<long long>(rows), static_cast<long long>(columns));
  return false;
}

inline int run_potrf(const FactorStatuses& statuses, void* handle, Number type, int part, int n, void* a,
                     int lda, int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (part != kUpper && part != kLower) return statuses.bad_operation;
  if (n < 0 || lda < std::max(1, n)) return statuses.bad_size;
  if ((n > 0 && !a) || !info || !lies_in_memory(a, type, n, n, lda)) return statuses.bad_pointer;
  return launch(statuses, handle, Cholesky{type, part == kUpper, n, a, lda, info});
}

inline int run_getrf(const FactorStatuses& statuses, void* handle, Number type, int m, int n, void* a,
                     int lda, int* pivots, int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (m < 0 || n < 0 || lda < std::max(1, m)) return statuses.bad_size;
  if ((m > 0 && n > 0 && (!a || !pivots)) || !info || !lies_in_memory(a, type, m, n, lda))
    return statuses.bad_pointer;
  return launch(statuses, handle, Lu{type, m, n, a, lda, pivots, info});
}

inline int run_getri(const FactorStatuses& statuses, void* handle, Number type, int n, void* a, int lda,
                     const int* pivots, int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (n < 0 || lda < std::max(1, n)) return statuses.bad_size;
  if ((n > 0 && (!a || !pivots)) || !info || !lies_in_memory(a, type, n, n, lda)) return statuses.bad_pointer;
  return launch(statuses, handle, LuInverse{type, n, a, lda, pivots, info});
}

/// trsm, of arrays of matrices where `count` is not negative.
inline int run_trsm(const FactorStatuses& statuses, void* handle, Number type, int side, int part,
                    int operation, int diagonal, int m, int n, const void* alpha, const void* a, int lda,
                    void* b, int ldb, int count, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if ((side != kLeft && side != kRight) || (part != kUpper && part != kLower) || !is_operation(operation) ||
      (diagonal != kUnit && diagonal != kNonUnit))
    return statuses.bad_operation;
  const int size = side == kLeft ? m : n;
  if (m < 0 || n < 0 || lda < std::max(1, size) || ldb < std::max(1, m)) return statuses.bad_size;
  const bool arrays = count >= 0;
  if (m == 0 || n == 0 || count == 0) return 0;
  if (!alpha || !a || !b) return statuses.bad_pointer;
  if (!arrays && (!lies_in_memory(a, type, size, size, lda) || !lies_in_memory(b, type, m, n, ldb)))
    return statuses.bad_pointer;
  TriangularSolve solve{
      type, side == kRight, part == kUpper, diagonal == kUnit, operation, m, n, nullptr, {}, a, lda, b,
      ldb,  nullptr,        nullptr,        arrays ? count : 1};
  if (arrays) {
    solve.as = static_cast<void**>(const_cast<void*>(a));
    solve.bs = static_cast<void**>(b);
  }
  if (handle_of(handle)->pointer_mode != 0)
    solve.alpha = alpha;
  else
    std::memcpy(solve.scale, alpha, size_of(type));
  return launch(statuses, handle, solve);
}

/// potrs, of arrays of matrices where `count` is not negative: first the factor itself, then its conjugate,
/// or the other way round.
inline int run_potrs(const FactorStatuses& statuses, void* handle, Number type, int part, int n, int columns,
                     const void* a, int lda, void* b, int ldb, int count, const Called& = {}) {
  alignas(16) unsigned char one[16] = {};
  if (!handle) return statuses.bad_handle;
  if (part != kUpper && part != kLower) return statuses.bad_operation;
  const float narrow = 1;
  const double wide = 1;
  if (type == Number::F32 || type == Number::C32)
    std::memcpy(one, &narrow, sizeof narrow);
  else
    std::memcpy(one, &wide, sizeof wide);
  Handle on_the_host = *handle_of(handle);
  on_the_host.pointer_mode = 0;
  for (const int operation : {part == kLower ? kAsItIs : kConjugated, part == kLower ? kConjugated : kAsItIs})
    if (const int status = run_trsm(statuses, &on_the_host, type, kLeft, part, operation, kNonUnit, n,
                                    columns, one, a, lda, b, ldb, count))
      return status;
  return 0;
}

inline int run_getrs(const FactorStatuses& statuses, void* handle, Number type, int operation, int n,
                     int columns, const void* a, int lda, const int* pivots, void* b, int ldb,
                     const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (!is_operation(operation)) return statuses.bad_operation;
  if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return statuses.bad_size;
  if (n == 0 || columns == 0) return 0;
  if (!a || !pivots || !b || !lies_in_memory(a, type, n, n, lda) || !lies_in_memory(b, type, n, columns, ldb))
    return statuses.bad_pointer;
  return launch(statuses, handle, LuSolve{type, operation, n, columns, a, lda, pivots, b, ldb});
}

}  // namespace wavesmith::libraries
