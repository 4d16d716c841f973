// Sums of matrices and vectors on the host in stream order, which serve geam, axpy and scal of the BLAS
// libraries with the checks that hipBLAS and rocBLAS share.
#pragma once

#include <cstdint>

#include "libraries/blas/gemm.h"

namespace wavesmith::libraries {

/// c = alpha * op(a) + beta * op(b), of m by n. Operands with a factor of 0 are not read.
struct Geam {
  const Handle& handle;
  int operation_a, operation_b;
  int64_t m, n;
  const void* alpha;
  Columns a;
  const void* beta;
  Columns b, c;
};
GemmStatus enqueue(const Geam& geam);

/// y = alpha * x + y. A vector with a negative step is read from its end.
struct Axpy {
  const Handle& handle;
  int64_t n;
  const void* alpha;
  Number type;
  const void* x;
  int64_t x_step;
  void* y;
  int64_t y_step;
};
GemmStatus enqueue(const Axpy& axpy);

/// x = alpha * x; nothing where the step is not positive. `alpha_type` is that of the parts, or the type.
struct Scal {
  const Handle& handle;
  int64_t n;
  const void* alpha;
  Number alpha_type, type;
  void* x;
  int64_t x_step;
};
GemmStatus enqueue(const Scal& scal);

}  // namespace wavesmith::libraries
