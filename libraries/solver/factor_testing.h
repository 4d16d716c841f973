// For tests of factorisations: matrices in a wider type, and rocSOLVER, hipSOLVER, rocBLAS and hipBLAS with a
// handle each.
#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "libraries/shim/seeded_test.h"

namespace wavesmith::libraries {

using Real = long double;
using Wide = std::complex<Real>;

/// A matrix by columns, in complex numbers wider than any library's.
struct Dense {
  int rows, columns;
  std::vector<Wide> values;
  Dense(int m, int n) : rows(m), columns(n), values(static_cast<size_t>(m * n)) {}
  Wide& operator()(int i, int j) { return values[static_cast<size_t>(j * rows + i)]; }
  const Wide& operator()(int i, int j) const { return values[static_cast<size_t>(j * rows + i)]; }
};
inline Dense operator*(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j)
    for (int k = 0; k < a.columns; ++k)
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}
inline Dense turned(const Dense& a, int operation) {
  if (operation == kAsItIs) return a;
  Dense c(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) c(j, i) = operation == kConjugated ? std::conj(a(i, j)) : a(i, j);
  return c;
}

template <class T>
class FactorTest : public SeededTest {
 protected:
  void SetUp() override {
    SeededTest::SetUp();
    rocsolver_ = open_library("librocsolver.so.0");
    hipsolver_ = open_library("libhipsolver.so.1");
    rocblas_ = open_library("librocblas.so.5");
    hipblas_ = open_library("libhipblas.so.3");
    ASSERT_TRUE(rocsolver_ && hipsolver_ && rocblas_ && hipblas_);
    ASSERT_EQ(call(rocblas_, "rocblas_create_handle", &rocblas_handle_), 0);
    ASSERT_EQ(call(hipblas_, "hipblasCreate", &hipblas_handle_), 0);
    ASSERT_EQ(call(hipsolver_, "hipsolverCreate", &hipsolver_handle_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(rocblas_, "rocblas_destroy_handle", rocblas_handle_), 0);
    EXPECT_EQ(call(hipblas_, "hipblasDestroy", hipblas_handle_), 0);
    EXPECT_EQ(call(hipsolver_, "hipsolverDestroy", hipsolver_handle_), 0);
  }
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
        a(i, j) = Wide(std::real(from), std::imag(from));
      }
    return a;
  }
  /// The error that is allowed is `scale` times the type's.
  void expect_equal(const Dense& got, const Dense& want, Real scale) {
    const Real error = (sizeof(std::real(T{})) == 4 ? 0x1p-22 : 0x1p-50) * scale;
    for (size_t i = 0; i < want.values.size(); ++i)
      ASSERT_LE(std::abs(got.values[i] - want.values[i]), error) << i;
  }
  Dense positive(int n) {
    const Dense a = random(n, n);
    Dense square = a * turned(a, kConjugated);
    for (int i = 0; i < n; ++i) square(i, i) += static_cast<Real>(n);
    return square;
  }
  int roc(const std::string& name, auto... args) {
    return call(rocsolver_, std::string("rocsolver_") + kSmall<T> + name, rocblas_handle_, args...);
  }
  static std::string small(const char* before, const char* after) {
    return std::string(before) + kSmall<T> + after;
  }
  static std::string large(const char* before, const char* after) {
    return std::string(before) + kLarge<T> + after;
  }

  void *rocsolver_ = nullptr, *hipsolver_ = nullptr, *rocblas_ = nullptr, *hipblas_ = nullptr,
       *rocblas_handle_ = nullptr, *hipblas_handle_ = nullptr, *hipsolver_handle_ = nullptr;
};

}  // namespace wavesmith::libraries
