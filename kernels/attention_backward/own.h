// A wave's own rows of a matrix, or its part of them, as an operand: in registers, or in shared memory where
// they would take too many.
#pragma once

#include "kernels/attention_backward/shape.h"
#include "tile/chain.h"

namespace wavesmith::kernels {

template <class Shape, OwnIn kIn = Shape::kOwnIn>
struct OwnOperand {
  using Atom = typename Shape::Atom;
  using Operand = tile::Operand<Atom, Shape::kAtoms, Shape::kPartSize>;
  static constexpr int kBytes = 0;  ///< of shared memory, for all waves
  Operand operand;

  TILE_DEVICE void keep(const Operand& from, tile::SharedBytes /*memory*/, int /*wave*/, int /*lane*/) {
    operand = from;
  }
  /// sums += these rows * the tile's rows transposed.
  template <class Sums, class Reader, class Tile>
  TILE_DEVICE void multiply(Sums& sums, const Reader& reader, Tile tile) const {
    tile::multiply(sums, operand, reader, tile);
  }
};

/// Sums that are there by here, not later: what they are of needs no registers from here on.
template <class Atom, int kRows, int kColumns>
TILE_DEVICE void keep_here(tile::Sums<Atom, kRows, kColumns>& sums) {
  constexpr int kSums = tile::AtomLayout<Atom>::kSums;
  static_assert(kSums % 8 == 0);
  TILE_UNROLL for (int i = 0; i < kRows * kColumns * kSums; i += 8) {
    auto& atom = sums.at[i / kSums / kColumns][i / kSums % kColumns];
    float eight[8];
    TILE_UNROLL for (int e = 0; e < 8; ++e) eight[e] = atom[i % kSums + e];
    tile::arch::keep_here(eight);
    TILE_UNROLL for (int e = 0; e < 8; ++e) atom[i % kSums + e] = eight[e];
  }
}

/// Pieces lie by the rows of an atom, so that lanes that follow each other read what lies together. Only the
/// wave itself reads what it has written.
template <class Shape>
struct OwnOperand<Shape, OwnIn::Shared> {
  using Atom = typename Shape::Atom;
  using Layout = typename Shape::Layout;
  using Operand = tile::Operand<Atom, Shape::kAtoms, Shape::kPartSize>;
  static constexpr int kPiece = Layout::kGroups * Layout::kRows * tile::kPieceBytes;  ///< to the next piece
  static constexpr int kOfWave = Shape::kAtoms * Operand::kPieces * kPiece;
  static constexpr int kBytes = Shape::kWaves * kOfWave;
  tile::SharedBytes memory;  ///< the lane's first piece

  TILE_DEVICE void keep(const Operand& from, tile::SharedBytes all, int wave, int lane) {
    memory =
        all + wave * kOfWave + (Layout::group(lane) * Layout::kRows + Layout::row(lane)) * tile::kPieceBytes;
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms * Operand::kPieces; ++i)
        tile::shared_write(memory + i * kPiece, from.at[i / Operand::kPieces][i % Operand::kPieces]);
    tile::arch::wave_barrier();
    tile::arch::keep_order();
  }
  template <class Sums, class Reader, class Tile>
  TILE_DEVICE void multiply(Sums& sums, const Reader& reader, Tile tile) const {
    constexpr int kInPiece = Operand::kInPiece;
    constexpr int kSlice = Layout::kHeld > kInPiece ? Layout::kHeld / kInPiece : 1;  // pieces
    using Slice = tile::Operand<Atom, Shape::kAtoms, kSlice * kInPiece * Layout::kGroups>;
    using Other = tile::Operand<Atom, Shape::kAcross, kSlice * kInPiece * Layout::kGroups>;
    constexpr int kSlices = Operand::kPieces / kSlice;
    // A slice is read while the one before is multiplied, no more: all of them would take many registers.
    Slice own[2];
    Other other[2];
    const auto read = [&](int slice) {
      TILE_UNROLL for (int piece = 0; piece < kSlice; ++piece) {
        const int at = slice * kSlice + piece;
        TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) own[slice % 2].at[i][piece] =
            tile::shared_read<tile::Piece>(memory + (i * Operand::kPieces + at) * kPiece);
        TILE_UNROLL for (int j = 0; j < Shape::kAcross; ++j) other[slice % 2].at[j][piece] =
            reader.piece(j, at, tile);
      }
    };
    read(0);
    TILE_UNROLL for (int slice = 0; slice < kSlices; ++slice) {
      if (slice + 1 < kSlices) read(slice + 1);
      tile::arch::keep_accesses();
      tile::arch::keep_order();
      TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) sums.multiply(i, own[slice % 2], other[slice % 2]);
    }
    keep_here(sums);
  }
};

/// sums += a * the tile's rows transposed, in as few registers: of the tile's rows an atom's are read while
/// those before are multiplied.
template <class Atom, int kRows, int kColumns, int kDepth, class Reader, class Tile>
TILE_DEVICE void multiply_sparingly(tile::Sums<Atom, kRows, kColumns>& sums,
                                    const tile::Operand<Atom, kRows, kDepth>& a, const Reader& reader,
                                    Tile tile) {
  tile::Operand<Atom, 1, kDepth> b[2];
  const auto read = [&](int column) {
    TILE_UNROLL for (int p = 0; p < tile::Operand<Atom, 1, kDepth>::kPieces; ++p) b[column % 2].at[0][p] =
        reader.piece(column, p, tile);
  };
  read(0);
  TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
    if (j + 1 < kColumns) read(j + 1);
    tile::arch::keep_accesses();
    tile::arch::keep_order();
    TILE_UNROLL for (int step = 0; step < tile::Operand<Atom, kRows, kDepth>::kSteps; ++step) {
      TILE_UNROLL for (int i = 0; i < kRows; ++i) sums.add(i, j, b[j % 2].take(0, step), a, step);
    }
  }
}

}  // namespace wavesmith::kernels
