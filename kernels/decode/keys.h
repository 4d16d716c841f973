// Keys and values on their way from a cache to a product's operands: through registers alone. Each is read by
// one wave only, so shared memory would gain nothing.
//
// A tile has eight keys for each group of lanes (tile::ChainOrder). Of keys, a lane has pieces of one per
// atom: the operand as it is. Of values, a lane has some columns of its group's eight keys; transposed in
// registers, these are eight keys of each column, a piece of the operand.
#pragma once

#include "kernels/decode/pages.h"
#include "tile/chain.h"
#include "tile/widen.h"

namespace wavesmith::kernels {

/// `Stored`: the cache's elements, those of the atom, e4m3 or i8. `kTokenScales_`: each position has scales.
template <class Atom_, class Stored_, int kHeadSize_, bool kTokenScales_ = false>
struct DecodeShape {
  using Atom = Atom_;
  using Stored = Stored_;
  using Element = typename Atom::Element;
  using Layout = tile::AtomLayout<Atom>;
  using Order = tile::ChainOrder<Atom>;
  static constexpr int kHeadSize = kHeadSize_;
  static constexpr bool kTokenScales = kTokenScales_;
  static constexpr int kGroups = Order::kGroups;
  static constexpr int kInGroup = Order::kInPiece;            ///< keys of a tile that a group has values of
  static constexpr int kKeys = kGroups * kInGroup;            ///< of a tile
  static constexpr int kAtoms = kKeys / Layout::kRows;        ///< of keys in a tile
  static constexpr int kColumns = kHeadSize / Layout::kRows;  ///< of values that a lane has; atoms of results
  static constexpr int kWide = kColumns;                      ///< of them that are side by side
  static constexpr int kInLoad = tile::kPieceBytes / static_cast<int>(sizeof(Stored));  ///< elements
  static constexpr int kLoads = kHeadSize / (kInLoad * kGroups);  ///< of a key in a lane
  static constexpr int kPieces = kInLoad / kInGroup;              ///< of an operand in what is loaded at once
};

/// What lies at a multiple of four bytes: rows with a scale of their own may end with it.
template <class T>
struct __attribute__((packed, aligned(4))) OfWords {
  T value;
};
template <class Shape, class T>
TILE_DEVICE T load_stored(tile::u64 address) {
  if constexpr (Shape::kTokenScales)
    return tile::arch::load_at<OfWords<T>>(address).value;
  else
    return tile::arch::load_at<T>(address);
}

template <class Shape>
struct KeyTile {
  using Layout = typename Shape::Layout;
  using Order = typename Shape::Order;
  tile::Piece at[Shape::kAtoms][Shape::kLoads];

  /// The first of the lane's keys, of which all are in one page.
  TILE_DEVICE static int first(int lane) { return Order::row(Layout::row(lane)); }

  TILE_DEVICE void load(const PagedHead& head, const Pages& pages, int entry, int key, int lane) {
    const tile::u64 page = head.page(pages.block(entry)) + lane / Layout::kRows * tile::kPieceBytes;
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      const tile::u64 row = head.at(page, pages.row(key + Order::row(i * Layout::kRows + Layout::row(lane))));
      TILE_UNROLL for (int p = 0; p < Shape::kLoads; ++p) at[i][p] =
          load_stored<Shape, tile::Piece>(row + p * Shape::kGroups * tile::kPieceBytes);
    }
  }

  /// Scores of the rows of q.
  using Queries = tile::Operand<typename Shape::Atom, 1, Shape::kHeadSize>;
  using Scores = tile::Sums<typename Shape::Atom, 1, Shape::kAtoms>;
  TILE_DEVICE void multiply(Scores& scores, const Queries& q) const {
    using Atom = typename Shape::Atom;
    using Slice = tile::Operand<Atom, Shape::kAtoms, Shape::kKeys>;  // of as many elements, too
    tile::repeat<Shape::kLoads * Shape::kPieces>([&](auto piece) {
      constexpr int kPiece = decltype(piece)::kValue, kLoad = kPiece / Shape::kPieces;
      Slice keys;
      TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) tile::put_piece(
          keys, i, 0,
          tile::widened<typename Shape::Element, typename Shape::Stored, kPiece % Shape::kPieces>(
              at[i][kLoad]));
      TILE_UNROLL for (int step = 0; step < Slice::kSteps; ++step) {
        TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) scores.at[0][i] =
            Atom::multiply(keys.take(i, step), q.take(0, kPiece * Slice::kSteps + step), scores.at[0][i]);
      }
      // Lanes that need both halves of rows would otherwise get those of all pieces first.
      if constexpr (Layout::kGroups != Shape::kGroups) tile::arch::keep_order();
    });
  }
};

