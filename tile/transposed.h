// Operands whose rows are columns of what lies in shared memory, which CDNA4's LDS transposes as it is read.
#pragma once

#include "tile/registers.h"

namespace tile {

/// kRows rows of kColumns elements, in memory by columns: a line has an element of each row.
template <class Atom, int kRows_, int kColumns_>
struct TransposedTile {
  using Element = typename Atom::Element;
  static constexpr int kRows = kRows_, kColumns = kColumns_, kLines = kColumns;
  static constexpr int kPieces = kRows / kPieceElements<Element>;  ///< of a line
  static constexpr int kBytes = kLines * kPieces * kPieceBytes;
  static_assert(sizeof(Element) == 2, "the instruction transposes elements of 16 bits");

  /// Half a wave is served together: it reads some lines of the pieces that an atom's rows take, which are
  /// to lie in different banks.
  struct Order {
    static constexpr int kAcross = AtomLayout<Atom>::kRows / kPieceElements<Element>;  ///< pieces
    static constexpr int kInBanks = arch::kHere.read_16.banks * 4 / kPieceBytes;       ///< pieces
    static constexpr int kPlaces = (kPieces < kInBanks ? kPieces : kInBanks) / kAcross;
    constexpr int operator()(int line, int piece) const {
      // Four lines that follow each other; of atoms of 16 rows also those eight further.
      const int of_phase = kAcross == 2 ? (line & 3) | (line >> 1 & 4) : line & 3;
      constexpr int kTogether = kPieces < kInBanks ? kInBanks / kPieces : 1;  // lines
      return piece ^ of_phase / kTogether % kPlaces * kAcross;
    }
  };
  static constexpr Order kSwizzle{};
  static constexpr int kPeriod = 16;  ///< lines after which the order of pieces repeats

  SharedBytes memory;
};

/// Reads pieces as the reader of a SharedTile does. A read of the wave gives each sixteen lanes four lines of
/// sixteen rows.
template <class Atom, int kRows, int kColumns>
struct OperandReader<Atom, TransposedTile<Atom, kRows, kColumns>> {
  using Layout = AtomLayout<Atom>;
  using Tile = TransposedTile<Atom, kRows, kColumns>;
  static constexpr int kInPiece = kPieceElements<typename Atom::Element>;
  static constexpr int kPieces = kColumns / (kInPiece * Layout::kGroups);
  static constexpr int kLineBytes = Tile::kPieces * kPieceBytes;
  static_assert(Layout::kGroups * kInPiece % Tile::kPeriod == 0,
                "the order of pieces is the same in each read");
  int offset[kRows / Layout::kRows];

  TILE_DEVICE OperandReader(int first_row, int lane) {
    const int line = Layout::group(lane) * kInPiece + lane % 16 / 4,
              row = lane % Layout::kRows / 16 * 16 + lane % 4 * 4;
    TILE_UNROLL for (int atom = 0; atom < kRows / Layout::kRows; ++atom) {
      const int at = first_row + atom * Layout::kRows + row;
      offset[atom] =
          line * kLineBytes + Tile::kSwizzle(line, at / kInPiece) * kPieceBytes + at % kInPiece * 2;
    }
  }
  TILE_DEVICE Piece piece(int atom, int i, Tile tile) const {
    struct Halves {
      Vector<u32, 2> low, high;
    } halves;
    const SharedBytes at = tile.memory + offset[atom] + i * Layout::kGroups * kInPiece * kLineBytes;
    halves.low = arch::read_transposed<typename Atom::Element>(at);
    halves.high = arch::read_transposed<typename Atom::Element>(at + 4 * kLineBytes);
    return bits_as<Piece>(halves);
  }
};

}  // namespace tile
