// Products in a chain: the sums of one as an operand of the next, without a way through shared memory.
//
// Sums of A times B transposed lie by lanes as one of its operands does: the lane that has a row of A as an
// operand has sums of that row, though of other columns than it would hold as an operand. As the order of K
// is free as long as both operands have the same, it is enough that B's rows come in such an order that a
// lane's sums are those columns that OperandReader gives it of the next product's other operand.
#pragma once

#include "tile/reduce.h"
#include "tile/registers.h"
#include "tile/rounding.h"

namespace tile {

/// The order of the rows of B. `kGroups` groups of lanes hold different sums of a row; eight of a lane's sums
/// in order become a 16-byte piece of the next operand.
template <class Atom>
struct ChainOrder {
  using Layout = AtomLayout<Atom>;
  static constexpr int kInPiece = kPieceElements<typename Atom::Element>;
  static constexpr int kGroups = Layout::kSumGroups;
  static constexpr int kStep = Layout::kGroupStep;

  /// The column of the result that the first group's lanes have as that sum of that atom; each next group's
  /// is kInPiece further.
  static constexpr int column(int atom, int sum) {
    const int number = atom * Layout::kSums + sum;
    return number / kInPiece * kGroups * kInPiece + number % kInPiece;
  }
  /// The row of B that stands at a position, so that it comes out as that column.
  TILE_DEVICE static int row(int position) {
    const int i = position % Layout::kRows;
    const int group = i / kStep % kGroups, sum = i % kStep + i / (kStep * kGroups) * kStep;
    return column(position / Layout::kRows, sum) + group * kInPiece;
  }

  static constexpr bool agrees() {
    for (int sum = 0; sum < Layout::kSums; ++sum)
      if (Layout::first_row(sum) != sum % kStep + sum / kStep * kStep * kGroups) return false;
    return true;
  }
  static_assert(agrees(), "the atom's sums lie in a way that ChainOrder does not know");
};

/// The columns of sums where B's rows come as they are, of atoms of which a lane has a run of sums.
template <class Atom>
struct AsTheyAre {
  using Layout = AtomLayout<Atom>;
  static_assert(Layout::kRun == Layout::kSums);
  static constexpr int kInPiece = Layout::kGroupStep;  ///< the columns of each next group are so much further
  static constexpr int column(int atom, int sum) { return atom * Layout::kRows + sum; }
};

/// Each of a row's sums becomes change(it, its column for the first group).
template <template <class> class Order = ChainOrder, class Atom, int kRows, int kColumns, class Change>
TILE_DEVICE void change_sums(Sums<Atom, kRows, kColumns>& sums, int row, Change change) {
  TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
    TILE_UNROLL for (int e = 0; e < AtomLayout<Atom>::kSums; ++e) sums.at[row][j][e] =
        change(sums.at[row][j][e], Order<Atom>::column(j, e));
  }
}

/// The greatest of, or the sum over, the lanes that have sums of the same row.
template <class Atom, class Combine>
TILE_DEVICE float over_groups(float value, Combine combine) {
  using Layout = AtomLayout<Atom>;
  if constexpr (Layout::kRowStep > 1) return reduce_lanes<Layout::kSumGroups>(value, combine);
  if constexpr (Layout::kRows == 16) value = combine(value, arch::swap_lanes<16>(value));
  if constexpr (Layout::kLanes == 64) value = combine(value, arch::swap_lanes<32>(value));
  return value;
}

/// Puts the `index`-th piece that a lane of ChainOrder's groups has of a row into an operand.
template <class Atom, int kRows, int kDepth>
TILE_DEVICE void put_piece(Operand<Atom, kRows, kDepth>& operand, int row, int index, Piece own) {
  using Order = ChainOrder<Atom>;
  using Layout = AtomLayout<Atom>;
  if constexpr (Layout::kGroups == Order::kGroups) {
    operand.at[row][index] = own;
  } else {
    // Both groups hold a whole row: each has half of it, and gets the other half.
    static_assert(Layout::kGroups == 1 && Order::kGroups == 2);
    const bool second = arch::thread_id() & Layout::kRows;
    TILE_UNROLL for (int i = 0; i < 4; ++i) {
      const u32 other = bits_as<u32>(arch::swap_lanes<16>(bits_as<float>(own[i])));
      operand.at[row][2 * index][i] = second ? other : own[i];
      operand.at[row][2 * index + 1][i] = second ? own[i] : other;
    }
  }
}

/// A row's sums, rounded to elements, as a row of an operand.
template <class Atom, int kRows, int kColumns, int kDepth>
TILE_DEVICE void become_operand(const Sums<Atom, kRows, kColumns>& sums, int row,
                                Operand<Atom, kRows, kDepth>& operand) {
  using Order = ChainOrder<Atom>;
  using Layout = AtomLayout<Atom>;
  static_assert(kDepth == kColumns * Layout::kRows);
  TILE_UNROLL for (int piece = 0; piece < kColumns * Layout::kSums / Order::kInPiece; ++piece) {
    Vector<float, Order::kInPiece> values;
    TILE_UNROLL for (int i = 0; i < Order::kInPiece; ++i) {
      const int number = piece * Order::kInPiece + i;
      values[i] = sums.at[row][number / Layout::kSums][number % Layout::kSums];
    }
    put_piece(operand, row, piece, rounded<typename Atom::Element>(values));
  }
}

/// sums += a * the tile's rows transposed, as far as `a` goes along them, in slices of K that come from
/// shared memory one after the other.
template <class Atom, int kRows, int kColumns, int kDepth, class Tile>
TILE_DEVICE void multiply(Sums<Atom, kRows, kColumns>& sums, const Operand<Atom, kRows, kDepth>& a,
                          const OperandReader<Atom, Tile>& reader, Tile tile) {
  using Layout = AtomLayout<Atom>;
  constexpr int kInPiece = kPieceElements<typename Atom::Element>;
  constexpr int kSlice = Layout::kHeld > kInPiece ? Layout::kHeld / kInPiece : 1;  // pieces
  using Slice = Operand<Atom, 1, kSlice * kInPiece * Layout::kGroups>;
  TILE_UNROLL for (int first = 0; first < Operand<Atom, kRows, kDepth>::kPieces; first += kSlice) {
    Slice b[kColumns];
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
      TILE_UNROLL for (int i = 0; i < kSlice; ++i) b[j].at[0][i] = reader.piece(j, first + i, tile);
    }
    TILE_UNROLL for (int step = 0; step < Slice::kSteps; ++step) {
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
        TILE_UNROLL for (int i = 0; i < kRows; ++i)
            sums.add(i, j, b[j].take(0, step), a, first / kSlice * Slice::kSteps + step);
      }
    }
  }
}

}  // namespace tile
