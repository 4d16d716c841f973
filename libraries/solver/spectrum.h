// Eigenvalues of Hermitian matrices and singular values on the host in stream order, which serve sytrd, syev,
// sygv, gesvd and related functions of rocSOLVER and hipSOLVER. Matrices are column-major; results and their
// order are as in LAPACK. If a matrix has a NaN or an infinity, all results are NaN and `info` is not 0.
#pragma once

#include <cstdint>

#include "libraries/blas/matrices.h"
#include "libraries/shim/gpu_work.h"

namespace wavesmith::libraries {

/// Reduces the Hermitian `a` (its triangle by `upper`) to the tridiagonal Q^H * a * Q; the rest of the
/// triangle gets the reflections of Q.
struct Tridiagonal {
  Number type;
  bool upper;
  int64_t n;
  void* a;
  int64_t lda;
  void *diagonal, *beside, *scales;
  int* info;  ///< may be null

  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(factored("sytrd", type, n, n)); }
};

/// Which eigenvalues: all, those greater than `low` and up to `high`, or those from the `first` to the
/// `last`, counted from 1.
struct EigenRange {
  enum class Kind : uint8_t { All, Value, Index } kind = Kind::All;
  double low = 0, high = 0;
  int64_t first = 0, last = 0;
  int* found = nullptr;  ///< how many there are; may be null
};

/// Eigenvalues of the Hermitian matrices `a`, the least first, and where `vectors` their eigenvectors in `a`.
struct Eigenvalues {
  Number type;
  bool upper, vectors;
  int64_t n;
  Matrices a;
  void* values;
  int64_t stride_values;  ///< from one matrix's to the next one's
  int* info;
  int64_t count = 1;
  EigenRange range = {};
  double* residual = nullptr;  ///< of the last matrix: how much of v^H * a * v is beside its diagonal

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("syev", type, n, n, 0, count, vectors));
  }
};

/// Eigenvalues, the least first, of Hermitian `a` and positive definite `b`, with vectors x where a * x =
/// value
/// * b * x (Ax), a * b * x = value * x (Abx) or b * a * x = value * x (Bax). Where `vectors`, these are in
/// `a`; x^H * b * x is 1, or of Bax x^H * b^-1 * x. `b` becomes its Cholesky factor; where it has none,
/// `info` is n and the number of the column.
struct GeneralizedEigenvalues {
  enum class Form : uint8_t { Ax, Abx, Bax };
  Number type;
  Form form;
  bool upper, vectors;
  int64_t n;
  void* a;
  int64_t lda;
  void* b;
  int64_t ldb;
  void* values;
  int* info;
  double* residual = nullptr;  ///< how much of the matrix that has these eigenvalues is beside its diagonal

  void run() const;
  /// Reports the factor of b, the transformation of a by its inverse on both sides, and that of the vectors
  /// back.
  void report_work(const WorkReporter& reporter) const {
    reporter(factored("potrf", type, n, n));
    for (int side = 0; side < (vectors ? 3 : 2); ++side) reporter(factored("trsm", type, n, n));
    reporter(factored("syev", type, n, n, 0, 1, vectors));
  }
};

/// Which singular vectors of one side: all of the square matrix, as many as there are values, these in place
/// of `a`, none.
enum class Vectors : uint8_t { All, Some, InPlace, None };

/// Singular values of `a` (m by n), the largest first, where a = u * diagonal(values) * v^H.
struct SingularValues {
  Number type;
  Vectors left, right;
  bool v_itself;  ///< `v` gets V; otherwise V^H
  int64_t m, n;
  Matrices a;
  void* values;
  int64_t stride_values;
  Matrices u, v;
  int* info;
  int64_t count = 1;

  void run() const;
  void report_work(const WorkReporter& reporter) const {
    const bool none = left == Vectors::None && right == Vectors::None;
    reporter(factored("gesvd", type, m, n, 0, count, !none));
  }
};

}  // namespace wavesmith::libraries
