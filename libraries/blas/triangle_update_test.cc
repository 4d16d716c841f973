// Updates of a triangle (syr, her, syr2, her2), exchanges, and that rocBLAS's functions of vectors are there
// under their own names: against sums written out here. Random sizes, steps of both signs; the seed is
// printed.
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/blas/blas_test.h"

namespace {

using namespace wavesmith::libraries;

template <class T>
class Updates : public BlasTest {
 protected:
  using Real = decltype(std::real(T{}));
  using Wide = std::complex<double>;
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  /// The same function of hipBLAS or rocBLAS, with its letter.
  int blas(bool roc, const std::string& name, auto... args) {
    if (!roc) return call(hipblas_, "hipblas" + (kLarge<T> + name), handle_, args...);
    return call(rocblas_, "rocblas_" + (kSmall<T> + name), rocblas_handle_, args...);
  }
  static Wide wide(T number) { return {std::real(number), std::imag(number)}; }
  static T narrow(Wide number) {
    if constexpr (kComplex)
      return T(static_cast<Real>(number.real()), static_cast<Real>(number.imag()));
    else
      return static_cast<T>(number.real());
  }
};
TYPED_TEST_SUITE(Updates, BlasTypes);

TYPED_TEST(Updates, OfATriangleLeaveTheOtherOneAlone) {
  using T = TypeParam;
  using Wide = typename TestFixture::Wide;
  using Real = typename TestFixture::Real;
  for (int round = 0; round < 60; ++round) {
    const int n = this->below(12), lda = n + 1 + this->below(3), part = this->below(2) ? kUpper : kLower;
    const int x_step = this->step(), y_step = this->step();
    const bool hermitian = this->kComplex && this->below(2), of_two = this->below(2) != 0;
    const auto x = this->template numbers_of<T>(3 * n + 1), y = this->template numbers_of<T>(3 * n + 1);
    const auto before = this->template numbers_of<T>(lda * n + 1);
    T alpha = this->template number_of<T>();
    const Real real_alpha = std::real(alpha);
    const Wide scale = hermitian && !of_two ? Wide(static_cast<double>(real_alpha)) : this->wide(alpha);
    const auto turned = [&](Wide value) { return hermitian ? std::conj(value) : value; };
    for (const bool roc : {false, true}) {
      auto a = before;
      int status = -1;
      if (of_two)
        status = this->blas(roc, hermitian ? "her2" : "syr2", part, n, static_cast<const T*>(&alpha),
                            x.data(), x_step, y.data(), y_step, a.data(), lda);
      else if (hermitian)
        status = this->blas(roc, "her", part, n, &real_alpha, x.data(), x_step, a.data(), lda);
      else
        status =
            this->blas(roc, "syr", part, n, static_cast<const T*>(&alpha), x.data(), x_step, a.data(), lda);
      ASSERT_EQ(status, 0);
      this->synchronize();
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < lda; ++i) {
          const size_t at = static_cast<size_t>(j) * static_cast<size_t>(lda) + static_cast<size_t>(i);
          Wide want = this->wide(before[at]);
          if (i < n && (part == kUpper ? i <= j : i >= j)) {
            const auto number = [&](const std::vector<T>& from, int k, int step) {
              return this->wide(from[this->place(k, n, step)]);
            };
            const Wide xi = number(x, i, x_step), xj = number(x, j, x_step);
            if (of_two)
              want += scale * xi * turned(number(y, j, y_step)) +
                      turned(scale) * number(y, i, y_step) * turned(xj);
            else
              want += scale * xi * turned(xj);
            if (hermitian && i == j) want = want.real();
          }
          ASSERT_LE(std::abs(this->wide(a[at]) - want), sizeof(Real) == 4 ? 2e-6 : 1e-14)
              << "round " << round << ", " << i << ", " << j << (roc ? " of rocBLAS" : " of hipBLAS");
        }
    }
  }
}

