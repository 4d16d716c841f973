#include "libraries/solver/spectrum.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "libraries/solver/dense.h"
#include "libraries/solver/factor.h"

namespace wavesmith::libraries {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
void reduce(const Tridiagonal& t) {
  if (t.info) *t.info = 0;
  if (t.n == 0) return;
  Dense<T> a = load<T>(t.type, t.a, t.n, t.n, t.lda);
  a.diagonal() = a.diagonal().real().template cast<T>().eval();
  // The upper form is the lower one of the matrix seen from its other end.
  const Eigen::Tridiagonalization<Dense<T>> result(t.upper ? Dense<T>(a.reverse()) : a);
  Dense<T> packed = result.packedMatrix();
  Reals diagonal = result.diagonal(), beside = result.subDiagonal();
  Dense<T> scales =
      result.householderCoefficients().head(t.n - 1).conjugate();  // of 1 by 1, Eigen has one, too
  if (t.upper) {
    packed = packed.reverse().eval();
    diagonal = diagonal.reverse().eval();
    beside = beside.reverse().eval();
    scales = scales.reverse().eval();
  }
  // The other triangle stays as it was.
  Dense<T> all = a;
  if (t.upper)
    all.template triangularView<Eigen::Upper>() = packed;
  else
    all.template triangularView<Eigen::Lower>() = packed;
  store<T>(all, t.type, t.a, t.lda);
  store_reals(diagonal, t.type, t.diagonal);
  store_reals(beside, t.type, t.beside);
  store<T>(scales, t.type, t.scales, std::max<int64_t>(t.n - 1, 1));
}

/// All of a Hermitian matrix of which one triangle is given.
template <class T>
Dense<T> whole(Dense<T> a, bool upper) {
  a.diagonal() = a.diagonal().real().template cast<T>().eval();
  if (upper)
    a.template triangularView<Eigen::StrictlyLower>() = a.adjoint().eval();
  else
    a.template triangularView<Eigen::StrictlyUpper>() = a.adjoint().eval();
  return a;
}

/// The wanted ones among ascending eigenvalues.
struct IndexRange {
  int64_t first, count;
};
IndexRange indices_of(const EigenRange& range, const Reals& values) {
  const int64_t n = values.size();
  if (range.kind == EigenRange::Kind::All) return {0, n};
  int64_t first = range.first - 1, end = range.last;
  if (range.kind == EigenRange::Kind::Value) {
    first = std::count_if(values.begin(), values.end(), [&](double value) { return value <= range.low; });
    end = std::count_if(values.begin(), values.end(), [&](double value) { return value <= range.high; });
  }
  return {first, std::max<int64_t>(0, end - first)};
}

template <class T>
double beside_the_diagonal(const Dense<T>& a, const Dense<T>& vectors) {
  Dense<T> rest = vectors.adjoint() * a * vectors;
  rest.diagonal().setZero();
  return rest.norm();
}

template <class T>
void solve(const Eigenvalues& e, int64_t index) {
  void* const data = e.a.at(index, size_of(e.type));
  void* const values = static_cast<char*>(e.values) + index * e.stride_values * width_of_reals(e.type);
  if (e.a.each) expect_in_memory(data, e.type, e.n, e.n, e.a.ld);
  e.info[index] = 0;
  if (e.range.found) *e.range.found = 0;
  if (e.n == 0) return;
  const Dense<T> a = whole<T>(load<T>(e.type, data, e.n, e.n, e.a.ld), e.upper);
  if (!is_finite<T>(a)) {
    e.info[index] = static_cast<int>(e.n);
    store_reals(Reals::Constant(e.n, kNaN), e.type, values);
    if (e.vectors) store<T>(Dense<T>::Constant(e.n, e.n, kNaN), e.type, data, e.a.ld);
    return;
  }
  const bool vectors = e.vectors || e.residual;
  const Eigen::SelfAdjointEigenSolver<Dense<T>> result(
      a, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (result.info() != Eigen::Success) e.info[index] = static_cast<int>(e.n);
  const IndexRange wanted = indices_of(e.range, result.eigenvalues());
  if (e.range.found) *e.range.found = static_cast<int>(wanted.count);
  store_reals(result.eigenvalues().segment(wanted.first, wanted.count), e.type, values);
  if (result.info() != Eigen::Success) return;
  if (e.vectors) store<T>(result.eigenvectors().middleCols(wanted.first, wanted.count), e.type, data, e.a.ld);
  if (e.residual) *e.residual = beside_the_diagonal<T>(a, result.eigenvectors());
}

template <class T>
void solve(const GeneralizedEigenvalues& g) {
  using Form = GeneralizedEigenvalues::Form;
  *g.info = 0;
  if (g.n == 0) return;
  // b = l * l^H.
  Dense<T> l = whole<T>(load<T>(g.type, g.b, g.n, g.n, g.ldb), g.upper);
  const Number wide = std::is_same_v<T, double> ? Number::F64 : Number::C64;
  int column = 0;
  Cholesky{wide, false, g.n, l.data(), g.n, &column}.run();
  if (column != 0) {
    *g.info = static_cast<int>(g.n + column);
    return;
  }
  Dense<T> b = load<T>(g.type, g.b, g.n, g.n, g.ldb);
  if (g.upper)
    b.template triangularView<Eigen::Upper>() = l.adjoint();
  else
    b.template triangularView<Eigen::Lower>() = l;
  store<T>(b, g.type, g.b, g.ldb);
  const Dense<T> a = whole<T>(load<T>(g.type, g.a, g.n, g.n, g.lda), g.upper);
  if (!is_finite<T>(a)) {
    *g.info = static_cast<int>(g.n);
    store_reals(Reals::Constant(g.n, kNaN), g.type, g.values);
    if (g.vectors) store<T>(Dense<T>::Constant(g.n, g.n, kNaN), g.type, g.a, g.lda);
    return;
  }
  const auto lower = l.template triangularView<Eigen::Lower>();
  Dense<T> c;
  if (g.form == Form::Ax) {
    c = lower.solve(a);
    c = lower.solve(c.adjoint().eval()).adjoint().eval();
  } else {
    const Dense<T> factor = lower;
    c = factor.adjoint() * a * factor;
  }
  const Eigen::SelfAdjointEigenSolver<Dense<T>> result(
      c, g.vectors || g.residual ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (result.info() != Eigen::Success) *g.info = static_cast<int>(g.n);
  store_reals(result.eigenvalues(), g.type, g.values);
  if (result.info() != Eigen::Success) return;
  if (g.residual) *g.residual = beside_the_diagonal<T>(c, result.eigenvectors());
  if (!g.vectors) return;
  const Dense<T> x = g.form == Form::Bax ? Dense<T>(lower * result.eigenvectors())
                                         : Dense<T>(lower.adjoint().solve(result.eigenvectors()));
  store<T>(x, g.type, g.a, g.lda);
}

/// Jacobi's method, which is right for every matrix, takes cubes of time with a large factor. Above this size
/// divide and conquer goes first; where a matrix is far from full rank, Eigen 3.4's gives vectors that are
/// not orthogonal, and then Jacobi's method has the word.
constexpr int64_t kSmall = 64;

template <class T>
bool is_orthogonal(const Dense<T>& a) {
  const Dense<T> off = a.adjoint() * a - Dense<T>::Identity(a.cols(), a.cols());
  return off.cwiseAbs().maxCoeff() < 1e-14 * static_cast<double>(a.rows());
}

template <class T>
struct Decomposition {
  Reals values;
  Dense<T> u, v;
  bool done = false;

  template <class Result>
  void take(const Result& result) {
    done = result.info() == Eigen::Success;
    values = result.singularValues();
    u = result.matrixU();
    v = result.matrixV();
  }
};

template <class T>
Decomposition<T> decompose(const Dense<T>& a, bool all_left, bool all_right) {
  const auto wanted = static_cast<unsigned>(all_left ? Eigen::ComputeFullU : Eigen::ComputeThinU) |
                      static_cast<unsigned>(all_right ? Eigen::ComputeFullV : Eigen::ComputeThinV);
  Decomposition<T> found;
  if (std::min(a.rows(), a.cols()) > kSmall) {
    found.take(Eigen::BDCSVD<Dense<T>>(a, wanted));
    if (found.done && is_orthogonal(found.u) && is_orthogonal(found.v)) return found;
  }
  found.take(Eigen::JacobiSVD<Dense<T>>(a, wanted));
  return found;
}

template <class T>
void solve(const SingularValues& s, int64_t index) {
  const size_t width = size_of(s.type);
  void* const data = s.a.at(index, width);
  void* const values = static_cast<char*>(s.values) + index * s.stride_values * width_of_reals(s.type);
  if (s.a.each) expect_in_memory(data, s.type, s.m, s.n, s.a.ld);
  s.info[index] = 0;
  if (s.m == 0 || s.n == 0) return;
  const int64_t least = std::min(s.m, s.n);
  const int64_t lefts = s.left == Vectors::All ? s.m : least, rights = s.right == Vectors::All ? s.n : least;
  const Dense<T> a = load<T>(s.type, data, s.m, s.n, s.a.ld);
  Decomposition<T> found;
  if (is_finite<T>(a)) {
    found = decompose<T>(a, s.left == Vectors::All, s.right == Vectors::All);
  } else {
    found.values = Reals::Constant(least, kNaN);
    found.u = Dense<T>::Constant(s.m, lefts, kNaN);
    found.v = Dense<T>::Constant(s.n, rights, kNaN);
  }
  if (!found.done) s.info[index] = static_cast<int>(least);
  store_reals(found.values, s.type, values);
  if (s.left == Vectors::InPlace) store<T>(found.u, s.type, data, s.a.ld);
  if (s.left == Vectors::All || s.left == Vectors::Some)
    store<T>(found.u, s.type, s.u.at(index, width), s.u.ld);
  if (s.right == Vectors::InPlace) store<T>(found.v.adjoint(), s.type, data, s.a.ld);
  if (s.right == Vectors::All || s.right == Vectors::Some)
    store<T>(s.v_itself ? found.v : Dense<T>(found.v.adjoint()), s.type, s.v.at(index, width), s.v.ld);
}

}  // namespace

void Tridiagonal::run() const {
  with_wide(type, [this](auto of) { reduce<decltype(of)>(*this); });
}
void Eigenvalues::run() const {
  for (int64_t i = 0; i < count; ++i) with_wide(type, [&](auto of) { solve<decltype(of)>(*this, i); });
}
void GeneralizedEigenvalues::run() const {
  with_wide(type, [this](auto of) { solve<decltype(of)>(*this); });
}
void SingularValues::run() const {
  for (int64_t i = 0; i < count; ++i) with_wide(type, [&](auto of) { solve<decltype(of)>(*this, i); });
}

}  // namespace wavesmith::libraries
