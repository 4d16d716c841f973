// Products of the BLAS libraries, against sums of complex doubles written out here. Random sizes, leading
// dimensions and values; the seed is printed.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "libraries/blas_test.h"

namespace {

using namespace wavesmith::libraries;
using Wide = std::complex<double>;

struct Brain {
  uint16_t bits;
};

template <class T>
struct Traits;
template <>
struct Traits<_Float16> {
  static constexpr char kLetter = 'h';
  static constexpr int kHip = 2, kRocblas = 150;
  static constexpr double kEpsilon = 0x1p-11;
};
template <>
struct Traits<Brain> {
  static constexpr int kHip = 14, kRocblas = 168;
  static constexpr double kEpsilon = 0x1p-8;
};
template <>
struct Traits<float> {
  static constexpr char kLetter = 's';
  static constexpr int kHip = 0, kRocblas = 151;
  static constexpr double kEpsilon = 0x1p-24;
};
template <>
struct Traits<double> {
  static constexpr char kLetter = 'd';
  static constexpr int kHip = 1, kRocblas = 152;
  static constexpr double kEpsilon = 0x1p-53;
};
template <>
struct Traits<std::complex<float>> : Traits<float> {
  static constexpr char kLetter = 'c';
  static constexpr int kHip = 4, kRocblas = 154;
};
template <>
struct Traits<std::complex<double>> : Traits<double> {
  static constexpr char kLetter = 'z';
  static constexpr int kHip = 5, kRocblas = 155;
};
template <>
struct Traits<int8_t> {
  static constexpr int kHip = 3, kRocblas = 160;
};
template <>
struct Traits<int32_t> {
  static constexpr int kHip = 10, kRocblas = 162;
  static constexpr double kEpsilon = 0;
};

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
Wide wide(T value) {
  if constexpr (kIsComplex<T>)
    return {value.real(), value.imag()};
  else if constexpr (std::is_same_v<T, Brain>) {
    const uint32_t bits = uint32_t{value.bits} << 16;
    float single = 0;
    std::memcpy(&single, &bits, sizeof single);
    return single;
  } else
    return static_cast<double>(value);
}
template <class T>
T make(double real, double imaginary) {
  if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(imaginary));
  else if constexpr (std::is_same_v<T, Brain>) {
    const auto single = static_cast<float>(real);
    uint32_t bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    return {static_cast<uint16_t>(bits >> 16)};
  } else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::lround(real * 40));
  else
    return static_cast<T>(real);
}

class Products : public BlasTest {
 protected:
  template <class T>
  std::vector<T> numbers(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = make<T>(number(), number());
    return values;
  }
};

/// Whether nothing wrote to it: NaNs are equal to themselves, and zeros have signs.
template <class T>
bool same_bytes(const T& a, const T& b) {
  const auto* const of_a = reinterpret_cast<const std::byte*>(&a);
  return std::equal(of_a, of_a + sizeof a, reinterpret_cast<const std::byte*>(&b));
}

constexpr int kAsItIs = 111, kTransposed = 112, kConjugated = 113;

/// Element (row, column) of op(matrix).
template <class T>
Wide element(const std::vector<T>& matrix, size_t base, int ld, int op, int row, int column) {
  if (op != kAsItIs) std::swap(row, column);
  const Wide value =
      wide(matrix[base + static_cast<size_t>(row) + static_cast<size_t>(column) * static_cast<size_t>(ld)]);
  return op == kConjugated ? std::conj(value) : value;
}

/// Sizes and operands of one random product, of a batch of matrices side by side.
template <class From, class To>
struct Case {
  int op_a, op_b, m, n, k, lda, ldb, ldc, batches;
  long long stride_a, stride_b, stride_c;
  std::vector<From> a, b;
  std::vector<To> c;
  Wide alpha, beta;

