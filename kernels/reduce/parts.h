// How a matrix is reduced in parts, of some rows and a block of columns each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/reduce/arguments.h"
#include "kernels/rows/configurations.h"

namespace wavesmith::kernels {

struct ReduceParts {
  int shift = 0;  ///< the logarithm of the threads that take a row's eights side by side
  int64_t blocks = 1, rows = 0, count = 1;  ///< blocks of columns; rows of a part, and such parts

  /// Sizes alone decide, so that the order of a sum depends on nothing else.
  static constexpr ReduceParts of(int64_t rows, int64_t columns, int64_t row_stride) {
    // Enough parts to keep any GPU busy, and few enough for a second pass that has little to do.
    constexpr int64_t kWorkgroups = 1024, kMostParts = 256;
    constexpr int64_t kMostOffset = int64_t{1} << 29;  // elements of 4 bytes within a buffer
    ReduceParts parts;
    while (int64_t{8} << parts.shift < columns && parts.shift < kMostShift) ++parts.shift;
    while (parts.at_once() * row_stride >= kMostOffset) ++parts.shift;
    parts.take_columns(columns);
    const int64_t wanted = std::clamp<int64_t>(kWorkgroups / parts.blocks, 1, kMostParts);
    const int64_t share = (rows + wanted - 1) / wanted;
    parts.rows = std::max<int64_t>((share + parts.at_once() - 1) / parts.at_once(), 1) * parts.at_once();
    parts.count = std::max<int64_t>((rows + parts.rows - 1) / parts.rows, 1);
    return parts;
  }

  /// Rows that follow each other in one part: blocks of few columns, for many threads below each other.
  static constexpr ReduceParts together(int64_t rows, int64_t columns) {
    ReduceParts parts;
    parts.shift = kMostShift;
    while (parts.shift > 0 && parts.at_once() < rows) --parts.shift;
    parts.take_columns(columns);
    parts.rows = rows;
    return parts;
  }

 private:
  static constexpr int kMostShift = 8;  ///< a workgroup's threads
  static_assert(1 << kMostShift == kRowThreads);

  /// Rows that a workgroup takes at once.
  [[nodiscard]] constexpr int64_t at_once() const { return kReduceEights * (kRowThreads >> shift); }
  constexpr void take_columns(int64_t columns) {
    blocks = std::max<int64_t>((columns + (8 << shift) - 1) / (8 << shift), 1);
  }
};

}  // namespace wavesmith::kernels
