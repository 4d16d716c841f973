// Tiles of a matrix of rows of queries, on their way to shared memory by rows and by columns at once, for the
// kernel that computes all gradients in one pass.
#pragma once

#include "kernels/attention_backward/additions.h"
#include "kernels/attention_backward/feed.h"
#include "tile/chain.h"
#include "tile/transposed.h"

namespace wavesmith::kernels {

/// A tile by columns, from which shared memory reads columns where it can.
template <class Shape>
using AllColumns =
    typename OneOf<kTransposes, tile::TransposedTile<typename Shape::Atom, Shape::kHeadSize, Shape::kTile>,
                   TileByColumns<Shape>>::Type;

/// Where ChainOrder has a row of an atom.
template <class Atom>
TILE_DEVICE int position_in_chain(int row) {
  using Order = tile::ChainOrder<Atom>;
  constexpr int kInPiece = Order::kInPiece;
  const int group = row / kInPiece % Order::kGroups,
            sum = row / (kInPiece * Order::kGroups) * kInPiece + row % kInPiece;
  return sum % Order::kStep + (group + sum / Order::kStep * Order::kGroups) * Order::kStep;
}

/// A thread has pieces of rows that follow each other.
template <class Shape, bool kWholePieces = kTransposes>
struct AllFeed {
  using ByColumns = typename BackwardFeed<Shape, true, true>::ByColumns;
  using Element = typename Shape::Atom::Element;
  static constexpr int kRows = ByColumns::kCount, kInPiece = ByColumns::kInPiece;
  static constexpr int kLoads = 1, kColumnStores = kInPiece;  ///< parts of a tile's loads and stores
  static_assert(ByColumns::kLast == Shape::kThreads, "each thread has pieces");

  ByColumns window;
  typename ByColumns::Pieces pieces;
  int row_offset[kRows];  ///< of the thread's rows in the tile by rows

  TILE_DEVICE AllFeed(const void* matrix, int length, int head_size, long stride, int first, int thread)
      : window(matrix, head_size, length, stride, 0, first, thread) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      const int position = position_in_chain<typename Shape::Atom>(window.column + i);
      row_offset[i] = TileByRows<Shape>::offset(position, window.shared_offset / kInPiece);
      if (window.shared_offset >= head_size) window.offset[i] = tile::arch::kOutside;
    }
  }
  TILE_DEVICE void load(int /*part*/ = 0) { window.load(pieces); }
  TILE_DEVICE void store_row(int i, tile::SharedBytes tile) const {
    tile::shared_write(tile + row_offset[i], pieces.at[i]);
  }
  /// Of the thread's rows an element each, the `element`-th.
  TILE_DEVICE void store_column(int element, tile::SharedBytes tile) const {
    tile::Vector<Element, kRows> run;
    TILE_UNROLL for (int i = 0; i < kRows; ++i) run[i] =
        tile::bits_as<tile::Vector<Element, kInPiece>>(pieces.at[i])[element];
    tile::shared_write(
        tile + TileByColumns<Shape>::offset(window.shared_offset + element, window.column / kInPiece) +
            window.column % kInPiece * static_cast<int>(sizeof(Element)),
        run);
  }
};

/// Where shared memory transposes what is read, threads in order have a row's pieces, which they store as
/// they are: so stores meet all banks.
template <class Shape>
struct AllFeed<Shape, true> {
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  using ByRows = TileByRows<Shape>;
  using ByColumns = AllColumns<Shape>;
  static constexpr int kTile = Shape::kTile;
  static constexpr int kInPiece = tile::kPieceElements<Element>, kPieces = Shape::kHeadSize / kInPiece;
  static constexpr int kTogether = Shape::kThreads / kPieces;  ///< rows
  static constexpr int kRows = kTile / kTogether, kLoads = kRows, kColumnStores = kRows;
  static constexpr int kStep = kTogether * kPieces * tile::kPieceBytes;  ///< to the thread's next row
  static_assert(kTogether == 16 && kTogether % ByRows::kPeriod == 0 && kTogether % ByColumns::kPeriod == 0,
                "the orders of pieces, and ChainOrder's of rows, repeat");

  const char* base;
  int left;             ///< rows, from the next tile's first on
  tile::u32 row, last;  ///< bytes of a row, and of the last one
  tile::u32 offset[kRows];
  int row_offset, column_offset;  ///< of the thread's first row in each tile
  tile::Piece pieces[kRows];

  TILE_DEVICE AllFeed(const void* matrix, int length, int head_size, long stride, int first, int thread)
      : base(static_cast<const char*>(matrix) + first * stride * static_cast<int>(sizeof(Element))),
        left(length - first),
        row(static_cast<tile::u32>(stride) * sizeof(Element)),
        last(static_cast<tile::u32>(head_size) * sizeof(Element)) {
    const int own = thread / kPieces, piece = thread % kPieces;
    constexpr auto swizzle = ByColumns::kSwizzle;
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      const tile::u32 at = static_cast<tile::u32>(own + i * kTogether) * row + piece * tile::kPieceBytes;
      offset[i] = piece * kInPiece < head_size ? at : tile::arch::kOutside;
    }
    row_offset = ByRows::offset(position_in_chain<Atom>(own), piece);
    column_offset = (own * kPieces + swizzle(own, piece)) * tile::kPieceBytes;
  }
  /// One of the tile's loads of each thread; after the last they are of the next tile.
  TILE_DEVICE void load(int part) {
    const int rows = left < kTile ? left : kTile;
    const auto bytes = rows > 0 ? static_cast<tile::u32>(rows - 1) * row + last : 0;
    pieces[part] = tile::arch::load_piece(tile::arch::buffer(base, bytes), offset[part]);
    if (part + 1 < kRows) return;
    base += static_cast<long>(row) * kTile;
    left -= kTile;
  }
  TILE_DEVICE void load() { TILE_UNROLL for (int i = 0; i < kRows; ++i) load(i); }
  TILE_DEVICE void store_row(int i, tile::SharedBytes tile) const {
    tile::shared_write(tile + row_offset + i * kStep, pieces[i]);
  }
  TILE_DEVICE void store_column(int i, tile::SharedBytes tile) const {
    tile::shared_write(tile + column_offset + i * kStep, pieces[i]);
  }
};

}  // namespace wavesmith::kernels
