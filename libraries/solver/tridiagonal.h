// Solutions of tridiagonal systems on the host in stream order, which serve hipSPARSE's gtsv2 and
// gtsv2StridedBatch.
#pragma once

#include <cstdint>

#include "libraries/shim/gpu_work.h"
#include "libraries/shim/number.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries {

/// b becomes x, where a * x = b, a of m by m with `lower`, `diagonal` and `upper`, each of m numbers: the
/// first of `lower` and the last of `upper` are not looked at. Rows are exchanged where that is better.
/// `count` systems, of `columns` right sides each, all at a distance of `stride`.
struct TridiagonalSolve {
  Number type;
  int64_t m, columns;
  const void *lower, *diagonal, *upper;
  void* b;
  int64_t ldb;
  int64_t count = 1, stride = 0;

  void run() const;
  /// Reports that everything is read and written once, the diagonals for each right side.
  void report_work(const WorkReporter& reporter) const {
    const double right = static_cast<double>(count) * bytes_of(type, m, columns);
    reporter(streamed(4 * right, right));
  }
};

}  // namespace wavesmith::libraries
