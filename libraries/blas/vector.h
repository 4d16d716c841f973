// Vector functions on the host in stream order, which serve dot, nrm2, asum, iamax, iamin, copy, swap, ger,
// syr, her, syr2, her2, dgmm, syrk and sbmv of the BLAS libraries. Sums are in double precision. A vector
// with a negative step is read from its end.
#pragma once

#include <cstdint>

#include "libraries/blas/gemm.h"

namespace wavesmith::libraries {

struct Vector {
  const void* data;
  int64_t step;
};

/// Largest and Least: the index, from 1, of the first number with the largest or least magnitude (for complex
/// numbers, sum of the parts' magnitudes).
enum class Measure : uint8_t { Dot, DotConjugated, Norm, Sizes, Largest, Least };

/// Reduces x, or x and y, to one number at `result`; if that is host memory, the call waits. The result is 0
/// for an empty vector and, with one vector, for a step that is not positive.
struct Measurement {
  const Handle& handle;
  Measure what;
  int64_t n;
  Number type;
  Vector x, y;
  void* result;
};
GemmStatus enqueue(const Measurement& measurement);

/// y = x.
struct Copy {
  const Handle& handle;
  int64_t n;
  Number type;
  Vector x, y;
};
GemmStatus enqueue(const Copy& copy);

/// x and y exchanged.
struct Swap {
  const Handle& handle;
  int64_t n;
  Number type;
  Vector x, y;
};
GemmStatus enqueue(const Swap& swap);

/// a = alpha * x * y^T + a, or y^H.
struct RankOne {
  const Handle& handle;
  bool conjugate;
  int64_t m, n;
  const void* alpha;
  Vector x, y;
  Columns a;
};
GemmStatus enqueue(const RankOne& update);

/// The triangle that `part` (121 the upper one, 122 the lower one) says of a = alpha * x * y^T + a, where y
/// is x; with two vectors alpha * y * x^T is added, too. Where `conjugate`, a is Hermitian and the terms are
/// alpha
/// * x * y^H and conjugate(alpha) * y * x^H. `alpha_type` is that of the parts, or the type.
struct TriangleUpdate {
  const Handle& handle;
  int part;
  bool conjugate;
  int64_t n;
  const void* alpha;
  Number alpha_type;
  Vector x, y;
  bool of_two;
  Columns a;
};
GemmStatus enqueue(const TriangleUpdate& update);

/// c = diagonal(x) * a, or a * diagonal(x). `side`: 141 and 142.
struct DiagonalProduct {
  const Handle& handle;
  int side;
  int64_t m, n;
  Columns a;
  Vector x;
  Columns c;
};
GemmStatus enqueue(const DiagonalProduct& product);

/// The triangle that `part` (121 the upper one, 122 the lower one) says of c = alpha * op(a) * op(a)^T + beta
/// * c, c of n by n, op(a) of n by k.
struct RankK {
  const Handle& handle;
  int part, operation;
  int64_t n, k;
  const void* alpha;
  Columns a;
  const void* beta;
  Columns c;
};
GemmStatus enqueue(const RankK& update);

/// y = alpha * a * x + beta * y, a symmetric, with k diagonals beside its own, which are the rows of `a`.
struct BandProduct {
  const Handle& handle;
  int part;
  int64_t n, k;
  const void* alpha;
  Columns a;
  Vector x;
  const void* beta;
  Vector y;
};
GemmStatus enqueue(const BandProduct& product);

}  // namespace wavesmith::libraries
