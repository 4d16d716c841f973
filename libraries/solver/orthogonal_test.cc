// geqrf, orgqr, ormqr, sytrd, syev and gesvd of rocSOLVER, hipSOLVER and hipBLAS: factors are orthogonal and
// triangular, diagonal, ... as they should be, and their product, in wider numbers, is what went in.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "libraries/solver/factor_testing.h"

namespace {

using namespace wavesmith::libraries;

Dense identity(int n) {
  Dense a(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}
Dense first_columns(const Dense& a, int n) {
  Dense b(a.rows, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < a.rows; ++i) b(i, j) = a(i, j);
  return b;
}

/// q * (I - scale * v * v^H): a reflection as LAPACK defines it.
void reflect(Dense& q, Wide scale, const Dense& v) {
  for (int i = 0; i < q.rows; ++i) {
    Wide sum{};
    for (int j = 0; j < q.columns; ++j) sum += q(i, j) * v(j, 0);
    for (int j = 0; j < q.columns; ++j) q(i, j) -= scale * sum * std::conj(v(j, 0));
  }
}

/// The product of the reflections that geqrf leaves.
Dense product_of_reflections(const Dense& packed, const Dense& scales) {
  const int m = packed.rows;
  Dense q = identity(m);
  for (int k = 0; k < scales.rows; ++k) {
    Dense v(m, 1);
    v(k, 0) = 1;
    for (int i = k + 1; i < m; ++i) v(i, 0) = packed(i, k);
    reflect(q, scales(k, 0), v);
  }
  return q;
}

template <class T>
class Orthogonal : public FactorTest<T> {
 protected:
  using Value = decltype(std::real(T{}));
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  int solver(const std::string& name, auto... args) {
    return call(this->hipsolver_, "hipsolver" + name, this->hipsolver_handle_, args...);
  }
  /// hipSOLVER's function of this type, by its names for real and for complex numbers.
  static std::string large_name(const char* real, const char* complex) {
    return std::string(kLarge<T>) + (kComplex ? complex : real);
  }
  static const char* name(const char* real, const char* complex) { return kComplex ? complex : real; }
  Dense hermitian(int n) {
    const Dense a = this->random(n, n);
    Dense sum = turned(a, kConjugated);
    for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += a.values[i];
    // As the type can hold it.
    return this->loaded(this->stored(sum, n), n, n, n);
  }
  void expect_orthogonal(const Dense& a, Real scale) {
    this->expect_equal(turned(a, kConjugated) * a, identity(a.columns), scale);
  }
  /// u * diagonal(values) * v^H is a, u's and v's columns are orthonormal, values fall and are not negative.
  void expect_singular(const Dense& a, const Value* values, const Dense& u, const Dense& vh) {
    const int least = std::min(a.rows, a.columns);
    const Real scale = 40.0L * std::max(a.rows, a.columns);
    expect_orthogonal(u, scale);
    expect_orthogonal(turned(vh, kConjugated), scale);
    Dense scaled = first_columns(u, least), few(least, a.columns);
    for (int k = 0; k < least; ++k) {
      EXPECT_GE(values[k], 0);
      if (k > 0) EXPECT_LE(values[k], values[k - 1]);
      for (int i = 0; i < a.rows; ++i) scaled(i, k) *= static_cast<Real>(values[k]);
      for (int j = 0; j < a.columns; ++j) few(k, j) = vh(k, j);
    }
    this->expect_equal(scaled * few, a, scale * std::max(Real{1}, static_cast<Real>(values[0])));
  }
};
TYPED_TEST_SUITE(Orthogonal, BlasTypes);

TYPED_TEST(Orthogonal, ReflectionsTimesTriangleIsTheMatrix) {
  using T = TypeParam;
  for (int round = 0; round < 24; ++round) {
    const int m = 1 + this->below(33), n = 1 + this->below(33), least = std::min(m, n),
              lda = m + this->below(3);
    SCOPED_TRACE(testing::Message() << m << " by " << n << ", round " << round);
    auto values = this->stored(this->random(m, n), lda);
    const Dense a = this->loaded(values, m, n, lda);
    std::vector<T> scales(static_cast<size_t>(least));
    int info = -1;
    T* matrix = values.data();
    T* scale = scales.data();
    void* const null = nullptr;
    switch (round % 4) {
      case 0:
        ASSERT_EQ(this->roc("geqrf", m, n, matrix, lda, scale), 0);
        break;
      case 1:
        ASSERT_EQ(this->roc("geqrf_batched", m, n, &matrix, lda, scale, int64_t{least}, 1), 0);
        break;
      case 2: {
        int workspace = -1;
        ASSERT_EQ(this->solver(this->large("", "geqrf_bufferSize"), m, n, matrix, lda, &workspace), 0);
        EXPECT_EQ(workspace, 0);
        ASSERT_EQ(this->solver(this->large("", "geqrf"), m, n, matrix, lda, scale, null, 0, &info), 0);
        break;
      }
      default:
        ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "geqrfBatched"), this->hipblas_handle_, m, n,
                       &matrix, lda, &scale, &info, 1),
                  0);
    }
    this->synchronize();
    if (round % 4 >= 2) EXPECT_EQ(info, 0);
    const Dense packed = this->loaded(values, m, n, lda), factors = this->loaded(scales, least, 1, least);
    Dense r(m, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= std::min(j, m - 1); ++i) r(i, j) = packed(i, j);
    const Dense q = product_of_reflections(packed, factors);
    this->expect_orthogonal(q, 20.0L * m);
    this->expect_equal(q * r, a, 40.0L * m);
    if (this->HasFatalFailure()) return;

