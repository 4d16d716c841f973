#include "libraries/solver/factor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "libraries/blas/operands.h"
#include "libraries/blas/operations.h"
#include "libraries/shim/room.h"

namespace wavesmith::libraries {
namespace {

template <class T>
T real_of(T a) {
  return a;
}
template <class T>
T real_of(Complex<T> a) {
  return a.real;
}
template <class T>
T from_real(double a, T) {
  return static_cast<T>(a);
}
template <class T>
Complex<T> from_real(double a, Complex<T>) {
  return {static_cast<T>(a), 0};
}

template <class T>
void factor(const Cholesky& c) {
  // U^H is the lower factor of the conjugate, seen with rows and columns exchanged.
  auto* const data = static_cast<T*>(c.a);
  const auto at = [&](int64_t i, int64_t j) -> T& {
    return c.upper ? data[i * c.lda + j] : data[j * c.lda + i];
  };
  *c.info = 0;
  for (int64_t j = 0; j < c.n; ++j) {
    for (int64_t k = 0; k < j; ++k) {
      const T scale = conjugate(at(j, k));
      for (int64_t i = j; i < c.n; ++i) at(i, j) = minus(at(i, j), at(i, k) * scale);
    }
    const auto square = real_of(at(j, j));
    if (!(square > 0)) {
      *c.info = static_cast<int>(j + 1);
      return;
    }
    const T root = from_real(std::sqrt(square), T{});
    at(j, j) = root;
    for (int64_t i = j + 1; i < c.n; ++i) at(i, j) = divide(at(i, j), root);
  }
}

template <class T>
void factor(const Lu& lu) {
  auto* const data = static_cast<T*>(lu.a);
  const auto at = [&](int64_t i, int64_t j) -> T& { return data[j * lu.lda + i]; };
  *lu.info = 0;
  for (int64_t k = 0; k < std::min(lu.m, lu.n); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < lu.m && lu.pivots; ++i)
      if (size_of_pivot(at(i, k)) > size_of_pivot(at(pivot, k))) pivot = i;
    if (lu.pivots) lu.pivots[k] = static_cast<int>(pivot + 1);
    if (size_of_pivot(at(pivot, k)) == 0) {
      if (*lu.info == 0) *lu.info = static_cast<int>(k + 1);
      continue;
    }
    if (pivot != k)
      for (int64_t j = 0; j < lu.n; ++j) std::swap(at(k, j), at(pivot, j));
    for (int64_t i = k + 1; i < lu.m; ++i) at(i, k) = divide(at(i, k), at(k, k));
    for (int64_t j = k + 1; j < lu.n; ++j) {
      const T scale = at(k, j);
      for (int64_t i = k + 1; i < lu.m; ++i) at(i, j) = minus(at(i, j), at(i, k) * scale);
    }
  }
}

template <class T>
void solve(const LuSolve& s) {
  const auto* const data = static_cast<const T*>(s.a);
  const bool as_it_is = s.operation == kAsItIs;
  const auto at = [&](int64_t i, int64_t j) {
    const T value = as_it_is ? data[j * s.lda + i] : data[i * s.lda + j];
    return s.operation == kConjugated ? conjugate(value) : value;
  };
  for (int64_t column = 0; column < s.columns; ++column) {
    T* const b = static_cast<T*>(s.b) + column * s.ldb;
    const auto exchange = [&](int64_t i) {
      if (s.pivots && s.pivots[i] - 1 != i) std::swap(b[i], b[s.pivots[i] - 1]);
    };
    if (as_it_is)
      for (int64_t i = 0; i < s.n; ++i) exchange(i);
    // First the lower one of both, L or U transposed, then the upper one. L has ones on its diagonal.
    for (int64_t j = 0; j < s.n; ++j) {
      if (!as_it_is) b[j] = divide(b[j], at(j, j));
      for (int64_t i = j + 1; i < s.n; ++i) b[i] = minus(b[i], at(i, j) * b[j]);
    }
    for (int64_t j = s.n - 1; j >= 0; --j) {
      if (as_it_is) b[j] = divide(b[j], at(j, j));
      for (int64_t i = 0; i < j; ++i) b[i] = minus(b[i], at(i, j) * b[j]);
    }
    if (!as_it_is)
      for (int64_t i = s.n - 1; i >= 0; --i) exchange(i);
  }
}

template <class T>
void solve(const TriangularSolve& s, const void* a, void* b) {
  const auto* const data = static_cast<const T*>(a);
  auto* const values = static_cast<T*>(b);
  T alpha{};
  std::memcpy(&alpha, s.alpha ? s.alpha : s.scale, sizeof alpha);
  // At the right each row of b is solved for, of the transposed matrix.
  const bool turned = (s.operation != kAsItIs) != s.right, lower = s.upper == turned;
  const auto at = [&](int64_t i, int64_t j) {
    const T value = turned ? data[i * s.lda + j] : data[j * s.lda + i];
    return s.operation == kConjugated ? conjugate(value) : value;
  };
  const int64_t size = s.right ? s.n : s.m, vectors = s.right ? s.m : s.n;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    const auto x = [&](int64_t i) -> T& {
      return s.right ? values[i * s.ldb + vector] : values[vector * s.ldb + i];
    };
    for (int64_t i = 0; i < size; ++i) x(i) = size_of_pivot(alpha) == 0 ? T{} : alpha * x(i);
    if (size_of_pivot(alpha) == 0) continue;
    for (int64_t step = 0; step < size; ++step) {
      const int64_t j = lower ? step : size - 1 - step;
      if (!s.unit) x(j) = divide(x(j), at(j, j));
      for (int64_t i = lower ? j + 1 : 0; i < (lower ? size : j); ++i) x(i) = minus(x(i), at(i, j) * x(j));
    }
  }
}

