// hipSOLVER's hipsolverDn API, which programs ported from CUDA's solver call: the same results as from the
// regular API (which other tests judge), by its own arguments.
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "libraries/solver/factor_testing.h"

namespace {

using namespace wavesmith::libraries;

template <class T>
class HipsolverApis : public FactorTest<T> {
 protected:
  using Value = decltype(std::real(T{}));
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  void SetUp() override {
    FactorTest<T>::SetUp();
    ASSERT_EQ(call(this->hipsolver_, "hipsolverDnCreate", &dense_), 0);
    ASSERT_EQ(call(this->hipsolver_, "hipsolverDnSetStream", dense_, static_cast<void*>(nullptr)), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(this->hipsolver_, "hipsolverDnDestroy", dense_), 0);
    FactorTest<T>::TearDown();
  }
  int own(const std::string& name, auto... args) {
    return call(this->hipsolver_, "hipsolver" + (kLarge<T> + name), this->hipsolver_handle_, args...);
  }
  int dense(const std::string& name, auto... args) {
    return call(this->hipsolver_, "hipsolverDn" + (kLarge<T> + name), dense_, args...);
  }
  static std::string name(const char* real, const char* complex) { return kComplex ? complex : real; }
  std::vector<T> positive_stored(int n) { return this->stored(this->positive(n), n); }
  std::vector<T> random_stored(int m, int n) { return this->stored(this->random(m, n), m); }

