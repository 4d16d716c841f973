// Tiles of numbers with scales (OCP's Microscaling formats): each 32 numbers along K share a power of two,
// which the matrix instruction applies. A tile's scales lie behind its numbers in shared memory, block by
// block.
#pragma once

#include "tile/direct.h"
#include "tile/registers.h"

namespace tile {

/// A tile of elements that hold two numbers each, and its scales, a byte for 16 elements.
template <class Atom, int kRows, int kColumns>
struct ScaledTile : SharedTile<Atom, kRows, kColumns> {
  using Numbers = SharedTile<Atom, kRows, kColumns>;
  static constexpr int kElements = 16;                   ///< that share a scale
  static constexpr int kBlocks = kColumns / kElements;   ///< of a row
  static constexpr int kLanes = arch::kHere.wave_lanes;  ///< each of which loads the scales of four rows
  /// Bytes from block to block: the groups of lanes that read two blocks at once find them in different
  /// banks.
  static constexpr int kPitch = kRows == 4 * kLanes ? kRows + 32 : kRows;
  static constexpr int kScales = Numbers::kBytes;  ///< where the scales begin
  static constexpr int kAllBytes = kScales + kBlocks * kPitch;
};

/// Numbers as DirectWindow, and their scales, which lie side by side for the rows of a block: each block's
/// begin at a multiple of 4 bytes.
template <class Tile, int kThreads>
struct ScaledWindow {
  using Numbers = DirectWindow<typename Tile::Numbers, kThreads>;
  static constexpr int kBlockWords = Tile::kRows / 4;
  static constexpr int kWords = Tile::kBlocks * kBlockWords;
  static constexpr int kCount = Numbers::kCount + 1;  ///< loads
  static constexpr int kSharedBytes = Tile::kAllBytes;
  static_assert(kThreads % kWords == 0 && kWords % Tile::kLanes == 0,
                "each thread loads the scales of four rows; what waves are left over load the same again");

  Numbers numbers;
  const char* base;
  i64 bytes;  ///< from base to the end of the scales
  i64 stride;
  u32 offset;
  int column;  ///< element that the thread's block begins with, in the window
  int first;   ///< byte of the wave's first word in the tile

  TILE_DEVICE ScaledWindow(const void* matrix, int rows, int columns, i64 row_stride, int first_row,
                           int thread, const void* scales, i64 block_stride)
      : numbers(matrix, rows, columns, row_stride, first_row, thread), stride(block_stride) {
    const int word = thread % kWords, block = word / kBlockWords, row = word % kBlockWords * 4;
    constexpr int kOfWave = Tile::kLanes / kBlockWords;  // blocks
    static_assert(kOfWave * kBlockWords == Tile::kLanes, "a wave loads whole blocks");
    column = block * Tile::kElements;
    base = static_cast<const char*>(scales) + first_row;
    bytes = columns / Tile::kElements * stride - first_row;
    offset = static_cast<u32>(block * stride + row);
    first = Tile::kScales + arch::uniform(word / Tile::kLanes) * kOfWave * Tile::kPitch;
  }

  /// Before a load: columns from `left` on, counted from the window's first, read as 0, and so do their
  /// scales.
  TILE_DEVICE void narrow(int left) {
    numbers.narrow(left);
    offset = column < left ? offset : arch::kOutside;
  }

  /// Sets off the window's numbers and scales to a tile, kCount loads; the window moves on.
  TILE_DEVICE void load(SharedBytes tile) {
    numbers.load(tile);
    const i64 in_range = bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
    arch::load_word_to_shared(arch::buffer_words(base, static_cast<u32>(in_range)), offset, tile + first);
    base += Tile::kBlocks * stride;
    bytes -= Tile::kBlocks * stride;
  }
};

/// An operand with the scale of each of its lane's blocks, in the lowest byte.
template <class Atom, int kAtoms, int kColumns>
struct ScaledOperand {
  using Numbers = Operand<Atom, kAtoms, kColumns>;
  static constexpr int kSteps = Numbers::kSteps;
  static_assert(kSteps == Numbers::kPieces, "a piece is a block");
  Numbers numbers;
  u32 scales[kAtoms][kSteps];

  TILE_DEVICE typename Atom::Held take(int atom, int step) const {
    return {numbers.take(atom, step), scales[atom][step]};
  }
};

/// Reads one atom's rows of a scaled operand.
template <class Atom, class Tile>
struct ScaledReader {
  using Layout = AtomLayout<Atom>;
  using Numbers = OperandReader<Atom, typename Tile::Numbers>;
  template <int kParts>
  static constexpr int kReads = 2 * Numbers::template kReads<kParts>;
  Numbers numbers;
  int first;  ///< byte of the scale of the lane's row and group

  TILE_DEVICE ScaledReader(int first_row, int lane)
      : numbers(first_row, lane),
        first(Tile::kScales + Layout::group(lane) * Tile::kPitch + first_row + Layout::row(lane)) {}
  template <int kPart = 0, int kAtoms, int kColumns>
  TILE_DEVICE void read(ScaledOperand<Atom, kAtoms, kColumns>& operand, int atom, Tile tile) const {
    constexpr int kSteps = ScaledOperand<Atom, kAtoms, kColumns>::kSteps;
    numbers.template read<kPart>(operand.numbers, atom, {tile.memory});
    TILE_UNROLL for (int step = 0; step < kSteps; ++step) operand.scales[atom][step] =
        shared_read<u8>(tile.memory + first + atom * Layout::kRows +
                        (kPart * kSteps + step) * Layout::kGroups * Tile::kPitch);
  }
};

}  // namespace tile