  /// What element (i, j) of a batch's result has to be, and the sum of the magnitudes, of which errors are
  /// fractions.
  [[nodiscard]] std::pair<Wide, double> expected(const std::vector<To>& before, int batch, int i,
                                                 int j) const {
    Wide sum = 0;
    double magnitude = 0;
    for (int p = 0; p < k; ++p) {
      const Wide product = element(a, static_cast<size_t>(stride_a * batch), lda, op_a, i, p) *
                           element(b, static_cast<size_t>(stride_b * batch), ldb, op_b, p, j);
      sum += product;
      magnitude += std::abs(product);
    }
    Wide value = alpha == 0.0 ? 0 : alpha * sum;
    magnitude = alpha == 0.0 ? 0 : magnitude * std::abs(alpha);
    if (beta != 0.0) {
      const Wide was = wide(before[place(batch, i, j)]);
      value += beta * was;
      magnitude += std::abs(beta * was);
    }
    return {value, magnitude};
  }
  [[nodiscard]] size_t place(int batch, int i, int j) const {
    return static_cast<size_t>(stride_c * batch + i + static_cast<long long>(j) * ldc);
  }
  /// `before` is C as it was. What lies between the columns has to stay.
  void check(const std::vector<To>& before, double error) const {
    std::vector<bool> written(c.size());
    for (int batch = 0; batch < batches; ++batch)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          const size_t at = place(batch, i, j);
          written[at] = true;
          const auto [value, magnitude] = expected(before, batch, i, j);
          const double bound = error * (k + 4) * magnitude + Traits<To>::kEpsilon * std::abs(value) * 2 +
                               (std::is_same_v<To, _Float16> ? 0x1p-24 : 0);
          ASSERT_LE(std::abs(wide(c[at]) - value), bound)
              << m << 'x' << n << 'x' << k << " ops " << op_a << ' ' << op_b << " at " << i << ',' << j
              << " of " << batch;
        }
    for (size_t at = 0; at < c.size(); ++at)
      if (!written[at]) ASSERT_TRUE(same_bytes(c[at], before[at]));
  }
};

template <class From, class To>
Case<From, To> random_case(std::mt19937& random, int largest, int batches) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const auto number = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  Case<From, To> one{};
  one.op_a = kAsItIs + below(3);
  one.op_b = kAsItIs + below(3);
  one.m = below(largest), one.n = below(largest), one.k = below(largest);
  one.batches = batches;
  const auto fill = [&](auto& matrix, int rows, int columns, int& ld, long long& stride) {
    using T = std::remove_reference_t<decltype(matrix[0])>;
    ld = std::max(1, rows) + below(4);
    stride = static_cast<long long>(ld) * columns + below(7);
    matrix.resize(static_cast<size_t>(stride * batches + 8));
    for (T& value : matrix) value = make<T>(number(), number());
  };
  const bool a = one.op_a == kAsItIs, b = one.op_b == kAsItIs;
  fill(one.a, a ? one.m : one.k, a ? one.k : one.m, one.lda, one.stride_a);
  fill(one.b, b ? one.k : one.n, b ? one.n : one.k, one.ldb, one.stride_b);
  fill(one.c, one.m, one.n, one.ldc, one.stride_c);
  const double scalars[] = {0, 1, -1.5, 0.25};
  const double imaginary = kIsComplex<To> ? 0.5 : 0;
  one.alpha = scalars[below(4)], one.beta = scalars[below(4)];
  if (one.alpha == -1.5) one.alpha += Wide(0, imaginary);
  if (one.beta == -1.5) one.beta += Wide(0, imaginary);
  // What is multiplied by 0 is not read.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (!std::is_integral_v<To>) {
    if (one.beta == 0.0) std::fill(one.c.begin(), one.c.end(), make<To>(nan, nan));
    if (one.alpha == 0.0) std::fill(one.a.begin(), one.a.end(), make<From>(nan, nan));
  } else {
    one.alpha = static_cast<double>(below(3) - 1), one.beta = static_cast<double>(below(3) - 1);
  }
  return one;
}

template <class T>
class TypedProducts : public Products {};
template <class T>
struct Of {  // typeid of _Float16 itself is in no library
  using type = T;
};
using Types =
    testing::Types<Of<_Float16>, Of<float>, Of<double>, Of<std::complex<float>>, Of<std::complex<double>>>;
TYPED_TEST_SUITE(TypedProducts, Types);

/// Halves are summed as floats.
template <class T>
constexpr double kSumError = std::is_same_v<T, _Float16> ? 0x1p-24 : Traits<T>::kEpsilon;