TYPED_TEST(Updates, VectorsAreExchangedCopiedAndAdded) {
  using T = TypeParam;
  using Real = typename TestFixture::Real;
  for (int round = 0; round < 40; ++round) {
    const int n = this->below(40), x_step = this->step(), y_step = this->step();
    const auto old_x = this->template numbers_of<T>(3 * n + 1),
               old_y = this->template numbers_of<T>(3 * n + 1);
    const T alpha = this->template number_of<T>();
    for (const bool roc : {false, true}) {
      auto x = old_x, y = old_y, copied = old_y, added = old_y;
      ASSERT_EQ(this->blas(roc, "copy", n, static_cast<const T*>(x.data()), x_step, copied.data(), y_step),
                0);
      ASSERT_EQ(
          this->blas(roc, "axpy", n, &alpha, static_cast<const T*>(x.data()), x_step, added.data(), y_step),
          0);
      this->synchronize();
      ASSERT_EQ(this->blas(roc, "swap", n, x.data(), x_step, y.data(), y_step), 0);
      this->synchronize();
      auto want_x = old_x, want_y = old_y;
      for (int i = 0; i < n; ++i) {
        want_x[this->place(i, n, x_step)] = old_y[this->place(i, n, y_step)];
        want_y[this->place(i, n, y_step)] = old_x[this->place(i, n, x_step)];
        const auto sum = this->wide(alpha) * this->wide(old_x[this->place(i, n, x_step)]) +
                         this->wide(old_y[this->place(i, n, y_step)]);
        ASSERT_LE(std::abs(this->wide(added[this->place(i, n, y_step)]) - sum),
                  sizeof(Real) == 4 ? 1e-6 : 1e-14);
      }
      ASSERT_EQ(x, want_x);
      ASSERT_EQ(y, want_y);
      ASSERT_EQ(copied, want_y);
    }
  }
}

TYPED_TEST(Updates, RocblasMeasuresAsHipblasDoes) {
  using T = TypeParam;
  using Real = typename TestFixture::Real;
  const int n = 1 + this->below(50);
  const auto x = this->template numbers_of<T>(n), y = this->template numbers_of<T>(n);
  const std::string own = kSmall<T>;
  const std::string norm = !this->kComplex ? own : own == "c" ? "sc" : "dz";
  const auto both = [&]<class Result>(Result, const std::string& hip, const std::string& roc, auto... args) {
    Result first(-1), second(-2);
    EXPECT_EQ(call(this->hipblas_, "hipblas" + hip, this->handle_, args..., &first), 0);
    EXPECT_EQ(call(this->rocblas_, "rocblas_" + roc, this->rocblas_handle_, args..., &second), 0);
    EXPECT_EQ(first, second) << roc;
  };
  const auto upper = [](std::string text) {
    text[0] = static_cast<char>(std::toupper(text[0]));
    return text;
  };
  both(Real{}, upper(norm) + "nrm2", norm + "nrm2", n, x.data(), 1);
  both(Real{}, upper(norm) + "asum", norm + "asum", n, x.data(), 1);
  both(int{}, "I" + own + "amax", "i" + own + "amax", n, x.data(), 1);
  both(int{}, "I" + own + "amin", "i" + own + "amin", n, x.data(), 1);
  const std::string dot = own + (this->kComplex ? "dotc" : "dot");
  both(T{}, upper(dot), dot, n, x.data(), 1, y.data(), 1);
}

TYPED_TEST(Updates, WrongArgumentsAreRefused) {
  using T = TypeParam;
  T alpha(1), x[4]{}, a[16]{};
  for (const bool roc : {false, true}) {
    const int bad_operation = roc ? 11 : 10, bad_size = roc ? 4 : 3;
    EXPECT_EQ(this->blas(roc, "syr", 123, 4, &alpha, x, 1, a, 4), bad_operation);
    EXPECT_EQ(this->blas(roc, "syr", kUpper, -1, &alpha, x, 1, a, 4), bad_size);
    EXPECT_EQ(this->blas(roc, "syr", kUpper, 4, &alpha, x, 0, a, 4), bad_size);
    EXPECT_EQ(this->blas(roc, "syr", kUpper, 4, &alpha, x, 1, a, 3), bad_size);
    EXPECT_EQ(this->blas(roc, "syr", kUpper, 4, &alpha, static_cast<T*>(nullptr), 1, a, 4), 3);
    EXPECT_EQ(this->blas(roc, "swap", 4, x, 1, static_cast<T*>(nullptr), 1), 3);
    EXPECT_EQ(this->blas(roc, "swap", -4, x, 1, static_cast<T*>(nullptr), 1), 0);
  }
}

}  // namespace
