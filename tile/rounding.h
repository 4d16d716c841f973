// Floats rounded to shorter types, eight at a time.
#pragma once

#include "tile/arch/here.h"
#include "tile/arch/numbers.h"

namespace tile {

/// As the compiler rounds: to the nearest, ties to even.
template <class T>
TILE_DEVICE Piece converted(const Vector<float, 8>& values) {
  return arch::narrowed<T>(values);
}

template <class T>
inline constexpr bool kRoundsByInstruction = !__is_same(T, bf16) || arch::kHere.rounds_bf16;

/// Pairs of floats to bf16, of each what `bits(float)` leaves in its upper half.
template <class Bits>
TILE_DEVICE Piece upper_halves(const Vector<float, 8>& values, Bits bits) {
  Piece piece;
  TILE_UNROLL for (int i = 0; i < 4; ++i) {
    const u32 low = bits(values[2 * i]), high = bits(values[2 * i + 1]);
    piece[i] = arch::upper_halves(low, high);
  }
  return piece;
}

/// To the nearest; halfway between two, f16 to the even one, and bf16 away from 0 where the target has no
/// instruction for it: one operation per number and one per pair instead of six. Of bf16, a NaN whose lower
/// 16 bits are not 0 may become a number: those that instructions make have zeros there.
template <class T>
TILE_DEVICE Piece rounded(const Vector<float, 8>& values) {
  if constexpr (kRoundsByInstruction<T>)
    return converted<T>(values);
  else
    return upper_halves(values, [](float value) { return bits_as<u32>(value) + 0x8000; });
}
/// The same, halfway to the even one in bf16, too: two operations per number.
template <class T>
TILE_DEVICE Piece rounded_to_even(const Vector<float, 8>& values) {
  if constexpr (kRoundsByInstruction<T>)
    return converted<T>(values);
  else
    return upper_halves(values, [](float value) {
      const u32 bits = bits_as<u32>(value);
      return bits + 0x7fff + (bits >> 16 & 1);
    });
}

}  // namespace tile
