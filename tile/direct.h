// Windows on matrices whose elements go from global memory to shared memory past the registers.
#pragma once

#include "tile/arch/device.h"
#include "tile/arch/here.h"
#include "tile/shared.h"

namespace tile {

/// A window of a matrix whose rows' elements lie together: kLines rows of kPieces pieces, by which kThreads
/// threads walk along the columns, or by another `step`. An instruction writes one piece per lane, in the
/// lanes' order: so each lane reads the piece that the shared tile's swizzle has in its place. Pieces are
/// whole: a row's columns are a multiple of a piece's elements.
template <class Tile, int kThreads, class Order = InOrder>
struct DirectWindow {
  using Element = typename Tile::Element;
  static constexpr int kCount = Tile::kLines * Tile::kPieces / kThreads;  ///< pieces per thread
  static constexpr int kSharedBytes = Tile::kBytes;
  static_assert(arch::kHere.direct_bytes == kPieceBytes, "the target loads pieces to shared memory");
  static_assert(kCount * kThreads * kPieceBytes == Tile::kBytes, "the threads share a tile's pieces evenly");

  const char* base;
  i64 bytes;  ///< from base to the matrix's end
  i64 step = Tile::kPieces * kPieceBytes;
  u32 offset[kCount];
  int column;  ///< of the thread, in the window
  int first;   ///< byte of the wave's first piece in the tile

  TILE_DEVICE DirectWindow(const void* matrix, int rows, int columns, i64 stride, int first_row, int thread,
                           Order order = {}) {
    constexpr auto swizzle = Tile::kSwizzle;  // its own, or it is read from memory
    const int row = thread / Tile::kPieces, piece = swizzle(row, thread % Tile::kPieces);
    constexpr int kRowStep = kThreads / Tile::kPieces;
    static_assert(kRowStep % Tile::kPeriod == 0,
                  "the swizzle repeats within the rows that the threads write at once");
    const i64 size = sizeof(Element);
    column = piece * kPieceElements<Element>;
    base = static_cast<const char*>(matrix) + first_row * stride * size;
    bytes = ((rows - 1 - first_row) * stride + columns) * size;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] =
        static_cast<u32>(order.row(row + i * kRowStep) * stride + column) * sizeof(Element);
    constexpr int kLanes = arch::kHere.wave_lanes;
    first = arch::uniform(thread / kLanes) * kLanes * kPieceBytes;
  }

  /// Before a load: columns from `left` on, counted from the window's first, read as 0.
  TILE_DEVICE void narrow(int left) {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) offset[i] = column < left ? offset[i] : arch::kOutside;
  }

  /// Sets off the window's elements to a tile, kCount loads; the window moves on.
  TILE_DEVICE void load(SharedBytes tile) {
    const i64 in_range = bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
    const arch::Words buffer = arch::buffer_words(base, static_cast<u32>(in_range));
    TILE_UNROLL for (int i = 0; i < kCount; ++i)
        arch::load_to_shared(buffer, offset[i], tile + first + i * kThreads * kPieceBytes);
    base += step;
    bytes -= step;
  }
};

}  // namespace tile
