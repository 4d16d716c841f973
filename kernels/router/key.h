// Numbers as keys: unsigned numbers in the order in which experts are chosen.
#pragma once

#include "tile/reduce.h"

namespace wavesmith::kernels {

inline constexpr tile::u32 kSignBit = 0x80000000, kNanKey = 0xffffffff;

/// Of a number, from 1 on: 0 is left for what is never chosen. -0 equals 0, and NaN is the largest.
TILE_DEVICE tile::u32 choice_key(float x) {
  const auto bits = tile::bits_as<tile::u32>(x + 0.0F);
  const tile::u32 key = (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
  return x == x ? key : kNanKey;
}
/// The number that has the key.
TILE_DEVICE float number_of(tile::u32 key) {
  return tile::bits_as<float>((key & kSignBit) != 0 ? key & ~kSignBit : ~key);
}

/// The keys of f16, in the lower half, and back.
TILE_DEVICE tile::u32 half_key_of(float x) {
  const tile::u32 bits = tile::bits_as<tile::u16>(static_cast<tile::f16>(x + 0.0F));
  const tile::u32 key = (bits & 0x8000) != 0 ? ~bits & 0xffff : bits | 0x8000;
  return x == x ? key : 0xffff;
}
TILE_DEVICE float number_of_half_key(tile::u32 key) {
  const tile::u32 bits = (key & 0x8000) != 0 ? key & 0x7fff : ~key;
  return static_cast<float>(tile::bits_as<tile::f16>(static_cast<tile::u16>(bits)));
}
/// The bf16 whose key has this upper half.
TILE_DEVICE float number_of_upper(tile::u32 half) {
  const tile::u32 bits = (half & 0x8000) != 0 ? half & 0x7fff : ~half;
  return tile::bits_as<float>(bits << 16);
}

/// The larger of two keys, which are given as floats with these bits.
struct LargerKey {
  static constexpr float kNeutral = 0;
  TILE_DEVICE float operator()(float a, float b) const {
    const auto key_a = tile::bits_as<tile::u32>(a), key_b = tile::bits_as<tile::u32>(b);
    return tile::bits_as<float>(key_a > key_b ? key_a : key_b);
  }
};

/// The largest key that any of `kLanes` lanes has, for all of them.
template <int kLanes>
TILE_DEVICE tile::u32 largest_key(tile::u32 key) {
  using namespace tile;
  const auto over = [](auto lanes, u32 mine) {
    return bits_as<u32>(reduce_lanes<decltype(lanes)::kValue>(bits_as<float>(mine), LargerKey{}));
  };
  if constexpr (kLanes == 32 && arch::kHere.wave_lanes == 64) {
    // Each half of the wave reads its two rows of 16 lanes, and waits for no shared memory.
    const float row = bits_as<float>(over(Constant<16>{}, key));
    const float low = LargerKey{}(arch::of_lane<0>(row), arch::of_lane<16>(row)),
                high = LargerKey{}(arch::of_lane<32>(row), arch::of_lane<48>(row));
    return bits_as<u32>(arch::thread_id() % 64 < 32 ? low : high);
  } else {
    return over(Constant<kLanes>{}, key);
  }
}
/// Of a lane's own, combined in pairs.
template <int kCount>
TILE_DEVICE tile::u32 largest_of(const tile::u32 (&keys)[kCount]) {
  if constexpr (kCount == 1) {
    return keys[0];
  } else {
    tile::u32 pairs[kCount / 2];
    TILE_UNROLL for (int i = 0; i < kCount / 2; ++i) pairs[i] =
        keys[2 * i] > keys[2 * i + 1] ? keys[2 * i] : keys[2 * i + 1];
    return largest_of(pairs);
  }
}

}  // namespace wavesmith::kernels
