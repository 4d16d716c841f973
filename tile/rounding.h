// Floats rounded to shorter types, eight at a time.
#pragma once

#include "tile/arch/here.h"
#include "tile/arch/numbers.h"

namespace tile {

/// To the nearest; halfway between two, f16 to the even one, and bf16 away from 0 where the target has no
/// instruction for it: one operation per number and one per pair instead of six. Of bf16, a NaN whose lower
/// 16 bits are not 0 may become a number: those that instructions make have zeros there.
template <class T>
TILE_DEVICE Piece rounded(Vector<float, 8> values) {
  if constexpr (__is_same(T, bf16) && !arch::kHere.rounds_bf16) {
    Piece piece;
    TILE_UNROLL for (int i = 0; i < 4; ++i) {
      const u32 low = bits_as<u32>(values[2 * i]) + 0x8000, high = bits_as<u32>(values[2 * i + 1]) + 0x8000;
      piece[i] = arch::upper_halves(low, high);
    }
    return piece;
  } else {
    return arch::narrowed<T>(values);
  }
}

}  // namespace tile
