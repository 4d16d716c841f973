// Numbers as keys: unsigned numbers in the order in which experts are chosen.
#pragma once

#include "tile/vector.h"

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

/// The larger of two keys, which are given as floats with these bits.
struct LargerKey {
  static constexpr float kNeutral = 0;
  TILE_DEVICE float operator()(float a, float b) const {
    const auto key_a = tile::bits_as<tile::u32>(a), key_b = tile::bits_as<tile::u32>(b);
    return tile::bits_as<float>(key_a > key_b ? key_a : key_b);
  }
};

}  // namespace wavesmith::kernels
