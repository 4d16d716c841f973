// potrf, getrf, getrs and trsm of rocSOLVER, hipSOLVER, rocBLAS and hipBLAS: what comes out, multiplied in
// complex doubles, must be what went in. Random sizes and values; the seed is printed.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libraries/testing.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<double>;

constexpr int kAsItIs = 111, kTransposed = 112, kConjugated = 113, kUpper = 121, kLower = 122, kNonUnit = 131,
              kUnit = 132, kLeft = 141, kRight = 142;

template <class T>
struct Traits;
template <>
struct Traits<float> {
  static constexpr const char *kSmall = "s", *kLarge = "S";
};
template <>
struct Traits<double> {
  static constexpr const char *kSmall = "d", *kLarge = "D";
};
template <>
struct Traits<std::complex<float>> {
  static constexpr const char *kSmall = "c", *kLarge = "C";
};
template <>
struct Traits<std::complex<double>> {
  static constexpr const char *kSmall = "z", *kLarge = "Z";
};

/// A matrix by columns, in complex doubles.
struct Dense {
  int rows, columns;
  std::vector<Wide> values;
  Dense(int m, int n) : rows(m), columns(n), values(static_cast<size_t>(m * n)) {}
  Wide& operator()(int i, int j) { return values[static_cast<size_t>(j * rows + i)]; }
  const Wide& operator()(int i, int j) const { return values[static_cast<size_t>(j * rows + i)]; }
};
Dense operator*(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j)
    for (int k = 0; k < a.columns; ++k)
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}
Dense turned(const Dense& a, int operation) {
  if (operation == kAsItIs) return a;
  Dense c(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) c(j, i) = operation == kConjugated ? std::conj(a(i, j)) : a(i, j);
  return c;
}

