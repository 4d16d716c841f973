// geqrf, orgqr, ormqr, sytrd, syev, sygv and gesvd: the checks that rocSOLVER and hipSOLVER share, with the
// statuses of each.
#pragma once

#include <algorithm>

#include "libraries/blas/operations.h"
#include "libraries/solver/factor_entry.h"
#include "libraries/solver/qr.h"
#include "libraries/solver/spectrum.h"

namespace wavesmith::libraries {

inline bool is_complex(Number type) { return type == Number::C32 || type == Number::C64; }

/// geqrf, of a batch if `count` is not negative.
inline int run_geqrf(const FactorStatuses& statuses, void* handle, Number type, int m, int n, Matrices a,
                     Matrices scales, int* info, int count = 1, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (m < 0 || n < 0 || a.ld < std::max(1, m) || count < 0) return statuses.bad_size;
  if (m > 0 && n > 0 && count > 0) {
    if ((!a.each && !a.first) || (!scales.each && !scales.first)) return statuses.bad_pointer;
    if (!lie_in_memory(a, type, m, n, count) || !lie_in_memory(scales, type, std::min(m, n), 1, count))
      return statuses.bad_pointer;
  }
  return launch(statuses, handle, Qr{type, m, n, a, scales, info, count});
}

inline int run_orgqr(const FactorStatuses& statuses, void* handle, Number type, int m, int n, int k, void* a,
                     int lda, const void* scales, int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (m < 0 || n < 0 || n > m || k < 0 || k > n || lda < std::max(1, m)) return statuses.bad_size;
  if ((m > 0 && n > 0 && !a) || (k > 0 && !scales) || !lies_in_memory(a, type, m, n, lda) ||
      !lies_in_memory(scales, type, k, 1, k))
    return statuses.bad_pointer;
  return launch(statuses, handle, QrMatrix{type, m, n, k, a, lda, scales, info});
}

inline int run_ormqr(const FactorStatuses& statuses, void* handle, Number type, int side, int operation,
                     int m, int n, int k, const void* a, int lda, const void* scales, void* c, int ldc,
                     int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if ((side != kLeft && side != kRight) ||
      (operation != kAsItIs && operation != (is_complex(type) ? kConjugated : kTransposed)))
    return statuses.bad_operation;
  const int size = side == kLeft ? m : n;
  if (m < 0 || n < 0 || k < 0 || k > size || lda < std::max(1, size) || ldc < std::max(1, m))
    return statuses.bad_size;
  if ((m > 0 && n > 0 && !c) || (k > 0 && (!a || !scales)) || !lies_in_memory(a, type, size, k, lda) ||
      !lies_in_memory(scales, type, k, 1, k) || !lies_in_memory(c, type, m, n, ldc))
    return statuses.bad_pointer;
  return launch(statuses, handle,
                QrProduct{type, side == kRight, operation, m, n, k, a, lda, scales, c, ldc, info});
}

inline int run_sytrd(const FactorStatuses& statuses, void* handle, Number type, int part, int n, void* a,
                     int lda, void* diagonal, void* beside, void* scales, int* info, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (part != kUpper && part != kLower) return statuses.bad_operation;
  if (n < 0 || lda < std::max(1, n)) return statuses.bad_size;
  if ((n > 0 && (!a || !diagonal)) || (n > 1 && (!beside || !scales)) || !lies_in_memory(a, type, n, n, lda))
    return statuses.bad_pointer;
  return launch(statuses, handle,
                Tridiagonal{type, part == kUpper, n, a, lda, diagonal, beside, scales, info});
}

inline int run_syev(const FactorStatuses& statuses, void* handle, Number type, bool vectors, int part, int n,
                    Matrices a, void* values, int64_t stride_values, int* info, int count = 1,
                    const EigenRange& range = {}, double* residual = nullptr, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (part != kUpper && part != kLower) return statuses.bad_operation;
  if (n < 0 || a.ld < std::max(1, n) || count < 0) return statuses.bad_size;
  if (range.kind == EigenRange::Kind::Value && range.low >= range.high) return statuses.bad_size;
  if (range.kind == EigenRange::Kind::Index && n > 0 &&
      (range.first < 1 || range.last < range.first || range.last > n))
    return statuses.bad_size;
  if (count == 0) return 0;
  if ((n > 0 && ((!a.each && !a.first) || !values)) || !info || !lie_in_memory(a, type, n, n, count))
    return statuses.bad_pointer;
  return launch(
      statuses, handle,
      Eigenvalues{type, part == kUpper, vectors, n, a, values, stride_values, info, count, range, residual});
}

/// `form`: 1 to 3, as LAPACK counts them.
inline int run_sygv(const FactorStatuses& statuses, void* handle, Number type, int form, bool vectors,
                    int part, int n, void* a, int lda, void* b, int ldb, void* values, int* info,
                    double* residual = nullptr, const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (form < 1 || form > 3 || (part != kUpper && part != kLower)) return statuses.bad_operation;
  if (n < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return statuses.bad_size;
  if ((n > 0 && (!a || !b || !values)) || !info || !lies_in_memory(a, type, n, n, lda) ||
      !lies_in_memory(b, type, n, n, ldb))
    return statuses.bad_pointer;
  return launch(statuses, handle,
                GeneralizedEigenvalues{type, static_cast<GeneralizedEigenvalues::Form>(form - 1),
                                       part == kUpper, vectors, n, a, lda, b, ldb, values, info, residual});
}

inline int run_gesvd(const FactorStatuses& statuses, void* handle, const SingularValues& s,
                     const Called& = {}) {
  if (!handle) return statuses.bad_handle;
  if (s.left == Vectors::InPlace && s.right == Vectors::InPlace) return statuses.bad_operation;
  const int64_t least = std::min(s.m, s.n);
  const bool left = s.left == Vectors::All || s.left == Vectors::Some;
  const bool right = s.right == Vectors::All || s.right == Vectors::Some;
  const int64_t rows_of_v = s.v_itself || s.right == Vectors::All ? s.n : least;
  if (s.m < 0 || s.n < 0 || s.a.ld < std::max<int64_t>(1, s.m) || s.count < 0 || s.u.ld < 1 || s.v.ld < 1 ||
      (left && s.u.ld < s.m) || (right && s.v.ld < rows_of_v))
    return statuses.bad_size;
  if (s.count == 0) return 0;
  if (!s.info) return statuses.bad_pointer;
  if (least > 0) {
    if ((!s.a.each && !s.a.first) || !s.values || (left && !s.u.first) || (right && !s.v.first) ||
        !lie_in_memory(s.a, s.type, s.m, s.n, s.count) ||
        (left && !lie_in_memory(s.u, s.type, s.m, s.left == Vectors::All ? s.m : least, s.count)) ||
        (right && !lie_in_memory(s.v, s.type, rows_of_v, s.v_itself && s.right == Vectors::Some ? least : s.n,
                                 s.count)))
      return statuses.bad_pointer;
  }
  return launch(statuses, handle, s);
}

}  // namespace wavesmith::libraries
