// hipSPARSE's gtsv2 and gtsv2StridedBatch: the three diagonals, in wider numbers, times what comes out are
// what went in. Random sizes and values; the seed is printed.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/shim/handle_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<long double>;

template <class T>
class ThreeDiagonals : public HandleTest {
 protected:
  ThreeDiagonals() : HandleTest("libhipsparse.so.4", "hipsparseCreate", "hipsparseDestroy") {}
  std::vector<T> values(int count) { return numbers_of<T>(count); }
  static Wide wide(T a) { return {std::real(a), std::imag(a)}; }
  int sparse(const std::string& name, auto... args) {
    return call(library_, std::string("hipsparse") + kLarge<T> + name, handle_, args...);
  }
  /// By what it gives: a badly conditioned matrix may have far solutions of the same product.
  static void expect_solution(const T* lower, const T* diagonal, const T* upper, const T* x, const T* b,
                              int m) {
    long double largest = 1;
    for (int i = 0; i < m; ++i) largest = std::max(largest, std::abs(wide(x[i])));
    const long double error = (sizeof(std::real(T{})) == 4 ? 0x1p-22L : 0x1p-50L) * largest * 8;
    for (int i = 0; i < m; ++i) {
      Wide sum = wide(diagonal[i]) * wide(x[i]);
      if (i > 0) sum += wide(lower[i]) * wide(x[i - 1]);
      if (i + 1 < m) sum += wide(upper[i]) * wide(x[i + 1]);
      ASSERT_LE(std::abs(sum - wide(b[i])), error) << "row " << i << " of " << m;
    }
  }
};
TYPED_TEST_SUITE(ThreeDiagonals, BlasTypes);

TYPED_TEST(ThreeDiagonals, TimesTheSolutionAreTheRightSides) {
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + this->below(60), n = 1 + this->below(4), ldb = m + this->below(3);
    const auto lower = this->values(m), upper = this->values(m);
    auto diagonal = this->values(m);
    if (round % 3 == 0)  // nothing to divide by unless rows are exchanged
      for (int i = 0; i + 1 < m; i += 2) diagonal[static_cast<size_t>(i)] = 0;
    auto b = this->values(ldb * n);
    const auto right = b;
    size_t workspace = 7;
    ASSERT_EQ(this->sparse("gtsv2_bufferSizeExt", m, n, lower.data(), diagonal.data(), upper.data(), b.data(),
                           ldb, &workspace),
              0);
    EXPECT_EQ(workspace, 0);
    ASSERT_EQ(this->sparse("gtsv2", m, n, lower.data(), diagonal.data(), upper.data(), b.data(), ldb,
                           static_cast<void*>(nullptr)),
              0);
    ASSERT_EQ(call(this->hip_, "hipDeviceSynchronize"), 0);
    for (int j = 0; j < n; ++j) {
      this->expect_solution(lower.data(), diagonal.data(), upper.data(), b.data() + j * ldb,
                            right.data() + j * ldb, m);
      if (this->HasFatalFailure()) return;
      for (int i = m; i < ldb; ++i)
        EXPECT_EQ(b[static_cast<size_t>(j * ldb + i)], right[static_cast<size_t>(j * ldb + i)]);
    }
  }
}

TYPED_TEST(ThreeDiagonals, OfABatchAreSolvedEach) {
  for (int round = 0; round < 20; ++round) {
    const int m = 3 + this->below(30), count = 1 + this->below(5), stride = m + this->below(4);
    const auto lower = this->values(stride * count), upper = this->values(stride * count),
               diagonal = this->values(stride * count);
    auto x = this->values(stride * count);
    const auto right = x;
    ASSERT_EQ(this->sparse("gtsv2StridedBatch", m, lower.data(), diagonal.data(), upper.data(), x.data(),
                           count, stride, static_cast<void*>(nullptr)),
              0);
    ASSERT_EQ(call(this->hip_, "hipDeviceSynchronize"), 0);
    for (int k = 0; k < count; ++k) {
      const int at = k * stride;
      this->expect_solution(lower.data() + at, diagonal.data() + at, upper.data() + at, x.data() + at,
                            right.data() + at, m);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ThreeDiagonals, WrongArgumentsAreRefused) {
  using T = TypeParam;
  std::vector<T> a(8);
  const auto status = [&](int m, int ldb, const T* diagonal, T* b) {
    return this->sparse("gtsv2", m, 2, static_cast<const T*>(a.data()), diagonal,
                        static_cast<const T*>(a.data()), b, ldb, static_cast<void*>(nullptr));
  };
  EXPECT_EQ(status(-1, 4, a.data(), a.data()), 3);
  EXPECT_EQ(status(4, 3, a.data(), a.data()), 3);
  EXPECT_EQ(status(4, 4, nullptr, a.data()), 3);
  EXPECT_EQ(status(4, 4, a.data(), nullptr), 3);
  EXPECT_EQ(status(0, 4, a.data(), a.data()), 0);
  T* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(T) * 7), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(status(4, 4, a.data(), memory), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

}  // namespace
