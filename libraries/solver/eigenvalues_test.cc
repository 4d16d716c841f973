// Generalised eigenvalues (sygvd, sygvj, sygv), those of a range (syevdx), and what Jacobi's functions tell
// of themselves: vectors and values are put back into what they solve, in wider numbers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "libraries/solver/factor_testing.h"

namespace {

using namespace wavesmith::libraries;

template <class T>
class Eigen : public FactorTest<T> {
 protected:
  using Value = decltype(std::real(T{}));
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  static std::string name(const char* real, const char* complex) { return kComplex ? complex : real; }
  int solver(const std::string& api, const std::string& function, auto... args) {
    return call(this->hipsolver_, "hipsolver" + api + kLarge<T> + function, this->hipsolver_handle_, args...);
  }
  /// As the type can hold it.
  Dense held(const Dense& a) { return this->loaded(this->stored(a, a.rows), a.rows, a.columns, a.rows); }
  Dense hermitian(int n) {
    Dense a = this->random(n, n);
    const Dense other = turned(a, kConjugated);
    for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += other.values[i];
    return held(a);
  }
  /// With NaN in the triangle that nobody shall look at.
  std::vector<T> half(const Dense& a, int part, int ld) {
    Dense some = a;
    for (int j = 0; j < a.columns; ++j)
      for (int i = 0; i < a.rows; ++i)
        if (part == kLower ? i < j : i > j) some(i, j) = std::numeric_limits<Real>::quiet_NaN();
    return this->stored(some, ld);
  }
  static Dense scaled(Dense a, const std::vector<Value>& by) {
    for (int j = 0; j < a.columns; ++j)
      for (int i = 0; i < a.rows; ++i) a(i, j) *= static_cast<Real>(by[static_cast<size_t>(j)]);
    return a;
  }
};
TYPED_TEST_SUITE(Eigen, BlasTypes);

TYPED_TEST(Eigen, GeneralisedVectorsAndValuesSolveEachForm) {
  using Value = typename TestFixture::Value;
  for (int round = 0; round < 36; ++round) {
    const int n = 1 + this->below(10), lda = n + this->below(3), ldb = n + this->below(3),
              part = this->below(2) ? kUpper : kLower, form = round % 3;
    SCOPED_TRACE(testing::Message() << n << ", form " << form << ", round " << round);
    Dense some = this->positive(n);
    for (Wide& value : some.values) value /= static_cast<Real>(n);
    const Dense a = this->hermitian(n), b = this->held(some);
    auto vectors = this->half(a, part, lda), factor = this->half(b, part, ldb);
    std::vector<Value> values(static_cast<size_t>(n)), beside(values.size());
    int info = -1;
    void* const null = nullptr;
    switch (round % 4) {
      case 0:
        ASSERT_EQ(this->solver("", this->name("sygvd", "hegvd"), 211 + form, 202, part, n, vectors.data(),
                               lda, factor.data(), ldb, values.data(), null, 0, &info),
                  0);
        break;
      case 1:
        ASSERT_EQ(this->solver("", this->name("sygvj", "hegvj"), 211 + form, 202, part, n, vectors.data(),
                               lda, factor.data(), ldb, values.data(), null, 0, &info, null),
                  0);
        break;
      default:
        ASSERT_EQ(this->roc(this->name("sygv", "hegv") + (round % 4 == 2 ? "" : "d"), 221 + form, 211, part,
                            n, vectors.data(), lda, factor.data(), ldb, values.data(), beside.data(), &info),
                  0);
    }
    this->synchronize();
    ASSERT_EQ(info, 0);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    Dense triangle(n, n);  // b's factor: only the triangle is it
    const Dense got = this->loaded(factor, n, n, ldb);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (part == kLower ? i >= j : i <= j)
          triangle(i, j) = got(i, j);
        else
          EXPECT_TRUE(std::isnan(got(i, j).real()));
      }
    const Real scale = 200.0L * n * n;
    const Dense other = turned(triangle, kConjugated);
    this->expect_equal(part == kLower ? triangle * other : other * triangle, b, scale);
    const Dense x = this->loaded(vectors, n, n, lda);
    if (form == 0)
      this->expect_equal(a * x, b * this->scaled(x, values), scale);
    else if (form == 1)
      this->expect_equal(a * (b * x), this->scaled(x, values), scale);
    else
      this->expect_equal(b * (a * x), this->scaled(x, values), scale);
    Dense identity(n, n);
    for (int i = 0; i < n; ++i) identity(i, i) = 1;
    if (form < 2) this->expect_equal(turned(x, kConjugated) * (b * x), identity, scale);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Eigen, OfWhatIsNotPositiveDefiniteTheColumnIsTold) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  const int n = 5, bad = this->below(n);
  Dense b(n, n);
  for (int i = 0; i < n; ++i) b(i, i) = i == bad ? -1 : 2;
  auto a = this->stored(this->hermitian(n), n), factor = this->stored(b, n);
  std::vector<Value> values(static_cast<size_t>(n));
  int info = -1;
  ASSERT_EQ(this->solver("", this->name("sygvd", "hegvd"), 211, 202, kLower, n, a.data(), n, factor.data(), n,
                         values.data(), static_cast<T*>(nullptr), 0, &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, n + bad + 1);
}

TYPED_TEST(Eigen, ARangeOfThemIsThatPartOfAll) {
  using Value = typename TestFixture::Value;
  for (int round = 0; round < 30; ++round) {
    const int n = 1 + this->below(12), lda = n + this->below(3), part = this->below(2) ? kUpper : kLower,
              by = 221 + round % 3;
    SCOPED_TRACE(testing::Message() << n << ", by " << by << ", round " << round);
    const Dense a = this->hermitian(n);
    auto all = this->half(a, part, lda), some = all;
    std::vector<Value> values(static_cast<size_t>(n)), wanted(values.size(), Value(7));
    int info = -1, found = -1;
    void* const null = nullptr;
    ASSERT_EQ(this->solver("", this->name("syevd", "heevd"), 202, part, n, all.data(), lda, values.data(),
                           null, 0, &info),
              0);
    this->synchronize();
    ASSERT_EQ(info, 0);
    int first = 1 + this->below(n), last = first + this->below(n - first + 1);
    // Between two values, so that no rounding decides.
    const auto between = [&](int i) {
      const auto at = [&](int k) { return values[static_cast<size_t>(k)]; };
      return i == 0 ? at(0) - 1 : i == n ? at(n - 1) + 1 : (at(i - 1) + at(i)) / 2;
    };
    const Value low = between(first - 1), high = between(last);
    ASSERT_EQ(this->solver("Dn", this->name("syevdx", "heevdx"), 202, by, part, n, some.data(), lda, low,
                           high, first, last, &found, wanted.data(), null, 0, &info),
              0);
    if (by == 221) first = 1, last = n;
    ASSERT_EQ(found, last - first + 1);  // the host's: there at once
    EXPECT_EQ(info, 0);
    for (int k = 0; k < n; ++k)
      EXPECT_EQ(wanted[static_cast<size_t>(k)],
                k < found ? values[static_cast<size_t>(first - 1 + k)] : Value(7));
    const Dense x = this->loaded(some, n, found, lda);
    this->expect_equal(a * x, this->scaled(x, wanted), 40.0L * n * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Eigen, RangesThatAreNoneAreRefused) {
  using Value = typename TestFixture::Value;
  std::vector<TypeParam> a(16);
  std::vector<Value> values(4);
  int info = 0, found = 0;
  const auto status = [&](int by, Value low, Value high, int first, int last, int* where) {
    return this->solver("Dn", this->name("syevdx", "heevdx"), 202, by, kUpper, 4, a.data(), 4, low, high,
                        first, last, where, values.data(), static_cast<void*>(nullptr), 0, &info);
  };
  EXPECT_EQ(status(222, Value(1), Value(1), 1, 4, &found), 3);
  EXPECT_EQ(status(223, Value(0), Value(1), 0, 4, &found), 3);
  EXPECT_EQ(status(223, Value(0), Value(1), 3, 2, &found), 3);
  EXPECT_EQ(status(223, Value(0), Value(1), 1, 5, &found), 3);
  EXPECT_EQ(status(221, Value(0), Value(1), 1, 4, nullptr), 3);
  EXPECT_EQ(status(220, Value(0), Value(1), 1, 4, &found), 10);
}

TYPED_TEST(Eigen, JacobisFunctionsTellTheResidual) {
  using Value = typename TestFixture::Value;
  const int n = 8;
  const Dense a = this->hermitian(n);
  auto vectors = this->stored(a, n);
  std::vector<Value> values(static_cast<size_t>(n));
  int info = -1, sweeps = -1;
  void *parameters = nullptr, *const null = nullptr;
  double residual = -1;
  ASSERT_EQ(call(this->hipsolver_, "hipsolverCreateSyevjInfo", &parameters), 0);
  ASSERT_EQ(call(this->hipsolver_, "hipsolverXsyevjSetTolerance", parameters, 1e-7), 0);
  ASSERT_EQ(call(this->hipsolver_, "hipsolverXsyevjSetMaxSweeps", parameters, 15), 0);
  ASSERT_EQ(call(this->hipsolver_, "hipsolverXsyevjSetSortEig", parameters, 1), 0);
  ASSERT_EQ(this->solver("", this->name("syevj", "heevj"), 202, kLower, n, vectors.data(), n, values.data(),
                         null, 0, &info, parameters),
            0);
  ASSERT_EQ(
      call(this->hipsolver_, "hipsolverXsyevjGetResidual", this->hipsolver_handle_, parameters, &residual),
      0);
  ASSERT_EQ(call(this->hipsolver_, "hipsolverXsyevjGetSweeps", this->hipsolver_handle_, parameters, &sweeps),
            0);
  EXPECT_GT(residual, 0);  // of numbers that are rounded
  EXPECT_LT(residual, 1e-12);
  EXPECT_EQ(sweeps, 0);
  EXPECT_EQ(call(this->hipsolver_, "hipsolverXsyevjSetMaxSweeps", parameters, 0), 3);
  EXPECT_EQ(call(this->hipsolver_, "hipsolverDestroySyevjInfo", parameters), 0);
}

}  // namespace
