// Transpositions and copies of matrices.
#pragma once

#include "kernels/rows/eights.h"
#include "kernels/transpose/arguments.h"
#include "tile/shared.h"

namespace wavesmith::kernels {

/// One matrix of the batch, as it lies in memory, from some row and column on.
TILE_DEVICE tile::TypedView x_of(const TransposeArguments& g, int first_row, int first_column) {
  const auto type = static_cast<tile::Type>(g.type_x);
  const long skipped = tile::arch::workgroup_id_z() * g.batch_x * tile::size_of(type);
  return {
      static_cast<const char*>(g.x) + skipped, type, g.rows, g.columns, g.stride_x, first_row, first_column};
}
TILE_DEVICE tile::TypedView y_of(const TransposeArguments& g, int first_row, int first_column) {
  const auto type = static_cast<tile::Type>(g.type_y);
  const long skipped = tile::arch::workgroup_id_z() * g.batch_y * tile::size_of(type);
  const bool turned = g.by_columns;
  return {static_cast<const char*>(g.y) + skipped,
          type,
          turned ? g.columns : g.rows,
          turned ? g.rows : g.columns,
          g.stride_y,
          first_row,
          first_column};
}

/// A copy by eights, of floats of any types.
TILE_DEVICE void copy_eights(const TransposeArguments& g) {
  const EightPlace<kCopyEights> place(tile::arch::workgroup_id(), g.columns, g.eights.shift);
  load_eights(x_of(g, place.first_row, 0), place).store(y_of(g, place.first_row, 0), place);
}

/// A square of elements of a thread: what was row i, piece i, becomes column i.
template <class T, int kSide>
TILE_DEVICE void turn(tile::Piece (&rows)[kSide]) {
  using Elements = tile::Vector<T, kSide>;
  Elements columns[kSide];
  TILE_UNROLL for (int i = 0; i < kSide; ++i) TILE_UNROLL for (int j = 0; j < kSide; ++j) columns[j][i] =
      tile::bits_as<Elements>(rows[i])[j];
  TILE_UNROLL for (int i = 0; i < kSide; ++i) rows[i] = tile::bits_as<tile::Piece>(columns[i]);
}

/// A transposition where all pieces of 16 bytes of elements of the shorter type, T's size, are whole. The
/// threads of a workgroup, eight by eight, turn squares in registers and exchange them in shared memory, so
/// that eight neighbours read 128 bytes of a row of X's, and write as many of one of Y's.
template <class T>
TILE_DEVICE void transpose_tiles(const TransposeArguments& g) {
  using namespace tile;
  constexpr int kSide = transpose_square(sizeof(T)), kTile = 8 * kSide;
  TILE_SHARED static char memory[kSquareThreads * kSide * kPieceBytes];
  const int across = ceiling(g.columns, kTile);
  const int first_row = arch::workgroup_id() / across * kTile,
            first_column = arch::workgroup_id() % across * kTile;
  const TypedView x = x_of(g, first_row, first_column), y = y_of(g, first_column, first_row);
  const int left = arch::thread_id() % 8, upper = arch::thread_id() / 8;

  Piece pieces[kSide];
  const auto row = [&](int i) { return upper * kSide + i; };
  if (sizeof(T) != 2 || arch::late(g.type_x == g.type_y || y.type == Type::F32)) {
    TILE_UNROLL for (int i = 0; i < kSide; ++i) pieces[i] =
        arch::load_piece(x.buffer, x.offset(row(i), left * kSide));
  } else {
    TILE_UNROLL for (int i = 0; i < kSide; ++i) {
      Eight eight[1];
      x.load_aligned<0>(eight, row(i), left * kSide);
      pieces[i] = y.narrow(eight[0]);
    }
  }
  turn<T>(pieces);

  // Row r of the turned tile has eight pieces, in an order in which neither the threads that write a column
  // of them nor those that read a row meet at a bank.
  const auto at = [](int r, int piece) {
    return (SharedBytes)memory + (r * 8 + (piece ^ r / kSide % 8)) * kPieceBytes;
  };
  TILE_UNROLL for (int i = 0; i < kSide; ++i) shared_write(at(left * kSide + i, upper), pieces[i]);
  arch::barrier();
  TILE_UNROLL for (int i = 0; i < kSide; ++i) pieces[i] = shared_read<Piece>(at(i * 8 + upper, left));

  if (sizeof(T) != 2 || !arch::late(g.type_x != g.type_y && y.type == Type::F32)) {
    TILE_UNROLL for (int i = 0; i < kSide; ++i)
        arch::store(y.buffer, y.offset(i * 8 + upper, left * kSide), pieces[i]);
  } else {
    TILE_UNROLL for (int i = 0; i < kSide; ++i)
        y.store_aligned(i * 8 + upper, left * kSide, x.widen(pieces[i]));
  }
}

/// Elements of a thread, `step` rows apart, and the cells that they go through: an element's bits as they
/// are, where both types are one, otherwise those of its float.
struct Cells {
  tile::u32 at[kElementsTile * kElementsTile / kTransposeThreads];
  int row, column, step;

