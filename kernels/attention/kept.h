// The weights of a tile that dropout keeps.
#pragma once

#include "kernels/attention/arguments.h"
#include "kernels/attention/dropout.h"
#include "tile/bit_matrix.h"
#include "tile/chain.h"

namespace wavesmith::kernels {

/// The decisions about the weights of a head of queries.
struct DropoutDraws {
  unsigned long seed, head;
  tile::u32 dropped;  ///< of 256, in each byte

  TILE_DEVICE DropoutDraws(const AttentionDropout& g, int batch, int of_head)
      : seed(g.seed),
        head(g.block + static_cast<unsigned long>(batch) * static_cast<unsigned>(g.heads) +
             static_cast<unsigned>(of_head)),
        dropped(g.dropped) {
    if (g.state == nullptr) return;
    seed = tile::arch::load_shared_by_lanes<tile::u64>(g.state, 0);
    head += tile::arch::load_shared_by_lanes<tile::u64>(g.state, 1) / 4;
  }

  /// A block's decisions: of its first eight keys in the lowest bits, of the others 16 bits further.
  TILE_DEVICE tile::u32 kept(int query, tile::u32 block) const {
    using tile::u32, tile::u64;
    constexpr u32 kTops = 0x80808080;
    // The keys of all rounds would otherwise be kept in scalar registers.
    const auto low = static_cast<u32>(tile::arch::late(static_cast<int>(seed)));
    tile::arch::keep_order();  // much at once would take many registers
    const PhiloxBlock bits = dropout_bits(seed >> 32 << 32 | low, head, query, block);
    u32 all = 0;
    TILE_UNROLL for (u32 word : bits.words) {
      // Whether a byte is as large as the bound: its lower seven bits and the bound's are compared by a
      // difference that takes nothing from the next byte; the highest bits decide unless they are alike.
      const u32 lower = (word | kTops) - (dropped & ~kTops);
      const u32 large = (word & lower) | (~dropped & (word | lower));
      all = all >> 1 | (large & kTops);
    }
    all >>= 4;  // four bits in each byte
    tile::arch::keep_order();
    return (all | all >> 4) & 0x00ff00ff;
  }
};

/// A bit for each score of a lane's tile, by its column for the first group of lanes.
template <class Atom, int kRows, int kColumns>
struct KeptWeights {
  using Layout = tile::AtomLayout<Atom>;
  using Order = tile::ChainOrder<Atom>;
  static constexpr int kTile = kColumns * Layout::kRows;  ///< columns
  static constexpr int kWords = kTile > kDropoutSpan ? kTile / kDropoutSpan : 1;
  static_assert(Order::kGroups == 2 && Order::kInPiece == 8, "blocks are of what a lane has of 32 columns");
  static_assert(Layout::kRowStep == 1 && Layout::kLanes == 2 * Layout::kRows);
  tile::u32 at[kRows][kWords];

  /// Of a tile of keys from `key` on, where lanes have rows of queries. Tiles begin with a multiple of 32
  /// keys, or where they are smaller of their size.
  TILE_DEVICE void find_by_queries(const DropoutDraws& draws, int row, int key, int group) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      TILE_UNROLL for (int word = 0; word < kWords; ++word) {
        const int first = key + word * kDropoutSpan;
        at[i][word] =
            draws.kept(row + i * Layout::kRows, dropout_block(first) + static_cast<unsigned>(group));
        if constexpr (kTile < kDropoutSpan) at[i][word] >>= first & (kDropoutSpan - 1);
      }
    }
  }

  /// Of a tile of queries from `query` on, where lanes have rows of keys, the wave's from `key` on: lanes
  /// find the decisions of a query each, about all of the wave's keys, and transpose them.
  TILE_DEVICE void find_by_keys(const DropoutDraws& draws, int query, int key, int lane, int group) {
    static_assert(kWords == 1 && kTile % Layout::kRows == 0);
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      const int first = key + i * Layout::kRows;
      tile::u32 all = 0;
      TILE_UNROLL for (int part = 0; part < kTile / Layout::kRows; ++part) {
        const int of_lane = query + part * Layout::kRows + Layout::row(lane);
        tile::u32 own = draws.kept(of_lane, dropout_block(first) + static_cast<unsigned>(group));
        if constexpr (Layout::kRows < kDropoutSpan) own = own >> (first & (kDropoutSpan - 1)) & 0xff;
        own <<= group * Order::kInPiece;
        own |= tile::bits_as<tile::u32>(tile::arch::swap_lanes<Layout::kRows>(tile::bits_as<float>(own)));
        all |= tile::transpose_bits<Layout::kRows>(own, lane) << part * Layout::kRows;
      }
      at[i][0] = all >> group * Order::kInPiece;
    }
  }

  /// What belongs to weights that are dropped becomes 0, and what belongs to others grows `by`.
  template <class Change>
  TILE_DEVICE void each(tile::Sums<Atom, kRows, kColumns>& sums, Change change) const {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      tile::change_sums(sums, i, [&](float value, int column) {
        const auto all = static_cast<int>(at[i][column / kDropoutSpan] << (31 - column % kDropoutSpan)) >> 31;
        return tile::bits_as<float>(tile::bits_as<int>(change(value)) & all);
      });
    }
  }
  TILE_DEVICE void drop(tile::Sums<Atom, kRows, kColumns>& sums) const {
    each(sums, [](float value) { return value; });
  }
};

}  // namespace wavesmith::kernels
