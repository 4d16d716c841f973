// hipSOLVER's gels, potrs and getrs, rocSOLVER's getri: what they find is put back into the equations, in
// wider numbers.
#include <complex>
#include <string>
#include <vector>

#include "libraries/solver/factor_testing.h"

namespace {

using namespace wavesmith::libraries;

template <class T>
class Solutions : public FactorTest<T> {
 protected:
  int solver(const std::string& function, auto... args) {
    return call(this->hipsolver_, "hipsolver" + function, this->hipsolver_handle_, args...);
  }
  /// As the type can hold it.
  Dense held(const Dense& a) { return this->loaded(this->stored(a, a.rows), a.rows, a.columns, a.rows); }
  Dense random_with_weight(int m, int n) {
    Dense a = this->random(m, n);
    for (int i = 0; i < std::min(m, n); ++i) a(i, i) += 4;
    return held(a);
  }
};
TYPED_TEST_SUITE(Solutions, BlasTypes);

TYPED_TEST(Solutions, OfTooManyEquationsLeaveARestOrthogonalToTheMatrix) {
  using T = TypeParam;
  for (int round = 0; round < 30; ++round) {
    const int m = 1 + this->below(12), n = 1 + this->below(12), columns = 1 + this->below(3),
              lda = m + this->below(3), ldb = m + this->below(3), ldx = n + this->below(3);
    SCOPED_TRACE(testing::Message() << m << " by " << n << ", round " << round);
    const Dense a = this->random_with_weight(m, n), b = this->held(this->random(m, columns));
    auto a_there = this->stored(a, lda), b_there = this->stored(b, ldb);
    std::vector<T> x_there(static_cast<size_t>(ldx * columns));
    int info = -1, iterations = -1;
    size_t workspace = 1;
    const std::string name = std::string(kLarge<T>) + kLarge<T> + "gels";
    void* const null = nullptr;
    ASSERT_EQ(this->solver(name + "_bufferSize", m, n, columns, a_there.data(), lda, b_there.data(), ldb,
                           x_there.data(), ldx, &workspace),
              0);
    EXPECT_EQ(workspace, 0u);
    ASSERT_EQ(this->solver(name, m, n, columns, a_there.data(), lda, b_there.data(), ldb, x_there.data(), ldx,
                           null, size_t{0}, &iterations, &info),
              0);
    this->synchronize();
    EXPECT_EQ(info, 0);
    EXPECT_EQ(iterations, 0);
    const Dense x = this->loaded(x_there, n, columns, ldx);
    Dense rest = a * x;
    for (size_t i = 0; i < rest.values.size(); ++i) rest.values[i] -= b.values[i];
    const Real scale = 400.0L * (m + n);
    this->expect_equal(turned(a, kConjugated) * rest, Dense(n, columns), scale);
    if (m > n) continue;
    this->expect_equal(rest, Dense(m, columns), scale);
    // The shortest is a^H times something: orthogonal to what a does not see.
    Dense unseen = this->random(n, 1);
    Dense image = a * unseen, twice = a * turned(a, kConjugated);
    // unseen - a^H * (a * a^H)^-1 * a * unseen, by elimination.
    for (int k = 0; k < m; ++k) {
      const Wide pivot = twice(k, k);
      for (int i = 0; i < m; ++i) {
        if (i == k) continue;
        const Wide ratio = twice(i, k) / pivot;
        for (int j = 0; j < m; ++j) twice(i, j) -= ratio * twice(k, j);
        image(i, 0) -= ratio * image(k, 0);
      }
    }
    for (int k = 0; k < m; ++k) image(k, 0) /= twice(k, k);
    const Dense seen = turned(a, kConjugated) * image;
    for (size_t i = 0; i < unseen.values.size(); ++i) unseen.values[i] -= seen.values[i];
    this->expect_equal(turned(unseen, kConjugated) * x, Dense(1, columns), scale);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Solutions, WhereTheMatrixHasNotFullRankTheColumnIsTold) {
  using T = TypeParam;
  const int n = 4;
  std::vector<T> a(16), b(4, T(1)), x(4, T(7));
  a[0] = a[5] = T(1);  // the third column is 0
  a[15] = T(1);
  int info = -1;
  const std::string name = std::string(kLarge<T>) + kLarge<T> + "gels";
  void* const null = nullptr;
  ASSERT_EQ(this->solver(name, n, n, 1, a.data(), n, b.data(), n, x.data(), n, null, size_t{0},
                         static_cast<int*>(nullptr), &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, 3);
  EXPECT_EQ(this->solver(name, n, n, 1, a.data(), n - 1, b.data(), n, x.data(), n, null, size_t{0},
                         static_cast<int*>(nullptr), &info),
            3);
}

TYPED_TEST(Solutions, ByFactorsGiveTheRightSides) {
  using T = TypeParam;
  const std::string large = kLarge<T>;
  for (int round = 0; round < 20; ++round) {
    const int n = 1 + this->below(12), columns = 1 + this->below(4), lda = n + this->below(3),
              ldb = n + this->below(3), part = this->below(2) ? kUpper : kLower;
    const bool cholesky = round % 2 == 0;
    const Dense a = cholesky ? this->held(this->positive(n)) : this->random_with_weight(n, n);
    const Dense b = this->held(this->random(n, columns));
    auto factor = this->stored(a, lda), x = this->stored(b, ldb);
    std::vector<int> pivots(static_cast<size_t>(n));
    int info = -1;
    T* const null = nullptr;
    if (cholesky) {
      ASSERT_EQ(this->solver(large + "potrf", part, n, factor.data(), lda, null, 0, &info), 0);
      this->synchronize();
      info = -1;
      ASSERT_EQ(
          this->solver(large + "potrs", part, n, columns, factor.data(), lda, x.data(), ldb, null, 0, &info),
          0);
    } else {
      ASSERT_EQ(this->roc("getf2", n, n, factor.data(), lda, pivots.data(), &info), 0);
      this->synchronize();
      info = -1;
      ASSERT_EQ(this->solver(large + "getrs", kAsItIs, n, columns, factor.data(), lda, pivots.data(),
                             x.data(), ldb, null, 0, &info),
                0);
    }
    this->synchronize();
    EXPECT_EQ(info, 0);
    this->expect_equal(a * this->loaded(x, n, columns, ldb), b, 400.0L * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Solutions, AnInverseStandsWhereItsFactorsStood) {
  for (int round = 0; round < 20; ++round) {
    const int n = 1 + this->below(12), lda = n + this->below(3);
    const Dense a = this->random_with_weight(n, n);
    auto there = this->stored(a, lda);
    std::vector<int> pivots(static_cast<size_t>(n));
    int info = -1;
    ASSERT_EQ(this->roc("getrf", n, n, there.data(), lda, pivots.data(), &info), 0);
    ASSERT_EQ(this->roc("getri", n, there.data(), lda, pivots.data(), &info), 0);
    this->synchronize();
    EXPECT_EQ(info, 0);
    Dense identity(n, n);
    for (int i = 0; i < n; ++i) identity(i, i) = 1;
    this->expect_equal(a * this->loaded(there, n, n, lda), identity, 400.0L * n);
    if (this->HasFatalFailure()) return;
  }
  std::vector<TypeParam> singular(4);
  int pivots[] = {1, 2}, info = -1;
  ASSERT_EQ(this->roc("getri", 2, singular.data(), 2, pivots, &info), 0);
  this->synchronize();
  EXPECT_EQ(info, 1);
}

}  // namespace
