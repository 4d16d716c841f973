// The tiles of a pass, on their way to shared memory and there: rows of two matrices of which the other
// side's rows are weighed (keys and values, or queries and dO), each by rows for scores and by columns for
// gradients.
#pragma once

#include "kernels/attention/place.h"
#include "kernels/attention_backward/arguments.h"
#include "kernels/attention_backward/shape.h"
#include "tile/view.h"

namespace wavesmith::kernels {

/// Which of the four tiles a kernel needs.
template <Gradient kOf>
struct Needs {
  static constexpr bool kSecond = kOf != Gradient::Values;       ///< gradients of weights
  static constexpr bool kFirstAcross = kOf != Gradient::Values;  ///< dQ or dK
  static constexpr bool kSecondAcross = kOf != Gradient::Queries && kOf != Gradient::Keys;  ///< dV
};

template <class Shape>
using TileByRows = tile::SharedTile<typename Shape::Atom, Shape::kTile, Shape::kHeadSize>;
template <class Shape>
using TileByColumns =
    tile::SharedTile<typename Shape::Atom, Shape::kHeadSize, Shape::kTile, tile::Written::ByColumns>;

/// One of the two matrices: its window by rows, and if kAcross by columns.
template <class Shape, bool kRows, bool kColumns>
struct BackwardFeed {
  using Atom = typename Shape::Atom;
  using ByRows = tile::Window<TileByRows<Shape>, Shape::kThreads, tile::Along::Row, tile::Access::Dwords,
                              tile::ChainOrder<Atom>>;
  using ByColumns = tile::Window<TileByColumns<Shape>, Shape::kThreads, tile::Along::Column>;
  static constexpr int kColumnsAt = kRows ? ByRows::kSharedBytes : 0;
  static constexpr int kBytes = kColumnsAt + (kColumns ? ByColumns::kSharedBytes : 0);

  ByRows by_rows;
  ByColumns by_columns;
  typename ByRows::Pieces pieces_by_rows;
  typename ByColumns::Pieces pieces_by_columns;

  TILE_DEVICE BackwardFeed(const void* matrix, int length, int head_size, long stride, int first, int thread)
      : by_rows(matrix, length, head_size, stride, first, 0, thread),
        by_columns(matrix, head_size, length, stride, 0, first, thread) {
    by_rows.step = Shape::kTile * stride * static_cast<tile::i64>(sizeof(typename Atom::Element));
    by_rows.narrow(head_size);
  }
  TILE_DEVICE void load_rows() {
    if constexpr (kRows) by_rows.load(pieces_by_rows);
  }
  TILE_DEVICE void load_columns() {
    if constexpr (kColumns) by_columns.load(pieces_by_columns);
  }
  TILE_DEVICE void store_rows(tile::SharedBytes memory) const {
    if constexpr (kRows) by_rows.store(pieces_by_rows, rows(memory));
  }
  TILE_DEVICE void store_columns(tile::SharedBytes memory) const {
    if constexpr (kColumns) by_columns.store(pieces_by_columns, columns(memory));
  }
  TILE_DEVICE static TileByRows<Shape> rows(tile::SharedBytes memory) { return {memory}; }
  TILE_DEVICE static TileByColumns<Shape> columns(tile::SharedBytes memory) { return {memory + kColumnsAt}; }
};

}  // namespace wavesmith::kernels
