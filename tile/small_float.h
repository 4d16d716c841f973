// Floats of 8 and 4 bits in every format on every target, by integer operations: for targets and formats
// without an instruction. One conversion serves all formats, which are a few numbers in scalar registers.
#pragma once

#include "tile/arch/numbers.h"
#include "tile/typed_view.h"

namespace tile {

/// The largest number of a type of 8 bits or fewer.
constexpr float largest_of(Type type) {
  return type == Type::I8         ? 127.0f
         : type == Type::E4M3     ? 448.0f
         : type == Type::E4M3Fnuz ? 240.0f
         : type == Type::E2M1x2   ? 6.0f
                                  : 57344.0f;
}

/// A format of floats.
struct SmallFormat {
  int mantissa_bits;
  int sign_shift;      ///< of a float's sign to the format's
  u32 least_normal;    ///< the bits, as a float, of the least number that is not subnormal
  u32 magnitude_mask;  ///< the bits without the sign
  u32 nan;             ///< what NaN becomes
  u32 infinity;        ///< magnitudes from here on are infinity (which e5m2 alone has) or NaN
  bool is_fnuz;        ///< there is no minus zero: its bits are NaN
  float largest;

  TILE_DEVICE static constexpr SmallFormat of(Type type) {
    const bool fnuz = type == Type::E4M3Fnuz || type == Type::E5M2Fnuz;
    const bool e4m3 = type == Type::E4M3 || type == Type::E4M3Fnuz, e2m1 = type == Type::E2M1x2;
    const u32 least_exponent = (e2m1 ? 127 : e4m3 ? 121 : 113) - fnuz;
    return {.mantissa_bits = e2m1   ? 1
                             : e4m3 ? 3
                                    : 2,
            .sign_shift = e2m1 ? 28 : 24,
            .least_normal = least_exponent << 23,
            .magnitude_mask = e2m1 ? 7u : 0x7fu,
            .nan = e2m1   ? 0u
                   : fnuz ? 0x80u
                   : e4m3 ? 0x7fu
                          : 0x7eu,
            .infinity = type == Type::E5M2   ? 0x7cu
                        : type == Type::E4M3 ? 0x7fu
                                             : 0x80u,
            .is_fnuz = fnuz,
            .largest = largest_of(type)};
  }

  /// To the nearest, ties to even. What is beyond the largest becomes the largest, infinity too; NaN becomes
  /// NaN, and in e2m1, which has none, 0.
  TILE_DEVICE u32 encode(float value) const {
    const int shift = 23 - mantissa_bits;
    const u32 bits = bits_as<u32>(value);
    const u32 magnitude = bits_as<u32>(arch::clamped(value, -largest, largest)) & 0x7fffffff;
    // The power of two at or below the number, and one so much greater that the sum's last place is the
    // format's: the addition rounds, and its fraction counts the format's steps from 0 on.
    const u32 binade = greater_of(magnitude & 0x7f800000, least_normal);
    const u32 greater = binade + (static_cast<u32>(shift) << 23);
    const u32 steps = bits_as<u32>(bits_as<float>(magnitude) + bits_as<float>(greater)) - greater;
    u32 code = steps + ((binade - least_normal) >> shift);
    const u32 sign = (bits & 0x80000000) >> sign_shift;
    code |= is_fnuz && code == 0 ? 0 : sign;
    return value == value ? code : nan;
  }

  TILE_DEVICE float decode(u32 code) const {
    const u32 magnitude = code & magnitude_mask;
    // The exponent as a float's, so that subnormal numbers become subnormal, times what is missing.
    const float missing = bits_as<float>(least_normal + (126u << 23));
    u32 bits = bits_as<u32>(bits_as<float>(magnitude << (23 - mantissa_bits)) * missing);
    if (magnitude >= infinity) bits |= 0x7f800000;
    bits |= (code & (magnitude_mask + 1)) << sign_shift;
    return bits_as<float>(is_fnuz && code == 0x80 ? 0x7fc00000 : bits);
  }

 private:
  TILE_DEVICE static u32 greater_of(u32 a, u32 b) { return a > b ? a : b; }
};

}  // namespace tile
