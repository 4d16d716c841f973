// For tests: matrices with any strides, and what is computed of them in extended precision.
#pragma once

#include <complex>

#include "kernels/certificates/notes_testing.h"
#include "kernels/pointwise/number_types.h"
#include "kernels/testing.h"
#include "kernels/wavesmith_linalg.h"

namespace wavesmith::kernels {

using Linalg = wavesmith_linalg_description;
using Wide = long double;

/// One matrix of complex numbers in extended precision.
struct Dense {
  int64_t rows, columns;
  std::vector<Wide> re, im;

  Dense(int64_t rows_, int64_t columns_)
      : rows(rows_),
        columns(columns_),
        re(static_cast<size_t>(rows * columns)),
        im(static_cast<size_t>(rows * columns)) {}
  [[nodiscard]] size_t at(int64_t i, int64_t j) const { return static_cast<size_t>(i * columns + j); }
  void set(int64_t i, int64_t j, std::complex<Wide> x) { re[at(i, j)] = x.real(), im[at(i, j)] = x.imag(); }
  [[nodiscard]] std::complex<Wide> get(int64_t i, int64_t j) const { return {re[at(i, j)], im[at(i, j)]}; }

  static Dense identity(int64_t n) {
    Dense one(n, n);
    for (int64_t i = 0; i < n; ++i) one.re[one.at(i, i)] = 1;
    return one;
  }
  [[nodiscard]] Dense adjoint(bool conjugated = true) const {
    Dense other(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) other.set(j, i, conjugated ? std::conj(get(i, j)) : get(i, j));
    return other;
  }
  [[nodiscard]] Dense times(const Dense& other) const {
    Dense product(rows, other.columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < columns; ++k) {
        const Wide x = re[at(i, k)], y = im[at(i, k)];
        if (x == 0 && y == 0) continue;
        for (int64_t j = 0; j < other.columns; ++j) {
          const Wide u = other.re[other.at(k, j)], v = other.im[other.at(k, j)];
          product.re[product.at(i, j)] += x * u - y * v;
          product.im[product.at(i, j)] += x * v + y * u;
        }
      }
    return product;
  }
  [[nodiscard]] Dense less(const Dense& other) const {
    Dense difference = *this;
    for (size_t i = 0; i < re.size(); ++i) difference.re[i] -= other.re[i], difference.im[i] -= other.im[i];
    return difference;
  }
  [[nodiscard]] Dense scaled(Wide by) const {
    Dense made = *this;
    for (size_t i = 0; i < re.size(); ++i) made.re[i] *= by, made.im[i] *= by;
    return made;
  }
  [[nodiscard]] Dense plus(const Dense& other) const { return less(other.scaled(-1)); }
  /// Frobenius' norm.
  [[nodiscard]] Wide norm() const {
    Wide squares = 0;
    for (size_t i = 0; i < re.size(); ++i) squares += re[i] * re[i] + im[i] * im[i];
    return std::sqrt(squares);
  }
  void exchange_rows(int64_t i, int64_t p) {
    for (int64_t j = 0; j < columns; ++j) {
      const auto x = get(i, j);
      set(i, j, get(p, j)), set(p, j, x);
    }
  }
};

inline bool is_complex(Number type) { return type >= WAVESMITH_POINTWISE_C64; }
inline double epsilon_of(Number type) {
  return type == WAVESMITH_POINTWISE_F32 || type == WAVESMITH_POINTWISE_C64 ? 0x1p-24 : 0x1p-53;
}

/// A batch of matrices in host memory with any strides; what is no element is 0xff, and an element a NaN at
/// first.
struct Matrices {
  Number type;
  int64_t batch, rows, columns;
  int64_t row, column, next;  ///< elements between rows, columns and matrices
  int64_t first = 0;          ///< element of memory
  Elements memory;

