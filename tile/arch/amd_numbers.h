// Functions and conversions of numbers by AMD's instructions. Functions are within 1 ulp where the result is
// normal (AMD's ISA manuals); subnormal results are 0.
#pragma once

#include "tile/vector.h"

namespace tile::arch {

TILE_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
TILE_DEVICE float log2(float x) { return __builtin_amdgcn_logf(x); }
TILE_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
TILE_DEVICE float reciprocal_root(float x) { return __builtin_amdgcn_rsqf(x); }

/// The nearest integer, ties to even.
TILE_DEVICE float nearest(float x) { return __builtin_rintf(x); }
/// The greater; of a NaN and a number the number.
TILE_DEVICE float greater(float a, float b) { return __builtin_fmaxf(a, b); }
/// The greater and the smaller, -0 being less than 0; NaN where either is NaN.
TILE_DEVICE float maximum(float a, float b) { return __builtin_elementwise_maximum(a, b); }
TILE_DEVICE float minimum(float a, float b) { return __builtin_elementwise_minimum(a, b); }
/// A number within bounds; of NaN any.
TILE_DEVICE float clamped(float x, float least, float largest) {
  return __builtin_amdgcn_fmed3f(x, least, largest);
}

/// The upper 16 bits of two words, those of `low` in the lower half.
TILE_DEVICE u32 upper_halves(u32 low, u32 high) { return __builtin_amdgcn_perm(high, low, 0x07060302); }

/// Floats as elements of 16 bits, to the nearest, ties to even.
template <class T>
TILE_DEVICE Piece narrowed(Vector<float, 8> values) {
  Vector<T, 8> narrow;
  TILE_UNROLL for (int i = 0; i < 8; ++i) narrow[i] = static_cast<T>(values[i]);
  return bits_as<Piece>(narrow);
}

/// Floats as e4m3 or e5m2, to the nearest, ties to even; they are no larger than its largest, or NaN.
template <class T>
TILE_DEVICE int narrowed(const float (&values)[4]) {
  int word = 0;
  if constexpr (__is_same(T, e4m3)) {
    word = __builtin_amdgcn_cvt_pk_fp8_f32(values[0], values[1], word, false);
    word = __builtin_amdgcn_cvt_pk_fp8_f32(values[2], values[3], word, true);
  } else {
    word = __builtin_amdgcn_cvt_pk_bf8_f32(values[0], values[1], word, false);
    word = __builtin_amdgcn_cvt_pk_bf8_f32(values[2], values[3], word, true);
  }
  return word;
}
/// The lower or upper two of four e4m3 or e5m2.
template <class T, bool kUpper>
TILE_DEVICE Vector<float, 2> two_of(int four) {
  if constexpr (__is_same(T, e4m3))
    return __builtin_amdgcn_cvt_pk_f32_fp8(four, kUpper);
  else
    return __builtin_amdgcn_cvt_pk_f32_bf8(four, kUpper);
}

}  // namespace tile::arch
