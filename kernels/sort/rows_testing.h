// For tests: rows of strided arrays along any of their dimensions.
#pragma once

#include <limits>

#include "kernels/pointwise/strided_testing.h"

namespace wavesmith::kernels {

struct RowsInMemory {
  Strided array;
  size_t along;
  int64_t length;

  RowsInMemory(Strided given, size_t dimension)
      : array(std::move(given)), along(dimension), length(array.sizes[dimension]) {}
  [[nodiscard]] int64_t rows() const { return array.count() / length; }
  /// The number of an element in the array.
  [[nodiscard]] int64_t number(int64_t row, int64_t element) const {
    int64_t below = 1;
    for (size_t d = 0; d < along; ++d) below *= array.sizes[d];
    return row % below + below * (element + length * (row / below));
  }
  [[nodiscard]] double get(int64_t row, int64_t element) const { return array.get(number(row, element)); }
  void set(int64_t row, int64_t element, double value) { array.set(number(row, element), value); }
  [[nodiscard]] const unsigned char* bytes(int64_t row, int64_t element) const {
    return &array.memory.bytes[array.at(number(row, element))];
  }
  /// Contiguous ones with so many elements each.
  [[nodiscard]] RowsInMemory results(Number type, int64_t elements) const {
    std::vector<int64_t> sizes = array.sizes, strides;
    sizes[along] = elements;
    int64_t next = size_of(type);
    for (const int64_t size : sizes) strides.push_back(next), next *= size;
    return {Strided(type, sizes, strides), along};
  }
  template <class Description>
  void describe(Description& one) const {
    one.dimensions = static_cast<int>(array.sizes.size());
    one.along = static_cast<int>(along);
    std::ranges::copy(array.sizes, one.sizes);
  }
};

class OnRows : public OnStrides {
 protected:
  /// Numbers of which many are equal, some NaN or infinite.
  void fill(Strided& array) {
    const bool is_float = array.type >= WAVESMITH_POINTWISE_F16;
    const int64_t range = one_of<int64_t>({3, 100, 100});
    for (int64_t i = 0; i < array.count(); ++i) {
      const double number = static_cast<double>(between(-range, range));
      const int64_t kind = is_float ? between(0, 19) : 2;
      array.set(i, kind == 0   ? std::numeric_limits<double>::quiet_NaN()
                   : kind == 1 ? number * std::numeric_limits<double>::infinity()
                               : number);
    }
  }
  /// With up to two more dimensions and any strides, of at most so many elements.
  RowsInMemory any_rows(Number type, int64_t length, int64_t most) {
    std::vector<int64_t> sizes{length};
    for (int64_t dims = between(0, 2); dims > 0; --dims) {
      const int64_t size = between(1, 12);
      sizes.push_back(length * size > most ? 1 : size);
      length *= sizes.back();
    }
    std::swap(sizes[0], sizes[static_cast<size_t>(between(0, static_cast<int64_t>(sizes.size()) - 1))]);
    const auto longest = std::ranges::max_element(sizes);
    RowsInMemory made(any_strided(type, sizes, false), static_cast<size_t>(longest - sizes.begin()));
    fill(made.array);
    return made;
  }
  RowsInMemory rows_of_shape(Number type, int64_t length, int64_t rows) {
    RowsInMemory made(Strided(type, {length, rows}, {size_of(type), size_of(type) * length}), 0);
    fill(made.array);
    return made;
  }
};

}  // namespace wavesmith::kernels
