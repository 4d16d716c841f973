// Eigenvalues of Hermitian matrices and singular values, on the host, in the order of a stream: what
// rocSOLVER's and hipSOLVER's sytrd, syev, gesvd and their like are served by. Matrices by columns; what
// comes out, and in which order, is as in LAPACK. Where a matrix has a NaN or an infinity, everything is NaN
// and `info` is not 0.
#pragma once

#include <cstdint>

#include "libraries/matrices.h"

namespace wavesmith::libraries {

/// The Hermitian `a`, of which the triangle that `upper` says is looked at, becomes Q^H * a * Q with numbers
/// only in its diagonal and beside it, and the reflections of Q in the rest of the triangle.
struct Tridiagonal {
  Number type;
  bool upper;
  int64_t n;
  void* a;
  int64_t lda;
  void *diagonal, *beside, *scales;
  int* info;  ///< may be null

  void run() const;
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

  void run() const;
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
};

}  // namespace wavesmith::libraries
