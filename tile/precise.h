// Functions of floats within a few units in the last place (ulps), also where a result is small: more
// operations than those of math.h. Subnormal arguments count. The bounds add those of the target's functions
// (AMD's ISA manuals, 1 ulp, at most 2^-23 of the result) and 2^-24 per rounding.
#pragma once

#include "tile/math.h"

namespace tile::precise {

inline constexpr float kSmallestNormal = 0x1p-126f;

/// e^x within 2^-22, of subnormal results half their distance more. With n the nearest integer to x *
/// log2(e), it is 2^n * 2^((x - n * ln 2) * log2(e)).
TILE_DEVICE float exp(float x) {
  constexpr float kUpper = 0.693147182f, kLower = -1.90465421e-9f;  // ln 2 in two parts
  const float n = __builtin_rintf(x * kLog2OfE);
  const float rest = __builtin_fmaf(n, -kLower, __builtin_fmaf(n, -kUpper, x));
  const float power = __builtin_ldexpf(tile::exp2(rest * kLog2OfE), static_cast<int>(n));
  return x > 89 ? kInfinity : x < -104 ? 0 : power;
}

/// The natural logarithm within 2^-22; of 0 minus infinity.
TILE_DEVICE float log(float x) {
  const bool small = x < kSmallestNormal;
  return (tile::log2(small ? x * 0x1p24f : x) - (small ? 24 : 0)) * kLogOf2;
}

/// 1 / sqrt(x) within 2^-23.
TILE_DEVICE float reciprocal_root(float x) {
  const bool small = x < kSmallestNormal;
  return tile::reciprocal_root(small ? x * 0x1p24f : x) * (small ? 0x1p12f : 1);
}

/// tanh within 2^-21: below 1/2 by its power series, whose next term is less than 2^-26 of the result.
TILE_DEVICE float tanh(float x) {
  const float size = __builtin_fabsf(x);
  if (size < 0.5f) {
    constexpr float kSeries[] = {929569.f / 638512875, 21844.f / 6081075, 1382.f / 155925, 62.f / 2835,
                                 17.f / 315,           2.f / 15,          1.f / 3};
    const float square = x * x;
    float sum = -kSeries[0];
    TILE_UNROLL for (int i = 1; i < 7; ++i) sum =
        __builtin_fmaf(sum, square, i % 2 ? kSeries[i] : -kSeries[i]);
    return __builtin_fmaf(x * square, sum, x);
  }
  return __builtin_copysignf(tile::tanh(size), x);
}

/// 1 / (1 + e^-x) within 2^-21; what is below 2^-126 may be 0.
TILE_DEVICE float sigmoid(float x) { return tile::reciprocal(1 + exp(-x)); }
/// x * sigmoid(x) within 2^-21, and what sigmoid may leave out.
TILE_DEVICE float silu(float x) { return x * sigmoid(x); }
/// x / 2 * (1 + tanh(y)) with y = sqrt(2 / pi) * (x + 0.044715 x^3), which is x * sigmoid(2 y), within
/// (1 + |y|) * 2^-20, and what sigmoid may leave out: y has seven roundings at most.
TILE_DEVICE float gelu(float x) { return x * sigmoid(2 * (0.797884561f * (x + 0.044715f * x * x * x))); }

}  // namespace tile::precise
