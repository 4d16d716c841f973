// A panel in shared memory: for each of some columns of a matrix its rows' elements side by side, four bytes
// each. Vector instructions take it so: for one column a lane reads the rows that it multiplies.
#pragma once

#include "tile/view.h"

namespace tile {

/// kDepth columns of kRows floats. Pieces of four rows change places, and groups of four columns are apart,
/// so that lanes that read eight rows each, and lanes that write four columns of several rows, meet different
/// banks.
template <int kRows_, int kDepth_>
struct Panel {
  static constexpr int kRows = kRows_, kDepth = kDepth_;
  static_assert(kRows % 64 == 0 && kDepth % 4 == 0, "pieces change places among sixteen");
  SharedBytes memory;

  /// Byte offsets, to be added: of a row, and of a column.
  TILE_DEVICE static int row_offset(int row) {
    return (row / 4 ^ (row / 32 & 1)) * kPieceBytes + row % 4 * 4;
  }
  static constexpr int column_offset(int column) {
    constexpr int kGroups = kDepth / 4, kApart = 128 / kGroups;  // bytes, of the banks' 128
    return column * kRows * 4 + column / 4 * kApart;
  }
  static constexpr int kBytes = column_offset(kDepth);
};

/// A window of a matrix of floats, by which kThreads threads fill a panel after another.
template <class Panel, int kThreads, Along kAlong>
struct PanelWindow {
  /// Pieces in order: along rows of a row's columns, along columns of a column's rows.
  static constexpr int kPieces = (kAlong == Along::Row ? Panel::kDepth : Panel::kRows) / 4;
  static constexpr int kStep = kThreads / kPieces;
  static constexpr int kCount = Panel::kRows * Panel::kDepth / 4 / kThreads;
  static_assert(kStep * kPieces == kThreads && kCount * kThreads * 4 == Panel::kRows * Panel::kDepth,
                "the threads share a panel's pieces evenly");
  struct Pieces {
    Piece at[kCount];
  };

  const char* base;
  i64 bytes, step;  ///< from base to the matrix's end; from window to window
  u32 offset[kCount];
  int piece, other;  ///< of the thread's first: along what lies together, and across

  TILE_DEVICE PanelWindow(const void* matrix, int rows, int columns, i64 stride, int first_row, int thread)
      : piece(thread % kPieces), other(thread / kPieces) {
    const bool by_rows = kAlong == Along::Row;
    const i64 start = (by_rows ? first_row * stride : first_row) * 4;
    base = static_cast<const char*>(matrix) + start;
    bytes = (by_rows ? (rows - 1) * stride + columns : (columns - 1) * stride + rows) * 4 - start;
    step = by_rows ? Panel::kDepth * 4 : Panel::kDepth * stride * 4;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] =
        static_cast<u32>((other + i * kStep) * stride + piece * 4) * 4;
  }

  /// The window's elements, of which columns from `left` on are 0; the window moves on.
  TILE_DEVICE void load(Pieces& pieces, int left) {
    const arch::Buffer buffer = arch::buffer(base, static_cast<u32>(bytes < 0            ? 0
                                                                    : bytes > 0xfffffffe ? 0xfffffffe
                                                                                         : bytes));
    const bool inside = kAlong == Along::Column || piece * 4 < left;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) pieces.at[i] =
        arch::load_piece(buffer, inside ? offset[i] : arch::kOutside);
    base += step;
    bytes -= step;
  }
  /// Of loaded pieces clears what lies in columns from `left` on.
  TILE_DEVICE void clear_beyond(Pieces& pieces, int left) const {
    if constexpr (kAlong == Along::Row) TILE_UNROLL for (int i = 0; i < kCount; ++i) {
        TILE_UNROLL for (int e = 0; e < 4; ++e) pieces.at[i][e] = piece * 4 + e < left ? pieces.at[i][e] : 0;
      }
  }

  TILE_DEVICE void store(const Pieces& pieces, Panel panel) const {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      const int along = piece * 4, across = other + i * kStep;
      if constexpr (kAlong == Along::Row) {
        const SharedBytes at = panel.memory + Panel::row_offset(across) + Panel::column_offset(along);
        TILE_UNROLL for (int e = 0; e < 4; ++e) shared_write(at + e * Panel::kRows * 4, pieces.at[i][e]);
      } else {
        shared_write(panel.memory + Panel::row_offset(along) + Panel::column_offset(across), pieces.at[i]);
      }
    }
  }
};

}  // namespace tile
