// Eights rounded to elements of 8 bits, and such elements as floats. What is beyond the largest becomes the
// largest, infinity too.
#pragma once

#include "tile/arch/here.h"
#include "tile/arch/numbers.h"
#include "tile/small_float.h"
#include "tile/typed_view.h"

namespace tile {

/// The formats that the target's instructions have.
inline constexpr bool kFnuzHere = arch::kHere.largest_e4m3 == largest_of(Type::E4M3Fnuz);
inline constexpr Type kE4m3Here = kFnuzHere ? Type::E4M3Fnuz : Type::E4M3,
                      kE5m2Here = kFnuzHere ? Type::E5M2Fnuz : Type::E5M2;

/// To the nearest integers, ties to even; of NaN 0.
TILE_DEVICE Vector<i8, 8> to_i8(const Eight& values) {
  Vector<i8, 8> bytes;
  TILE_UNROLL for (int i = 0; i < 8; ++i) {
    const float clamped = arch::clamped(arch::nearest(values[i]), -128, 127);
    bytes[i] = static_cast<i8>(values[i] == values[i] ? static_cast<int>(clamped) : 0);
  }
  return bytes;
}

/// To the nearest floats of 8 bits of the target's format, ties to even; NaN stays NaN.
template <class To>
TILE_DEVICE Vector<u8, 8> to_small_float(const Eight& values) {
  constexpr float kLargest = __is_same(To, e4m3) ? arch::kHere.largest_e4m3 : 57344;
  static_assert(arch::kHere.largest_e4m3 > 0, "the target has no floats of 8 bits");
  Vector<int, 2> words = {0, 0};
  TILE_UNROLL for (int word = 0; word < 2; ++word) {
    float clamped[4];
    TILE_UNROLL for (int i = 0; i < 4; ++i) {
      const float value = values[word * 4 + i];
      clamped[i] = value == value ? arch::clamped(value, -kLargest, kLargest) : value;
    }
    words[word] = arch::narrowed<To>(clamped);
  }
  return bits_as<Vector<u8, 8>>(words);
}

/// To a type of 8 bits that is known at run time only and the same for all lanes; of E2M1x2 a byte holds one
/// number.
TILE_DEVICE Vector<u8, 8> to_bytes(Type type, const Eight& values) {
  const Type which = static_cast<Type>(arch::late(static_cast<int>(type)));
  if (which == Type::I8) return bits_as<Vector<u8, 8>>(to_i8(values));
  if constexpr (arch::kHere.largest_e4m3 > 0) {
    if (which == kE4m3Here) return to_small_float<e4m3>(values);
    if (which == kE5m2Here) return to_small_float<e5m2>(values);
  }
  const SmallFormat format = SmallFormat::of(which);
  Vector<u8, 8> bytes;
  TILE_UNROLL for (int i = 0; i < 8; ++i) bytes[i] = static_cast<u8>(format.encode(values[i]));
  return bytes;
}

/// The floats that eight bytes of such a type stand for.
TILE_DEVICE Eight from_bytes(Type type, Vector<u8, 8> bytes) {
  const Type which = static_cast<Type>(arch::late(static_cast<int>(type)));
  Eight values;
  if (which == Type::I8) {
    TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = static_cast<i8>(bytes[i]);
    return values;
  }
  if constexpr (arch::kHere.largest_e4m3 > 0) {
    const auto words = bits_as<Vector<int, 2>>(bytes);
    const auto of = [&](auto pair) __attribute__((always_inline)) {
      TILE_UNROLL for (int word = 0; word < 2; ++word) {
        const Vector<float, 2> low = pair(words[word], Constant<0>{}),
                               high = pair(words[word], Constant<1>{});
        values[4 * word] = low[0], values[4 * word + 1] = low[1];
        values[4 * word + 2] = high[0], values[4 * word + 3] = high[1];
      }
      return values;
    };
    if (which == kE4m3Here)
      return of([](int word, auto half) __attribute__((always_inline)) {
        return arch::two_of<e4m3, decltype(half)::kValue != 0>(word);
      });
    if (which == kE5m2Here)
      return of([](int word, auto half) __attribute__((always_inline)) {
        return arch::two_of<e5m2, decltype(half)::kValue != 0>(word);
      });
  }
  const SmallFormat format = SmallFormat::of(which);
  TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = format.decode(bytes[i]);
  return values;
}

}  // namespace tile
