// How a lane reads and writes its eights of a row: of a type that is known at run time only, or when the
// kernel is compiled.
#pragma once

#include "tile/known_row.h"
#include "tile/row.h"

namespace wavesmith::kernels {

/// A matrix's rows; of none all is 0, and nothing is written.
struct RowsPlace {
  const void* data;
  int type;  ///< tile::Type
  long stride;
  int rows, columns;
};

/// Matrices of any type.
template <class Shape>
struct AnyAccess {
  using Arriving = tile::KnownRow<Shape>;

  TILE_DEVICE static tile::TypedView view(const RowsPlace& place, int first_row) {
    return {place.data,
            static_cast<tile::Type>(place.type),
            place.data ? place.rows : 0,
            place.columns,
            place.stride,
            first_row,
            0};
  }
  TILE_DEVICE static Arriving load(const RowsPlace& place, int first_row) {
    const tile::TypedView from = view(place, first_row);
    const int row = tile::arch::thread_id() / Shape::kLanes;
    Arriving eights;
    if constexpr (Shape::kAligned) {
      from.template load_aligned<Shape::kStep>(eights.at, row, Shape::column());
    } else {
      TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) eights.at[i] =
          from.load(row, Shape::column() + i * Shape::kStep);
    }
    return eights;
  }
  TILE_DEVICE static tile::Eight value(const Arriving& arriving, int i) { return arriving.at[i]; }
  TILE_DEVICE static void store(const RowsPlace& place, int first_row, const tile::KnownRow<Shape>& values) {
    const tile::TypedView to = view(place, first_row);
    const int row = tile::arch::thread_id() / Shape::kLanes;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i)
        tile::store_eight<Shape>(to, row, Shape::column() + i * Shape::kStep, values.at[i]);
  }
};

/// Aligned matrices of a type of 2 bytes.
template <class Shape, class T>
struct KnownAccess {
  using View = tile::KnownView<Shape, T>;
  using Arriving = tile::KnownPieces<Shape, T>;

  TILE_DEVICE static View view(const RowsPlace& place, int first_row) {
    return View::rows_from(place.data, place.stride, place.rows, place.columns, first_row);
  }
  TILE_DEVICE static Arriving load(const RowsPlace& place, int first_row) {
    return view(place, first_row).load();
  }
  TILE_DEVICE static tile::Eight value(const Arriving& arriving, int i) {
    return View::widened(arriving.at[i]);
  }
  TILE_DEVICE static void store(const RowsPlace& place, int first_row, const tile::KnownRow<Shape>& values) {
    const View to = view(place, first_row);
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) to.store(i, View::narrow(values.at[i]));
  }
};

}  // namespace wavesmith::kernels