/// Reads the rows [row, row + an atom's) of q, in the order of a KeyTile's operand; `offset(row)` is where
/// one is in the buffer.
template <class Shape, class Offset>
TILE_DEVICE void load_queries(typename KeyTile<Shape>::Queries& q, tile::arch::Buffer buffer, int lane,
                              Offset offset) {
  using Layout = typename Shape::Layout;
  using Queries = typename KeyTile<Shape>::Queries;
  constexpr int kSize = sizeof(typename Shape::Element), kInPiece = Queries::kInPiece;
  const tile::u32 row = offset(Layout::row(lane));
  TILE_UNROLL for (int p = 0; p < Queries::kPieces; ++p) {
    // Where each lane has whole rows, the pieces of its groups of lanes follow each other.
    constexpr bool kWhole = Layout::kGroups == 1;
    const int piece = kWhole ? p / Shape::kGroups : p,
              group = kWhole ? p % Shape::kGroups : Layout::group(lane);
    const int element = (piece / Shape::kPieces * Shape::kGroups + group) * Shape::kInLoad +
                        piece % Shape::kPieces * kInPiece;
    q.at[0][p] = tile::arch::load_piece(buffer, row == tile::arch::kOutside ? row : row + element * kSize);
  }
}

template <class Shape>
struct ValueTile {
  using Layout = typename Shape::Layout;
  static constexpr int kBytes = Shape::kColumns * static_cast<int>(sizeof(typename Shape::Stored));
  static constexpr int kOfLoad = kBytes < tile::kPieceBytes ? kBytes : tile::kPieceBytes;
  using Load = tile::Vector<tile::u32, kOfLoad / 4>;
  struct Columns {
    Load at[kBytes / kOfLoad];
  };
  Columns at[Shape::kInGroup];

  TILE_DEVICE static int first(int lane) { return lane / Layout::kRows * Shape::kInGroup; }

  TILE_DEVICE void load(const PagedHead& head, const Pages& pages, int entry, int key, int lane) {
    const tile::u64 page = head.page(pages.block(entry)) + Layout::row(lane) * kBytes;
    TILE_UNROLL for (int i = 0; i < Shape::kInGroup; ++i) {
      const tile::u64 row = head.at(page, pages.row(key + first(lane) + i));
      TILE_UNROLL for (int p = 0; p < kBytes / kOfLoad; ++p) at[i].at[p] =
          load_stored<Shape, Load>(row + p * kOfLoad);
    }
  }

  /// Results += weights * values, of which `scaled` makes those of a column. Column c of a lane is row c of
  /// as many atoms.
  using Weights = tile::Operand<typename Shape::Atom, 1, Shape::kKeys>;
  using Results = tile::Sums<typename Shape::Atom, 1, Shape::kColumns>;
  template <class Scaled>
  TILE_DEVICE void multiply(Results& results, const Weights& weights, Scaled scaled) const {
    using Atom = typename Shape::Atom;
    tile::repeat<Shape::kColumns / 2>([&](auto pair) {
      constexpr int kPair = decltype(pair)::kValue;
      tile::Vector<typename Shape::Element, Shape::kInGroup> columns[2];
      TILE_UNROLL for (int i = 0; i < Shape::kInGroup; ++i) {
        const auto two = tile::two_widened<typename Shape::Element, typename Shape::Stored, kPair>(at[i]);
        columns[0][i] = two[0], columns[1][i] = two[1];
      }
      TILE_UNROLL for (int c = 0; c < 2; ++c) {
        tile::Operand<Atom, 1, Shape::kKeys> values;
        tile::put_piece(values, 0, 0, tile::bits_as<tile::Piece>(scaled(columns[c])));
        TILE_UNROLL for (int step = 0; step < Weights::kSteps; ++step) {
          auto& sums = results.at[0][2 * kPair + c];
          sums = Atom::multiply(values.take(0, step), weights.take(0, step), sums);
        }
      }
    });
  }
};

}  // namespace wavesmith::kernels