TYPED_TEST(TypedProducts, GemmEqualsSumsInDoublePrecision) {
  using T = typename TypeParam::type;
  for (int round = 0; round < 44; ++round) {
    auto one = random_case<T, T>(this->random_, round < 40 ? 40 : 300, 1);
    const std::vector<T> before = one.c;
    const T alpha = make<T>(one.alpha.real(), one.alpha.imag()),
            beta = make<T>(one.beta.real(), one.beta.imag());
    const bool roc = round % 2;
    const char letter = Traits<T>::kLetter;
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
      std::string("hipblas") + static_cast<char>(Traits<T>::kLetter - 'a' + 'A') + "gemm";
  for (int round = 0; round < 12; ++round) {
    auto one = random_case<T, T>(this->random_, 24, 1 + this->below(4));
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
      std::vector<T*> a, b, c;
      for (int i = 0; i < one.batches; ++i) {
        a.push_back(one.a.data() + one.stride_a * i);
        b.push_back(one.b.data() + one.stride_b * i);
        c.push_back(one.c.data() + one.stride_c * i);
      }
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

/// hipblasGemmEx and rocblas_gemm_ex with these types.
template <class From, class To, class Scalar>
void mixed(std::mt19937& random, void* hipblas, void* handle, void* rocblas, void* rocblas_handle,
           int hip_compute, void (*synchronize)(void*), void* hip) {
  for (int round = 0; round < 20; ++round) {
    auto one = random_case<From, To>(random, 70, 1);
    const std::vector<To> before = one.c;
    const Scalar alpha = scalar<Scalar>(one.alpha), beta = scalar<Scalar>(one.beta);
    int status = 0;
    if (round % 2) {
      using Ex = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
                         int, const void*, void*, int, int, int, int);
      status = reinterpret_cast<Ex>(dlsym(hipblas, "hipblasGemmEx"))(
          handle, one.op_a, one.op_b, one.m, one.n, one.k, &alpha, one.a.data(), Traits<From>::kHip, one.lda,
          one.b.data(), Traits<From>::kHip, one.ldb, &beta, one.c.data(), Traits<To>::kHip, one.ldc,
          hip_compute, 160);
      synchronize(hip);
    } else {
      using Ex =
          int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                  const void*, const void*, int, int, void*, int, int, int, int, int32_t, uint32_t);
      std::vector<To> d = one.c;
      status = reinterpret_cast<Ex>(dlsym(rocblas, "rocblas_gemm_ex"))(
          rocblas_handle, one.op_a, one.op_b, one.m, one.n, one.k, &alpha, one.a.data(),
          Traits<From>::kRocblas, one.lda, one.b.data(), Traits<From>::kRocblas, one.ldb, &beta,
          one.beta == 0.0 ? nullptr : one.c.data(), Traits<To>::kRocblas, one.ldc, d.data(),
          Traits<To>::kRocblas, one.ldc, Traits<Scalar>::kRocblas, 0, 0, 0);
      synchronize(hip);
      EXPECT_EQ(std::memcmp(one.c.data(), before.data(), before.size() * sizeof(To)), 0) << "C is only read";
      one.c = d;
    }
    ASSERT_EQ(status, 0);
    one.check(before, Traits<Scalar>::kEpsilon);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(Products, MixedTypesAreSummedInTheWiderOne) {
  const auto wait = [](void* hip) { EXPECT_EQ(call(hip, "hipDeviceSynchronize"), 0); };
  mixed<_Float16, _Float16, float>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 2, wait, hip_);
  mixed<_Float16, float, float>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 2, wait, hip_);
  mixed<_Float16, _Float16, _Float16>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 0, wait, hip_);
  mixed<Brain, Brain, float>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 2, wait, hip_);
  mixed<Brain, float, float>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 3, wait, hip_);
  mixed<float, float, float>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 151, wait, hip_);
  mixed<double, double, double>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 7, wait, hip_);
  using Single = std::complex<float>;
  using Double = std::complex<double>;
  mixed<Single, Single, Single>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 2, wait, hip_);
  mixed<Double, Double, Double>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 155, wait, hip_);
  mixed<int8_t, int32_t, int32_t>(random_, hipblas_, handle_, rocblas_, rocblas_handle_, 9, wait, hip_);
  float one = 1;
  double matrix[4] = {};
  EXPECT_EQ(call(hipblas_, "hipblasGemmEx", handle_, kAsItIs, kAsItIs, 2, 2, 2, &one, matrix, 1, 2, matrix, 1,
                 2, &one, matrix, 0, 2, 2, 160),
            7)
      << "doubles into floats are not served";
}

