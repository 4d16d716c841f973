// QR factorisations by Householder reflections on the host in stream order, which serve geqrf, orgqr (ungqr)
// and ormqr (unmqr) of rocSOLVER, hipSOLVER and hipBLAS. Matrices are column-major; reflections and their
// scales are as in LAPACK.
#pragma once

#include <cstdint>

#include "libraries/blas/matrices.h"
#include "libraries/shim/gpu_work.h"

namespace wavesmith::libraries {

/// `a` of m by n becomes R in its upper triangle and below it the reflections whose product is Q, where a = Q
/// * R; their scales are in `scales`.
struct Qr {
  Number type;
  int64_t m, n;
  Matrices a, scales;
  int* info;  ///< may be null
  int64_t count = 1;

  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(factored("geqrf", type, m, n, 0, count)); }
};

/// `a` of m by n with k reflections, as Qr leaves them, becomes the first n columns of Q.
struct QrMatrix {
  Number type;
  int64_t m, n, k;
  void* a;
  int64_t lda;
  const void* scales;
  int* info;  ///< may be null

  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(factored("orgqr", type, m, n, k)); }
};

/// c of m by n becomes op(Q) * c, or c * op(Q) with Q at the right. `operation`: 111 Q itself, others Q^H.
struct QrProduct {
  Number type;
  bool right;
  int operation;
  int64_t m, n, k;
  const void* a;
  int64_t lda;
  const void* scales;
  void* c;
  int64_t ldc;
  int* info;  ///< may be null

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("ormqr", type, right ? n : m, right ? m : n, k));
  }
};

}  // namespace wavesmith::libraries
