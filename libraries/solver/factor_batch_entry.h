// potrf, getrf, getrs and getri of arrays of matrices: the checks that rocSOLVER, hipSOLVER and hipBLAS
// share.
#pragma once

#include "libraries/solver/factor_entry.h"

namespace wavesmith::libraries {

inline int run_potrf_batch(const FactorStatuses& statuses, void* handle, Number type, int part, int n,
                           void* const* matrices, int lda, int* info, int count, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (part != kUpper && part != kLower) return statuses.bad_operation;
  if (n < 0 || lda < std::max(1, n) || count < 0) return statuses.bad_size;
  if (count > 0 && (!matrices || !info)) return statuses.bad_pointer;
  if (count == 0) return 0;
  return launch(statuses, handle,
                CholeskyBatch{{type, part == kUpper, n, nullptr, lda, info}, matrices, count});
}

/// Without `pivots` rows are not exchanged; those of a matrix lie `stride` behind those of the one before.
inline int run_getrf_batch(const FactorStatuses& statuses, void* handle, Number type, int m, int n,
                           void* const* matrices, int lda, int* pivots, int64_t stride, int* info, int count,
                           const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (m < 0 || n < 0 || lda < std::max(1, m) || count < 0) return statuses.bad_size;
  if (count == 0) return 0;
  if (!matrices || !info || (statuses.always_pivots && m > 0 && n > 0 && !pivots))
    return statuses.bad_pointer;
  return launch(statuses, handle, LuBatch{{type, m, n, nullptr, lda, pivots, info}, matrices, stride, count});
}

inline int run_getrs_batch(const FactorStatuses& statuses, void* handle, Number type, int operation, int n,
                           int columns, void* const* matrices, int lda, const int* pivots, int64_t stride,
                           void* const* vectors, int ldb, int count, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (!is_operation(operation)) return statuses.bad_operation;
  if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n) || count < 0)
    return statuses.bad_size;
  if (n == 0 || columns == 0 || count == 0) return 0;
  if (!matrices || !vectors || (statuses.always_pivots && !pivots)) return statuses.bad_pointer;
  return launch(statuses, handle,
                LuSolveBatch{{type, operation, n, columns, nullptr, lda, pivots, nullptr, ldb},
                             matrices,
                             vectors,
                             stride,
                             count});
}

/// Without `inverses` each takes its matrix's place.
inline int run_getri_batch(const FactorStatuses& statuses, void* handle, Number type, int n,
                           void* const* matrices, int lda, const int* pivots, int64_t stride,
                           void* const* inverses, int ld, int* info, int count, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (n < 0 || lda < std::max(1, n) || ld < std::max(1, n) || count < 0) return statuses.bad_size;
  if (count == 0) return 0;
  if (!matrices || !info || (statuses.always_pivots && n > 0 && !pivots)) return statuses.bad_pointer;
  return launch(statuses, handle,
                LuInverseBatch{type, n, matrices, lda, pivots, stride, inverses, ld, info, count});
}

}  // namespace wavesmith::libraries
