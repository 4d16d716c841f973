// The operations on integers and truth values, as integers of 64 bits: what is longer than the result's type
// is cut.
#pragma once

#include "kernels/pointwise/functions.h"

namespace wavesmith::kernels {

/// Rounded towards zero; of a zero divisor any.
TILE_DEVICE tile::i64 quotient(tile::i64 x, tile::i64 z) {
  return z == 0 ? 0 : z == -1 ? static_cast<tile::i64>(-static_cast<tile::u64>(x)) : x / z;
}
TILE_DEVICE tile::i64 product(tile::i64 x, tile::i64 z) {
  return static_cast<tile::i64>(static_cast<tile::u64>(x) * static_cast<tile::u64>(z));
}
TILE_DEVICE tile::i64 sum(tile::i64 x, tile::i64 z) {
  return static_cast<tile::i64>(static_cast<tile::u64>(x) + static_cast<tile::u64>(z));
}

TILE_DEVICE void apply_long(Pointwise operation, Group<tile::i64, 1>& v) {
  const tile::i64 x = v.x[0], z = v.z[0], whole = quotient(x, z), rest = x - whole * z;
  const bool lower = rest != 0 && (rest < 0) != (z < 0);
  switch (operation) {
    case WAVESMITH_POINTWISE_DIVIDE_FLOOR:
      v.x[0] = whole - lower;
      return;
    case WAVESMITH_POINTWISE_DIVIDE_TRUNCATE:
      v.x[0] = whole;
      return;
    case WAVESMITH_POINTWISE_REMAINDER:
      v.x[0] = lower ? rest + z : rest;
      return;
    case WAVESMITH_POINTWISE_FMOD:
      v.x[0] = rest;
      return;
    default:
      return;
  }
}

template <int kCount>
TILE_DEVICE void apply(Pointwise operation, Group<tile::i64, kCount>& v, const tile::i64 (&numbers)[3]) {
  using I = tile::i64;
  const I p = numbers[0], q = numbers[1];
  switch (operation) {
    case WAVESMITH_POINTWISE_COPY:
      return;
    case WAVESMITH_POINTWISE_FILL:
      return v.each([=](I, I, I) { return p; });
    case WAVESMITH_POINTWISE_NEGATE:
      return v.each([](I x, I, I) { return product(x, -1); });
    case WAVESMITH_POINTWISE_ABSOLUTE:
      return v.each([](I x, I, I) { return x < 0 ? product(x, -1) : x; });
    case WAVESMITH_POINTWISE_SIGN:
      return v.each([](I x, I, I) { return I(x > 0) - I(x < 0); });
    case WAVESMITH_POINTWISE_LOGICAL_NOT:
      return v.each([](I x, I, I) { return I(x == 0); });
    case WAVESMITH_POINTWISE_CLAMP:
      return v.each([=](I x, I, I) { return smaller(larger(x, p), q); });
    case WAVESMITH_POINTWISE_BITWISE_NOT:
      return v.each([](I x, I, I) { return ~x; });
    case WAVESMITH_POINTWISE_SIGN_BIT:
      return v.each([](I x, I, I) { return I(x < 0); });
    case WAVESMITH_POINTWISE_ADD:
      return v.each([=](I x, I z, I) { return sum(x, product(p, z)); });
    case WAVESMITH_POINTWISE_MULTIPLY:
      return v.each([](I x, I z, I) { return product(x, z); });
    case WAVESMITH_POINTWISE_MAXIMUM:
      return v.each([](I x, I z, I) { return larger(x, z); });
    case WAVESMITH_POINTWISE_MINIMUM:
      return v.each([](I x, I z, I) { return smaller(x, z); });
    case WAVESMITH_POINTWISE_EQUAL:
      return v.each([](I x, I z, I) { return I(x == z); });
    case WAVESMITH_POINTWISE_NOT_EQUAL:
      return v.each([](I x, I z, I) { return I(x != z); });
    case WAVESMITH_POINTWISE_LESS:
      return v.each([](I x, I z, I) { return I(x < z); });
    case WAVESMITH_POINTWISE_LESS_EQUAL:
      return v.each([](I x, I z, I) { return I(x <= z); });
    case WAVESMITH_POINTWISE_GREATER:
      return v.each([](I x, I z, I) { return I(x > z); });
    case WAVESMITH_POINTWISE_GREATER_EQUAL:
      return v.each([](I x, I z, I) { return I(x >= z); });
    case WAVESMITH_POINTWISE_LOGICAL_AND:
      return v.each([](I x, I z, I) { return I(x != 0 && z != 0); });
    case WAVESMITH_POINTWISE_LOGICAL_OR:
      return v.each([](I x, I z, I) { return I((x | z) != 0); });
    case WAVESMITH_POINTWISE_LOGICAL_XOR:
      return v.each([](I x, I z, I) { return I((x != 0) != (z != 0)); });
    case WAVESMITH_POINTWISE_MASKED_FILL:
      return v.each([=](I x, I z, I) { return z != 0 ? p : x; });
    case WAVESMITH_POINTWISE_BITWISE_AND:
      return v.each([](I x, I z, I) { return x & z; });
    case WAVESMITH_POINTWISE_BITWISE_OR:
      return v.each([](I x, I z, I) { return x | z; });
    case WAVESMITH_POINTWISE_BITWISE_XOR:
      return v.each([](I x, I z, I) { return x ^ z; });
    case WAVESMITH_POINTWISE_SHIFT_LEFT:
      return v.each([](I x, I z, I) {
        return z < 0 || z > 63 ? I(0) : static_cast<I>(static_cast<tile::u64>(x) << z);
      });
    case WAVESMITH_POINTWISE_SHIFT_RIGHT:
      return v.each([](I x, I z, I) { return x >> (z < 0 || z > 63 ? 63 : z); });
    case WAVESMITH_POINTWISE_WHERE:
      return v.each([](I x, I z, I w) { return x != 0 ? z : w; });
    case WAVESMITH_POINTWISE_CLAMP_BETWEEN:
      return v.each([](I x, I z, I w) { return smaller(larger(x, z), w); });
    case WAVESMITH_POINTWISE_ADD_PRODUCT:
      return v.each([=](I x, I z, I w) { return sum(x, product(p, product(z, w))); });
    default:
      if constexpr (kCount == 1) apply_long(operation, v);
  }
}

}  // namespace wavesmith::kernels