TEST_F(Products, LayoutsOfHipblasLtSayHowMatricesLie) {
  void* const library = open_library("libhipblaslt.so.1");
  ASSERT_NE(library, nullptr);
  void *handle = nullptr, *description = nullptr, *preference = nullptr, *layouts[3] = {};
  ASSERT_EQ(call(library, "hipblasLtCreate", &handle), 0);
  for (int round = 0; round < 30; ++round) {
    auto one = random_case<double, double>(random_, 40, 1 + below(3));
    const std::vector<double> before = one.c;
    const double alpha = one.alpha.real(), beta = one.beta.real();
    ASSERT_EQ(call(library, "hipblasLtMatmulDescCreate", &description, 7, 1), 0);
    const int32_t operations[] = {one.op_a, one.op_b};
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, i,
                     static_cast<const void*>(operations + i), sizeof(int32_t)),
                0);
    const bool a = one.op_a == kAsItIs, b = one.op_b == kAsItIs;
    const uint64_t sizes[3][2] = {
        {static_cast<uint64_t>(a ? one.m : one.k), static_cast<uint64_t>(a ? one.k : one.m)},
        {static_cast<uint64_t>(b ? one.k : one.n), static_cast<uint64_t>(b ? one.n : one.k)},
        {static_cast<uint64_t>(one.m),             static_cast<uint64_t>(one.n)            }
    };
    const int64_t lds[] = {one.lda, one.ldb, one.ldc}, strides[] = {one.stride_a, one.stride_b, one.stride_c};
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(
          call(library, "hipblasLtMatrixLayoutCreate", &layouts[i], 1, sizes[i][0], sizes[i][1], lds[i]), 0);
      const int32_t batches = one.batches;
      ASSERT_EQ(call(library, "hipblasLtMatrixLayoutSetAttribute", layouts[i], 0,
                     static_cast<const void*>(&batches), sizeof batches),
                0);
      ASSERT_EQ(call(library, "hipblasLtMatrixLayoutSetAttribute", layouts[i], 1,
                     static_cast<const void*>(strides + i), sizeof(int64_t)),
                0);
    }
    // 24 bytes of algorithm, the workspace's size, the status, a float, four integers.
    uint64_t found[7];
    std::memset(found, 0xff, sizeof found);
    int count = 0;
    ASSERT_EQ(call(library, "hipblasLtMatmulPreferenceCreate", &preference), 0);
    ASSERT_EQ(call(library, "hipblasLtMatmulAlgoGetHeuristic", handle, description, layouts[0], layouts[1],
                   layouts[2], layouts[2], preference, 1, static_cast<void*>(found), &count),
              0);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(found[3], 0);
    EXPECT_EQ(static_cast<uint32_t>(found[4]), 0);
    ASSERT_EQ(call(library, "hipblasLtMatmul", handle, description, static_cast<const void*>(&alpha),
                   static_cast<const void*>(one.a.data()), layouts[0], static_cast<const void*>(one.b.data()),
                   layouts[1], static_cast<const void*>(&beta), static_cast<const void*>(one.c.data()),
                   layouts[2], static_cast<void*>(one.c.data()), layouts[2], static_cast<void*>(found),
                   static_cast<void*>(nullptr), size_t{0}, static_cast<void*>(nullptr)),
              0);
    synchronize();
    one.check(before, Traits<double>::kEpsilon);
    if (HasFatalFailure()) return;
    const uint32_t gradient_of_bias = 256;
    ASSERT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, 2,
                   static_cast<const void*>(&gradient_of_bias), sizeof gradient_of_bias),
              0);
    EXPECT_EQ(call(library, "hipblasLtMatmulAlgoGetHeuristic", handle, description, layouts[0], layouts[1],
                   layouts[2], layouts[2], preference, 1, static_cast<void*>(found), &count),
              7);
    EXPECT_EQ(count, 0);
    for (void* layout : layouts) EXPECT_EQ(call(library, "hipblasLtMatrixLayoutDestroy", layout), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescDestroy", description), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulPreferenceDestroy", preference), 0);
  }
  EXPECT_EQ(call(library, "hipblasLtDestroy", handle), 0);
}