    // The first columns of Q, some or all of them.
    const int columns = least + this->below(m - least + 1);
    std::vector<T> formed(static_cast<size_t>(lda * columns));
    std::copy_n(values.begin(), std::min(values.size(), formed.size()), formed.begin());
    if (round % 2)
      ASSERT_EQ(this->roc(this->name("orgqr", "ungqr"), m, columns, least, formed.data(), lda, scale), 0);
    else
      ASSERT_EQ(this->solver(this->large_name("orgqr", "ungqr"), m, columns, least, formed.data(), lda, scale,
                             null, 0, &info),
                0);
    this->synchronize();
    this->expect_equal(this->loaded(formed, m, columns, lda), first_columns(q, columns), 20.0L * m);

    // Q times a matrix, at each side, as it is and turned.
    for (const int side : {kLeft, kRight})
      for (const int operation : {kAsItIs, this->kComplex ? kConjugated : kTransposed}) {
        const int others = 1 + this->below(5), rows = side == kLeft ? m : others,
                  across = side == kLeft ? others : m, ldc = rows + this->below(2);
        auto c = this->stored(this->random(rows, across), ldc);
        const Dense old = this->loaded(c, rows, across, ldc), op = turned(q, operation);
        if (round % 2)
          ASSERT_EQ(this->roc(this->name("ormqr", "unmqr"), side, operation, rows, across, least, matrix, lda,
                              scale, c.data(), ldc),
                    0);
        else
          ASSERT_EQ(this->solver(this->large_name("ormqr", "unmqr"), side, operation, rows, across, least,
                                 matrix, lda, scale, c.data(), ldc, null, 0, &info),
                    0);
        this->synchronize();
        this->expect_equal(this->loaded(c, rows, across, ldc), side == kLeft ? op * old : old * op,
                           40.0L * m);
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(Orthogonal, EigenvectorsTimesEigenvaluesIsTheMatrix) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  for (int round = 0; round < 28; ++round) {
    const int n = 1 + this->below(round < 20 ? 12 : 50), lda = n + this->below(3), count = 1 + this->below(3),
              part = round % 2 ? kUpper : kLower;
    const bool batch = round % 4 == 1 || round % 4 == 3, vectors = round % 5 != 4;
    SCOPED_TRACE(testing::Message() << n << ", round " << round);
    const int matrices = batch ? count : 1;
    std::vector<T> values;
    std::vector<Dense> before;
    for (int i = 0; i < matrices; ++i) {
      before.push_back(this->hermitian(n));
      // What is in the other triangle is nobody's business.
      Dense half = before.back();
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          if (part == kLower ? k < j : k > j) half(k, j) = std::numeric_limits<Real>::quiet_NaN();
      const auto one = this->stored(half, lda);
      values.insert(values.end(), one.begin(), one.end());
    }
    std::vector<Value> found(static_cast<size_t>(n * matrices)), beside(found.size());
    std::vector<int> info(static_cast<size_t>(matrices), -1);
    void* const null = nullptr;
    const int mode = vectors ? 202 : 201, evect = vectors ? 211 : 213;
    switch (round % 4) {
      case 0:
        ASSERT_EQ(this->roc(this->name("syev", "heev"), evect, part, n, values.data(), lda, found.data(),
                            beside.data(), info.data()),
                  0);
        break;
      case 1: {
        std::vector<T*> places;
        for (int i = 0; i < matrices; ++i) places.push_back(values.data() + i * lda * n);
        ASSERT_EQ(this->roc(this->name("syev_batched", "heev_batched"), evect, part, n, places.data(), lda,
                            found.data(), int64_t{n}, beside.data(), int64_t{n}, info.data(), matrices),
                  0);
        this->synchronize();
        break;
      }
      case 2:
        ASSERT_EQ(this->solver(this->large_name("syevd", "heevd"), mode, part, n, values.data(), lda,
                               found.data(), null, 0, info.data()),
                  0);
        break;
      default:
        ASSERT_EQ(this->solver(this->large_name("syevjBatched", "heevjBatched"), mode, part, n, values.data(),
                               lda, found.data(), null, 0, info.data(), null, matrices),
                  0);
    }
    this->synchronize();
    for (int i = 0; i < matrices; ++i) {
      EXPECT_EQ(info[static_cast<size_t>(i)], 0);
      const Value* const eigenvalues = found.data() + i * n;
      for (int k = 1; k < n; ++k) EXPECT_LE(eigenvalues[k - 1], eigenvalues[k]);
      Real sum = 0, squares = 0, trace = 0, norm = 0;  // what all eigenvalues of a matrix add up to
      for (int k = 0; k < n; ++k) {
        sum += static_cast<Real>(eigenvalues[k]);
        squares += static_cast<Real>(eigenvalues[k]) * static_cast<Real>(eigenvalues[k]);
        trace += before[static_cast<size_t>(i)](k, k).real();
      }
      for (const Wide& value : before[static_cast<size_t>(i)].values) norm += std::norm(value);
      const Real error = sizeof(Value) == 4 ? 0x1p-20L : 0x1p-48L;
      EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(trace), static_cast<double>(error * n * n));
      EXPECT_NEAR(static_cast<double>(squares), static_cast<double>(norm),
                  static_cast<double>(error * n * (norm + 1)));
      if (!vectors) continue;
      const std::vector<T> own(values.begin() + i * lda * n, values.begin() + (i + 1) * lda * n);
      const Dense q = this->loaded(own, n, n, lda);
      this->expect_orthogonal(q, 40.0L * n);
      Dense scaled = q;
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) scaled(k, j) *= static_cast<Real>(eigenvalues[j]);
      this->expect_equal(scaled * turned(q, kConjugated), before[static_cast<size_t>(i)], 40.0L * n * n);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Orthogonal, SingularVectorsTimesValuesIsTheMatrix) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  constexpr int kAll = 191, kSome = 192, kInPlace = 193, kNone = 194;
  const int pairs[][2] = {{kAll, kAll},      {kSome, kSome}, {kAll, kInPlace},
                          {kInPlace, kSome}, {kAll, kSome},  {kNone, kNone}};
  for (int round = 0; round < 40; ++round) {
    // The last ones are large enough for another method.
    const int most = round < 24   ? 14
                     : round < 36 ? 30
                                  : 8,
              extra = round < 36 ? 1 : 65, m = extra + this->below(most), n = extra + this->below(most),
              least = std::min(m, n), lda = m + this->below(3);
    const auto [left, right] = pairs[round % 6];
    SCOPED_TRACE(testing::Message() << m << " by " << n << ", round " << round);
    auto values = this->stored(this->random(m, n), lda);
    if (round % 7 == 3 || round == 36)  // of rank 1
      for (int j = 1; j < n; ++j) std::copy_n(values.begin(), m, values.begin() + j * lda);
    if (round == 37) std::fill(values.begin(), values.end(), T{});
    const Dense a = this->loaded(values, m, n, lda);
    const int ldu = m + 1, rows = right == kSome ? least : n, ldv = rows + 2,
              columns = left == kSome ? least : m;
    std::vector<Value> found(static_cast<size_t>(least)), beside(found.size());
    std::vector<T> u(static_cast<size_t>(ldu * m)), v(static_cast<size_t>((n + 2) * n));
    int info = -1;
    T* matrix = values.data();
    void* const null = nullptr;
    const auto letter = [](int svect) { return static_cast<signed char>("ASON"[svect - kAll]); };
    if (round % 3 == 0)
      ASSERT_EQ(this->roc("gesvd", left, right, m, n, matrix, lda, found.data(), u.data(), ldu, v.data(), ldv,
                          beside.data(), 201, &info),
                0);
    else if (round % 3 == 1)
      ASSERT_EQ(
          this->roc("gesvd_batched", left, right, m, n, &matrix, lda, found.data(), int64_t{least}, u.data(),
                    ldu, int64_t{0}, v.data(), ldv, int64_t{0}, beside.data(), int64_t{least}, 201, &info, 1),
          0);
    else
      ASSERT_EQ(this->solver(this->large("", "gesvd"), letter(left), letter(right), m, n, matrix, lda,
                             found.data(), u.data(), ldu, v.data(), ldv, null, 0, null, &info),
                0);
    this->synchronize();
    EXPECT_EQ(info, 0);
    if (left == kNone) {
      Real squares = 0, norm = 0;
      for (const Value value : found) squares += static_cast<Real>(value) * static_cast<Real>(value);
      for (const Wide& value : a.values) norm += std::norm(value);
      EXPECT_NEAR(static_cast<double>(squares / norm), 1, sizeof(Value) == 4 ? 1e-5 : 1e-13);
      continue;
    }
    const Dense in_place = this->loaded(values, m, n, lda);
    Dense vh(least, n);
    if (right == kInPlace)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < least; ++i) vh(i, j) = in_place(i, j);
    else
      vh = this->loaded(v, rows, n, ldv);
    this->expect_singular(
        a, found.data(), left == kInPlace ? first_columns(in_place, least) : this->loaded(u, m, columns, ldu),
        vh);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Orthogonal, JacobisFunctionsGiveVItself) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  void* parameters = nullptr;
  ASSERT_EQ(call(this->hipsolver_, "hipsolverCreateGesvdjInfo", &parameters), 0);
  for (int round = 0; round < 18; ++round) {
    const int m = 1 + this->below(20), n = 1 + this->below(20), least = std::min(m, n),
              lda = m + this->below(2), ldu = m + this->below(2), ldv = n + this->below(2);
    const bool batch = round % 3 == 0, some = !batch && round % 3 == 1;
    const int count = batch ? 3 : 1;
    SCOPED_TRACE(testing::Message() << m << " by " << n << ", round " << round);
    std::vector<T> values;
    for (int i = 0; i < count; ++i) {
      const auto one = this->stored(this->random(m, n), lda);
      values.insert(values.end(), one.begin(), one.end());
    }
    const std::vector<T> before = values;
    std::vector<Value> found(static_cast<size_t>(least * count));
    std::vector<T> u(static_cast<size_t>(ldu * m * count)), v(static_cast<size_t>(ldv * n * count));
    std::vector<int> info(static_cast<size_t>(count), -1);
    void* const null = nullptr;
    if (batch)
      ASSERT_EQ(this->solver(this->large("", "gesvdjBatched"), 202, m, n, values.data(), lda, found.data(),
                             u.data(), ldu, v.data(), ldv, null, 0, info.data(), parameters, count),
                0);
    else
      ASSERT_EQ(this->solver(this->large("", "gesvdj"), 202, some ? 1 : 0, m, n, values.data(), lda,
                             found.data(), u.data(), ldu, v.data(), ldv, null, 0, info.data(), parameters),
                0);
    this->synchronize();
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(info[static_cast<size_t>(i)], 0);
      const auto part = [&](const std::vector<T>& from, int size) {
        return std::vector<T>(from.begin() + i * size, from.begin() + (i + 1) * size);
      };
      const Dense one = this->loaded(part(before, lda * n), m, n, lda);
      this->expect_singular(one, found.data() + i * least,
                            this->loaded(part(u, ldu * m), m, some ? least : m, ldu),
                            turned(this->loaded(part(v, ldv * n), n, some ? least : n, ldv), kConjugated));
      if (this->HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(call(this->hipsolver_, "hipsolverDestroyGesvdjInfo", parameters), 0);
}

TYPED_TEST(Orthogonal, WhatIsLeftOfTheTridiagonalReductionHasTheSameEigenvalues) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  for (int round = 0; round < 16; ++round) {
    const int n = round < 2 ? 1 : 1 + this->below(20), lda = n + this->below(3),
              part = round % 2 ? kUpper : kLower;
    SCOPED_TRACE(testing::Message() << n << ", round " << round);
    const Dense a = this->hermitian(n);
    auto values = this->stored(a, lda);
    std::vector<Value> diagonal(static_cast<size_t>(n)), beside(diagonal);
    std::vector<T> scales(static_cast<size_t>(n), T(7));
    int info = -1;
    ASSERT_EQ(this->solver("Dn" + this->large_name("sytrd", "hetrd"), part, n, values.data(), lda,
                           diagonal.data(), n > 1 ? beside.data() : nullptr, n > 1 ? scales.data() : nullptr,
                           static_cast<void*>(nullptr), 0, &info),
              0);
    this->synchronize();
    EXPECT_EQ(info, 0);
    EXPECT_EQ(scales.back(), T(7)) << "one less than there are columns";
    // LAPACK: with the lower triangle, reflection i has a 1 in row i + 1 and the rest below it in column i,
    // and Q is their product from the first; with the upper one, a 1 in row i, the rest above it in column i
    // + 1, from the last.
    const Dense packed = this->loaded(values, n, n, lda), scale = this->loaded(scales, n, 1, n);
    Dense q = identity(n), middle(n, n);
    for (int step = 0; step + 1 < n; ++step) {
      const int i = part == kLower ? step : n - 2 - step;
      Dense v(n, 1);
      if (part == kLower) {
        v(i + 1, 0) = 1;
        for (int k = i + 2; k < n; ++k) v(k, 0) = packed(k, i);
      } else {
        v(i, 0) = 1;
        for (int k = 0; k < i; ++k) v(k, 0) = packed(k, i + 1);
      }
      reflect(q, scale(i, 0), v);
    }
    for (int i = 0; i < n; ++i) {
      middle(i, i) = static_cast<Real>(diagonal[static_cast<size_t>(i)]);
      if (i + 1 < n) middle(i + 1, i) = middle(i, i + 1) = static_cast<Real>(beside[static_cast<size_t>(i)]);
    }
    this->expect_orthogonal(q, 20.0L * n);
    this->expect_equal(q * middle * turned(q, kConjugated), a, 40.0L * n * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Orthogonal, NanAndInfinityAreAnsweredByNan) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  const int m = 5, n = 3;
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    Dense a = this->random(m, n);
    a(this->below(m), this->below(n)) = bad;
    auto values = this->stored(a, m);
    std::vector<Value> found(n), beside(n);
    std::vector<T> u(m * m), v(n * n);
    int info = -1;
    ASSERT_EQ(this->roc("gesvd", 191, 191, m, n, values.data(), m, found.data(), u.data(), m, v.data(), n,
                        beside.data(), 201, &info),
              0);
    this->synchronize();
    EXPECT_GT(info, 0);
    for (const Value value : found) EXPECT_TRUE(std::isnan(value));
    for (const T& value : u) EXPECT_TRUE(std::isnan(std::real(value)));
    for (const T& value : v) EXPECT_TRUE(std::isnan(std::real(value)));
    Dense square = this->hermitian(n);
    square(2, 1) = bad;
    auto lower = this->stored(square, n);
    info = -1;
    ASSERT_EQ(this->roc(this->name("syev", "heev"), 211, kLower, n, lower.data(), n, found.data(),
                        beside.data(), &info),
              0);
    this->synchronize();
    EXPECT_GT(info, 0);
    for (const Value value : found) EXPECT_TRUE(std::isnan(value));
    for (const T& value : lower) EXPECT_TRUE(std::isnan(std::real(value)));
  }
}

