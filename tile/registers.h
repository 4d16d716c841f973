// Tiles in registers, spread over the lanes of a wave: operands of matrix atoms, and their sums.
#pragma once

#include "tile/arch/device.h"
#include "tile/shared.h"
#include "tile/typed_view.h"

namespace tile {

/// `kAtoms` atoms' rows of `kColumns` elements each, as one operand of a product.
template <class Atom, int kAtoms, int kColumns>
struct Operand {
  using Layout = AtomLayout<Atom>;
  using Element = typename Atom::Element;
  static constexpr int kInPiece = kPieceElements<Element>;
  static constexpr int kPieces = kColumns / (kInPiece * Layout::kGroups);  ///< of a row in a lane
  static constexpr int kSteps = kColumns / Layout::kDepth;                 ///< products of atoms along K
  static_assert(kPieces * kInPiece * Layout::kGroups == kColumns,
                "K of an operand is a multiple of its lanes' pieces");
  Piece at[kAtoms][kPieces];

  /// What an atom takes at a step.
  TILE_DEVICE Vector<Element, Layout::kHeld> take(int atom, int step) const {
    using Held = Vector<Element, Layout::kHeld>;
    if constexpr (Layout::kHeld >= kInPiece) {
      struct Several {
        Piece piece[Layout::kHeld / kInPiece];
      } several;
      TILE_UNROLL for (int i = 0; i < Layout::kHeld / kInPiece; ++i) several.piece[i] =
          at[atom][step * (Layout::kHeld / kInPiece) + i];
      return bits_as<Held>(several);
    } else {
      constexpr int kInOne = kInPiece / Layout::kHeld;
      struct Parts {
        Held held[kInOne];
      };
      return bits_as<Parts>(at[atom][step / kInOne]).held[step % kInOne];
    }
  }
};

/// An operand that is there by here, not later.
template <class Atom, int kAtoms, int kColumns>
TILE_DEVICE void keep_here(Operand<Atom, kAtoms, kColumns>& operand) {
  TILE_UNROLL for (auto& row : operand.at) { TILE_UNROLL for (Piece& piece : row) arch::keep_here(piece); }
}

/// Reads one atom's rows of an operand. `base` is where the wave's rows begin in the tile (a multiple of the
/// swizzle's period); reader(lane) is computed once.
template <class Atom, class Tile>
struct OperandReader {
  using Layout = AtomLayout<Atom>;
  static constexpr int kPieces = Tile::kPieces / Layout::kGroups;
  /// Reads of an atom's rows in one of so many parts of the tile.
  template <int kParts>
  static constexpr int kReads = kPieces / kParts;
  /// Atoms after which the order of pieces repeats: of each the offsets are kept.
  static constexpr int kVariants = Tile::kPeriod <= Layout::kRows ? 1 : Tile::kPeriod / Layout::kRows;
  static_assert(kVariants * Layout::kRows % Tile::kPeriod == 0, "the swizzle repeats after whole atoms");
  /// Pieces of a row that the swizzle moves: the others are as much further.
  static constexpr int kMoved = Tile::kMoved / Layout::kGroups;
  static constexpr int kOffsets = kMoved > 0 && kMoved < kPieces ? kMoved : kPieces;
  int offset[kVariants][kOffsets];

  TILE_DEVICE OperandReader(int first_row, int lane) {
    TILE_UNROLL for (int atom = 0; atom < kVariants; ++atom) {
      const int row = first_row + atom * Layout::kRows + Layout::row(lane);
      TILE_UNROLL for (int i = 0; i < kOffsets; ++i) offset[atom][i] =
          Tile::offset(row, Layout::group(lane) + i * Layout::kGroups);
    }
  }
  /// A lane's piece of an atom's rows.
  TILE_DEVICE Piece piece(int atom, int i, Tile tile) const {
    constexpr int kStep = kVariants * Layout::kRows * Tile::kPieces * kPieceBytes;
    return shared_read<Piece>(tile.memory + offset[atom % kVariants][i % kOffsets] +
                              i / kOffsets * kOffsets * Layout::kGroups * kPieceBytes +
                              atom / kVariants * kStep);
  }
  /// Reads the part of the tile's columns that the operand has.
  template <int kPart = 0, int kAtoms, int kColumns>
  TILE_DEVICE void read(Operand<Atom, kAtoms, kColumns>& operand, int atom, Tile tile) const {
    constexpr int kOfPart = Operand<Atom, kAtoms, kColumns>::kPieces;
    static_assert((kPart + 1) * kOfPart <= kPieces, "the tile has that part");
    TILE_UNROLL for (int i = 0; i < kOfPart; ++i) operand.at[atom][i] =
        piece(atom, kPart * kOfPart + i, tile);
  }
};

/// Sums of a product of kRows by kColumns atoms. The lane's runs of sums (AtomLayout::kRun) are of one row
/// and of columns that follow each other, for the atoms are given B first.
template <class Atom, int kRows, int kColumns>
struct Sums {
  using Layout = AtomLayout<Atom>;
  Vector<typename Atom::Sum, Layout::kSums> at[kRows][kColumns];

