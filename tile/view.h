// Views of matrices in global memory, with bounds: what lies outside reads as 0 and is not written. So
// kernels have no code for ragged edges.
#pragma once

#include "tile/arch/device.h"
#include "tile/registers.h"

namespace tile {

/// A matrix of rows by columns elements. Along: what lies together in memory, the elements of a row (the
/// columns follow each other) or those of a column; `stride` is the distance, in elements, between rows or
/// columns that follow each other.
enum class Along { Row, Column };

/// How a matrix may be read: by dwords, where its first element, its stride and what lies together are
/// multiples of 4 bytes, as a buffer drops a dword that ends beyond it; or only element by element.
enum class Access { Dwords, Elements };

/// A window of kRows rows and kDepth columns, by which `kThreads` threads walk along the columns of a matrix:
/// each step's elements come into registers, and go to shared memory from there.
template <class Tile, int kThreads, Along kAlong, Access kAccess = Access::Dwords, class Order = InOrder>
struct Window {
  using Element = typename Tile::Element;
  static constexpr int kInPiece = kPieceElements<Element>;
  static constexpr int kBlocks = Tile::kRows / kInPiece;  ///< along columns: pieces of a column
  /// Pieces per thread: of rows as many as it takes; along columns a block of a power of two of columns.
  static constexpr int kCount = [] {
    if (kAlong == Along::Row) return ceiling(Tile::kRows * Tile::kPieces, kThreads);
    int columns = 1;
    while (kBlocks * (Tile::kColumns / columns) > kThreads) columns *= 2;
    return columns;
  }();
  /// Instructions that write them to shared memory.
  static constexpr int kWrites = kAlong == Along::Row ? kCount : kInPiece;
  /// Threads that have a last piece, the others having one less; along columns those that have a block.
  static constexpr int kLast = kAlong == Along::Row ? Tile::kRows * Tile::kPieces - (kCount - 1) * kThreads
                                                    : kBlocks * (Tile::kColumns / kCount);
  /// Bytes of the tile in shared memory: what threads write that have nothing lies behind it.
  static constexpr int kSharedBytes = kAlong == Along::Row ? kCount * kThreads * kPieceBytes
                                      : kLast == kThreads
                                          ? Tile::kBytes
                                          : Tile::kBytes + kInPiece * Tile::kPieces * kPieceBytes;
  static_assert(kCount <= kInPiece || kAlong == Along::Row, "a block of columns is a piece of a row at most");

  struct Pieces {
    Piece at[kCount];
  };

  const char* base;
  i64 bytes;  ///< from base to the matrix's end
  i64 step;   ///< bytes
  u32 offset[kCount];
  int column;  ///< of the thread, in the window
  int shared_offset;

  TILE_DEVICE Window(const void* matrix, int rows, int columns, i64 stride, int first_row, int first_column,
                     int thread, Order order = {}) {
    const i64 size = sizeof(Element);
    const bool last = kLast == kThreads || thread < kLast;
    if constexpr (kAlong == Along::Row) {
      const int piece = thread % Tile::kPieces, row = thread / Tile::kPieces;
      constexpr int kRowStep = kThreads / Tile::kPieces;
      static_assert(kRowStep % Tile::kPeriod == 0,
                    "the swizzle repeats within the rows that the threads write at once");
      column = piece * kInPiece;
      const i64 start = (first_row * stride + first_column) * size;
      base = static_cast<const char*>(matrix) + start;
      bytes = ((rows - 1) * stride + columns) * size - start;
      step = Tile::kColumns * size;
      TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] =
          static_cast<u32>(order.row(row + i * kRowStep) * stride + column) * sizeof(Element);
      if (!last) offset[kCount - 1] = arch::kOutside;
      shared_offset = Tile::offset(row, piece);
    } else {
      // Four neighbours read 64 bytes of a column, as much as the L1 serves at once; the next four share the
      // pieces of a shared tile's rows with them, and then come the next rows: so their writes meet all
      // banks.
      constexpr int kSharing = kInPiece / kCount, kTogether = kBlocks % 4 == 0 ? 4 : 1;
      const int number = thread % kTogether + thread / (kTogether * kSharing) * kTogether;
      const int block = last ? number % kBlocks : kBlocks;
      column = last ? number / kBlocks * kInPiece + thread / kTogether % kSharing * kCount : 0;
      const i64 start = (first_column * stride + first_row) * size;
      base = static_cast<const char*>(matrix) + start;
      bytes = ((columns - 1) * stride + rows) * size - start;
      step = Tile::kColumns * stride * size;
      TILE_UNROLL for (int i = 0; i < kCount; ++i) {
        int row = block * kInPiece;
        if constexpr (!__is_base_of(InOrder, Order)) row = order.row(row);
        offset[i] = last ? static_cast<u32>((column + i) * stride + row) * sizeof(Element) : arch::kOutside;
      }
      shared_offset = block * kInPiece;
    }
  }