TYPED_TEST(Orthogonal, WrongArgumentsAreRefused) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  std::vector<T> a(9), u(9), v(9);
  std::vector<Value> s(3);
  int info = -1;
  const auto gesvd = [&](int left, int right, int m, int n, T* matrix, int lda, int ldu, int* to) {
    return this->roc("gesvd", left, right, m, n, matrix, lda, s.data(), u.data(), ldu, v.data(), 3, s.data(),
                     201, to);
  };
  EXPECT_EQ(gesvd(190, 191, 3, 3, a.data(), 3, 3, &info), 11);
  EXPECT_EQ(gesvd(193, 193, 3, 3, a.data(), 3, 3, &info), 11) << "both in place";
  EXPECT_EQ(gesvd(191, 191, -1, 3, a.data(), 3, 3, &info), 4);
  EXPECT_EQ(gesvd(191, 191, 3, 3, a.data(), 2, 3, &info), 4);
  EXPECT_EQ(gesvd(191, 191, 3, 3, a.data(), 3, 2, &info), 4);
  EXPECT_EQ(gesvd(191, 191, 3, 3, nullptr, 3, 3, &info), 3);
  EXPECT_EQ(gesvd(191, 191, 3, 3, a.data(), 3, 3, nullptr), 3);
  const auto syev = [&](int evect, int part, int n) {
    return this->roc(this->name("syev", "heev"), evect, part, n, a.data(), 3, s.data(), s.data(), &info);
  };
  EXPECT_EQ(syev(212, kLower, 3), 11) << "of the tridiagonal matrix";
  EXPECT_EQ(syev(211, 123, 3), 11);
  EXPECT_EQ(syev(211, kLower, 4), 4);
  const auto ormqr = [&](int operation, int k) {
    return this->roc(this->name("ormqr", "unmqr"), kLeft, operation, 3, 3, k, a.data(), 3, u.data(), v.data(),
                     3);
  };
  EXPECT_EQ(ormqr(this->kComplex ? kTransposed : kConjugated, 3), 11);
  EXPECT_EQ(ormqr(kAsItIs, 4), 4);
  void* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(T) * 8), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(gesvd(191, 191, 3, 3, static_cast<T*>(memory), 3, 3, &info), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

}  // namespace