TEST_F(Products, VectorsMayRunBackwards) {
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + below(50), n = 1 + below(50), lda = m + below(3), op = kAsItIs + below(3);
    const int rows = op == kAsItIs ? m : n, depth = op == kAsItIs ? n : m;
    const int x_step = (1 + below(3)) * (below(2) ? 1 : -1), y_step = (1 + below(3)) * (below(2) ? 1 : -1);
    const auto a = numbers<double>(static_cast<size_t>(lda) * static_cast<size_t>(n));
    const auto x = numbers<double>(static_cast<size_t>(std::abs(x_step)) * static_cast<size_t>(depth));
    auto y = numbers<double>(static_cast<size_t>(std::abs(y_step)) * static_cast<size_t>(rows));
    const auto before = y;
    const double alpha = number(), beta = number();
    ASSERT_EQ(call(hipblas_, "hipblasDgemv", handle_, op, m, n, &alpha, a.data(), lda, x.data(), x_step,
                   &beta, y.data(), y_step),
              0);
    synchronize();
    const auto at = [](int step, int count, int i) {
      return static_cast<size_t>(step < 0 ? -step * (count - 1 - i) : step * i);
    };
    for (int i = 0; i < rows; ++i) {
      double sum = beta * before[at(y_step, rows, i)];
      for (int p = 0; p < depth; ++p)
        sum += alpha * element(a, 0, lda, op, i, p).real() * x[at(x_step, depth, p)];
      EXPECT_NEAR(y[at(y_step, rows, i)], sum, 1e-13);
    }
  }
}

/// What is enqueued before holds the stream, then writes what the product reads.
struct Late {
  float *alpha, *a;
  static void write(void* data) {
    const auto* const late = static_cast<Late*>(data);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *late->alpha = 3;
    late->a[0] = 5;
  }
};

TEST_F(Products, TakeTheirTurnInTheStreamAndReadScalarsOfTheGpuThen) {
  void *stream = nullptr, *memory = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{5 * sizeof(float)}), 0);
  auto* const place = static_cast<float*>(memory);  // the host sees it, too
  const float values[] = {1, 0, 1, 2, 100};         // alpha, beta, a, b, c
  std::copy(std::begin(values), std::end(values), place);
  ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSetPointerMode", handle_, 1), 0);
  Late late{place, place + 2};
  ASSERT_EQ(call(hip_, "hipLaunchHostFunc", stream, &Late::write, static_cast<void*>(&late)), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSgemm", handle_, kAsItIs, kAsItIs, 1, 1, 1, place, place + 2, 1, place + 3,
                 1, place + 1, place + 4, 1),
            0);
  EXPECT_EQ(place[4], 100) << "done before its turn";
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(place[4], 3 * 5 * 2);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
}

TEST_F(Products, GraphsRepeatThem) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  ASSERT_EQ(call(hipblas_, "hipblasSetStream", handle_, stream), 0);
  double a = 2, b = 3, c = 1, one = 1;
  ASSERT_EQ(call(hip_, "hipStreamBeginCapture", stream, 0), 0);
  ASSERT_EQ(
      call(hipblas_, "hipblasDgemm", handle_, kAsItIs, kTransposed, 1, 1, 1, &one, &a, 1, &b, 1, &one, &c, 1),
      0);
  one = 1000;  // alpha and beta are those of the call
  ASSERT_EQ(call(hip_, "hipStreamEndCapture", stream, &graph), 0);
  ASSERT_EQ(call(hip_, "hipGraphInstantiate", &executable, graph, static_cast<void*>(nullptr),
                 static_cast<char*>(nullptr), size_t{0}),
            0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(c, 1 + 3 * 6);
  a = 10;
  ASSERT_EQ(call(hip_, "hipGraphLaunch", executable, stream), 0);
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(c, 1 + 3 * 6 + 30);
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
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