  /// Before a load: columns from `left` on, counted from the window's first, read as 0.
  TILE_DEVICE void narrow(int left) {
    if constexpr (kAlong == Along::Row) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] = column < left ? offset[i] : arch::kOutside;
    }
  }

  /// The window's elements; the window moves on.
  TILE_DEVICE void load(Pieces& pieces) {
    const i64 in_range = bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
    const arch::Buffer buffer = arch::buffer(base, static_cast<u32>(in_range));
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      if constexpr (kAccess == Access::Dwords)
        pieces.at[i] = arch::load_piece(buffer, offset[i]);
      else
        pieces.at[i] = bits_as<Piece>(load_elements(buffer, offset[i])), arch::keep_order();
    }
    base += step;
    bytes -= step;
  }

  TILE_DEVICE static Vector<Element, kInPiece> load_elements(arch::Buffer buffer, u32 first) {
    Vector<Element, kInPiece> elements;
    TILE_UNROLL for (int e = 0; e < kInPiece; ++e) elements[e] =
        arch::load<Element>(buffer, first == arch::kOutside ? first : first + e * sizeof(Element));
    return elements;
  }

  /// Clears the elements of a piece that lie beyond the matrix's last column.
  TILE_DEVICE void clear_beyond(Pieces& pieces, int left) const {
    if constexpr (kAlong == Along::Row) {
      Vector<u32, 4> mask;
      constexpr int kInDword = 4 / sizeof(Element);
      TILE_UNROLL for (int i = 0; i < 4; ++i) {
        const int valid = left - column - i * kInDword;
        mask[i] = valid >= kInDword ? ~0u : valid <= 0 ? 0u : (1u << (valid * 8 * sizeof(Element))) - 1;
      }
      TILE_UNROLL for (int i = 0; i < kCount; ++i) pieces.at[i] &= mask;
    }
  }

  /// Writes some pieces of each thread, those of rows that follow each other, to a shared tile of these rows.
  template <int kFirst, int kSome>
  TILE_DEVICE void store_rows(const Pieces& pieces, SharedBytes tile) const {
    TILE_UNROLL for (int i = 0; i < kSome; ++i)
        shared_write(tile + shared_offset + i * kThreads * kPieceBytes, pieces.at[kFirst + i]);
  }

  /// Writes them to a shared tile.
  TILE_DEVICE void store(const Pieces& pieces, Tile tile) const {
    if constexpr (kAlong == Along::Row) {
      store_rows<0, kCount>(pieces, tile.memory);
    } else {
      // A block of kCount columns and kInPiece rows, transposed in registers.
      using Elements = Vector<Element, kInPiece>;
      using Run = Vector<Element, kCount>;
      TILE_UNROLL for (int r = 0; r < kInPiece; ++r) {
        Run run;
        TILE_UNROLL for (int i = 0; i < kCount; ++i) run[i] = bits_as<Elements>(pieces.at[i])[r];
        shared_write(tile.memory + Tile::offset(shared_offset + r, column / kInPiece) +
                         column % kInPiece * static_cast<int>(sizeof(Element)),
                     run);
      }
    }
  }
};

/// Rows of a matrix as an operand, from `first_row` on; each lane reads what it holds.
template <class Atom, int kAtoms, int kColumns>
TILE_DEVICE void load_operand(Operand<Atom, kAtoms, kColumns>& operand, const void* matrix, int rows,
                              int columns, i64 stride, int first_row, int lane) {
  using Layout = AtomLayout<Atom>;
  using Loaded = Operand<Atom, kAtoms, kColumns>;
  constexpr i64 kSize = sizeof(typename Atom::Element);
  const i64 start = first_row * stride * kSize, bytes = ((rows - 1) * stride + columns) * kSize - start;
  const i64 in_range = bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
  const arch::Buffer buffer =
      arch::buffer(static_cast<const char*>(matrix) + start, static_cast<u32>(in_range));
  TILE_UNROLL for (int i = 0; i < kAtoms; ++i) {
    TILE_UNROLL for (int p = 0; p < Loaded::kPieces; ++p) {
      const int column = (Layout::group(lane) + p * Layout::kGroups) * Loaded::kInPiece;
      const u32 offset = static_cast<u32>((Layout::row(lane) + i * Layout::kRows) * stride + column) * kSize;
      operand.at[i][p] = arch::load_piece(buffer, column < columns ? offset : arch::kOutside);
    }
  }
}

}  // namespace tile