  void* dense_ = nullptr;
};
TYPED_TEST_SUITE(HipsolverApis, BlasTypes);

TYPED_TEST(HipsolverApis, FactorsAndSolutionsAreTheSame) {
  using T = TypeParam;
  const int n = 2 + this->below(9), columns = 1 + this->below(3);
  const auto a = this->positive_stored(n), b = this->random_stored(n, columns);
  T* const null = nullptr;
  int info = -1, other = -1, workspace = -1;
  auto ours = a, theirs = a, x = b, y = b;
  ASSERT_EQ(this->dense("potrf_bufferSize", kLower, n, theirs.data(), n, &workspace), 0);
  EXPECT_EQ(workspace, 0);
  ASSERT_EQ(this->own("potrf", kLower, n, ours.data(), n, null, 0, &info), 0);
  ASSERT_EQ(this->dense("potrf", kLower, n, theirs.data(), n, null, 0, &other), 0);
  ASSERT_EQ(this->own("potrs", kLower, n, columns, ours.data(), n, x.data(), n, null, 0, &info), 0);
  ASSERT_EQ(this->dense("potrs", kLower, n, columns, theirs.data(), n, y.data(), n, &other), 0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_NE(ours, a);
  EXPECT_EQ(x, y);
  EXPECT_NE(x, b);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(other, 0);

  ours = theirs = this->random_stored(n, n);
  x = y = b;
  std::vector<int> pivots(static_cast<size_t>(n)), others(pivots.size());
  other = -1;
  ASSERT_EQ(this->own("getrf", n, n, ours.data(), n, null, 0, pivots.data(), &info), 0);
  ASSERT_EQ(this->dense("getrf", n, n, theirs.data(), n, null, others.data(), &other), 0);
  ASSERT_EQ(
      this->own("getrs", kTransposed, n, columns, ours.data(), n, pivots.data(), x.data(), n, null, 0, &info),
      0);
  ASSERT_EQ(
      this->dense("getrs", kTransposed, n, columns, theirs.data(), n, others.data(), y.data(), n, &other), 0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(pivots, others);
  EXPECT_EQ(x, y);
  EXPECT_NE(x, b);
  EXPECT_EQ(other, 0);
}

TYPED_TEST(HipsolverApis, ReflectionsAndLeastSquaresAreTheSame) {
  using T = TypeParam;
  const int n = 1 + this->below(6), m = n + this->below(6);
  auto ours = this->random_stored(m, n), theirs = ours;
  std::vector<T> scales(static_cast<size_t>(n)), others(scales.size());
  T* const null = nullptr;
  int info = -1, other = -1;
  const auto a = ours;
  ASSERT_EQ(this->own("geqrf", m, n, ours.data(), m, scales.data(), null, 0, &info), 0);
  ASSERT_EQ(this->dense("geqrf", m, n, theirs.data(), m, others.data(), null, 0, &other), 0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(scales, others);
  const std::string orgqr = this->name("orgqr", "ungqr");
  ASSERT_EQ(this->own(orgqr, m, n, n, ours.data(), m, scales.data(), null, 0, &info), 0);
  ASSERT_EQ(this->dense(orgqr, m, n, n, theirs.data(), m, others.data(), null, 0, &other), 0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(other, 0);

  const auto b = this->random_stored(m, 1);
  std::vector<T> x(static_cast<size_t>(n)), y(x.size());
  ours = theirs = a;
  auto right = b;
  size_t workspace = 1;
  int iterations = -1;
  void* const work = nullptr;
  const std::string gels = std::string(kLarge<T>) + "gels";
  ASSERT_EQ(this->dense(gels + "_bufferSize", m, n, 1, theirs.data(), m, right.data(), m, y.data(), n, work,
                        &workspace),
            0);
  EXPECT_EQ(workspace, 0u);
  ASSERT_EQ(this->own(gels, m, n, 1, ours.data(), m, right.data(), m, x.data(), n, work, size_t{0},
                      &iterations, &info),
            0);
  ASSERT_EQ(this->dense(gels, m, n, 1, theirs.data(), m, right.data(), m, y.data(), n, work, size_t{0},
                        &iterations, &other),
            0);
  this->synchronize();
  EXPECT_EQ(x, y);
  EXPECT_NE(x, std::vector<T>(x.size()));
}

TYPED_TEST(HipsolverApis, EigenvaluesAndSingularValuesAreTheSame) {
  using T = TypeParam;
  using Value = typename TestFixture::Value;
  const int n = 2 + this->below(8);
  void* const null = nullptr;
  int info = -1, other = -1, workspace = -1;
  std::vector<Value> values(static_cast<size_t>(n)), others(values.size());
  auto ours = this->positive_stored(n), theirs = ours;
  const std::string syevd = this->name("syevd", "heevd"), sygvd = this->name("sygvd", "hegvd");
  ASSERT_EQ(this->own(syevd, 202, kUpper, n, ours.data(), n, values.data(), null, 0, &info), 0);
  ASSERT_EQ(this->dense(syevd, 202, kUpper, n, theirs.data(), n, others.data(), null, 0, &other), 0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(values, others);
  EXPECT_GT(values.front(), 0);
  EXPECT_EQ(other, 0);

  ours = theirs = this->positive_stored(n);
  auto factor = this->positive_stored(n), same = factor;
  ASSERT_EQ(
      this->own(sygvd, 211, 202, kUpper, n, ours.data(), n, factor.data(), n, values.data(), null, 0, &info),
      0);
  ASSERT_EQ(this->dense(sygvd, 211, 202, kUpper, n, theirs.data(), n, same.data(), n, others.data(), null, 0,
                        &other),
            0);
  this->synchronize();
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(factor, same);
  EXPECT_EQ(values, others);

  ours = theirs = this->random_stored(n, n);
  std::vector<T> u(ours.size()), v(ours.size()), w(ours.size()), z(ours.size());
  ASSERT_EQ(this->dense("gesvd_bufferSize", n, n, &workspace), 0);
  EXPECT_EQ(workspace, 0);
  const signed char all = 'A';
  ASSERT_EQ(this->own("gesvd", all, all, n, n, ours.data(), n, values.data(), u.data(), n, v.data(), n, null,
                      0, null, &info),
            0);
  ASSERT_EQ(this->dense("gesvd", all, all, n, n, theirs.data(), n, others.data(), w.data(), n, z.data(), n,
                        null, 0, null, &other),
            0);
  this->synchronize();
  EXPECT_EQ(values, others);
  EXPECT_EQ(u, w);
  EXPECT_EQ(v, z);
  EXPECT_EQ(other, 0);
}

}  // namespace
