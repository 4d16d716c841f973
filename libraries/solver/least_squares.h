// Over- and underdetermined systems of equations on the host in stream order, which serve hipSOLVER's gels.
#pragma once

#include <cstdint>

#include "libraries/shim/gpu_work.h"
#include "libraries/shim/number.h"

namespace wavesmith::libraries {

/// x of n rows, where |a * x - b| is least, of a with m rows of full rank; of several such x (m < n) the
/// shortest. As in LAPACK, `info` gets the number of the first diagonal element of the triangular factor that
/// is 0, and then there is no x.
struct LeastSquares {
  Number type;
  int64_t m, n, columns;
  const void* a;
  int64_t lda;
  const void* b;
  int64_t ldb;
  void* x;
  int64_t ldx;
  int* info;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    const int64_t rank = m < n ? m : n;
    reporter(factored("geqrf", type, m, n));
    reporter(factored("ormqr", type, m < n ? n : m, columns, rank));
    reporter(factored("trsm", type, rank, columns));
  }
};

}  // namespace wavesmith::libraries
