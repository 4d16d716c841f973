// Eights rounded to elements of 8 bits. What is beyond the largest becomes the largest, infinity too.
#pragma once

#include "tile/arch/here.h"
#include "tile/typed_view.h"

namespace tile {

/// To the nearest integers, ties to even; of NaN 0.
TILE_DEVICE Vector<i8, 8> to_i8(const Eight& values) {
  Vector<i8, 8> bytes;
  TILE_UNROLL for (int i = 0; i < 8; ++i) {
    const float clamped = __builtin_amdgcn_fmed3f(__builtin_rintf(values[i]), -128, 127);
    bytes[i] = static_cast<i8>(values[i] == values[i] ? static_cast<int>(clamped) : 0);
  }
  return bytes;
}

/// To the nearest floats of 8 bits of the target's format, ties to even; NaN stays NaN.
template <class To>
TILE_DEVICE Vector<u8, 8> to_small_float(const Eight& values) {
  constexpr bool kE4m3 = __is_same(To, e4m3);
  constexpr float kLargest = kE4m3 ? arch::kHere.largest_e4m3 : 57344;
  static_assert(arch::kHere.largest_e4m3 > 0, "the target has no floats of 8 bits");
  Vector<int, 2> words = {0, 0};
  TILE_UNROLL for (int word = 0; word < 2; ++word) {
    float clamped[4];
    TILE_UNROLL for (int i = 0; i < 4; ++i) {
      const float value = values[word * 4 + i];
      clamped[i] = value == value ? __builtin_amdgcn_fmed3f(value, -kLargest, kLargest) : value;
    }
    if constexpr (kE4m3) {
      words[word] = __builtin_amdgcn_cvt_pk_fp8_f32(clamped[0], clamped[1], 0, false);
      words[word] = __builtin_amdgcn_cvt_pk_fp8_f32(clamped[2], clamped[3], words[word], true);
    } else {
      words[word] = __builtin_amdgcn_cvt_pk_bf8_f32(clamped[0], clamped[1], 0, false);
      words[word] = __builtin_amdgcn_cvt_pk_bf8_f32(clamped[2], clamped[3], words[word], true);
    }
  }
  return bits_as<Vector<u8, 8>>(words);
}

}  // namespace tile