  template <class T>
  TILE_DEVICE void load_as_is(const tile::TypedView& x) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) at[i] =
        tile::arch::load<T>(x.buffer, x.offset(row + i * step, column));
  }
  TILE_DEVICE void load(const tile::TypedView& x, bool same) {
    const int size = tile::arch::late(tile::size_of(x.type));
    if (!same) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) at[i] =
          tile::bits_as<tile::u32>(x.load_one(row + i * step, column));
    } else if (size == 4) {
      load_as_is<tile::u32>(x);
    } else if (size == 2) {
      load_as_is<tile::u16>(x);
    } else {
      load_as_is<tile::u8>(x);
    }
  }
  template <class T>
  TILE_DEVICE void store_as_is(const tile::TypedView& y) const {
    TILE_UNROLL for (int i = 0; i < kCount; ++i)
        tile::arch::store(y.buffer, y.offset(row + i * step, column), static_cast<T>(at[i]));
  }
  TILE_DEVICE void store(const tile::TypedView& y, bool same) const {
    const int size = tile::arch::late(tile::size_of(y.type));
    if (!same) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i)
          y.store_one(row + i * step, column, tile::bits_as<float>(at[i]));
    } else if (size == 4) {
      store_as_is<tile::u32>(y);
    } else if (size == 2) {
      store_as_is<tile::u16>(y);
    } else {
      store_as_is<tile::u8>(y);
    }
  }

  static constexpr int kCount = kElementsTile * kElementsTile / kTransposeThreads;
};

/// The same for any matrices, element by element, and copies.
TILE_DEVICE void transpose_any(const TransposeArguments& g) {
  using namespace tile;
  constexpr int kRound = kTransposeThreads / kElementsTile;  // rows that the threads take at once
  constexpr int kStride = kElementsTile + 1;                 // a column of cells meets all banks
  TILE_SHARED static u32 memory[kElementsTile * kStride];
  const auto at = [&](int row, int column) { return (SharedBytes)memory + (row * kStride + column) * 4; };
  const int across = ceiling(g.columns, kElementsTile);
  const int first_row = arch::workgroup_id() / across * kElementsTile,
            first_column = arch::workgroup_id() % across * kElementsTile;
  const bool same = arch::late(g.type_x == g.type_y), turned = arch::late(g.by_columns);
  Cells cells;
  cells.row = arch::thread_id() / kElementsTile, cells.column = arch::thread_id() % kElementsTile;
  cells.step = kRound;
  const auto row = [&](int i) { return cells.row + i * kRound; };
  cells.load(x_of(g, first_row, first_column), same);
  if (turned) {
    TILE_UNROLL for (int i = 0; i < Cells::kCount; ++i) shared_write(at(row(i), cells.column), cells.at[i]);
    arch::barrier();
    TILE_UNROLL for (int i = 0; i < Cells::kCount; ++i) cells.at[i] =
        shared_read<u32>(at(cells.column, row(i)));
  }
  cells.store(turned ? y_of(g, first_column, first_row) : y_of(g, first_row, first_column), same);
}

}  // namespace wavesmith::kernels
