// Factorisations of column-major matrices, and solutions by them, on the host in stream order, which serve
// potrf, getrf and getrs of rocSOLVER and hipSOLVER. As in LAPACK: rows are counted from 1 in `pivots`, and
// `info` gets 0, or the number of the column at which there is no factor.
#pragma once

#include <cstdint>

#include "libraries/blas/matrices.h"
#include "libraries/shim/gpu_work.h"

namespace wavesmith::libraries {

/// `a` of n by n becomes L (of its lower part), where a = L * L^H, or U (of its upper part), where a = U^H *
/// U.
struct Cholesky {
  Number type;
  bool upper;
  int64_t n;
  void* a;
  int64_t lda;
  int* info;

  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(factored("potrf", type, n, n)); }
};

/// A batch of them; the matrices' addresses are read when the request runs.
struct CholeskyBatch {
  Cholesky first;  ///< without a matrix; `info` has a number for each
  void* const* matrices;
  int64_t count;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("potrf", first.type, first.n, first.n, 0, count));
  }
};

/// `a` of m by n becomes L and U, where a with rows exchanged is L * U; L has ones on its diagonal.
struct Lu {
  Number type;
  int64_t m, n;
  void* a;
  int64_t lda;
  int *pivots, *info;

  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(factored("getrf", type, m, n)); }
};

/// A batch of them, as CholeskyBatch. Without pivots rows are not exchanged.
struct LuBatch {
  Lu first;
  void* const* matrices;
  int64_t stride;  ///< from one matrix's pivots to the next one's
  int64_t count;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("getrf", first.type, first.m, first.n, 0, count));
  }
};

/// b of m by n becomes x, where op(a) * x = alpha * b, or x * op(a) = alpha * b with a at the right, of the
/// triangle of a that `upper` says, with ones on its diagonal where `unit`.
struct TriangularSolve {
  Number type;
  bool right, upper, unit;
  int operation;
  int64_t m, n;
  const void* alpha;  ///< in the GPU's memory, read when the request runs; null: `scale`
  alignas(16) unsigned char scale[16];
  const void* a;
  int64_t lda;
  void* b;
  int64_t ldb;
  void **as, **bs;  ///< of a batch of `count`, in place of a and b
  int64_t count;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("trsm", type, right ? n : m, right ? m : n, 0, count));
  }
};

/// b becomes x, where op(a) * x = b, of an Lu. `operation`: 111 a itself, 112 transposed, 113 conjugated,
/// too.
struct LuSolve {
  Number type;
  int operation;
  int64_t n, columns;
  const void* a;
  int64_t lda;
  const int* pivots;  ///< null: rows were not exchanged
  void* b;
  int64_t ldb;

  void run() const;
  /// Reports the exchange of rows and the solutions with both triangles.
  void report_work(const WorkReporter& reporter, int64_t count = 1) const {
    const double rows = static_cast<double>(count) * bytes_of(type, n, columns);
    if (pivots && rows > 0) reporter(streamed(rows, rows));
    for (int triangle = 0; triangle < 2; ++triangle) reporter(factored("trsm", type, n, columns, 0, count));
  }
};

/// A batch of them, of an LuBatch.
struct LuSolveBatch {
  LuSolve first;  ///< without matrices; `pivots` has those of each
  void *const *as, *const *bs;
  int64_t stride;  ///< of the pivots
  int64_t count;

  void run() const;
  void report_work(const WorkReporter& reporter) const { first.report_work(reporter, count); }
};

/// The inverses of the square matrices of an LuBatch. `info` as there: with a zero on U's diagonal there is
/// none.
struct LuInverseBatch {
  Number type;
  int64_t n;
  void* const* as;
  int64_t lda;
  const int* pivots;
  int64_t stride;         ///< of the pivots
  void* const* inverses;  ///< null: in the matrices' places
  int64_t ld;
  int* info;
  int64_t count;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    for (int triangle = 0; triangle < 2; ++triangle) reporter(factored("trsm", type, n, n, 0, count));
  }
};

/// The inverse of one of them, in its place.
struct LuInverse {
  Number type;
  int64_t n;
  void* a;
  int64_t lda;
  const int* pivots;
  int* info;

  void run() const;
  /// Reports a triangle's inverse and a solution with the other one.
  void report_work(const WorkReporter& reporter) const {
    for (int triangle = 0; triangle < 2; ++triangle) reporter(factored("trsm", type, n, n));
  }
};

}  // namespace wavesmith::libraries
