#include "libraries/blas/gemm.h"

#include <algorithm>
#include <cstring>

namespace wavesmith::libraries {
namespace {

/// Whether the host knows that a scalar of that many bytes is 0.
bool known_zero(const Handle& handle, const void* scalar, size_t size) {
  static constexpr unsigned char kZeros[16] = {};
  return handle.pointer_mode == 0 && std::memcmp(scalar, kZeros, size) == 0;
}

}  // namespace

Matrix matrix_of(const Columns& columns, int operation) {
  const bool as_it_is = operation == kAsItIs;
  return {const_cast<void*>(columns.data), columns.type,   as_it_is ? 1 : columns.ld,
          as_it_is ? columns.ld : 1,       columns.stride, operation == kConjugated};
}

GemmStatus status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Done:
      return GemmStatus::Done;
    case Outcome::NotServed:
      return GemmStatus::NotServed;
    case Outcome::BadPointer:
      return GemmStatus::BadPointer;
    case Outcome::NoMemory:
      return GemmStatus::NoMemory;
    case Outcome::NotLaunched:
      return GemmStatus::NotLaunched;
  }
  return GemmStatus::NotLaunched;
}

GemmStatus enqueue(const Gemm& g) {
  if (!is_operation(g.operation_a) || !is_operation(g.operation_b)) return GemmStatus::BadOperation;
  const int64_t a_rows = g.operation_a == kAsItIs ? g.m : g.k, b_rows = g.operation_b == kAsItIs ? g.k : g.n;
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.batches < 0 || g.a.ld < std::max<int64_t>(1, a_rows) ||
      g.b.ld < std::max<int64_t>(1, b_rows) || g.c.ld < std::max<int64_t>(1, g.m) ||
      g.d.ld < std::max<int64_t>(1, g.m))
    return GemmStatus::BadSize;
  if (g.m == 0 || g.n == 0 || g.batches == 0) return GemmStatus::Done;
  if (!g.alpha || !g.beta || !g.d.data) return GemmStatus::BadPointer;
  const bool nothing_to_add = g.k == 0 || known_zero(g.handle, g.alpha, scalar_size(g.compute, g.a.type));
  if (!nothing_to_add && (!g.a.data || !g.b.data)) return GemmStatus::BadPointer;
  Product product{.m = g.m,
                  .n = g.n,
                  .k = g.k,
                  .batches = g.batches,
                  .arrays = g.arrays,
                  .a = matrix_of(g.a, g.operation_a),
                  .b = matrix_of(g.b, g.operation_b),
                  .c = matrix_of(g.c),
                  .d = matrix_of(g.d),
                  .compute = g.compute,
                  .alpha = g.alpha,
                  .beta = g.beta,
                  .scalars_on_gpu = g.handle.pointer_mode != 0};
  if (!product.c.data) product.c = product.d;  // may be left out where beta is 0
  return status_of(multiply(product, g.handle.stream));
}

GemmStatus enqueue(const Gemv& g) {
  if (!is_operation(g.operation)) return GemmStatus::BadOperation;
  if (g.m < 0 || g.n < 0 || g.a.ld < std::max<int64_t>(1, g.m) || g.x_step == 0 || g.y_step == 0)
    return GemmStatus::BadSize;
  if (g.m == 0 || g.n == 0) return GemmStatus::Done;
  if (!g.alpha || !g.beta || !g.a.data || !g.x || !g.y) return GemmStatus::BadPointer;
  const bool as_it_is = g.operation == kAsItIs;
  const int64_t rows = as_it_is ? g.m : g.n, depth = as_it_is ? g.n : g.m;
  // Of a vector with a negative step the last element lies first.
  const auto vector = [&](const void* data, int64_t step, int64_t count) {
    const int64_t first = step < 0 ? -step * (count - 1) : 0;
    const int64_t size = g.a.type == Number::F32 ? 4 : g.a.type == Number::C64 ? 16 : 8;
    return Matrix{static_cast<char*>(const_cast<void*>(data)) + first * size, g.a.type, step, 0, 0, false};
  };
  const Matrix y = vector(g.y, g.y_step, rows);
  const bool doubles = g.a.type == Number::F64 || g.a.type == Number::C64;
  return status_of(multiply({.m = rows,
                             .n = 1,
                             .k = depth,
                             .batches = 1,
                             .arrays = false,
                             .a = matrix_of(g.a, g.operation),
                             .b = vector(g.x, g.x_step, depth),
                             .c = y,
                             .d = y,
                             .compute = doubles ? Number::F64 : Number::F32,
                             .alpha = g.alpha,
                             .beta = g.beta,
                             .scalars_on_gpu = g.handle.pointer_mode != 0},
                            g.handle.stream));
}

}  // namespace wavesmith::libraries
