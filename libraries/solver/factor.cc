#include "libraries/solver/factor.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cstring>

#include "libraries/blas/operands.h"
#include "libraries/blas/operations.h"
#include "libraries/solver/dense.h"

namespace wavesmith::libraries {
namespace {

template <class T>
using Vectors = Eigen::Ref<Dense<T>, 0, Eigen::OuterStride<>>;

template <class T>
void factor(const Cholesky& c) {
  Stored<T> a = stored<T>(c.a, c.n, c.n, c.lda);
  const Eigen::Index failed = c.upper ? Eigen::internal::llt_inplace<T, Eigen::Upper>::blocked(a)
                                      : Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(a);
  // Eigen's check lets NaN pass.
  const Eigen::Index done = failed < 0 ? c.n : failed;
  Eigen::Index first = 0;
  while (first < done && !std::isnan(std::real(a(first, first)))) ++first;
  *c.info = first < done || failed >= 0 ? static_cast<int>(first + 1) : 0;
}

/// Returns the first column without a pivot, or -1.
template <class T>
Eigen::Index factor_without_pivots(Stored<T>& a) {
  Eigen::Index failed = -1;
  for (Eigen::Index k = 0; k < std::min(a.rows(), a.cols()); ++k) {
    if (a(k, k) == T{}) {
      if (failed < 0) failed = k;
      continue;
    }
    const Eigen::Index rows = a.rows() - k - 1, columns = a.cols() - k - 1;
    a.col(k).tail(rows) /= a(k, k);
    a.bottomRightCorner(rows, columns).noalias() -= a.col(k).tail(rows) * a.row(k).tail(columns);
  }
  return failed;
}

/// The same, with rows exchanged; `pivots` are counted from 0.
template <class T>
Eigen::Index factor_with_pivots(Stored<T>& a, int* pivots) {
  // Eigen's takes no more columns than rows.
  const Eigen::Index size = std::min(a.rows(), a.cols()), others = a.cols() - size;
  int exchanges = 0;
  const Eigen::Index failed = Eigen::internal::partial_lu_impl<T, Eigen::ColMajor, int>::blocked_lu(
      a.rows(), size, a.data(), a.outerStride(), pivots, exchanges);
  if (others == 0) return failed;
  auto rest = a.rightCols(others);
  for (Eigen::Index k = 0; k < size; ++k) rest.row(k).swap(rest.row(pivots[k]));
  a.leftCols(size).template triangularView<Eigen::UnitLower>().solveInPlace(rest);
  return failed;
}

template <class T>
void factor(const Lu& lu) {
  *lu.info = 0;
  if (lu.m == 0 || lu.n == 0) return;
  Stored<T> a = stored<T>(lu.a, lu.m, lu.n, lu.lda);
  const Eigen::Index failed = lu.pivots ? factor_with_pivots<T>(a, lu.pivots) : factor_without_pivots<T>(a);
  if (lu.pivots)
    for (int64_t k = 0; k < std::min(lu.m, lu.n); ++k) ++lu.pivots[k];
  *lu.info = static_cast<int>(failed + 1);
}

/// b becomes x, where op(a) * x = b, of the triangle of `a` that `Triangle` says.
template <class T, unsigned Triangle>
void solve_triangle(const Stored<T>& a, int operation, Vectors<T> b) {
  const auto triangle = a.template triangularView<Triangle>();
  if (operation == kAsItIs)
    triangle.solveInPlace(b);
  else if (operation == kTransposed)
    triangle.transpose().solveInPlace(b);
  else
    triangle.adjoint().solveInPlace(b);
}

template <class T>
void solve(const LuSolve& s) {
  const Stored<T> a = stored<T>(s.a, s.n, s.n, s.lda);
  Stored<T> b = stored<T>(s.b, s.n, s.columns, s.ldb);
  const auto exchange = [&](int64_t i) {
    if (s.pivots && s.pivots[i] - 1 != i) b.row(i).swap(b.row(s.pivots[i] - 1));
  };
  if (s.operation == kAsItIs) {
    for (int64_t i = 0; i < s.n; ++i) exchange(i);
    solve_triangle<T, Eigen::UnitLower>(a, s.operation, b);
    solve_triangle<T, Eigen::Upper>(a, s.operation, b);
  } else {
    solve_triangle<T, Eigen::Upper>(a, s.operation, b);
    solve_triangle<T, Eigen::UnitLower>(a, s.operation, b);
    for (int64_t i = s.n; i-- > 0;) exchange(i);
  }
}

template <class T>
void solve(const TriangularSolve& s, const Stored<T>& a, Vectors<T> b, int operation) {
  if (s.upper) {
    if (s.unit)
      solve_triangle<T, Eigen::UnitUpper>(a, operation, b);
    else
      solve_triangle<T, Eigen::Upper>(a, operation, b);
  } else {
    if (s.unit)
      solve_triangle<T, Eigen::UnitLower>(a, operation, b);
    else
      solve_triangle<T, Eigen::Lower>(a, operation, b);
  }
}

template <class T>
void solve(const TriangularSolve& s, const void* matrix, void* vectors) {
  T alpha{};
  std::memcpy(&alpha, s.alpha ? s.alpha : s.scale, sizeof alpha);
  const int64_t size = s.right ? s.n : s.m;
  const Stored<T> a = stored<T>(matrix, size, size, s.lda);
  Stored<T> b = stored<T>(vectors, s.m, s.n, s.ldb);
  if (alpha == T{}) {
    b.setZero();
    return;
  }
  if (alpha != T{1}) b *= alpha;
  if (!s.right) return solve<T>(s, a, b, s.operation);
  // From the right: the transposed or, to have the conjugate of a, the adjoint equation.
  Dense<T> turned;
  if (s.operation == kConjugated) {
    turned = b.adjoint();
    solve<T>(s, a, turned, kAsItIs);
    b = turned.adjoint();
  } else {
    turned = b.transpose();
    solve<T>(s, a, turned, s.operation == kAsItIs ? kTransposed : kAsItIs);
    b = turned.transpose();
  }
}

/// The inverse of what `lu` has factored stands in `inverse` afterwards, if there is one.
template <class T>
void invert(const LuInverse& lu, T* inverse, int64_t ld) {
  const Stored<T> a = stored<T>(lu.a, lu.n, lu.n, lu.lda);
  *lu.info = 0;
  for (int64_t i = lu.n; i-- > 0;)
    if (a(i, i) == T{}) *lu.info = static_cast<int>(i + 1);
  if (*lu.info != 0) return;
  stored<T>(inverse, lu.n, lu.n, ld).setIdentity();
  solve<T>(LuSolve{lu.type, kAsItIs, lu.n, lu.n, lu.a, lu.lda, lu.pivots, inverse, ld});
}

template <class T>
void invert_in_place(const LuInverse& lu) {
  Dense<T> inverse(lu.n, lu.n);
  invert(lu, inverse.data(), lu.n);
  if (*lu.info == 0) stored<T>(lu.a, lu.n, lu.n, lu.lda) = inverse;
}

}  // namespace

void Cholesky::run() const {
  with_scalar(type, [this](auto of) { factor<decltype(of)>(*this); });
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
    with_scalar(type, [&](auto of) { solve<decltype(of)>(*this, matrix, vectors); });
  }
}
void Lu::run() const {
  with_scalar(type, [this](auto of) { factor<decltype(of)>(*this); });
}
void LuSolve::run() const {
  with_scalar(type, [this](auto of) { solve<decltype(of)>(*this); });
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
    with_scalar(type, [&](auto of) { invert(one, static_cast<decltype(of)*>(inverses[i]), ld); });
  }
}
void LuInverse::run() const {
  with_scalar(type, [this](auto of) { invert_in_place<decltype(of)>(*this); });
}

}  // namespace wavesmith::libraries
