// geam, axpy and scal of hipBLAS and scal of rocBLAS, against sums of complex doubles written out here.
// Random sizes, steps and values; the seed is printed.
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "libraries/blas/blas_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<double>;

template <class T>
class Sums : public BlasTest {
 protected:
  T value() { return number_of<T>(); }
  std::vector<T> values(int count) { return numbers_of<T>(count); }
  static Wide wide(T number) { return {std::real(number), std::imag(number)}; }
  static void expect(T got, Wide want) {
    const double error = sizeof(std::real(got)) == 4 ? 1e-6 : 1e-14;
    ASSERT_NEAR(std::real(got), want.real(), error);
    ASSERT_NEAR(std::imag(got), want.imag(), error);
  }
  int geam(int op_a, int op_b, int m, int n, const T* alpha, const T* a, int lda, const T* beta, const T* b,
           int ldb, T* c, int ldc) {
    return call(hipblas_, ("hipblas" + letter_ + "geam").c_str(), handle_, op_a, op_b, m, n, alpha, a, lda,
                beta, b, ldb, c, ldc);
  }

  const std::string letter_ = kLarge<T>;
};
TYPED_TEST_SUITE(Sums, BlasTypes);

TYPED_TEST(Sums, OfMatricesAsTheyAreTransposedAndConjugated) {
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + this->below(30), n = 1 + this->below(30), op_a = kAsItIs + this->below(3),
              op_b = kAsItIs + this->below(3);
    const int lda = (op_a == kAsItIs ? m : n) + this->below(3),
              ldb = (op_b == kAsItIs ? m : n) + this->below(3), ldc = m + this->below(3);
    const auto a = this->values(lda * 31), b = this->values(ldb * 31);
    auto c = this->values(ldc * n);
    const auto before = c;
    const TypeParam alpha = this->below(4) ? this->value() : TypeParam{},
                    beta = this->below(4) ? this->value() : TypeParam{};
    ASSERT_EQ(this->geam(op_a, op_b, m, n, &alpha, a.data(), lda, &beta, b.data(), ldb, c.data(), ldc), 0);
    this->synchronize();
    const auto of = [](const std::vector<TypeParam>& matrix, int op, int ld, int i, int j) {
      const Wide at = TestFixture::wide(matrix[static_cast<size_t>(op == kAsItIs ? j * ld + i : i * ld + j)]);
      return op == kConjugated ? std::conj(at) : at;
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < ldc; ++i) {
        const auto at = static_cast<size_t>(j) * static_cast<size_t>(ldc) + static_cast<size_t>(i);
        if (i < m)
          TestFixture::expect(c[at], TestFixture::wide(alpha) * of(a, op_a, lda, i, j) +
                                         TestFixture::wide(beta) * of(b, op_b, ldb, i, j));
        else
          ASSERT_EQ(c[at], before[at]) << "beside the matrix";
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(Sums, OfVectorsWithStepsOfEitherSign) {
  for (int round = 0; round < 40; ++round) {
    const int n = 1 + this->below(40);
    const int x_step = (1 + this->below(3)) * (this->below(2) ? 1 : -1),
              y_step = (1 + this->below(3)) * (this->below(2) ? 1 : -1);
    const auto x = this->values(n * 3);
    auto y = this->values(n * 3);
    const auto before = y;
    const TypeParam alpha = this->value();
    ASSERT_EQ(call(this->hipblas_, ("hipblas" + this->letter_ + "axpy").c_str(), this->handle_, n, &alpha,
                   x.data(), x_step, y.data(), y_step),
              0);
    this->synchronize();
    const auto place = [n](int i, int step) {
      return static_cast<size_t>(step > 0 ? i * step : (i - n + 1) * step);
    };
    for (int i = 0; i < n; ++i) {
      TestFixture::expect(y[place(i, y_step)],
                          TestFixture::wide(alpha) * TestFixture::wide(x[place(i, x_step)]) +
                              TestFixture::wide(before[place(i, y_step)]));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Sums, VectorsAreScaled) {
  using Real = decltype(std::real(TypeParam{}));
  std::string lower = this->letter_, part = this->letter_ == "C" ? "Cs" : "Zd";
  lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  for (const int step : {1, 3}) {
    const int n = 1 + this->below(40);
    auto x = this->values(n * step);
    const auto before = x;
    const TypeParam alpha = this->value();
    const Real real = std::real(this->value());
    Wide scale = TestFixture::wide(alpha) * TestFixture::wide(alpha);
    ASSERT_EQ(call(this->hipblas_, ("hipblas" + this->letter_ + "scal").c_str(), this->handle_, n, &alpha,
                   x.data(), step),
              0);
    this->synchronize();
    ASSERT_EQ(call(this->rocblas_, ("rocblas_" + lower + "scal").c_str(), this->rocblas_handle_, n, &alpha,
                   x.data(), step),
              0);
    if constexpr (!std::is_floating_point_v<TypeParam>) {
      this->synchronize();
      ASSERT_EQ(
          call(this->hipblas_, ("hipblas" + part + "scal").c_str(), this->handle_, n, &real, x.data(), step),
          0);
      scale *= static_cast<double>(real);
    }
    this->synchronize();
    for (int i = 0; i < n * step; ++i) {
      const auto at = static_cast<size_t>(i);
      TestFixture::expect(x[at], (i % step == 0 ? scale : Wide(1)) * TestFixture::wide(before[at]));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Sums, ScalarsOfTheGpuAreReadInTheOrderOfTheStream) {
  void* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(TypeParam) * 2), 0);
  auto* const place = static_cast<TypeParam*>(memory);  // alpha and x; the host sees them, too
  place[0] = place[1] = TypeParam(2);
  ASSERT_EQ(call(this->hipblas_, "hipblasSetPointerMode", this->handle_, 1), 0);
  for (int i = 0; i < 3; ++i)  // alpha doubles itself before x is scaled by it
    for (TypeParam* each : {place, place + 1})
      ASSERT_EQ(call(this->hipblas_, ("hipblas" + this->letter_ + "scal").c_str(), this->handle_, 1,
                     static_cast<const TypeParam*>(place), each, 1),
                0);
  this->synchronize();
  EXPECT_EQ(place[0], TypeParam(256));
  EXPECT_EQ(place[1], TypeParam(2.0f * 4 * 16 * 256));
  ASSERT_EQ(call(this->hipblas_, "hipblasSetPointerMode", this->handle_, 0), 0);
  const TypeParam alpha(1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(
      call(this->hipblas_, ("hipblas" + this->letter_ + "scal").c_str(), this->handle_, 3, &alpha, place, 1),
      3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

TYPED_TEST(Sums, WrongCallsAreErrorsAndZerosReadNothing) {
  const TypeParam one(1), zero(0);
  std::vector<TypeParam> a(16, TypeParam(std::numeric_limits<float>::quiet_NaN())), c(16, one);
  const auto status = [&](int op, int m, int lda, const TypeParam* alpha, TypeParam* to) {
    return this->geam(op, kAsItIs, m, 4, alpha, a.data(), lda, &one, c.data(), 4, to, 4);
  };
  EXPECT_EQ(status(kTransposed, 4, 4, &zero, c.data()), 0);
  this->synchronize();
  EXPECT_EQ(c, std::vector<TypeParam>(16, one)) << "a was read";
  EXPECT_EQ(status(99, 4, 4, &one, c.data()), 10);
  EXPECT_EQ(status(kAsItIs, -1, 4, &one, c.data()), 3);
  EXPECT_EQ(status(kAsItIs, 4, 3, &one, c.data()), 3);
  EXPECT_EQ(status(kAsItIs, 4, 4, nullptr, c.data()), 3);
  EXPECT_EQ(status(kAsItIs, 4, 4, &one, nullptr), 3);
  EXPECT_EQ(status(kAsItIs, 0, 4, nullptr, nullptr), 0) << "nothing to do";
}

}  // namespace
