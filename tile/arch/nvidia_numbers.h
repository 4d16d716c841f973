// amd_numbers.h for NVIDIA, with the same names. Errors are those that the PTX ISA states of approximate
// functions: 1 ulp of rcp, 2^-22 of ex2, lg2 and rsqrt or little more.
#pragma once

#include "tile/vector.h"

namespace tile::arch {

TILE_DEVICE float exp2(float x) { return ptx::ex2(x); }
TILE_DEVICE float log2(float x) { return ptx::lg2(x); }
TILE_DEVICE float reciprocal(float x) { return ptx::rcp(x); }
TILE_DEVICE float reciprocal_root(float x) { return ptx::rsqrt(x); }
TILE_DEVICE float nearest(float x) { return ptx::nearest(x); }
TILE_DEVICE float greater(float a, float b) { return ptx::max(a, b); }
TILE_DEVICE float maximum(float a, float b) { return ptx::max_nan(a, b); }
TILE_DEVICE float minimum(float a, float b) { return ptx::min_nan(a, b); }
TILE_DEVICE float clamped(float x, float least, float largest) {
  return ptx::min(ptx::max(x, least), largest);
}

TILE_DEVICE u32 upper_halves(u32 low, u32 high) { return low >> 16 | (high & 0xffff0000); }

template <class T>
TILE_DEVICE Piece narrowed(Vector<float, 8> values) {
  Piece piece;
  TILE_UNROLL for (int i = 0; i < 4; ++i) {
    if constexpr (__is_same(T, bf16))
      piece[i] = ptx::to_bf16x2(values[2 * i], values[2 * i + 1]);
    else
      piece[i] = ptx::to_f16x2(values[2 * i], values[2 * i + 1]);
  }
  return piece;
}

template <class T>
TILE_DEVICE int narrowed(const float (&values)[4]) {
  if constexpr (__is_same(T, e4m3))
    return ptx::to_e4m3x2(values[0], values[1]) | ptx::to_e4m3x2(values[2], values[3]) << 16;
  else
    return ptx::to_e5m2x2(values[0], values[1]) | ptx::to_e5m2x2(values[2], values[3]) << 16;
}
/// By way of f16, which has all numbers of both.
template <class T, bool kUpper>
TILE_DEVICE Vector<float, 2> two_of(int four) {
  const auto two = static_cast<u16>(kUpper ? static_cast<u32>(four) >> 16 : four);
  const u32 halves = __is_same(T, e4m3) ? ptx::e4m3x2_to_f16x2(two) : ptx::e5m2x2_to_f16x2(two);
  const auto elements = bits_as<Vector<f16, 2>>(halves);
  return {static_cast<float>(elements[0]), static_cast<float>(elements[1])};
}

}  // namespace tile::arch