template <class T>
class Factors : public testing::Test {
 protected:
  void SetUp() override {
    rocsolver_ = open_library("librocsolver.so.0");
    hipsolver_ = open_library("libhipsolver.so.1");
    rocblas_ = open_library("librocblas.so.5");
    hipblas_ = open_library("libhipblas.so.3");
    hip_ = open_library("libamdhip64.so");
    ASSERT_TRUE(rocsolver_ && hipsolver_ && rocblas_ && hipblas_ && hip_);
    ASSERT_EQ(call(rocblas_, "rocblas_create_handle", &rocblas_handle_), 0);
    ASSERT_EQ(call(hipblas_, "hipblasCreate", &hipblas_handle_), 0);
    ASSERT_EQ(call(hipsolver_, "hipsolverCreate", &hipsolver_handle_), 0);
    std::printf("seed %u\n", seed_);
  }
  void TearDown() override {
    EXPECT_EQ(call(rocblas_, "rocblas_destroy_handle", rocblas_handle_), 0);
    EXPECT_EQ(call(hipblas_, "hipblasDestroy", hipblas_handle_), 0);
    EXPECT_EQ(call(hipsolver_, "hipsolverDestroy", hipsolver_handle_), 0);
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  Dense random(int m, int n) {
    Dense a(m, n);
    for (Wide& value : a.values) {
      value = number();
      if constexpr (!std::is_floating_point_v<T>) value.imag(number());
    }
    return a;
  }
  static std::vector<T> stored(const Dense& a, int ld) {
    std::vector<T> values(static_cast<size_t>(ld * a.columns), T(7));
    for (int j = 0; j < a.columns; ++j)
      for (int i = 0; i < a.rows; ++i) {
        T& to = values[static_cast<size_t>(j * ld + i)];
        if constexpr (std::is_floating_point_v<T>)
          to = static_cast<T>(a(i, j).real());
        else
          to = T(a(i, j));
      }
    return values;
  }
  static Dense loaded(const std::vector<T>& values, int m, int n, int ld) {
    Dense a(m, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        const T from = values[static_cast<size_t>(j * ld + i)];
        a(i, j) = {std::real(from), std::imag(from)};
      }
    return a;
  }
  void expect_equal(const Dense& got, const Dense& want, double scale) {
    const double error = (sizeof(std::real(T{})) == 4 ? 0x1p-22 : 0x1p-50) * scale;
    for (size_t i = 0; i < want.values.size(); ++i)
      ASSERT_LE(std::abs(got.values[i] - want.values[i]), error) << i;
  }
  Dense positive(int n) {
    const Dense a = random(n, n);
    Dense square = a * turned(a, kConjugated);
    for (int i = 0; i < n; ++i) square(i, i) += n;
    return square;
  }
  void synchronize() { ASSERT_EQ(call(hip_, "hipDeviceSynchronize"), 0); }
  static std::string small(const char* before, const char* after) {
    return std::string(before) + Traits<T>::kSmall + after;
  }
  static std::string large(const char* before, const char* after) {
    return std::string(before) + Traits<T>::kLarge + after;
  }

  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  void *rocsolver_ = nullptr, *hipsolver_ = nullptr, *rocblas_ = nullptr, *hipblas_ = nullptr,
       *hip_ = nullptr, *rocblas_handle_ = nullptr, *hipblas_handle_ = nullptr, *hipsolver_handle_ = nullptr;
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Factors, Types);

TYPED_TEST(Factors, CholeskyTimesItsConjugateIsTheMatrix) {
  for (int round = 0; round < 20; ++round) {
    const int n = 1 + this->below(40), lda = n + this->below(3), part = round % 2 ? kUpper : kLower;
    const Dense a = this->positive(n);
    auto values = this->stored(a, lda);
    const auto before = values;
    int info = -1;
    if (round % 3 == 0) {
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_,
                     part, n, values.data(), lda, &info),
                0);
    } else if (round % 3 == 1) {
      int room = -1;
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "potrf_bufferSize").c_str(),
                     this->hipsolver_handle_, part, n, values.data(), lda, &room),
                0);
      EXPECT_EQ(room, 0);
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "potrf").c_str(), this->hipsolver_handle_,
                     part, n, values.data(), lda, static_cast<void*>(nullptr), 0, &info),
                0);
    } else {
      void* matrix = values.data();
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolverDn", "potrfBatched").c_str(),
                     this->hipsolver_handle_, part, n, &matrix, lda, &info, 1),
                0);
    }
    this->synchronize();
    EXPECT_EQ(info, 0);
    Dense factor = this->loaded(values, n, n, lda);
    const Dense old = this->loaded(before, n, n, lda);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (part == kLower ? i < j : i > j) {
          EXPECT_EQ(factor(i, j), old(i, j)) << "the other triangle";
          factor(i, j) = 0;
        }
    const Dense other = turned(factor, kConjugated);
    this->expect_equal(part == kLower ? factor * other : other * factor, a, 20.0 * n);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Factors, LowerTimesUpperIsTheMatrixWithRowsExchanged) {
  for (int round = 0; round < 20; ++round) {
    const bool batch = round % 3 == 2;
    const int m = 1 + this->below(40), n = batch ? m : 1 + this->below(40), lda = m + this->below(3),
              least = std::min(m, n);
    const Dense a = this->random(m, n);
    auto values = this->stored(a, lda);
    std::vector<int> pivots(static_cast<size_t>(least));
    int info = -1;
    if (round % 3 == 0) {
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrf").c_str(), this->rocblas_handle_, m,
                     n, values.data(), lda, pivots.data(), &info),
                0);
    } else if (!batch) {
      ASSERT_EQ(call(this->hipsolver_, this->large("hipsolver", "getrf").c_str(), this->hipsolver_handle_, m,
                     n, values.data(), lda, static_cast<void*>(nullptr), 0, pivots.data(), &info),
                0);
    } else {
      void* matrix = values.data();
      ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "getrfBatched").c_str(), this->hipblas_handle_, n,
                     &matrix, lda, pivots.data(), &info, 1),
                0);
    }
    this->synchronize();
    EXPECT_EQ(info, 0);
    Dense lower(m, least), upper(least, n), exchanged = a;
    const Dense both = this->loaded(values, m, n, lda);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        if (i > j && j < least) {
          lower(i, j) = both(i, j);
          EXPECT_LE(std::abs(both(i, j)), 1.5) << "the largest number of the column is the pivot";
        }
        if (i <= j && i < least) upper(i, j) = both(i, j);
      }
    for (int i = 0; i < least; ++i) {
      lower(i, i) = 1;
      for (int j = 0; j < n; ++j)
        std::swap(exchanged(i, j), exchanged(pivots[static_cast<size_t>(i)] - 1, j));
    }
    this->expect_equal(lower * upper, exchanged, 40.0 * least);
    if (this->HasFatalFailure()) return;
    if (m != n) continue;
    for (const int operation : {kAsItIs, kTransposed, kConjugated}) {
      const int columns = 1 + this->below(4), ldb = n + this->below(3);
      const Dense wanted = this->random(n, columns);
      auto b = this->stored(turned(a, operation) * wanted, ldb);
      ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrs").c_str(), this->rocblas_handle_,
                     operation, n, columns, values.data(), lda, pivots.data(), b.data(), ldb),
                0);
      this->synchronize();
      // By what it gives: a badly conditioned matrix may have far solutions of the same product.
      const Dense solved = this->loaded(b, n, columns, ldb);
      double largest = 1;
      for (const Wide& value : solved.values) largest = std::max(largest, std::abs(value));
      this->expect_equal(turned(a, operation) * solved, turned(a, operation) * wanted, 200.0 * n * largest);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Factors, TriangularSolutionsGiveTheRightSides) {
  for (int round = 0; round < 48; ++round) {
    const int side = round % 2 ? kRight : kLeft, part = round / 2 % 2 ? kUpper : kLower,
              operation = kAsItIs + round / 4 % 3, diagonal = round / 12 % 2 ? kUnit : kNonUnit;
    const int m = 1 + this->below(20), n = 1 + this->below(20), size = side == kLeft ? m : n,
              lda = size + this->below(3), ldb = m + this->below(3);
    Dense a = this->random(size, size);
    for (Wide& value : a.values) value *= 0.3;
    for (int i = 0; i < size; ++i) a(i, i) += 2;
    const Dense right = this->random(m, n);
    const auto stored_a = this->stored(a, lda);
    auto b = this->stored(right, ldb);
    const TypeParam alpha(0.5f);
    if (round % 3 == 2) {
      const void* matrix = stored_a.data();
      void* vectors = b.data();
      ASSERT_EQ(call(this->rocblas_, this->small("rocblas_", "trsm_batched").c_str(), this->rocblas_handle_,
                     side, part, operation, diagonal, m, n, &alpha, &matrix, lda, &vectors, ldb, 1),
                0);
    } else if (round % 3 == 1) {
      ASSERT_EQ(call(this->hipblas_, this->large("hipblas", "trsm").c_str(), this->hipblas_handle_, side,
                     part, operation, diagonal, m, n, &alpha, stored_a.data(), lda, b.data(), ldb),
                0);
    } else {
      ASSERT_EQ(call(this->rocblas_, this->small("rocblas_", "trsm").c_str(), this->rocblas_handle_, side,
                     part, operation, diagonal, m, n, &alpha, stored_a.data(), lda, b.data(), ldb),
                0);
    }
    this->synchronize();
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) {
        if (part == kLower ? i < j : i > j) a(i, j) = 0;
        if (i == j && diagonal == kUnit) a(i, j) = 1;
      }
    const Dense x = this->loaded(b, m, n, ldb), op = turned(a, operation);
    Dense want = right;
    double largest = 1;
    for (Wide& value : want.values) value *= 0.5;
    for (const Wide& value : x.values) largest = std::max(largest, std::abs(value));
    SCOPED_TRACE(testing::Message() << "round " << round);
    this->expect_equal(side == kLeft ? op * x : x * op, want, 60.0 * size * largest);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Factors, WhereThereIsNoFactorItIsSaid) {
  std::vector<TypeParam> a{TypeParam(1), TypeParam(2), TypeParam(2), TypeParam(1)};  // not positive
  int info = -1, pivots[2] = {};
  ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_, kLower,
                 2, a.data(), 2, &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, 2);
  std::fill(a.begin(), a.end(), TypeParam(3));  // singular
  ASSERT_EQ(call(this->rocsolver_, this->small("rocsolver_", "getrf").c_str(), this->rocblas_handle_, 2, 2,
                 a.data(), 2, pivots, &info),
            0);
  this->synchronize();
  EXPECT_EQ(info, 2);
  const auto status = [&](void* handle, int part, int n, int lda, int* to) {
    return call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), handle, part, n, a.data(), lda,
                to);
  };
  EXPECT_EQ(status(nullptr, kLower, 2, 2, &info), 1);
  EXPECT_EQ(status(this->rocblas_handle_, 99, 2, 2, &info), 11);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, -1, 2, &info), 4);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, 2, 1, &info), 4);
  EXPECT_EQ(status(this->rocblas_handle_, kLower, 2, 2, nullptr), 3);
  void* memory = nullptr;
  ASSERT_EQ(call(this->hip_, "hipMalloc", &memory, sizeof(TypeParam) * 3), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(this->rocsolver_, this->small("rocsolver_", "potrf").c_str(), this->rocblas_handle_, kLower,
                 2, static_cast<TypeParam*>(memory), 2, &info),
            3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("reaches past the end"), std::string::npos);
  EXPECT_EQ(call(this->hip_, "hipFree", memory), 0);
}

}  // namespace
