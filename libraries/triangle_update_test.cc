// Updates of a triangle (syr, her, syr2, her2), exchanges, and that rocBLAS's functions of vectors are there
// under their own names: against sums written out here. Random sizes, steps of both signs; the seed is
// printed.
#include <cctype>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/blas_test.h"

namespace {

using namespace wavesmith::libraries;

template <class T>
char letter() {
  if (std::is_same_v<T, float>) return 'S';
  if (std::is_same_v<T, double>) return 'D';
  return std::is_same_v<T, std::complex<float>> ? 'C' : 'Z';
}

size_t place(int i, int n, int step) {
  return static_cast<size_t>(step > 0 ? i * step : (n - 1 - i) * -step);
}

template <class T>
class Updates : public BlasTest {
 protected:
  using Real = decltype(std::real(T{}));
  using Wide = std::complex<double>;
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  /// The same function of hipBLAS or rocBLAS, with its letter.
  int blas(bool roc, const std::string& name, auto... args) {
    const char first = letter<T>();
    if (!roc) return call(hipblas_, std::string("hipblas") + first + name, handle_, args...);
    return call(rocblas_, std::string("rocblas_") + static_cast<char>(std::tolower(first)) + name,
                rocblas_handle_, args...);
  }
  int step() { return (1 + below(3)) * (below(2) ? 1 : -1); }
  static Wide wide(T number) { return {std::real(number), std::imag(number)}; }
  static T narrow(Wide number) {
    if constexpr (kComplex)
      return T(static_cast<Real>(number.real()), static_cast<Real>(number.imag()));
    else
      return static_cast<T>(number.real());
  }
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Updates, Types);

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
              return this->wide(from[place(k, n, step)]);
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
        want_x[place(i, n, x_step)] = old_y[place(i, n, y_step)];
        want_y[place(i, n, y_step)] = old_x[place(i, n, x_step)];
        const auto sum = this->wide(alpha) * this->wide(old_x[place(i, n, x_step)]) +
                         this->wide(old_y[place(i, n, y_step)]);
        ASSERT_LE(std::abs(this->wide(added[place(i, n, y_step)]) - sum), sizeof(Real) == 4 ? 1e-6 : 1e-14);
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
  const std::string own(1, static_cast<char>(std::tolower(letter<T>())));
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

class Transfers : public BlasTest {};

TEST_F(Transfers, MatricesGoToTheGpuAndBackWithTheirOwnDistances) {
  for (int round = 0; round < 40; ++round) {
    const int m = below(9), n = below(9), width = below(2) ? 4 : 16, there = m + 1 + below(4),
              back = m + 1 + below(4), here = m + 1 + below(4);
    std::vector<char> from(static_cast<size_t>(here * (n + 1) * width)),
        to(static_cast<size_t>(back * (n + 1) * width), 7);
    for (char& byte : from) byte = static_cast<char>(below(256));
    void* gpu = nullptr;
    ASSERT_EQ(call(hip_, "hipMalloc", &gpu, static_cast<size_t>(there * (n + 1) * width)), 0);
    const bool roc = below(2) != 0, in_stream = below(2) != 0;
    void* const library = roc ? rocblas_ : hipblas_;
    const auto move = [&](const std::string& name, const void* source, int source_ld, void* target,
                          int target_ld) {
      if (!in_stream) return call(library, name, m, n, width, source, source_ld, target, target_ld);
      return call(library, name + (roc ? "_async" : "Async"), m, n, width, source, source_ld, target,
                  target_ld, static_cast<void*>(nullptr));
    };
    ASSERT_EQ(move(roc ? "rocblas_set_matrix" : "hipblasSetMatrix", from.data(), here, gpu, there), 0);
    ASSERT_EQ(move(roc ? "rocblas_get_matrix" : "hipblasGetMatrix", gpu, there, to.data(), back), 0);
    synchronize();
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i < back * width; ++i) {
        const int source = j * here * width + i;
        const char want = i < m * width && j < n ? from[static_cast<size_t>(source)] : 7;
        ASSERT_EQ(to[static_cast<size_t>(j * back * width + i)], want) << round << ": " << i << ", " << j;
      }
    ASSERT_EQ(call(hip_, "hipFree", gpu), 0);
  }
}

TEST_F(Transfers, VectorsGoByTheirSteps) {
  std::vector<float> from(30), to(30, -1);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  void* gpu = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &gpu, size_t{200}), 0);
  ASSERT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, from.data(), 3, gpu, 5), 0);
  ASSERT_EQ(call(hipblas_, "hipblasGetVector", 10, 4, gpu, 5, to.data(), 2), 0);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(to[2 * i], from[3 * i]) << i;
    EXPECT_EQ(to[2 * i + 1], -1) << i;
  }
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, from.data(), 0, gpu, 1), 4);
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", -1, 4, from.data(), 1, gpu, 1), 4);
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, static_cast<void*>(nullptr), 1, gpu, 1), 3);
  EXPECT_EQ(call(hipblas_, "hipblasSetMatrix", 5, 2, 4, from.data(), 4, gpu, 5), 3);
  EXPECT_EQ(call(hip_, "hipFree", gpu), 0);
}

}  // namespace
