// A row of a matrix that some lanes share, each with eights of its elements: in registers where it fits,
// otherwise read again for each pass.
#pragma once

#include "tile/reduce.h"
#include "tile/typed_view.h"

namespace tile {

/// How the lanes of a workgroup share rows: `kLanes` lanes per row, each with up to `kParts` eights in
/// registers; 0 for rows of any length, which are not kept. Aligned: of all matrices eight elements may be
/// moved at once.
template <int kThreads_, int kLanes_, int kParts_, bool kAligned_ = true>
struct RowShape {
  static constexpr int kThreads = kThreads_, kLanes = kLanes_, kParts = kParts_;
  static constexpr bool kAligned = kAligned_;
  static constexpr int kRows = kThreads / kLanes;  ///< of a workgroup
  static constexpr int kStep = kLanes * 8;         ///< columns between a lane's eights
  static constexpr bool kKept = kParts > 0;
  /// Eights that are read at once.
  static constexpr int kBlock = kKept ? kParts : kAligned ? 4 : 1;
  static_assert(kLanes <= arch::kHere.wave_lanes || kRows == 1,
                "lanes that share a row are of one wave, or the whole workgroup");

  /// The first column of this lane.
  TILE_DEVICE static int column() { return arch::thread_id() % kLanes * 8; }
};

/// The eights of a row that a lane reads at once.
template <class Shape>
struct RowEights {
  Eight at[Shape::kBlock];

  TILE_DEVICE void load(const TypedView& view, int row, int column) {
    if constexpr (Shape::kAligned)
      view.load_aligned<Shape::kStep>(at, row, column);
    else
      at[0] = view.load(row, column);
  }
};

/// Reads one eight of a matrix that a kernel of this shape may be given.
template <class Shape>
TILE_DEVICE Eight load_eight(const TypedView& view, int row, int column) {
  RowShape<Shape::kThreads, Shape::kLanes, Shape::kAligned ? 1 : 0, Shape::kAligned> one;
  RowEights<decltype(one)> eights;
  eights.load(view, row, column);
  return eights.at[0];
}
template <class Shape>
TILE_DEVICE void store_eight(const TypedView& view, int row, int column, const Eight& values) {
  if constexpr (Shape::kAligned)
    view.store_aligned(row, column, values);
  else
    view.store(row, column, values);
}

/// Goes through a row of `columns` columns: `load(eights, column)` fills eights, of which the first begins at
/// that column, and `use(eight, column)` is given each. Every lane of the workgroup is at each call, also
/// where its eight lies behind the row. A row that is kept is loaded the first time only.
template <class Shape, class Load, class Use>
TILE_DEVICE void for_each_eight_of_all(RowEights<Shape>& row, int columns, bool first, Load load, Use use) {
  for (int start = 0; start < (Shape::kKept ? 1 : columns); start += Shape::kBlock * Shape::kStep) {
    const int column = start + Shape::column();
    if (!Shape::kKept || first) load(row, column);
    TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) use(row.at[i], column + i * Shape::kStep);
  }
}
/// The same of the eights that have columns of the row.
template <class Shape, class Load, class Use>
TILE_DEVICE void for_each_eight(RowEights<Shape>& row, int columns, bool first, Load load, Use use) {
  for_each_eight_of_all(row, columns, first, load,
                        [&](Eight& eight, int column) __attribute__((always_inline)) {
                          if (column < columns) use(eight, column);
                        });
}

/// Combines the elements of an eight that belong to a row of `columns` columns, of which it holds those from
/// `column` on.
template <class Operation, class Map>
TILE_DEVICE float reduce_eight(const Eight& values, int column, int columns, Operation operation, Map map) {
  float parts[8];
  TILE_UNROLL for (int i = 0; i < 8; ++i) parts[i] =
      column + i < columns ? map(values[i]) : Operation::kNeutral;
  return operation(operation(operation(parts[0], parts[1]), operation(parts[2], parts[3])),
                   operation(operation(parts[4], parts[5]), operation(parts[6], parts[7])));
}

}  // namespace tile