/// The inverse of what `lu` has factored stands in `inverse` afterwards, if there is one.
template <class T>
void invert(const LuInverse& lu, T* inverse, int64_t ld) {
  const auto* const data = static_cast<const T*>(lu.a);
  *lu.info = 0;
  for (int64_t i = lu.n; i-- > 0;)
    if (size_of_pivot(data[i * lu.lda + i]) == 0) *lu.info = static_cast<int>(i + 1);
  if (*lu.info != 0) return;
  for (int64_t j = 0; j < lu.n; ++j)
    for (int64_t i = 0; i < lu.n; ++i) inverse[j * ld + i] = from_real(i == j ? 1 : 0, T{});
  solve<T>(LuSolve{lu.type, kAsItIs, lu.n, lu.n, lu.a, lu.lda, lu.pivots, inverse, ld});
}

template <class T>
void invert_in_place(const LuInverse& lu) {
  const auto rows = static_cast<size_t>(lu.n);
  auto* const inverse = room_for<T>(lu.n * lu.n, "the inverse of a matrix");
  invert(lu, inverse, lu.n);
  for (size_t j = 0; j < rows && *lu.info == 0; ++j)
    std::memcpy(static_cast<T*>(lu.a) + static_cast<int64_t>(j) * lu.lda, inverse + j * rows,
                rows * sizeof(T));
  std::free(inverse);
}

}  // namespace

void Cholesky::run() const {
  with_type(type, [this](auto of) { factor<decltype(of)>(*this); });
}
void CholeskyBatch::run() const {
  for (int64_t i = 0; i < count; ++i) {
    Cholesky one = first;
    one.a = matrices[i];
    one.info = first.info + i;
    expect_in_memory(one.a, one.type, one.n, one.n, one.lda);
    one.run();
  }
}
void LuBatch::run() const {
  for (int64_t i = 0; i < count; ++i) {
    Lu one = first;
    one.a = matrices[i];
    one.info = first.info + i;
    one.pivots = first.pivots ? first.pivots + i * stride : nullptr;
    expect_in_memory(one.a, one.type, one.m, one.n, one.lda);
    one.run();
  }
}
void TriangularSolve::run() const {
  const int64_t size = right ? n : m;
  for (int64_t i = 0; i < count; ++i) {
    const void* const matrix = as ? as[i] : a;
    void* const vectors = bs ? bs[i] : b;
    expect_in_memory(matrix, type, size, size, lda);
    expect_in_memory(vectors, type, m, n, ldb);
    with_type(type, [&](auto of) { solve<decltype(of)>(*this, matrix, vectors); });
  }
}
void Lu::run() const {
  with_type(type, [this](auto of) { factor<decltype(of)>(*this); });
}
void LuSolve::run() const {
  with_type(type, [this](auto of) { solve<decltype(of)>(*this); });
}
void LuSolveBatch::run() const {
  for (int64_t i = 0; i < count; ++i) {
    LuSolve one = first;
    one.a = as[i];
    one.b = bs[i];
    if (first.pivots) one.pivots = first.pivots + i * stride;
    expect_in_memory(one.a, one.type, one.n, one.n, one.lda);
    expect_in_memory(one.b, one.type, one.n, one.columns, one.ldb);
    one.run();
  }
}
void LuInverseBatch::run() const {
  for (int64_t i = 0; i < count; ++i) {
    expect_in_memory(as[i], type, n, n, lda);
    const LuInverse one{type, n, as[i], lda, pivots ? pivots + i * stride : nullptr, info + i};
    if (!inverses) {
      one.run();
      continue;
    }
    expect_in_memory(inverses[i], type, n, n, ld);
    with_type(type, [&](auto of) { invert(one, static_cast<decltype(of)*>(inverses[i]), ld); });
  }
}
void LuInverse::run() const {
  with_type(type, [this](auto of) { invert_in_place<decltype(of)>(*this); });
}

}  // namespace wavesmith::libraries
