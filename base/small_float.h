// Floats of 16 bits and fewer, as the hardware converts them: f16, bf16, the 8-bit formats in their OCP and
// FNUZ variants, the 6- and 4-bit formats of OCP's Microscaling specification (MX 1.0), and its power-of-two
// scale e8m0.
//
// A format is data; decode<> and encode<> are one algorithm for all of them. Everything here is constexpr and
// scalar; isa/small_float_pack.h has the same over sixteen lanes.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace wavesmith {

/// The special values of a format.
enum class Specials : uint8_t {
  Ieee,     ///< the highest exponent holds infinity and NaNs
  NanOnly,  ///< all ones is NaN, there is no infinity (OCP e4m3)
  Fnuz,  ///< the pattern of minus zero is the only NaN, there is no infinity ("finite, NaN, unsigned zero")
  None,  ///< every pattern is a finite number
};

struct FloatFormat {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;

  constexpr bool operator==(const FloatFormat&) const = default;
  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr uint32_t sign_bit() const { return 1u << (bits() - 1); }
  [[nodiscard]] constexpr uint32_t magnitude_mask() const { return sign_bit() - 1; }
  /// Magnitude of the largest finite number.
  [[nodiscard]] constexpr uint32_t largest() const {
    switch (specials) {
      case Specials::Ieee:
        return infinity() - 1;
      case Specials::NanOnly:
        return magnitude_mask() - 1;
      default:
        return magnitude_mask();
    }
  }
  /// Magnitude of infinity (of Ieee).
  [[nodiscard]] constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  /// The default quiet NaN of conversions; formats without NaN have none.
  [[nodiscard]] constexpr uint32_t nan() const {
    switch (specials) {
      case Specials::Ieee:
        return infinity() | 1u << (mantissa_bits - 1);
      case Specials::NanOnly:
        return magnitude_mask();
      default:
        return sign_bit();
    }
  }
};

inline constexpr FloatFormat kF16{5, 10, 15, Specials::Ieee};
inline constexpr FloatFormat kBf16{8, 7, 127, Specials::Ieee};
inline constexpr FloatFormat kFp8{4, 3, 7, Specials::NanOnly};  ///< OCP e4m3
inline constexpr FloatFormat kBf8{5, 2, 15, Specials::Ieee};    ///< OCP e5m2
inline constexpr FloatFormat kFp8Fnuz{4, 3, 8, Specials::Fnuz};
inline constexpr FloatFormat kBf8Fnuz{5, 2, 16, Specials::Fnuz};
inline constexpr FloatFormat kFp6{2, 3, 1, Specials::None};  ///< MX e2m3
inline constexpr FloatFormat kBf6{3, 2, 3, Specials::None};  ///< MX e3m2
inline constexpr FloatFormat kFp4{2, 1, 1, Specials::None};  ///< MX e2m1

/// How a conversion rounds. The first four are the MODE register's, in its order of values.
enum class Rounding : uint8_t { NearestEven, Up, Down, TowardZero, Stochastic };

/// The result for a finite number beyond the largest. Formats without NaN and infinity always saturate.
enum class Overflow : uint8_t {
  Special,   ///< infinity where the format has one, otherwise NaN (MODE.FP16_OVFL = 0)
  Saturate,  ///< the largest finite number; infinity itself stays special (MODE.FP16_OVFL = 1)
};

