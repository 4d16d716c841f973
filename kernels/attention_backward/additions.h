// What a workgroup's rows of keys add to dQ: the scores' gradients of a tile of queries, which its waves have
// by keys, come together in shared memory by queries. Each wave multiplies them all by some columns of the
// keys, and adds the products to floats in global memory, where other workgroups add theirs.
#pragma once

#include "kernels/attention_backward/shape.h"
#include "tile/arch/additions.h"
#include "tile/chain.h"
#include "tile/transposed.h"
#include "tile/view.h"

namespace wavesmith::kernels {

/// One type or the other.
template <bool kFirst, class First, class Second>
struct OneOf {
  using Type = First;
};
template <class First, class Second>
struct OneOf<false, First, Second> {
  using Type = Second;
};

/// Whether shared memory transposes what is read of it: on CDNA4, which is known by its loads past registers.
inline constexpr bool kTransposes = tile::arch::kHere.direct_bytes == tile::kPieceBytes;

template <class Shape>
struct QueryAdditions {
  using Element = typename Shape::Atom::Element;
  static constexpr int kColumns = Shape::kHeadSize / Shape::kWaves;  ///< of dQ, that are a wave's
  using Atom = typename OneOf<kColumns % Shape::Layout::kRows == 0, typename Shape::Atom,
                              tile::arch::Best<Element>>::Type;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr int kAtoms = kColumns / Layout::kRows, kAcross = Shape::kTile / Layout::kRows;
  static_assert(kAtoms == 1 && Layout::kRows == kColumns, "a wave has an atom of columns");
  using Keys = tile::Operand<Atom, kAtoms, Shape::kRows>;
  using KeysTile = tile::SharedTile<Atom, Shape::kHeadSize, Shape::kRows, tile::Written::ByColumns>;
  using KeysWindow = tile::Window<KeysTile, Shape::kThreads, tile::Along::Column>;
  /// By rows of queries, or where shared memory transposes as it is read, by keys.
  using ScoresTile = typename OneOf<kTransposes, tile::TransposedTile<Atom, Shape::kTile, Shape::kRows>,
                                    tile::SharedTile<Atom, Shape::kTile, Shape::kRows>>::Type;
  static constexpr int kBytes = ScoresTile::kBytes;              ///< of the scores' gradients
  static constexpr int kBytesOfKeys = KeysWindow::kSharedBytes;  ///< while they are loaded
  static constexpr int kSums = kAcross * Layout::kSums;          ///< of a lane

  Keys keys;  ///< by columns, of which the wave has its own
  tile::Sums<Atom, kAtoms, kAcross> sums;

  /// Loads the keys by way of `memory`.
  TILE_DEVICE void load(const void* k, int length, int head_size, long stride, int first_row,
                        tile::SharedBytes memory, int thread, int wave, int lane) {
    KeysWindow window(k, head_size, length, stride, 0, first_row, thread);
    typename KeysWindow::Pieces pieces;
    window.load(pieces);
    window.store(pieces, KeysTile{memory});
    tile::arch::barrier();
    const tile::OperandReader<Atom, KeysTile> reader(wave * kColumns, lane);
    reader.read(keys, 0, KeysTile{memory});
  }

  /// Puts a piece of what a wave has of the scores' gradients, that of its keys `first` on, where all waves
  /// find it.
  TILE_DEVICE static void keep(tile::Piece piece, int index, int first, tile::SharedBytes memory, int lane) {
    using From = typename Shape::Layout;
    using Order = tile::ChainOrder<typename Shape::Atom>;
    constexpr int kInPiece = Order::kInPiece;
    const int key = first + From::row(lane), group = lane % From::kSumLanes / From::kSumStep;
    const int of_queries = index * Order::kGroups + group;
    if constexpr (kTransposes) {
      constexpr auto swizzle = ScoresTile::kSwizzle;
      const int at = key * ScoresTile::kPieces + swizzle(key, of_queries);
      tile::shared_write(memory + at * tile::kPieceBytes, piece);
    } else {
      const auto elements = tile::bits_as<tile::Vector<Element, kInPiece>>(piece);
      TILE_UNROLL for (int e = 0; e < kInPiece; ++e) {
        const int query = of_queries * kInPiece + e;
        tile::shared_write(memory + ScoresTile::offset(query, key / kInPiece) +
                               key % kInPiece * static_cast<int>(sizeof(Element)),
                           static_cast<Element>(elements[e]));
      }
    }
  }

  /// Where a lane's first sum goes, in a head's rows from `first` on.
  TILE_DEVICE static tile::u32 place(int first, int wave, int lane) {
    const int group = lane % Layout::kSumLanes / Layout::kSumStep * Layout::kGroupStep;
    return ((first + group) * Shape::kHeadSize + wave * kColumns + Layout::row(lane)) * 4;
  }
  /// Adds one of the sums; what is outside is dropped.
  TILE_DEVICE void add(tile::arch::Buffer to, tile::u32 place, int number) const {
    constexpr int kRowBytes = Shape::kHeadSize * 4;
    const int atom = number / Layout::kSums, sum = number % Layout::kSums;
    tile::arch::add(to, place + (atom * Layout::kRows + Layout::first_row(sum)) * kRowBytes,
                    sums.at[0][atom][sum]);
  }
};

}  // namespace wavesmith::kernels
