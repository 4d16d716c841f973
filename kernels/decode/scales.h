// Scales that each position of a cache has for each of its heads.
//
// A group of lanes has eight keys of a tile (tile::ChainOrder), which have eight scales as keys and eight as
// values: as many as lanes are in the group. Each lane loads one, and a product reads the lane that has it.
// Scores become those of keys by a multiplication; in place of values, whose numbers stay as they are stored,
// the weights are multiplied.
#pragma once

#include "kernels/decode/pages.h"
#include "tile/arch/row_share.h"
#include "tile/registers.h"

namespace wavesmith::kernels {

/// Of a head, as a lane sees them.
template <class Shape, bool kThereAre = Shape::kTokenScales>
struct TokenScales {
  using Layout = typename Shape::Layout;
  using Element = typename Shape::Element;
  using Scores = tile::Sums<typename Shape::Atom, 1, Shape::kAtoms>;
  static constexpr int kKeys = Shape::kInGroup;
  static_assert(Layout::kRows == 2 * kKeys, "a group's lanes have the scales of its keys and of its values");

  tile::u64 base;
  tile::i64 block_bytes;
  tile::u32 row_bytes;
  int key;  ///< of a tile, whose scale the lane loads

  TILE_DEVICE TokenScales(const DecodeArguments& g, int head, int lane) {
    const bool of_values = lane & kKeys;
    base = of_values ? first_of(g.v, head) : first_of(g.k, head);
    block_bytes = of_values ? g.v.scale_block : g.k.scale_block;
    row_bytes = static_cast<tile::u32>(of_values ? g.v.scale_row : g.k.scale_row);
    key = lane / Layout::kRows * kKeys + lane % kKeys;
  }

  /// The lane's scale of the tile that begins at a key. `entry` is the table's for the group's keys, which
  /// one page has.
  TILE_DEVICE float load(const Pages& pages, int entry, int first) const {
    return tile::arch::load_at<float>(base + pages.block(entry) * block_bytes +
                                      static_cast<tile::u64>(static_cast<tile::u32>(pages.row(first + key))) *
                                          row_bytes);
  }

  /// Scores of stored numbers become those of keys.
  TILE_DEVICE static void scale_scores(Scores& scores, float scale) {
    change_keys(scores, [&](auto key, float score) {
      return score * tile::arch::share_in_row<decltype(key)::kValue>(scale);
    });
  }

  /// What is left to the values: of bf16 nothing, whose range is that of scales; of f16 powers of two, of the
  /// group's keys in order, so that weights stay in its range.
  struct Powers {
    tile::Vector<tile::f16, kKeys> at;
    template <class Column>
    TILE_DEVICE Column operator()(Column column) const {
      if constexpr (__is_same(Element, tile::f16))
        return column * at;
      else
        return column;
    }
  };

  /// Weights become those of stored numbers times powers.
  TILE_DEVICE static Powers scale_weights(Scores& weights, float scale) {
    using namespace tile;
    Powers powers;
    float left = scale;
    if constexpr (__is_same(Element, f16)) {
      // A power of f16 with normal numbers, and what is left near 1: at most 2 - 2^-7, for weights go up to
      // 2^15.
      constexpr u32 kNear = 0x00010000, kExponent = 0x7f800000, kLeast = 0x38800000, kMost = 0x47000000;
      u32 power = (bits_as<u32>(scale) + kNear) & kExponent;
      power = power < kLeast ? kLeast : power > kMost ? kMost : power;
      left *= bits_as<float>(0x7f000000 - power);  // 1 / the power
      const u32 low = (power - 0x38000000) >> 13, high = low << 16;
      Vector<u32, kKeys / 2> pairs;
      repeat<kKeys / 2>([&](auto pair) {
        constexpr int kPair = decltype(pair)::kValue;
        pairs[kPair] =
            arch::share_in_row<kKeys + 2 * kPair>(low) | arch::share_in_row<kKeys + 2 * kPair + 1>(high);
      });
      powers.at = bits_as<Vector<f16, kKeys>>(pairs);
    }
    change_keys(weights, [&](auto key, float weight) {
      return weight * arch::share_in_row<kKeys + decltype(key)::kValue>(left);
    });
    return powers;
  }

 private:
  TILE_DEVICE static tile::u64 first_of(const PagedArguments& of, int head) {
    return reinterpret_cast<tile::u64>(of.scale) + head * of.scale_head;
  }
  /// Each score becomes change(the key's number in the group, it).
  template <class Change>
  TILE_DEVICE static void change_keys(Scores& scores, Change change) {
    tile::repeat<kKeys>([&](auto number) {
      constexpr int kNumber = decltype(number)::kValue;
      static_assert(Shape::Order::column(kNumber / Layout::kSums, kNumber % Layout::kSums) == kNumber);
      auto& of_atom = scores.at[0][kNumber / Layout::kSums];
      of_atom[kNumber % Layout::kSums] = change(number, static_cast<float>(of_atom[kNumber % Layout::kSums]));
    });
  }
};

/// Where all positions share a scale: nothing is loaded.
template <class Shape>
struct TokenScales<Shape, false> {
  TILE_DEVICE TokenScales(const DecodeArguments& /*g*/, int /*head*/, int /*lane*/) {}
  TILE_DEVICE static float load(const Pages& /*pages*/, int /*entry*/, int /*first*/) { return 1; }
  template <class Scores>
  TILE_DEVICE static void scale_scores(Scores& /*scores*/, float /*scale*/) {}
  template <class Scores>
  TILE_DEVICE static auto scale_weights(Scores& /*weights*/, float /*scale*/) {
    return [](auto column) { return column; };
  }
};

}  // namespace wavesmith::kernels
