// hipBLAS's functions of vectors: against sums of wider numbers written out here. Random sizes, steps (of
// both signs) and values; the seed is printed.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/blas/blas_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<long double>;

template <class T>
constexpr const char* kNorm = of_type<T>("Snrm2", "Dnrm2", "Scnrm2", "Dznrm2");
template <class T>
constexpr const char* kSizes = of_type<T>("Sasum", "Dasum", "Scasum", "Dzasum");

size_t index(int row, int column, int ld, int step = 1) {
  return static_cast<size_t>(column) * static_cast<size_t>(ld) +
         static_cast<size_t>(row) * static_cast<size_t>(step);
}

template <class T>
class Vectors : public BlasTest {
 protected:
  using Real = decltype(std::real(T{}));
  static constexpr bool kComplex = !std::is_floating_point_v<T>;

  T value() { return number_of<T>(); }
  std::vector<T> values(int count) { return numbers_of<T>(count); }
  static Wide wide(T number) { return {std::real(number), std::imag(number)}; }
  static void expect(T got, Wide want, int terms = 1) {
    const long double error = (sizeof(Real) == 4 ? 0x1p-22L : 0x1p-50L) * static_cast<long double>(terms + 1);
    ASSERT_LE(std::abs(wide(got) - want), error * (1 + std::abs(want)));
  }
  int blas(const std::string& name, auto... args) {
    return call(hipblas_, "hipblas" + name, handle_, args...);
  }
  std::string own(const char* name) { return std::string(kLarge<T>) + name; }
};
TYPED_TEST_SUITE(Vectors, BlasTypes);

TYPED_TEST(Vectors, ProductsOfTwo) {
  using T = TypeParam;
  for (int round = 0; round < 30; ++round) {
    const int n = this->below(60), x_step = this->step(), y_step = this->step();
    const auto x = this->values(3 * 60), y = this->values(3 * 60);
    for (const bool conjugated : {false, true}) {
      if (conjugated && !this->kComplex) continue;
      Wide want{};
      for (int i = 0; i < n; ++i) {
        const Wide left = this->wide(x[this->place(i, n, x_step)]);
        want += (conjugated ? std::conj(left) : left) * this->wide(y[this->place(i, n, y_step)]);
      }
      T result(7);
      ASSERT_EQ(this->blas(this->own(!this->kComplex ? "dot"
                                     : conjugated    ? "dotc"
                                                     : "dotu"),
                           n, x.data(), x_step, y.data(), y_step, &result),
                0);
      this->expect(result, want);  // the host's: it is there at once
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Vectors, NormsSizesAndPlaces) {
  using T = TypeParam;
  using Real = typename TestFixture::Real;
  for (int round = 0; round < 40; ++round) {
    const int n = this->below(60), step = this->below(4);
    auto x = this->values(3 * 60 + 1);
    if (round % 5 == 4)  // squares that the type cannot hold
      for (T& each : x) each *= std::numeric_limits<Real>::max() / 100;
    long double squares = 0, sizes = 0, largest = -1, least = std::numeric_limits<long double>::infinity();
    int at_largest = 0, at_least = 0;
    for (int i = 0; i < n && step > 0; ++i) {
      const Wide each = this->wide(x[index(i, 0, 0, step)]);
      const long double size = std::abs(each.real()) + std::abs(each.imag());
      squares += std::norm(each);
      sizes += size;
      if (size > largest) largest = size, at_largest = i + 1;
      if (size < least) least = size, at_least = i + 1;
    }
    Real norm = 7, sum = 7;
    int first = 7, second = 7;
    const std::string letter = kSmall<T>;
    ASSERT_EQ(this->blas(kNorm<T>, n, x.data(), step, &norm), 0);
    ASSERT_EQ(this->blas(kSizes<T>, n, x.data(), step, &sum), 0);
    ASSERT_EQ(this->blas("I" + letter + "amax", n, x.data(), step, &first), 0);
    ASSERT_EQ(this->blas("I" + letter + "amin", n, x.data(), step, &second), 0);
    const double error = sizeof(Real) == 4 ? 1e-6 : 1e-14;
    EXPECT_NEAR(static_cast<double>(norm / std::max<long double>(1, std::sqrt(squares))),
                static_cast<double>(std::sqrt(squares) / std::max<long double>(1, std::sqrt(squares))),
                error);
    if (sizes < static_cast<long double>(std::numeric_limits<Real>::max()))
      EXPECT_NEAR(static_cast<double>(sum / std::max<long double>(1, sizes)),
                  static_cast<double>(sizes / std::max<long double>(1, sizes)), error);
    EXPECT_EQ(first, at_largest);
    EXPECT_EQ(second, at_least);
  }
  // NaN is what comes of NaN, wherever it stands.
  auto x = this->values(9);
  x[static_cast<size_t>(this->below(9))] = std::numeric_limits<Real>::quiet_NaN();
  Real norm = 7;
  ASSERT_EQ(this->blas(kNorm<T>, 9, x.data(), 1, &norm), 0);
  EXPECT_TRUE(std::isnan(norm));
}

TYPED_TEST(Vectors, ResultsOfTheGpuAreWrittenInTheOrderOfTheStream) {
  using T = TypeParam;
  using Real = typename TestFixture::Real;
  Real* result = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &result, sizeof(Real)), 0);
  ASSERT_EQ(this->blas("SetPointerMode", 1), 0);
  const std::vector<T> x(16, T(2));
  ASSERT_EQ(this->blas(kNorm<T>, 16, x.data(), 1, result), 0);
  this->synchronize();
  EXPECT_EQ(*result, 8);
  ASSERT_EQ(this->blas("SetPointerMode", 0), 0);
  EXPECT_EQ(call(this->hip_, "hipFree", result), 0);
}

