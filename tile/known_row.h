// A row of a matrix whose element type, of 2 bytes, is known when the kernel is compiled, and that may be
// moved 16 bytes at once: in the registers of the lanes that share it. What lies behind the row is 0, without
// a branch: memory's bounds see to it.
#pragma once

#include "tile/rounding.h"
#include "tile/row.h"

namespace tile {

/// The eights of a row that a lane keeps, as they lie in memory.
template <class Shape, class T>
struct KnownPieces {
  Piece at[Shape::kParts];
};

/// The same as floats.
template <class Shape>
struct KnownRow {
  Eight at[Shape::kParts];

  /// What `use(eight, whether the row has it)` makes of each, combined in pairs.
  template <class Operation, class Use>
  TILE_DEVICE float combined(int columns, Operation operation, Use use) const {
    float all = Operation::kNeutral;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      const float one = use(at[i]);
      all = operation(all, Shape::column() + i * Shape::kStep < columns ? one : Operation::kNeutral);
    }
    return all;
  }
};

/// This lane's part of a workgroup's rows.
template <class Shape, class T>
struct KnownView {
  static_assert(sizeof(T) == 2 && Shape::kKept && Shape::kAligned);
  arch::Buffer buffer;
  int columns;
  u32 first;  ///< byte of the lane's first eight

  /// The rows of the workgroup; of no matrix all is 0.
  TILE_DEVICE static KnownView rows(const void* matrix, i64 stride, int rows, int columns) {
    return rows_from(matrix, stride, rows, columns, arch::workgroup_id() * Shape::kRows);
  }
  /// Those from `first_row` on.
  TILE_DEVICE static KnownView rows_from(const void* matrix, i64 stride, int rows, int columns,
                                         int first_row) {
    const int left = rows - first_row;
    const int count = Shape::kRows == 1 ? 1 : left < Shape::kRows ? left : Shape::kRows;
    const u32 bytes = ((count - 1) * static_cast<u32>(stride) + columns) * 2;
    const int row = Shape::kRows == 1 ? 0 : arch::thread_id() / Shape::kLanes;
    return {arch::buffer(static_cast<const char*>(matrix) + first_row * stride * 2, matrix ? bytes : 0),
            columns, (row * static_cast<u32>(stride) + Shape::column()) * 2};
  }
  /// A vector, the same for all rows.
  TILE_DEVICE static KnownView vector(const void* elements, int columns) {
    return {arch::buffer(elements, elements ? columns * 2 : 0), columns,
            static_cast<u32>(Shape::column()) * 2};
  }

  TILE_DEVICE KnownPieces<Shape, T> load() const {
    KnownPieces<Shape, T> pieces;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) pieces.at[i] = arch::load_piece(buffer, offset(i));
    return pieces;
  }
  TILE_DEVICE void store(int i, Piece piece) const { arch::store(buffer, offset(i), piece); }

  TILE_DEVICE static Eight widened(Piece piece) {
    const auto elements = bits_as<Vector<T, 8>>(piece);
    Eight values;
    TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = static_cast<float>(elements[i]);
    return values;
  }
  TILE_DEVICE static KnownRow<Shape> widened(const KnownPieces<Shape, T>& pieces) {
    KnownRow<Shape> row;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) row.at[i] = widened(pieces.at[i]);
    return row;
  }
  TILE_DEVICE static Piece narrow(const Eight& values) { return rounded_to_even<T>(values); }

 private:
  TILE_DEVICE u32 offset(int i) const {
    const u32 at = first + i * Shape::kStep * 2;
    // Behind one row the buffer ends, behind one of several another begins.
    return Shape::kRows == 1 || Shape::column() + i * Shape::kStep < columns ? at : arch::kOutside;
  }
};

/// Sum of the elements, and of their squares.
TILE_DEVICE float sum_of(const Eight& v) {
  const Vector<float, 4> four = v.lo + v.hi;
  const Vector<float, 2> two = four.lo + four.hi;
  return two[0] + two[1];
}
TILE_DEVICE float squares_of(const Eight& v) {
  const Vector<float, 4> low = v.lo * v.lo, four = v.hi * v.hi + low;
  const Vector<float, 2> two = four.lo + four.hi;
  return two[0] + two[1];
}
TILE_DEVICE float greatest_of(const Eight& v) {
  const Max greater;
  return greater(greater(greater(v[0], v[1]), greater(v[2], v[3])),
                 greater(greater(v[4], v[5]), greater(v[6], v[7])));
}

}  // namespace tile
