// Helpers for tests of matrix products: numbers of every type, and random products with expected results as
// sums of complex doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "libraries/blas/blas_test.h"

namespace wavesmith::libraries::products {

using Wide = std::complex<double>;

struct Brain {
  uint16_t bits;
};

/// Letter in functions' names, hipDataType, rocblas_datatype and half the distance between numbers at 1.
template <class T>
struct NumberFacts;
template <>
struct NumberFacts<_Float16> {
  static constexpr char kLetter = 'h';
  static constexpr int kHip = 2, kRocblas = 150;
  static constexpr double kEpsilon = 0x1p-11;
};
template <>
struct NumberFacts<Brain> {
  static constexpr int kHip = 14, kRocblas = 168;
  static constexpr double kEpsilon = 0x1p-8;
};
template <>
struct NumberFacts<float> {
  static constexpr char kLetter = 's';
  static constexpr int kHip = 0, kRocblas = 151;
  static constexpr double kEpsilon = 0x1p-24;
};
template <>
struct NumberFacts<double> {
  static constexpr char kLetter = 'd';
  static constexpr int kHip = 1, kRocblas = 152;
  static constexpr double kEpsilon = 0x1p-53;
};
template <>
struct NumberFacts<std::complex<float>> : NumberFacts<float> {
  static constexpr char kLetter = 'c';
  static constexpr int kHip = 4, kRocblas = 154;
};
template <>
struct NumberFacts<std::complex<double>> : NumberFacts<double> {
  static constexpr char kLetter = 'z';
  static constexpr int kHip = 5, kRocblas = 155;
};
template <>
struct NumberFacts<int8_t> {
  static constexpr int kHip = 3, kRocblas = 160;
};
template <>
struct NumberFacts<int32_t> {
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

/// Whether two numbers have the same bits: NaNs equal themselves, and zeros have signs.
template <class T>
bool same_bytes(const T& a, const T& b) {
  const auto* const of_a = reinterpret_cast<const std::byte*>(&a);
  return std::equal(of_a, of_a + sizeof a, reinterpret_cast<const std::byte*>(&b));
}

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

  /// The expected element (i, j) of a batch's result, and the sum of magnitudes to which errors are relative.
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
  /// Where each batch's matrices begin.
  struct Arrays {
    std::vector<const From*> a, b;
    std::vector<To*> c;
  };
  [[nodiscard]] Arrays arrays() {
    Arrays all;
    for (int i = 0; i < batches; ++i) {
      all.a.push_back(a.data() + stride_a * i);
      all.b.push_back(b.data() + stride_b * i);
      all.c.push_back(c.data() + stride_c * i);
    }
    return all;
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
          const double bound = error * (k + 4) * magnitude + NumberFacts<To>::kEpsilon * std::abs(value) * 2 +
                               (std::is_same_v<To, _Float16> ? 0x1p-24 : 0);
          ASSERT_LE(std::abs(wide(c[at]) - value), bound)
              << m << 'x' << n << 'x' << k << " ops " << op_a << ' ' << op_b << " at " << i << ',' << j
              << " of " << batch;
        }
    for (size_t at = 0; at < c.size(); ++at)
      if (!written[at]) ASSERT_TRUE(same_bytes(c[at], before[at]));
  }
};

class ProductTest : public BlasTest {
 protected:
  /// Each size is less than `largest`; what is multiplied by 0 is NaN.
  template <class From, class To>
  Case<From, To> random_case(int largest, int batches);
};

template <class From, class To>
Case<From, To> ProductTest::random_case(int largest, int batches) {
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

}  // namespace wavesmith::libraries::products
