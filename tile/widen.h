// Elements of a shorter type as those of a longer one, exactly: what lies in memory in 8 bits and is
// multiplied in 16.
#pragma once

#include "tile/arch/bytes.h"
#include "tile/arch/here.h"
#include "tile/arch/numbers.h"

namespace tile {
namespace detail {

/// Numbers of 8 bits need less than the upper half of a float.
template <class To>
TILE_DEVICE Vector<To, 2> two_of(Vector<float, 2> values) {
  if constexpr (__is_same(To, bf16)) {
    return bits_as<Vector<bf16, 2>>(arch::upper_halves(bits_as<u32>(static_cast<float>(values[0])),
                                                       bits_as<u32>(static_cast<float>(values[1]))));
  } else {
    return {static_cast<To>(values[0]), static_cast<To>(values[1])};
  }
}

/// The lower or upper two of four e4m3.
template <class To, bool kUpper>
TILE_DEVICE Vector<To, 2> two_of_e4m3(u32 four) {
  return two_of<To>(arch::two_of<e4m3, kUpper>(static_cast<int>(four)));
}

/// The lower or upper two of four integers.
template <class To, bool kUpper>
TILE_DEVICE Vector<To, 2> two_of_i8(u32 four) {
  constexpr int kLow = kUpper ? 16 : 0, kHigh = kLow + 8;
  const u32 positive = four ^ 0x80808080;  // each plus 128
  if constexpr (__is_same(To, f16)) {
    // The f16 of bits 0x6400 + n is 1024 + n.
    constexpr u32 kChoice = kUpper ? 0x4342 : 0x4140;
    const auto sums = bits_as<Vector<f16, 2>>(arch::chosen_bytes<kChoice>(positive, 0x64646464));
    return sums - static_cast<f16>(1024 + 128);
  } else if constexpr (arch::kHere.wave_lanes == 64) {
    // CDNA's conversions take a byte with its sign.
    return two_of<To>(Vector<float, 2>{static_cast<float>(static_cast<i8>(four >> kLow)),
                                       static_cast<float>(static_cast<i8>(four >> kHigh))});
  } else {
    const Vector<float, 2> sums = {static_cast<float>(positive >> kLow & 0xff),
                                   static_cast<float>(positive >> kHigh & 0xff)};
    return two_of<To>(sums - 128.0F);
  }
}

}  // namespace detail

/// Elements 2 * kPair and the next one of some that lie together.
template <class To, class From, int kPair, class All>
TILE_DEVICE Vector<To, 2> two_widened(const All& all) {
  struct Words {
    u32 at[sizeof(All) / 4];
  };
  const Words words = bits_as<Words>(all);
  if constexpr (sizeof(From) == sizeof(To))
    return bits_as<Vector<To, 2>>(words.at[kPair]);
  else if constexpr (__is_same(From, i8))
    return detail::two_of_i8<To, kPair % 2 != 0>(words.at[kPair / 2]);
  else
    return detail::two_of_e4m3<To, kPair % 2 != 0>(words.at[kPair / 2]);
}

/// The kPart-th eight elements of a piece, as a piece of 16-bit elements.
template <class To, class From, int kPart>
TILE_DEVICE Piece widened(Piece piece) {
  static_assert(sizeof(To) == 2);
  if constexpr (sizeof(From) == 2) {
    return piece;
  } else {
    Piece wide;
    repeat<4>([&](auto pair) {
      constexpr int kPair = decltype(pair)::kValue;
      wide[kPair] = bits_as<u32>(two_widened<To, From, kPart * 4 + kPair>(piece));
    });
    return wide;
  }
}

}  // namespace tile
