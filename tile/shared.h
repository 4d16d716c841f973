// A tile in shared memory (LDS): rows of pieces of 16 bytes. In which order a row's pieces lie depends on the
// row (a swizzle), so that the lanes that shared memory serves together find their pieces in different banks.
#pragma once

#include "tile/atom.h"

namespace tile {

/// `piece ^ (row >> shift) % pieces`; a shift of 8 leaves the order as it is, a negative one is to the left.
struct Swizzle {
  int shift;
  int pieces;  ///< that change places: those of a row, as far as they are in different banks
  [[nodiscard]] constexpr int operator()(int row, int piece) const {
    return piece ^ ((shift < 0 ? row << -shift : row >> shift) & (pieces - 1));
  }
  /// Rows after which the order repeats.
  [[nodiscard]] constexpr int period() const {
    if (shift >= 0) return pieces << shift % 8;
    return pieces >> -shift > 0 ? pieces >> -shift : 1;
  }
};

namespace detail {

/// Cycles beyond one per phase when each lane of a wave accesses the piece that `place` (lane to piece of the
/// tile) names. Compilers evaluate it slowly, so each place is asked for once.
template <class Place>
constexpr int conflicts(const arch::SharedPhases& phases, int lanes, Place place) {
  constexpr int kMostLanes = 64, kMostSlots = 16, kQuad = 4, kPhases = 16;
  int places[kMostLanes] = {};
  for (int lane = 0; lane < lanes; ++lane) places[lane] = place(lane);
  const int slots = phases.banks * 4 / kPieceBytes;
  int sum = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    int different[kMostLanes] = {}, count = 0, in_slot[kMostSlots] = {}, most = 1;
    for (int quad = 0; quad < lanes; quad += kQuad) {
      if (phases.phase(quad) != phase) continue;
      for (int lane = quad; lane < quad + kQuad; ++lane) {
        bool again = false;
        for (int before = 0; before < count && !again; ++before) again = different[before] == places[lane];
        if (again) continue;
        different[count++] = places[lane];
        const int in_this = ++in_slot[places[lane] % slots];
        most = in_this > most ? in_this : most;
      }
    }
    sum += most - 1;
  }
  return sum;
}

/// The swizzle with the fewest conflicts when threads in order write the tile's pieces in order, and waves
/// read it as an operand of an atom with that layout.
template <class Layout>
constexpr Swizzle best_swizzle(int pieces) {
  constexpr int kSlots = arch::kHere.read_16.banks * 4 / kPieceBytes;
  const int changing = pieces < kSlots ? pieces : kSlots;
  Swizzle best{8, changing};
  int fewest = 1 << 30;
  // To the left where lanes that follow each other read pieces of a row.
  constexpr int kShifts[] = {8, 0, 1, 2, 3, -1, -2}, kCount = Layout::kRowStep == 1 ? 5 : 7;
  for (int i = 0; i < kCount; ++i) {
    const int shift = kShifts[i];
    const Swizzle swizzle{shift, changing};
    const auto read = [&](int lane) {
      const int row = Layout::row(lane);
      return row * pieces + swizzle(row, Layout::group(lane) % pieces);
    };
    const auto write = [&](int lane) {
      return lane / pieces * pieces + swizzle(lane / pieces, lane % pieces);
    };
    const int found = conflicts(arch::kHere.read_16, Layout::kLanes, read) +
                      conflicts(arch::kHere.write_16, Layout::kLanes, write);
    if (found < fewest) best = swizzle, fewest = found;
  }
  return best;
}

/// The same for all tiles with rows of so many pieces and atoms of that layout.
template <class Layout, int kPieces>
constexpr Swizzle kBestSwizzle = best_swizzle<Layout>(kPieces);

}  // namespace detail

using SharedBytes = TILE_IN_SHARED char*;

template <class T>
TILE_DEVICE T shared_read(SharedBytes at) {
  return *reinterpret_cast<TILE_IN_SHARED const T*>(at);
}
template <class T>
TILE_DEVICE void shared_write(SharedBytes at, T value) {
  *reinterpret_cast<TILE_IN_SHARED T*>(at) = value;
}

/// How a shared tile is written: a piece of a row at once, or parts of pieces of rows that are eight apart,
/// by lanes that read a matrix along its columns.
enum class Written { ByRows, ByColumns };

/// Which row of a window stands at a position of the shared tile: the same, unless it says otherwise.
struct InOrder {
  TILE_DEVICE static int row(int position) { return position; }
};

/// `kRows` rows of `kColumns` elements, as operands of `Atom` are read.
template <class Atom, int kRows_, int kColumns_, Written kWritten = Written::ByRows>
struct SharedTile {
  using Element = typename Atom::Element;
  static constexpr int kRows = kRows_, kColumns = kColumns_;
  static constexpr int kLines = kRows;  ///< in memory, of kPieces pieces each
  static constexpr int kPieces = kColumns * static_cast<int>(sizeof(Element)) / kPieceBytes;  ///< per row
  static constexpr int kBytes = kRows * kPieces * kPieceBytes;
  static_assert(kPieces * kPieceBytes == kColumns * static_cast<int>(sizeof(Element)) &&
                    (kPieces & (kPieces - 1)) == 0,
                "a row of a shared tile holds a power of two of 16-byte pieces");
  static constexpr Swizzle kSwizzle = detail::kBestSwizzle<AtomLayout<Atom>, kPieces>;
  /// Rows after which the order of pieces repeats.
  static constexpr int kPeriod = kWritten == Written::ByColumns ? 64 : kSwizzle.period();
  /// Pieces that the order moves; it is the same for the next as many.
  static constexpr int kMoved = kWritten == Written::ByColumns ? 8 : kSwizzle.pieces;

  SharedBytes memory;

  /// Byte offset of a piece. Written by columns, the order depends on rows that are eight apart, too: sixteen
  /// rows in order lie in different banks, and eight that are eight apart.
  TILE_DEVICE static int offset(int row, int piece) {
    constexpr Swizzle swizzle = kSwizzle;
    constexpr int kInLine = kPieces < 8 ? 8 / kPieces : 1;  // rows in 128 bytes
    if constexpr (kWritten == Written::ByRows)
      return (row * kPieces + swizzle(row, piece)) * kPieceBytes;
    else
      return ((row * kPieces + piece) ^ ((row / kInLine ^ row >> 3) & 7)) * kPieceBytes;
  }
};

}  // namespace tile
