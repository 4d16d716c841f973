// gemm and gemv as hipBLAS and rocBLAS define and check them: column-major matrices, and the same values of
// operations and pointer modes.
#pragma once

#include <cstdint>

#include "libraries/blas/operations.h"
#include "libraries/blas/product.h"
#include "libraries/shim/handle.h"

namespace wavesmith::libraries {

/// A column-major matrix with leading dimension `ld`; the matrices of a batch are `stride` elements apart.
struct Columns {
  const void* data;
  Number type;
  int64_t ld;
  int64_t stride = 0;
};

/// op(columns).
Matrix matrix_of(const Columns& columns, int operation = kAsItIs);

enum class GemmStatus : uint8_t {
  Done,
  BadOperation,
  BadSize,
  BadPointer,
  NotServed,
  NoMemory,
  NotLaunched,
};
/// The status for an outcome of enqueuing.
GemmStatus status_of(Outcome outcome);

struct Gemm {
  const Handle& handle;
  int operation_a, operation_b;  ///< 111: as it is, 112: transposed, 113: conjugated, too
  int64_t m, n, k;
  const void* alpha;
  Columns a, b;
  const void* beta;
  Columns c, d;
  Number compute;
  int64_t batches = 1;
  bool arrays = false;  ///< the matrices are arrays of pointers
};
GemmStatus enqueue(const Gemm& gemm);

/// y = alpha * op(a) * x + beta * y, where a is m by n.
struct Gemv {
  const Handle& handle;
  int operation;
  int64_t m, n;
  const void* alpha;
  Columns a;
  const void* x;
  int64_t x_step;
  const void* beta;
  void* y;
  int64_t y_step;
};
GemmStatus enqueue(const Gemv& gemv);

}  // namespace wavesmith::libraries