TYPED_TEST(Vectors, ColumnTimesRowIsAdded) {
  for (int round = 0; round < 30; ++round) {
    const int m = this->below(20), n = this->below(20), lda = m + 1 + this->below(3), x_step = this->step(),
              y_step = this->step();
    const bool conjugated = this->kComplex && round % 2;
    const auto x = this->values(60), y = this->values(60);
    auto a = this->values(lda * 20);
    const auto before = a;
    const TypeParam alpha = round % 5 ? this->value() : TypeParam{};
    ASSERT_EQ(this->blas(this->own(!this->kComplex ? "ger"
                                   : conjugated    ? "gerc"
                                                   : "geru"),
                         m, n, &alpha, x.data(), x_step, y.data(), y_step, a.data(), lda),
              0);
    this->synchronize();
    for (int j = 0; j < 20; ++j)
      for (int i = 0; i < lda; ++i) {
        const size_t at = index(i, j, lda);
        if (i >= m || j >= n) {
          ASSERT_EQ(a[at], before[at]);
          continue;
        }
        const Wide row = this->wide(y[this->place(j, n, y_step)]);
        this->expect(a[at], this->wide(before[at]) + this->wide(alpha) *
                                                         this->wide(x[this->place(i, m, x_step)]) *
                                                         (conjugated ? std::conj(row) : row));
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(Vectors, DiagonalsMultiplyRowsOrColumns) {
  for (int round = 0; round < 20; ++round) {
    const int m = 1 + this->below(20), n = 1 + this->below(20), lda = m + this->below(3),
              ldc = m + this->below(3), side = round % 2 ? kRight : kLeft, step = this->step(),
              size = side == kLeft ? m : n;
    const auto a = this->values(lda * n), x = this->values(60);
    auto c = this->values(ldc * n);
    ASSERT_EQ(this->blas(this->own("dgmm"), side, m, n, a.data(), lda, x.data(), step, c.data(), ldc), 0);
    this->synchronize();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        this->expect(c[index(i, j, ldc)], this->wide(a[index(i, j, lda)]) *
                                              this->wide(x[this->place(side == kLeft ? i : j, size, step)]));
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(Vectors, ATriangleOfAMatrixTimesItself) {
  for (int round = 0; round < 24; ++round) {
    const int n = 1 + this->below(20), k = this->below(20), part = round % 2 ? kUpper : kLower,
              operation = round / 2 % 2 ? kTransposed : kAsItIs, lda = std::max(n, k) + this->below(3),
              ldc = n + this->below(3);
    const auto a = this->values(lda * 20);
    auto c = this->values(ldc * n);
    const auto before = c;
    const TypeParam alpha = this->value(), beta = round % 3 ? this->value() : TypeParam{};
    if (round % 3 == 0)  // what is multiplied by 0 is not read
      for (TypeParam& each : c) each = std::numeric_limits<typename TestFixture::Real>::quiet_NaN();
    const auto old = c;
    ASSERT_EQ(
        this->blas(this->own("syrk"), part, operation, n, k, &alpha, a.data(), lda, &beta, c.data(), ldc), 0);
    this->synchronize();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const size_t at = index(i, j, ldc);
        if (part == kUpper ? i > j : i < j) {
          ASSERT_TRUE(c[at] == old[at] || (c[at] != c[at] && old[at] != old[at])) << "the other triangle";
          continue;
        }
        Wide want{};
        for (int l = 0; l < k; ++l) {
          const auto element = [&](int row) {
            return this->wide(a[operation == kAsItIs ? index(row, l, lda) : index(l, row, lda)]);
          };
          want += element(i) * element(j);
        }
        want *= this->wide(alpha);
        if (round % 3) want += this->wide(beta) * this->wide(before[at]);
        this->expect(c[at], want);
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(Vectors, CopiesAndProductsWithBands) {
  if constexpr (std::is_floating_point_v<TypeParam>)
    for (int round = 0; round < 24; ++round) {
      const int n = 1 + this->below(20), k = this->below(6), part = round % 2 ? kUpper : kLower,
                lda = k + 1 + this->below(3), x_step = this->step(), y_step = this->step();
      const auto a = this->values(lda * n), x = this->values(60);
      auto y = this->values(60);
      const auto before = y;
      const TypeParam alpha = this->value(), beta = round % 3 ? this->value() : TypeParam{};
      ASSERT_EQ(this->blas(this->own("sbmv"), part, n, k, &alpha, a.data(), lda, x.data(), x_step, &beta,
                           y.data(), y_step),
                0);
      this->synchronize();
      for (int i = 0; i < n; ++i) {
        Wide want{};
        for (int j = 0; j < n; ++j) {
          if (std::abs(i - j) > k) continue;
          // The storage of BLAS: the diagonal in row k of the upper form, in row 0 of the lower one.
          const int row = std::min(i, j), column = std::max(i, j);
          const TypeParam element = part == kUpper ? a[static_cast<size_t>(column * lda + k + row - column)]
                                                   : a[static_cast<size_t>(row * lda + column - row)];
          want += this->wide(element) * this->wide(x[this->place(j, n, x_step)]);
        }
        want *= this->wide(alpha);
        if (round % 3) want += this->wide(beta) * this->wide(before[this->place(i, n, y_step)]);
        this->expect(y[this->place(i, n, y_step)], want);
        if (this->HasFatalFailure()) return;
      }
      ASSERT_EQ(this->blas(this->own("copy"), n, x.data(), x_step, y.data(), y_step), 0);
      this->synchronize();
      for (int i = 0; i < n; ++i) ASSERT_EQ(y[this->place(i, n, y_step)], x[this->place(i, n, x_step)]);
    }
}

TYPED_TEST(Vectors, WrongArgumentsAreRefused) {
  using T = TypeParam;
  using Real = typename TestFixture::Real;
  std::vector<T> a(9);
  T one(1);
  Real result = 0;
  EXPECT_EQ(call(this->hipblas_, std::string("hipblas") + kNorm<T>, static_cast<void*>(nullptr), 3, a.data(),
                 1, &result),
            1);
  EXPECT_EQ(this->blas(kNorm<T>, 3, a.data(), 1, static_cast<void*>(nullptr)), 3);
  EXPECT_EQ(this->blas(kNorm<T>, 3, static_cast<T*>(nullptr), 1, &result), 3);
  EXPECT_EQ(this->blas(this->own("dgmm"), 140, 3, 3, a.data(), 3, a.data(), 1, a.data(), 3), 10);
  EXPECT_EQ(this->blas(this->own("dgmm"), kLeft, 3, 3, a.data(), 2, a.data(), 1, a.data(), 3), 3);
  EXPECT_EQ(this->blas(this->own("syrk"), 99, kAsItIs, 3, 3, &one, a.data(), 3, &one, a.data(), 3), 10);
  if (this->kComplex)
    EXPECT_EQ(this->blas(this->own("syrk"), kUpper, kConjugated, 3, 3, &one, a.data(), 3, &one, a.data(), 3),
              10);
  T* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(T) * 8), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(this->blas(kNorm<T>, 5, memory, 2, &result), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

}  // namespace
