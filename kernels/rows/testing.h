// For tests of the operations on rows: matrices of rows on host and GPU, compared element by element.
#pragma once

#include "kernels/rows/choice.h"
#include "kernels/testing.h"

namespace wavesmith::kernels {

/// A matrix of rows in host memory; what lies between the rows stays NaN.
struct HostRows {
  int64_t rows = 0, columns = 0, stride = 0;
  Elements elements;

  HostRows() = default;
  HostRows(int64_t rows_, int64_t columns_, int64_t padding, Type type)
      : rows(rows_),
        columns(columns_),
        stride(columns_ + padding),
        elements(type, static_cast<size_t>((rows_ - 1) * stride + columns_)) {}
  [[nodiscard]] size_t at(int64_t row, int64_t column) const {
    return static_cast<size_t>(row * stride + column);
  }
  [[nodiscard]] double get(int64_t row, int64_t column) const { return elements.get(at(row, column)); }
  void set(int64_t row, int64_t column, double value) { elements.set(at(row, column), value); }
  [[nodiscard]] wavesmith_kernels_rows on(const OnGpu& gpu) const {
    return {gpu.data(), elements.type, stride};
  }
};

/// A row's length; aligned, where a test's matrices are to begin at multiples of 16 bytes and their rows,
/// too.
struct RowLength {
  int64_t columns;
  bool aligned;
};

class RowsOnEachGpu : public OnEachGpu {
 protected:
  Type any_type() { return one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}); }
  /// Another one: matrices of two types have the kernels for all types.
  Type any_type_but(Type type) {
    const Type other = any_type();
    return other == type ? static_cast<Type>((type + 1) % 3) : other;
  }
  HostRows random_rows(int64_t rows, int64_t columns, int64_t padding, Type type, double size = 1) {
    HostRows made(rows, columns, padding, type);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) made.set(i, j, size * normal());
    return made;
  }
  /// The longest row of each kernel that serves all types, of those that end nowhere one.
  static std::vector<RowLength> each_length() {
    std::vector<RowLength> lengths;
    for (const RowConfiguration& one : kRowConfigurations) {
      const int64_t columns = one.parts > 0     ? one.columns()
                              : one.aligned     ? 20000
                              : one.lanes < 256 ? 512
                                                : 2049;
      EXPECT_EQ(row_configuration(columns, one.aligned).name, one.name) << "no row is for it";
      lengths.push_back({columns, one.aligned});
    }
    return lengths;
  }
  /// The longest row of each kernel for matrices of one type.
  static std::vector<RowLength> each_known_length() {
    std::vector<RowLength> lengths;
    for (const RowConfiguration& one : kKnownRowConfigurations) {
      EXPECT_EQ(known_row_configuration(WAVESMITH_KERNELS_F16, one.columns())->name, one.name);
      lengths.push_back({one.columns(), true});
    }
    return lengths;
  }
  /// Each length, then so many random ones.
  std::vector<RowLength> lengths(int random) {
    std::vector<RowLength> all = each_length();
    for (int i = 0; i < random; ++i) all.push_back({some_columns(), between(0, 2) > 0});
    return all;
  }
  /// Rows of a matrix for a test: fewer where they are long.
  int64_t some_rows(int64_t columns) { return columns < 600 ? between(1, 70) : between(1, 3); }
  /// Elements between rows, and from an allocation's start: rows that are not aligned never are by chance.
  int64_t some_padding(bool aligned) { return aligned ? 8 * between(0, 2) : between(0, 9); }
  size_t some_offset(bool aligned) { return static_cast<size_t>(aligned ? 0 : between(1, 3)); }

  /// A length near which another kernel is chosen, or any.
  int64_t some_columns() {
    return one_of<int64_t>({1,
                            7,
                            8,
                            64,
                            128,
                            136,
                            500,
                            512,
                            513,
                            520,
                            2048,
                            2056,
                            3072,
                            4096,
                            4104,
                            8192,
                            8200,
                            16384,
                            16392,
                            20000,
                            20001,
                            between(1, 3000),
                            8 * between(1, 3000)});
  }
};

/// Compares the elements that the GPU wrote to `on_gpu` with `expected(row, column)`, of which each may be
/// off by `allowed(row, column)` before it is rounded, and sees that nothing between the rows was written.
template <class Expected, class Allowed>
void expect_rows(HostRows& rows, const OnGpu& on_gpu, Expected expected, Allowed allowed) {
  const Elements before = rows.elements;
  on_gpu.copy_to(rows.elements);
  ErrorNote note;
  const Type type = rows.elements.type;
  std::vector<char> written(rows.elements.count(), 0);
  for (int64_t i = 0; i < rows.rows; ++i)
    for (int64_t j = 0; j < rows.columns; ++j) {
      const double want = expected(i, j), got = rows.get(i, j), error = allowed(i, j);
      written[rows.at(i, j)] = 1;
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << "[" << i << "][" << j << "] is " << got << ", not NaN";
      } else if (std::isinf(want)) {
        ASSERT_EQ(got, want) << "[" << i << "][" << j << "]";
      } else {
        const double all = rounded_error(type, want, error);
        note.add(std::abs(got - want), all);
        ASSERT_LE(std::abs(got - want), all) << "[" << i << "][" << j << "] of " << rows.rows << " x "
                                             << rows.columns << ": " << got << " instead of " << want;
      }
    }
  const size_t size = bytes_of(type);
  for (size_t i = 0; i < written.size(); ++i)
    if (!written[i])
      ASSERT_EQ(std::memcmp(&rows.elements.bytes[i * size], &before.bytes[i * size], size), 0)
          << "written between rows, at element " << i;
}

}  // namespace wavesmith::kernels