  Matrices(Number type_, int64_t batch_, int64_t rows_, int64_t columns_, int layout = 0)
      : type(type_), batch(batch_), rows(rows_), columns(columns_) {
    const int64_t gap = layout >> 2 & 3;
    row = layout & 1 ? columns + gap : 1, column = layout & 1 ? 1 : rows + gap;
    next = (layout & 1 ? rows * row : columns * column) + gap;
    if (layout & 2) {  // from the other end
      first = (rows - 1) * row + (columns - 1) * column;
      row = -row, column = -column;
    }
    memory = Elements(WAVESMITH_KERNELS_I8, static_cast<size_t>((batch * next + 1) * size_of(type)));
  }
  [[nodiscard]] size_t byte(int64_t k, int64_t i, int64_t j) const {
    return static_cast<size_t>((first + k * next + i * row + j * column) * size_of(type));
  }
  [[nodiscard]] std::complex<Wide> get(int64_t k, int64_t i, int64_t j) const {
    const size_t at = byte(k, i, j), half = static_cast<size_t>(size_of(type)) / 2;
    return is_complex(type) ? std::complex<Wide>(part(at, half), part(at + half, half))
                            : std::complex<Wide>(part(at, 2 * half), 0);
  }
  void set(int64_t k, int64_t i, int64_t j, std::complex<Wide> x) {
    const size_t at = byte(k, i, j), half = static_cast<size_t>(size_of(type)) / 2;
    if (is_complex(type))
      put(at, half, x.real()), put(at + half, half, x.imag());
    else
      put(at, 2 * half, x.real());
  }
  void fill(int64_t k, const Dense& from) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) set(k, i, j, from.get(i, j));
  }
  [[nodiscard]] Dense dense(int64_t k) const {
    Dense to(rows, columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) to.set(i, j, get(k, i, j));
    return to;
  }
  /// What is not below the diagonal, or above it, becomes 0; the diagonal 1 or what it is.
  [[nodiscard]] Dense triangle(int64_t k, bool lower, bool unit) const {
    Dense to(rows, columns);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        if (i == j && unit)
          to.set(i, j, 1);
        else if (i == j || (i > j) == lower)
          to.set(i, j, get(k, i, j));
    return to;
  }

 private:
  [[nodiscard]] Wide part(size_t at, size_t bytes) const {
    float single = 0;
    double real = 0;
    std::memcpy(bytes == 4 ? static_cast<void*>(&single) : &real, &memory.bytes[at], bytes);
    return bytes == 4 ? static_cast<Wide>(single) : static_cast<Wide>(real);
  }
  void put(size_t at, size_t bytes, Wide x) {
    const auto single = static_cast<float>(x);
    const auto real = static_cast<double>(x);
    std::memcpy(&memory.bytes[at], bytes == 4 ? static_cast<const void*>(&single) : &real, bytes);
  }
};

/// The same on the GPU.
struct MatricesOnGpu {
  Matrices& host;
  OnGpu memory;

  explicit MatricesOnGpu(Matrices& host_) : host(host_), memory(host_.memory) {}
  [[nodiscard]] wavesmith_linalg_matrix matrix() const {
    return {static_cast<char*>(memory.data()) + host.first * size_of(host.type), host.row, host.column,
            host.next};
  }
  void read() const { memory.copy_to(host.memory); }
};

/// Integers per matrix, on the GPU.
struct IntegersOnGpu {
  Elements host;
  OnGpu memory;

  explicit IntegersOnGpu(int64_t count)
      : host(WAVESMITH_KERNELS_I32, static_cast<size_t>(count)), memory(host) {}
  [[nodiscard]] int32_t* data() const { return static_cast<int32_t*>(memory.data()); }
  void read() { memory.copy_to(host); }
  [[nodiscard]] int64_t get(int64_t at) const {
    return static_cast<int64_t>(host.get(static_cast<size_t>(at)));
  }
};

class OnMatrices : public OnEachGpu {
 protected:
  std::complex<Wide> any_number(Number type) { return {normal(), is_complex(type) ? normal() : 0}; }
  int any_layout() { return static_cast<int>(between(0, 15)); }
  /// Any matrix, of whose rows each may be smaller than the one before.
  Dense any_dense(Number type, int64_t rows, int64_t columns, Wide grade = 1) {
    Dense made(rows, columns);
    Wide scale = 1;
    for (int64_t i = 0; i < rows; ++i, scale *= grade)
      for (int64_t j = 0; j < columns; ++j) {
        const auto x = any_number(type) * scale;
        const bool is_short = epsilon_of(type) > 1e-10;
        made.set(i, j,
                 is_short ? std::complex<Wide>(static_cast<float>(x.real()), static_cast<float>(x.imag()))
                          : std::complex<Wide>(static_cast<double>(x.real()), static_cast<double>(x.imag())));
      }
    return made;
  }
  /// Compares with 16 n e of a norm.
  static void expect_small(Wide error, Wide norm, int64_t n, Number type, const std::string& what) {
    ErrorNote note;
    const Wide allowed = 16 * static_cast<Wide>(n) * epsilon_of(type) * norm + 1e-300L;
    note.add(static_cast<double>(error), static_cast<double>(allowed));
    EXPECT_LE(error, allowed) << what << " of " << word_of(type) << ", " << n;
  }
  static void run(const Linalg& one) {
    ASSERT_EQ(wavesmith_kernels_linalg(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }
  static Linalg described(wavesmith_linalg_operation operation, Number type, int64_t batch, int64_t rows,
                          int64_t columns, int64_t inner = 0) {
    Linalg one{};
    one.operation = operation, one.type = type;
    one.batch = batch, one.rows = rows, one.columns = columns, one.inner = inner;
    return one;
  }
  static constexpr Number kTypes[] = {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64,
                                      WAVESMITH_POINTWISE_C64, WAVESMITH_POINTWISE_C128};
  /// Calls with every type and sizes of which some are in shared memory and some in blocks.
  template <class Visit>
  void each_type(Visit visit) {
    for (const Number type : kTypes)
      for (const int64_t n : {one_of<int64_t>({1, 2, 3}), one_of<int64_t>({7, 16, 17, 31, 32, 33}),
                              type == kTypes[GetParam() % 4] ? between(64, 100) : int64_t{5}})
        visit(type, n);
  }
};

}  // namespace wavesmith::kernels