  TILE_DEVICE void clear() {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) at[i][j] = {};
    }
  }
  /// at[row][column] += a[row] at a step * b transposed. An instruction that multiplies several rows does so
  /// with the first of them.
  template <class Held, class OperandA>
  TILE_DEVICE void add(int row, int column, const Held& b, const OperandA& a, int step) {
    if constexpr (Atom::kTogether == 1) {
      at[row][column] = Atom::multiply(b, a.take(row, step), at[row][column]);
    } else {
      static_assert(Atom::kTogether == 2 && kRows % 2 == 0, "instructions multiply rows in pairs");
      if (row % 2 == 0)
        Atom::multiply(b, a.take(row, step), a.take(row + 1, step), at[row][column], at[row + 1][column]);
    }
  }
  /// at[row][...] += a[row] * b[...] transposed. A sum's next product is begun after those of all other sums
  /// of the row. `kFirst`, `kEnd`: some of the steps along K.
  template <int kFirst = 0, int kEnd = 1 << 30, class OperandA, class OperandB>
  TILE_DEVICE void multiply(int row, const OperandA& a, const OperandB& b) {
    constexpr int kLast = kEnd < OperandA::kSteps ? kEnd : OperandA::kSteps;
    TILE_UNROLL for (int step = kFirst; step < kLast; ++step) {
      TILE_UNROLL for (int column = 0; column < kColumns; ++column)
          add(row, column, b.take(column, step), a, step);
    }
  }
};

/// A row of atoms' sums in shared memory, row by row: a lane's sums lie apart in the matrix, and full lines
/// are written to global memory at several times the speed of parts. Pieces of a row change places so that
/// lanes meet different banks.
template <class Atom, int kColumns>
struct SumTable {
  using Layout = AtomLayout<Atom>;
  using Sum = typename Atom::Sum;
  static constexpr int kPieces = kColumns * Layout::kRows / 4;  ///< of a row: 16 bytes, four sums
  static constexpr int kEights = kPieces / 2;                   ///< of a row
  static constexpr int kAtomBytes = Layout::kRows * kPieces * kPieceBytes;
  static constexpr int kMask = (kPieces % 8 == 0 ? 8 : kPieces & -kPieces) - 1;

  TILE_DEVICE static int offset(int line, int piece) {
    return (line * kPieces + (piece ^ (line & kMask))) * kPieceBytes;
  }
  /// Writes the sums of a row of atoms from line `first` on.
  template <int kRows>
  TILE_DEVICE static void write(const Sums<Atom, kRows, kColumns>& sums, int atom, SharedBytes memory,
                                int first, int lane) {
    constexpr int kRun = Layout::kRun < 4 ? Layout::kRun : 4;
    const int line = first + Layout::row(lane),
              group = lane % Layout::kSumLanes / Layout::kSumStep * Layout::kGroupStep;
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
      repeat<Layout::kSums / kRun>([&](auto run) {
        constexpr int kFirst = decltype(run)::kValue * kRun, kColumn = Layout::first_row(kFirst);
        const int column = j * Layout::kRows + kColumn + group;
        Vector<Sum, kRun> values;
        TILE_UNROLL for (int e = 0; e < kRun; ++e) values[e] = sums.at[atom][j][kFirst + e];
        shared_write(memory + offset(line, column / 4) + column % 4 * 4, values);
      });
    }
  }
  /// Eight sums of a line that follow each other, from a multiple of eight on.
  TILE_DEVICE static Vector<Sum, 8> read(SharedBytes memory, int line, int column) {
    struct Two {
      Piece low, high;
    } two;
    two.low = shared_read<Piece>(memory + offset(line, column / 4));
    two.high = shared_read<Piece>(memory + offset(line, column / 4 + 1));
    return bits_as<Vector<Sum, 8>>(two);
  }
};

/// Hands each eight sums of a row that follow each other to `use(row, column, sums)`, once, on some lane;
/// rows and columns count from the wave's first. They go by way of the wave's own part of shared memory,
/// kBytes of it. With two halves of the columns it is `use(row, column, sums, those of the other half)`.
template <int kBytes, int kHalves = 1, class Atom, int kRows, int kColumns, class Use>
TILE_DEVICE void for_each_eight(const Sums<Atom, kRows, kColumns>& sums, SharedBytes memory, int lane,
                                Use use) {
  using Layout = AtomLayout<Atom>;
  using Table = SumTable<Atom, kColumns>;
  // Rows of atoms at a time.
  constexpr int kFit = kBytes / Table::kAtomBytes < kRows ? kBytes / Table::kAtomBytes : kRows;
  constexpr int kEights = Table::kEights / kHalves;
  constexpr bool kAllLanes = Layout::kRows * kEights % Layout::kLanes == 0;
  static_assert(kFit > 0, "the wave's part of shared memory holds at least one row of atoms");
  // One loop over the parts, so that `use` stands in the code once.
  TILE_KEEP_LOOP
  for (int first = 0; first < kRows; first += kFit) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      if (i / kFit * kFit == first) Table::write(sums, i, memory, i % kFit * Layout::kRows, lane);
    }
    arch::wave_barrier();
    const int rows = (kRows - first < kFit ? kRows - first : kFit) * Layout::kRows;
    TILE_KEEP_LOOP
    for (int eights = 0; eights < rows * kEights; eights += Layout::kLanes) {
      const int eight = eights + lane, line = eight / kEights, column = eight % kEights * 8;
      if (!kAllLanes && eight >= rows * kEights) continue;
      if constexpr (kHalves == 1)
        use(first * Layout::kRows + line, column, Table::read(memory, line, column));
      else
        use(first * Layout::kRows + line, column, Table::read(memory, line, column),
            Table::read(memory, line, column + kEights * 8));
    }
    arch::wave_barrier();
  }
}

}  // namespace tile
