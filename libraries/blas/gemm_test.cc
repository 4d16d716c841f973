// Products of the BLAS libraries, against sums of complex doubles. Random sizes, leading dimensions and
// values; the seed is printed.
#include <dlfcn.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/blas/product_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::products;

template <class T>
class TypedProducts : public ProductTest {};
template <class T>
struct Of {  // typeid of _Float16 itself is in no library
  using type = T;
};
using Types =
    testing::Types<Of<_Float16>, Of<float>, Of<double>, Of<std::complex<float>>, Of<std::complex<double>>>;
TYPED_TEST_SUITE(TypedProducts, Types);

/// Halves are summed as floats.
template <class T>
constexpr double kSumError = std::is_same_v<T, _Float16> ? 0x1p-24 : NumberFacts<T>::kEpsilon;

TYPED_TEST(TypedProducts, GemmEqualsSumsInDoublePrecision) {
  using T = typename TypeParam::type;
  for (int round = 0; round < 44; ++round) {
    auto one = this->template random_case<T, T>(round < 40 ? 40 : 300, 1);
    const std::vector<T> before = one.c;
    const T alpha = make<T>(one.alpha.real(), one.alpha.imag()),
            beta = make<T>(one.beta.real(), one.beta.imag());
    const bool roc = round % 2;
    const char letter = NumberFacts<T>::kLetter;
    const std::string name = roc ? std::string("rocblas_") + letter + "gemm"
                                 : std::string("hipblas") + static_cast<char>(letter - 'a' + 'A') + "gemm";
    ASSERT_EQ(call(roc ? this->rocblas_ : this->hipblas_, name, roc ? this->rocblas_handle_ : this->handle_,
                   one.op_a, one.op_b, one.m, one.n, one.k, &alpha, one.a.data(), one.lda, one.b.data(),
                   one.ldb, &beta, one.c.data(), one.ldc),
              0);
    this->synchronize();
    one.check(before, kSumError<T>);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(TypedProducts, BatchesAreProductsOfTheirOwn) {
  using T = typename TypeParam::type;
  const std::string prefix =
      std::string("hipblas") + static_cast<char>(NumberFacts<T>::kLetter - 'a' + 'A') + "gemm";
  for (int round = 0; round < 12; ++round) {
    auto one = this->template random_case<T, T>(24, 1 + this->below(4));
    const std::vector<T> before = one.c;
    const T alpha = make<T>(one.alpha.real(), one.alpha.imag()),
            beta = make<T>(one.beta.real(), one.beta.imag());
    if (round % 2) {
      ASSERT_EQ(call(this->hipblas_, prefix + "StridedBatched", this->handle_, one.op_a, one.op_b, one.m,
                     one.n, one.k, &alpha, one.a.data(), one.lda, one.stride_a, one.b.data(), one.ldb,
                     one.stride_b, &beta, one.c.data(), one.ldc, one.stride_c, one.batches),
                0);
      this->synchronize();
    } else {
      const auto [a, b, c] = one.arrays();
      ASSERT_EQ(
          call(this->hipblas_, prefix + "Batched", this->handle_, one.op_a, one.op_b, one.m, one.n, one.k,
               &alpha, a.data(), one.lda, b.data(), one.ldb, &beta, c.data(), one.ldc, one.batches),
          0);
      this->synchronize();
    }
    one.check(before, kSumError<T>);
    if (this->HasFatalFailure()) return;
  }
}

template <class T>
T scalar(Wide value) {
  if constexpr (kIsComplex<T>)
    return make<T>(value.real(), value.imag());
  else
    return static_cast<T>(value.real());
}

class Products : public ProductTest {
 protected:
  /// hipblasGemmEx and rocblas_gemm_ex with these types.
  template <class From, class To, class Scalar>
  void mixed(int hip_compute);
  /// hipblasGemmBatchedEx, and its name with HIPBLAS_V2, with these types.
  template <class From, class To, class Scalar>
  void mixed_batches(int compute);
};

template <class From, class To, class Scalar>
void Products::mixed(int hip_compute) {
  for (int round = 0; round < 20; ++round) {
    auto one = random_case<From, To>(70, 1);
    const std::vector<To> before = one.c;
    const Scalar alpha = scalar<Scalar>(one.alpha), beta = scalar<Scalar>(one.beta);
    int status = 0;
    if (round % 2) {
      using Ex = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
                         int, const void*, void*, int, int, int, int);
      status = reinterpret_cast<Ex>(dlsym(hipblas_, "hipblasGemmEx"))(
          handle_, one.op_a, one.op_b, one.m, one.n, one.k, &alpha, one.a.data(), NumberFacts<From>::kHip,
          one.lda, one.b.data(), NumberFacts<From>::kHip, one.ldb, &beta, one.c.data(), NumberFacts<To>::kHip,
          one.ldc, hip_compute, 160);
      synchronize();
    } else {
      using Ex =
          int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                  const void*, const void*, int, int, void*, int, int, int, int, int32_t, uint32_t);
      std::vector<To> d = one.c;
      status = reinterpret_cast<Ex>(dlsym(rocblas_, "rocblas_gemm_ex"))(
          rocblas_handle_, one.op_a, one.op_b, one.m, one.n, one.k, &alpha, one.a.data(),
          NumberFacts<From>::kRocblas, one.lda, one.b.data(), NumberFacts<From>::kRocblas, one.ldb, &beta,
          one.beta == 0.0 ? nullptr : one.c.data(), NumberFacts<To>::kRocblas, one.ldc, d.data(),
          NumberFacts<To>::kRocblas, one.ldc, NumberFacts<Scalar>::kRocblas, 0, 0, 0);
      synchronize();
      EXPECT_EQ(std::memcmp(one.c.data(), before.data(), before.size() * sizeof(To)), 0) << "C is only read";
      one.c = d;
    }
    ASSERT_EQ(status, 0);
    one.check(before, NumberFacts<Scalar>::kEpsilon);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Products, MixedTypesAreSummedInTheWiderOne) {
  mixed<_Float16, _Float16, float>(2);
  mixed<_Float16, float, float>(2);
  mixed<_Float16, _Float16, _Float16>(0);
  mixed<Brain, Brain, float>(2);
  mixed<Brain, float, float>(3);
  mixed<float, float, float>(151);
  mixed<double, double, double>(7);
  using Single = std::complex<float>;
  using Double = std::complex<double>;
  mixed<Single, Single, Single>(2);
  mixed<Double, Double, Double>(155);
  mixed<int8_t, int32_t, int32_t>(9);
  float one = 1;
  double matrix[4] = {};
  EXPECT_EQ(call(hipblas_, "hipblasGemmEx", handle_, kAsItIs, kAsItIs, 2, 2, 2, &one, matrix, 1, 2, matrix, 1,
                 2, &one, matrix, 0, 2, 2, 160),
            7)
      << "doubles into floats are not served";
}

template <class From, class To, class Scalar>
void Products::mixed_batches(int compute) {
  for (const char* name : {"hipblasGemmBatchedEx", "hipblasGemmBatchedEx_v2"}) {
    for (int round = 0; round < 6; ++round) {
      auto one = random_case<From, To>(24, 1 + round % 4);
      const std::vector<To> before = one.c;
      const Scalar alpha = scalar<Scalar>(one.alpha), beta = scalar<Scalar>(one.beta);
      const auto [a, b, c] = one.arrays();
      ASSERT_EQ(call(hipblas_, name, handle_, one.op_a, one.op_b, one.m, one.n, one.k, &alpha, a.data(),
                     NumberFacts<From>::kHip, one.lda, b.data(), NumberFacts<From>::kHip, one.ldb, &beta,
                     c.data(), NumberFacts<To>::kHip, one.ldc, one.batches, compute, 160),
                0);
      synchronize();
      one.check(before, NumberFacts<Scalar>::kEpsilon);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Products, BatchesOfMixedTypesAreSummedInTheWiderOne) {
  mixed_batches<_Float16, _Float16, float>(2);
  mixed_batches<_Float16, float, float>(2);
  mixed_batches<_Float16, _Float16, _Float16>(0);
  mixed_batches<Brain, float, float>(3);
  mixed_batches<float, float, float>(151);
}

TEST_F(Products, VectorsMayRunBackwards) {
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + below(50), n = 1 + below(50), lda = m + below(3), op = kAsItIs + below(3);
    const int rows = op == kAsItIs ? m : n, depth = op == kAsItIs ? n : m;
    const int x_step = step(), y_step = step();
    const auto a = numbers_of<double>(lda * n);
    const auto x = numbers_of<double>(std::abs(x_step) * depth);
    auto y = numbers_of<double>(std::abs(y_step) * rows);
    const auto before = y;
    const double alpha = number(), beta = number();
    ASSERT_EQ(call(hipblas_, "hipblasDgemv", handle_, op, m, n, &alpha, a.data(), lda, x.data(), x_step,
                   &beta, y.data(), y_step),
              0);
    synchronize();
    for (int i = 0; i < rows; ++i) {
      double sum = beta * before[place(i, rows, y_step)];
      for (int p = 0; p < depth; ++p)
        sum += alpha * element(a, 0, lda, op, i, p).real() * x[place(p, depth, x_step)];
      EXPECT_NEAR(y[place(i, rows, y_step)], sum, 1e-13);
    }
  }
}

TEST_F(Products, WrongCallsAreErrors) {
  float one = 1;
  std::vector<float> matrix(64);
  float* const at = matrix.data();
  const auto gemm = [&](void* handle, int op, int m, int lda, int ldc, const float* alpha, float* c) {
    return call(hipblas_, "hipblasSgemm", handle, op, kAsItIs, m, 4, 4, alpha, at, lda, at, 4, &one, c, ldc);
  };
  EXPECT_EQ(gemm(nullptr, kAsItIs, 4, 4, 4, &one, at), 1);
  EXPECT_EQ(gemm(handle_, 7, 4, 4, 4, &one, at), 10);
  EXPECT_EQ(gemm(handle_, kAsItIs, -1, 4, 4, &one, at), 3);
  EXPECT_EQ(gemm(handle_, kAsItIs, 4, 3, 4, &one, at), 3);
  EXPECT_EQ(gemm(handle_, kAsItIs, 4, 4, 3, &one, at), 3);
  EXPECT_EQ(gemm(handle_, kAsItIs, 4, 4, 4, nullptr, at), 3);
  EXPECT_EQ(gemm(handle_, kAsItIs, 4, 4, 4, &one, nullptr), 3);
  EXPECT_EQ(gemm(handle_, kAsItIs, 0, 4, 4, nullptr, nullptr), 0) << "nothing to do";
  void* memory = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{15 * sizeof(float)}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(gemm(handle_, kAsItIs, 4, 4, 4, &one, static_cast<float*>(memory)), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("matrix C of a product (4 by 4 by 4) reaches past"),
            std::string::npos);
  EXPECT_EQ(call(rocblas_, "rocblas_sgemm", rocblas_handle_, kAsItIs, kAsItIs, 4, 4, 4, &one, at, 3, at, 4,
                 &one, at, 4),
            4);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
}

}  // namespace