/// The exact value of an encoding; bits above the format's are ignored.
template <FloatFormat F>
constexpr float decode(uint32_t code) {
  const uint32_t sign = (code & F.sign_bit()) != 0 ? 0x80000000u : 0u;
  const uint32_t magnitude = code & F.magnitude_mask();
  constexpr int kShift = 23 - F.mantissa_bits;
  if constexpr (F.specials == Specials::Ieee) {
    if (magnitude >= F.infinity())
      return std::bit_cast<float>(sign | 0x7f800000u | (magnitude - F.infinity()) << kShift);
  } else if constexpr (F.specials == Specials::NanOnly) {
    if (magnitude == F.magnitude_mask()) return std::bit_cast<float>(sign | 0x7fc00000u);
  } else if constexpr (F.specials == Specials::Fnuz) {
    if (magnitude == 0 && sign != 0) return std::bit_cast<float>(0x7fc00000u);
  }
  if constexpr (F.bias == 127) {
    return std::bit_cast<float>(sign | magnitude << kShift);
  } else {
    // A number below the smallest normal is its fraction times the smallest step.
    constexpr float kStep = std::bit_cast<float>(uint32_t{128 - F.bias - F.mantissa_bits} << 23);
    const float value = magnitude >> F.mantissa_bits == 0
                            ? static_cast<float>(magnitude) * kStep
                            : std::bit_cast<float>((magnitude << kShift) + (uint32_t{127 - F.bias} << 23));
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
}

/// Converts `value` to a format, rounding once. Pass a double for values from wider arithmetic, so that they
/// are not rounded twice. Stochastic rounding (of floats) adds the top bits of `random` below the last place
/// that is kept, and cuts off: the CDNA3 ISA manual's V_CVT_SR_FP8_F32. A NaN keeps its sign and, in IEEE
/// formats, its upper payload bits, made quiet; in a format without NaN it becomes the largest number of its
/// sign.
template <FloatFormat F, class Source>
constexpr uint32_t encode(Source value, Rounding rounding = Rounding::NearestEven,
                          Overflow overflow = Overflow::Special, uint32_t random = 0) {
  static_assert(std::numeric_limits<Source>::is_iec559);
  constexpr bool kDouble = sizeof(Source) == 8;
  constexpr int kFraction = kDouble ? 52 : 23, kSourceBias = kDouble ? 1023 : 127,
                kDrop = kFraction - F.mantissa_bits;
  constexpr uint64_t kHidden = uint64_t{1} << kFraction;
  uint64_t word = 0;
  if constexpr (kDouble)
    word = std::bit_cast<uint64_t>(value);
  else
    word = std::bit_cast<uint32_t>(value);
  const bool negative = word >> (kDouble ? 63 : 31) != 0;
  const uint32_t sign = negative ? F.sign_bit() : 0u;
  const int source_exponent = static_cast<int>(word >> kFraction & (kDouble ? 0x7ff : 0xff));
  uint64_t significand = word & (kHidden - 1);

  if (source_exponent == (kDouble ? 0x7ff : 0xff)) {
    if constexpr (F.specials == Specials::None) return sign | F.largest();
    if (significand == 0 && F.specials == Specials::Ieee) return sign | F.infinity();
    if constexpr (F.specials == Specials::Ieee)
      return sign | F.nan() | static_cast<uint32_t>(significand >> kDrop);
    return F.specials == Specials::Fnuz ? F.nan() : sign | F.nan();
  }

  if (source_exponent != 0) significand |= kHidden;
  const int exponent =
      (source_exponent != 0 ? source_exponent : 1) - kSourceBias + F.bias;  // biased as the format does
  const int extra =
      exponent < 1 ? (1 - exponent < kFraction + 2 ? 1 - exponent : kFraction + 2) : 0;  // below the normals
  uint64_t kept = 0;
  if (rounding == Rounding::Stochastic) {
    constexpr int kRandomShift = kDrop < 32 ? 32 - kDrop : 0;
    kept = ((significand >> extra) + (random >> kRandomShift)) >> kDrop;
  } else {
    const int drop = kDrop + extra;  // at most 2 * kFraction + 2
    const uint64_t rest = drop < 64 ? significand & ((uint64_t{1} << drop) - 1) : significand;
    const uint64_t half = drop < 64 ? uint64_t{1} << (drop - 1) : ~uint64_t{0};
    kept = drop < 64 ? significand >> drop : 0;
    const bool away = rounding == Rounding::NearestEven ? rest > half || (rest == half && (kept & 1) != 0)
                      : rounding == Rounding::Up        ? rest != 0 && !negative
                      : rounding == Rounding::Down      ? rest != 0 && negative
                                                        : false;
    kept += away;
  }
  // `kept` counts the last place of the exponent's binade, the hidden one included; a carry moves on to the
  // next binade.
  const uint64_t magnitude =
      (static_cast<uint64_t>(exponent < 1 ? 0 : exponent - 1) << F.mantissa_bits) + kept;
  if (magnitude > F.largest()) {
    const bool inward = rounding == Rounding::TowardZero || rounding == Rounding::Stochastic ||
                        (rounding == Rounding::Up && negative) || (rounding == Rounding::Down && !negative);
    if (F.specials == Specials::None || overflow == Overflow::Saturate ||
        (F.specials == Specials::Ieee && rounding != Rounding::Stochastic && inward))
      return sign | F.largest();
    if (F.specials == Specials::Ieee) return sign | F.infinity();
    return F.specials == Specials::Fnuz ? F.nan() : sign | F.nan();
  }
  if (F.specials == Specials::Fnuz && magnitude == 0) return 0;
  return sign | static_cast<uint32_t>(magnitude);
}

/// The scale 2^(code - 127) of MX's e8m0; 255 is NaN. 0 is 2^-127, a denormal float.
constexpr float decode_e8m0(uint32_t code) {
  code &= 0xff;
  if (code == 0xff) return std::bit_cast<float>(0x7fc00000u);
  return std::bit_cast<float>(code == 0 ? 0x00400000u : code << 23);
}

/// The next number of V_PRNG_B32's generator (CDNA4 ISA manual: a linear-feedback shift register).
constexpr uint32_t next_random(uint32_t state) { return (state << 1) ^ ((state >> 31) != 0 ? 0xc5u : 0u); }

}  // namespace wavesmith
