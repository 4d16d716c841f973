// The extent in memory of a box of rows.
#pragma once

#include <cstddef>
#include <optional>

namespace wavesmith::runtime {

/// The product of two sizes, saturated at the largest size.
inline size_t saturated_product(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? ~size_t{0} : product;
}

/// Bytes from the first to the last one of `depth` slices of `height` rows of `row` bytes, none of which is
/// 0. Empty when no memory is so large.
inline std::optional<size_t> reach(size_t row, size_t height, size_t depth, size_t pitch, size_t slice) {
  size_t rows, slices, all;
  if (__builtin_mul_overflow(height - 1, pitch, &rows) || __builtin_mul_overflow(depth - 1, slice, &slices) ||
      __builtin_add_overflow(row, rows, &all) || __builtin_add_overflow(all, slices, &all))
    return std::nullopt;
  return all;
}

}  // namespace wavesmith::runtime
