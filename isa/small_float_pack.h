// The conversions of base/small_float.h over the sixteen lanes of a pack: branch-free, in 32-bit integer
// operations, so that neither the host's rounding mode nor its treatment of denormals matters. Exceptions are
// the conversions from and to f16 on hosts that have an instruction for them: those follow the host's mode.
#pragma once

#include "base/small_float.h"
#include "isa/pack.h"

namespace wavesmith::isa {

#if defined(__F16C__) || defined(__AVX512F__) || defined(__aarch64__)
inline constexpr bool kHostConvertsF16 = true;
#else
inline constexpr bool kHostConvertsF16 = false;
#endif

/// decode<F> of each lane; bits above the format's are ignored.
template <FloatFormat F>
[[gnu::always_inline]] inline Pack<float> decode_pack(Pack<uint32_t> code) {
  using Words = Pack<uint32_t>;
  using Floats = Pack<float>;
  constexpr int kShift = 23 - F.mantissa_bits;
  if constexpr (F == kBf16) {
    return bits<Floats>(code << 16);
  } else if constexpr (F == kF16 && kHostConvertsF16) {
    return convert<float>(bits<Pack<_Float16>>(convert<uint16_t>(code)));
  } else {
    const Words magnitude = code & F.magnitude_mask();
    const Words sign = (code & F.sign_bit()) << (32 - F.bits());
    constexpr float kStep = std::bit_cast<float>(uint32_t{128 - F.bias - F.mantissa_bits} << 23);
    const Floats below = convert<float>(bits<Pack<int32_t>>(magnitude)) * kStep;
    const Words normal = (magnitude << kShift) + (uint32_t{127 - F.bias} << 23);
    Words word = magnitude < (1u << F.mantissa_bits) ? bits<Words>(below) : normal;
    if constexpr (F.specials == Specials::Ieee)
      word = magnitude >= F.infinity() ? (magnitude << kShift) | 0x7f800000u : word;
    if constexpr (F == kF16)  // as the host's instruction does: NaNs become quiet
      word = magnitude > F.infinity() ? word | 0x7fc00000u : word;
    if constexpr (F.specials == Specials::NanOnly)
      word = magnitude == F.magnitude_mask() ? Words(0x7fc00000u) : word;
    word |= sign;
    if constexpr (F.specials == Specials::Fnuz) word = word == 0x80000000u ? Words(0x7fc00000u) : word;
    return bits<Floats>(word);
  }
}

/// encode<F> of each lane. Rounding is NearestEven, TowardZero or Stochastic (which adds `random`).
template <FloatFormat F, Rounding kRounding = Rounding::NearestEven>
[[gnu::always_inline]] inline Pack<uint32_t> encode_pack_with(Pack<float> value, Overflow overflow,
                                                              Pack<uint32_t> random = 0) {
  static_assert(kRounding == Rounding::NearestEven || kRounding == Rounding::TowardZero ||
                kRounding == Rounding::Stochastic);
  using Words = Pack<uint32_t>;
  constexpr int kDrop = 23 - F.mantissa_bits;
  const Words word = bits<Words>(value);
  const Words magnitude = word & 0x7fffffffu;
  const Words sign = (word >> (32 - F.bits())) & F.sign_bit();
  Words code;
  if constexpr (F.bias == 127) {
    // The same exponents as float's: denormals need nothing.
    if constexpr (kRounding == Rounding::NearestEven)
      code = (magnitude + ((1u << (kDrop - 1)) - 1) + ((magnitude >> kDrop) & 1u)) >> kDrop;
    else if constexpr (kRounding == Rounding::Stochastic)
      code = (magnitude + (random >> (32 - kDrop))) >> kDrop;
    else
      code = magnitude >> kDrop;
  } else {
    const Words exponent = magnitude >> 23;  // biased as float's
    const Words significand = (magnitude & 0x7fffffu) | 0x800000u;
    constexpr uint32_t kSmallest = 128u - static_cast<uint32_t>(F.bias);  // exponent of the smallest normal
    const Words below = __builtin_elementwise_sub_sat(Words(kSmallest), exponent);
    Words kept;
    if constexpr (kRounding == Rounding::Stochastic) {
      kept =
          ((significand >> __builtin_elementwise_min(below, Words(31))) + (random >> (32 - kDrop))) >> kDrop;
    } else {
      const Words drop = __builtin_elementwise_min(below + kDrop, Words(31));  // 31 loses everything
      if constexpr (kRounding == Rounding::NearestEven)
        kept = (significand + ((Words(1) << (drop - 1)) - 1) + ((significand >> drop) & 1u)) >> drop;
      else
        kept = significand >> drop;
    }
    code = (__builtin_elementwise_sub_sat(exponent, Words(kSmallest)) << F.mantissa_bits) + kept;
  }
  const bool stays = F.specials == Specials::None || overflow == Overflow::Saturate ||
                     (F.specials == Specials::Ieee && kRounding == Rounding::TowardZero);
  constexpr uint32_t kSpecial = F.specials == Specials::Ieee ? F.infinity() : F.nan();
  code = code > F.largest() ? Words(stays ? F.largest() : kSpecial) : code;
  if constexpr (F.specials == Specials::Ieee) {
    code = magnitude == 0x7f800000u ? Words(F.infinity()) : code;
    code = magnitude > 0x7f800000u ? ((magnitude & 0x7fffffu) >> kDrop) | F.nan() : code;
    return code | sign;
  } else if constexpr (F.specials == Specials::Fnuz) {
    code = magnitude >= 0x7f800000u ? Words(F.nan()) : code;
    return code == 0 ? code : code | sign;
  } else if constexpr (F.specials == Specials::NanOnly) {
    code = magnitude >= 0x7f800000u ? Words(F.nan()) : code;
    return code | sign;
  } else {
    return code | sign;
  }
}

/// The same with the treatment of overflow fixed.
template <FloatFormat F, Rounding kRounding = Rounding::NearestEven, Overflow kOverflow = Overflow::Special>
[[gnu::always_inline]] inline Pack<uint32_t> encode_pack(Pack<float> value, Pack<uint32_t> random = 0) {
  return encode_pack_with<F, kRounding>(value, kOverflow, random);
}

/// f16 as the host's mode rounds, by its instruction where it has one.
[[gnu::always_inline]] inline Pack<uint32_t> encode_f16_pack(Pack<float> value) {
  if constexpr (kHostConvertsF16) {
    return convert<uint32_t>(bits<Pack<uint16_t>>(convert<_Float16>(value)));
  } else {
    using Words = Pack<uint32_t>;
    const Words word = bits<Words>(value);
    const Words magnitude = word & 0x7fffffffu;
    const Words sign = word & 0x80000000u;
    // What lies beyond the largest finite f16 becomes infinity or stays, as what lies just below 65536 does.
    const Words within = __builtin_elementwise_min(magnitude, Words(0x477fffffu));
    // Adding 2^13 times the value's power of two leaves as many bits as an f16 has, the others rounded.
    const Words power = __builtin_elementwise_max(within & 0x7f800000u, Words((127u - 14) << 23));
    const auto anchor = bits<Pack<float>>((power + (13u << 23)) | sign);
    const Pack<float> rounded = (bits<Pack<float>>(within | sign) + anchor) - anchor;
    const Words finite = bits<Words>(rounded) & 0x7fffffffu;
    const Words kept = magnitude >= 0x7f800000u ? magnitude : finite;
    return encode_pack<kF16>(bits<Pack<float>>(kept)) | sign >> 16;
  }
}

/// decode_e8m0 of each lane.
[[gnu::always_inline]] inline Pack<float> decode_e8m0_pack(Pack<uint32_t> code) {
  using Words = Pack<uint32_t>;
  code &= 0xffu;
  Words word = code == 0 ? Words(0x00400000u) : code << 23;
  word = code == 0xff ? Words(0x7fc00000u) : word;
  return bits<Pack<float>>(word);
}

}  // namespace wavesmith::isa
