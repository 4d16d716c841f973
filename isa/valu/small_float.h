// Conversions of small floats: bf16, fp8 and bf8 (FNUZ in CDNA3, OCP later), and CDNA4's fp6, bf6 and fp4
// with scales.
#pragma once

#include "isa/packed.h"
#include "isa/small_float_pack.h"

namespace wavesmith::isa {

namespace small_float {

using Floats = Pack<float>;
using Words = Pack<uint32_t>;

/// Element i of small floats packed tightly into a dword.
template <FloatFormat F>
[[gnu::always_inline]] inline Floats element(Words word, int i) {
  return decode_pack<F>(word >> static_cast<uint32_t>(F.bits() * i));
}

/// Two results side by side in a dword.
template <FloatFormat F>
[[gnu::always_inline]] inline Words two_codes(Words low, Words high) {
  return low | high << static_cast<uint32_t>(F.bits());
}
template <FloatFormat F>
[[gnu::always_inline]] inline Words two_of(Floats low, Floats high, Overflow overflow) {
  return two_codes<F>(encode_pack_with<F>(low, overflow), encode_pack_with<F>(high, overflow));
}
template <FloatFormat F>
[[gnu::always_inline]] inline Words stochastic(Floats value, Words random, Overflow overflow) {
  return encode_pack_with<F, Rounding::Stochastic>(value, overflow, random);
}

/// V_PRNG_B32.
template <class V>
[[gnu::always_inline]] inline V next_randoms(V state) {
  return (state << 1) ^ choose((state >> 31) != 0u, V(0xc5), V(0));
}

/// A scale's power of two: its exponent field alone counts (CDNA4 ISA manual, V_CVT_SCALEF32_*).
[[gnu::always_inline]] inline Floats scale_of(Floats scale) {
  return decode_e8m0_pack(bits<Words>(scale) >> 23);
}

/// value / scale, finite where the value is.
[[gnu::always_inline]] inline Floats divided(Floats value, Floats scale) {
  const Floats inverse = decode_e8m0_pack(254u - ((bits<Words>(scale) >> 23) & 0xffu));
  const Floats result = value * inverse;
  const Words word = bits<Words>(result), sign = word & 0x80000000u;
  const auto grew =
      ((word & 0x7fffffffu) == 0x7f800000u) & (__builtin_elementwise_abs(value) < __builtin_inff());
  return grew ? bits<Floats>(sign | 0x7f7fffffu) : result;
}

/// Halves of a dword of a 16-bit format, low first.
template <FloatFormat F>
[[gnu::always_inline]] inline Floats half(Words word, int i) {
  return decode_pack<F>(i == 0 ? word & 0xffffu : word >> 16);
}
template <FloatFormat F>
[[gnu::always_inline]] inline Words encode_half(Floats value) {
  if constexpr (F == kF16)
    return encode_f16_pack(value);
  else
    return encode_pack<F>(value);
}

inline constexpr FloatFormat kF32{8, 23, 127, Specials::Ieee};

/// Element i of an array of f32, f16 or bf16.
template <FloatFormat F, int kDwords>
[[gnu::always_inline]] inline Floats wide_element(const Registers<kDwords>& source, int i) {
  if constexpr (F == kF32)
    return bits<Floats>(source.dword[i]);
  else
    return half<F>(source.dword[i / 2], i & 1);
}

/// Sets element i of 32 tightly packed ones of six bits.
[[gnu::always_inline]] inline void put(Registers<6>& registers, int i, Words code) {
  const int at = 6 * i, word = at / 32, shift = at % 32;
  registers.dword[word] |= code << static_cast<uint32_t>(shift);
  if (shift > 26) registers.dword[word + 1] |= code >> static_cast<uint32_t>(32 - shift);
}
[[gnu::always_inline]] inline Words get(const Registers<6>& registers, int i) {
  const int at = 6 * i, word = at / 32, shift = at % 32;
  Words code = registers.dword[word] >> static_cast<uint32_t>(shift);
  if (shift > 26) code |= registers.dword[word + 1] << static_cast<uint32_t>(32 - shift);
  return code;
}

/// 32 elements of From to To, six bits each.
template <FloatFormat From, FloatFormat To, int kDwords>
inline Registers<6> shrink(const Registers<kDwords>& source, Floats scale) {
  Registers<6> result{};
#pragma clang loop unroll(disable)
  for (int i = 0; i < 32; ++i) put(result, i, encode_pack<To>(divided(wide_element<From>(source, i), scale)));
  return result;
}
template <FloatFormat From, FloatFormat To, int kDwords>
inline Registers<6> shrink(const Registers<kDwords>& source, Words random, Floats scale) {
  Registers<6> result{};
#pragma clang loop unroll(disable)
  for (int i = 0; i < 32; ++i) {
    put(result, i, stochastic<To>(divided(wide_element<From>(source, i), scale), random, Overflow::Special));
    random = next_randoms(random);
  }
  return result;
}
/// Elements alternate between two arrays.
template <FloatFormat To>
inline Registers<6> shrink_two(const Registers<16>& even, const Registers<16>& odd, Floats scale) {
  Registers<6> result{};
#pragma clang loop unroll(disable)
  for (int i = 0; i < 32; ++i)
    put(result, i, encode_pack<To>(divided(bits<Floats>((i % 2 == 0 ? even : odd).dword[i / 2]), scale)));
  return result;
}
/// 32 elements of six bits to f32, f16 or bf16.
template <FloatFormat From, FloatFormat To>
inline auto grow(const Registers<6>& source, Floats scale) {
  Registers<To == kF32 ? 32 : 16> result{};
  const Floats factor = scale_of(scale);
#pragma clang loop unroll(disable)
  for (int i = 0; i < 32; ++i) {
    const Floats value = decode_pack<From>(get(source, i)) * factor;
    if constexpr (To == kF32)
      result.dword[i] = bits<Words>(value);
    else
      result.dword[i / 2] |= encode_half<To>(value) << static_cast<uint32_t>(16 * (i & 1));
  }
  return result;
}

}  // namespace small_float

namespace small_float {

constexpr std::string_view kRandomBits = "exact; which random bits count is derived from V_CVT_SR_FP8_F32";
constexpr std::string_view kLeftOpen = "exact; NaN and overflow of formats without infinity saturate";

/// fp8 and bf8 of one generation's encodings.
template <FloatFormat kEight, FloatFormat kBrain, class Visitor>
void eight_bits(Visitor& v, Generations generations) {
  const Facts facts{.generations = generations};
  const Facts random{.generations = generations, .fidelity = Fidelity::Approximate, .bound = kRandomBits};
  // clang-format off
  v(packed<f32(part<8>)>,                  "v_cvt_f32_fp8", [](auto a) { return decode_pack<kEight>(a); }, facts);
  v(packed<f32(part<8>)>,                  "v_cvt_f32_bf8", [](auto a) { return decode_pack<kBrain>(a); }, facts);
  v(packed<v2f32(part<16>)>,               "v_cvt_pk_f32_fp8", [](auto a) { return Parts{element<kEight>(a, 0), element<kEight>(a, 1)}; }, facts);
  v(packed<v2f32(part<16>)>,               "v_cvt_pk_f32_bf8", [](auto a) { return Parts{element<kBrain>(a, 0), element<kBrain>(a, 1)}; }, facts);
  v(packed<insert<16>(f32, f32, overflow_mode)>, "v_cvt_pk_fp8_f32", [](auto a, auto b, auto overflow) { return two_of<kEight>(a, b, overflow); }, facts);
  v(packed<insert<16>(f32, f32, overflow_mode)>, "v_cvt_pk_bf8_f32", [](auto a, auto b, auto overflow) { return two_of<kBrain>(a, b, overflow); }, facts);
  v(packed<insert<8>(f32, u32, overflow_mode)>,  "v_cvt_sr_fp8_f32", [](auto a, auto random, auto overflow) { return stochastic<kEight>(a, random, overflow); }, random);
  v(packed<insert<8>(f32, u32, overflow_mode)>,  "v_cvt_sr_bf8_f32", [](auto a, auto random, auto overflow) { return stochastic<kBrain>(a, random, overflow); }, random);
  // clang-format on
}

/// CDNA4's scaled conversions between an 8-bit format and f32, f16, bf16. The names are in the order: to and
/// from pairs of f32, f16 and bf16; stochastically rounded from each; single ones to f32 and f16.
template <FloatFormat F, class Visitor>
void scaled_eight_bits(Visitor& v, const std::string_view (&names)[11]) {
  const Facts facts{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kLeftOpen};
  const Facts random{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kRandomBits};
  // clang-format off
  v(packed<insert<16>(f32, f32, f32, overflow_mode)>, names[0], [](auto a, auto b, auto scale, auto overflow) { return two_of<F>(divided(a, scale), divided(b, scale), overflow); }, facts);
  v(packed<insert<16>(v2f16, f32, overflow_mode)>,    names[1], [](auto a, auto scale, auto overflow) { return two_of<F>(divided(a.low, scale), divided(a.high, scale), overflow); }, facts);
  v(packed<insert<16>(v2bf16, f32, overflow_mode)>,   names[2], [](auto a, auto scale, auto overflow) { return two_of<F>(divided(a.low, scale), divided(a.high, scale), overflow); }, facts);
  v(packed<v2f32(part<16>, f32)>,          names[3], [](auto a, auto scale) { return Parts{element<F>(a, 0) * scale_of(scale), element<F>(a, 1) * scale_of(scale)}; }, facts);
  v(packed<v2f16(part<16>, f32)>,          names[4], [](auto a, auto scale) { return Parts{element<F>(a, 0) * scale_of(scale), element<F>(a, 1) * scale_of(scale)}; }, facts);
  v(packed<v2bf16(part<16>, f32)>,         names[5], [](auto a, auto scale) { return Parts{element<F>(a, 0) * scale_of(scale), element<F>(a, 1) * scale_of(scale)}; }, facts);
  v(packed<insert<8>(f32, u32, f32, overflow_mode)>,  names[6], [](auto a, auto random, auto scale, auto overflow) { return stochastic<F>(divided(a, scale), random, overflow); }, random);
  v(packed<insert<8>(part<16>, u32, f32, overflow_mode)>, names[7], [](auto a, auto random, auto scale, auto overflow) { return stochastic<F>(divided(decode_pack<kF16>(a & 0xffffu), scale), random, overflow); }, random);
  v(packed<insert<8>(part<16>, u32, f32, overflow_mode)>, names[8], [](auto a, auto random, auto scale, auto overflow) { return stochastic<F>(divided(decode_pack<kBf16>(a), scale), random, overflow); }, random);
  v(packed<f32(part<8>, f32)>,             names[9], [](auto a, auto scale) { return decode_pack<F>(a) * scale_of(scale); }, facts);
  v(packed<insert<16>(part<8>, f32)>,      names[10], [](auto a, auto scale) { return encode_f16_pack(decode_pack<F>(a) * scale_of(scale)); }, facts);
  // clang-format on
}

/// CDNA4's conversions of 32 six-bit numbers at a time; names as the rows.
template <FloatFormat F, class Visitor>
void scaled_six_bits(Visitor& v, const std::string_view (&names)[9]) {
  const Facts facts{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kLeftOpen};
  const Facts random{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kRandomBits};
  // clang-format off
  v(packed<dwords_of<6>(dwords_of<16>, dwords_of<16>, f32)>, names[0], [](const auto& a, const auto& b, auto scale) { return shrink_two<F>(a, b, scale); }, facts);
  v(packed<dwords_of<6>(dwords_of<16>, f32)>,      names[1], [](const auto& a, auto scale) { return shrink<kF16, F>(a, scale); }, facts);
  v(packed<dwords_of<6>(dwords_of<16>, f32)>,      names[2], [](const auto& a, auto scale) { return shrink<kBf16, F>(a, scale); }, facts);
  v(packed<dwords_of<6>(dwords_of<32>, u32, f32)>, names[3], [](const auto& a, auto random, auto scale) { return shrink<kF32, F>(a, random, scale); }, random);
  v(packed<dwords_of<6>(dwords_of<16>, u32, f32)>, names[4], [](const auto& a, auto random, auto scale) { return shrink<kF16, F>(a, random, scale); }, random);
  v(packed<dwords_of<6>(dwords_of<16>, u32, f32)>, names[5], [](const auto& a, auto random, auto scale) { return shrink<kBf16, F>(a, random, scale); }, random);
  v(packed<dwords_of<32>(dwords_of<6>, f32)>,      names[6], [](const auto& a, auto scale) { return grow<F, kF32>(a, scale); }, facts);
  v(packed<dwords_of<16>(dwords_of<6>, f32)>,      names[7], [](const auto& a, auto scale) { return grow<F, kF16>(a, scale); }, facts);
  v(packed<dwords_of<16>(dwords_of<6>, f32)>,      names[8], [](const auto& a, auto scale) { return grow<F, kBf16>(a, scale); }, facts);
  // clang-format on
}

}  // namespace small_float

/// bf16, fp8, bf8.
template <class Visitor>
void small_float_instructions(Visitor& v) {
  using namespace small_float;
  eight_bits<kFp8Fnuz, kBf8Fnuz>(v, kCdna3);
  eight_bits<kFp8, kBf8>(v, kCdna4 | kRdna4);
  const Facts random{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kRandomBits};
  // clang-format off
  v(rare<f32(bf16)>,                       "v_cvt_f32_bf16", [](auto a) { return a; }, {.generations = kCdna4});
  // `clamp` is taken to change nothing, though the result holds floats; that of the conversions to f16 is refused.
  v(rare<u32(f32, f32)>,                   "v_cvt_pk_bf16_f32", [](auto a, auto b) { return encode_pack<kBf16>(a) | encode_pack<kBf16>(b) << 16; }, {.generations = kCdna4, .bounded = true});
  v(packed<insert<16>(f32, u32)>,          "v_cvt_sr_bf16_f32", [](auto a, auto random) { return stochastic<kBf16>(a, random, Overflow::Special); }, random);
  v(packed<insert<16>(f32, u32)>,          "v_cvt_sr_f16_f32", [](auto a, auto random) { return stochastic<kF16>(a, random, Overflow::Special); }, random);
  v(rare<u32(u32)>,                        "v_prng_b32", [](auto a) { return next_randoms(a); }, {.generations = kCdna4});
  // clang-format on
}

/// CDNA4's scaled conversions.
template <class Visitor>
void scaled_conversion_instructions(Visitor& v) {
  using namespace small_float;
  scaled_eight_bits<kFp8>(
      v, {"v_cvt_scalef32_pk_fp8_f32", "v_cvt_scalef32_pk_fp8_f16", "v_cvt_scalef32_pk_fp8_bf16",
          "v_cvt_scalef32_pk_f32_fp8", "v_cvt_scalef32_pk_f16_fp8", "v_cvt_scalef32_pk_bf16_fp8",
          "v_cvt_scalef32_sr_fp8_f32", "v_cvt_scalef32_sr_fp8_f16", "v_cvt_scalef32_sr_fp8_bf16",
          "v_cvt_scalef32_f32_fp8", "v_cvt_scalef32_f16_fp8"});
  scaled_eight_bits<kBf8>(
      v, {"v_cvt_scalef32_pk_bf8_f32", "v_cvt_scalef32_pk_bf8_f16", "v_cvt_scalef32_pk_bf8_bf16",
          "v_cvt_scalef32_pk_f32_bf8", "v_cvt_scalef32_pk_f16_bf8", "v_cvt_scalef32_pk_bf16_bf8",
          "v_cvt_scalef32_sr_bf8_f32", "v_cvt_scalef32_sr_bf8_f16", "v_cvt_scalef32_sr_bf8_bf16",
          "v_cvt_scalef32_f32_bf8", "v_cvt_scalef32_f16_bf8"});
  scaled_six_bits<kFp6>(
      v,
      {"v_cvt_scalef32_2xpk16_fp6_f32", "v_cvt_scalef32_pk32_fp6_f16", "v_cvt_scalef32_pk32_fp6_bf16",
       "v_cvt_scalef32_sr_pk32_fp6_f32", "v_cvt_scalef32_sr_pk32_fp6_f16", "v_cvt_scalef32_sr_pk32_fp6_bf16",
       "v_cvt_scalef32_pk32_f32_fp6", "v_cvt_scalef32_pk32_f16_fp6", "v_cvt_scalef32_pk32_bf16_fp6"});
  scaled_six_bits<kBf6>(
      v,
      {"v_cvt_scalef32_2xpk16_bf6_f32", "v_cvt_scalef32_pk32_bf6_f16", "v_cvt_scalef32_pk32_bf6_bf16",
       "v_cvt_scalef32_sr_pk32_bf6_f32", "v_cvt_scalef32_sr_pk32_bf6_f16", "v_cvt_scalef32_sr_pk32_bf6_bf16",
       "v_cvt_scalef32_pk32_f32_bf6", "v_cvt_scalef32_pk32_f16_bf6", "v_cvt_scalef32_pk32_bf16_bf6"});
  const Facts facts{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kLeftOpen};
  const Facts random{.generations = kCdna4, .fidelity = Fidelity::Approximate, .bound = kRandomBits};
  constexpr Overflow kAny = Overflow::Special;  // fp4 saturates in any case
  // clang-format off
  v(packed<insert<8>(f32, f32, f32)>,      "v_cvt_scalef32_pk_fp4_f32", [](auto a, auto b, auto scale) { return two_of<kFp4>(divided(a, scale), divided(b, scale), kAny); }, facts);
  v(packed<insert<8>(v2f16, f32)>,         "v_cvt_scalef32_pk_fp4_f16", [](auto a, auto scale) { return two_of<kFp4>(divided(a.low, scale), divided(a.high, scale), kAny); }, facts);
  v(packed<insert<8>(v2bf16, f32)>,        "v_cvt_scalef32_pk_fp4_bf16", [](auto a, auto scale) { return two_of<kFp4>(divided(a.low, scale), divided(a.high, scale), kAny); }, facts);
  // The second of a pair takes the generator's next number.
  constexpr auto random_two = [](auto a, auto random, auto scale) {
    return two_codes<kFp4>(stochastic<kFp4>(divided(a.low, scale), random, kAny), stochastic<kFp4>(divided(a.high, scale), next_randoms(random), kAny));
  };
  v(packed<insert<8>(v2f32, u32, f32)>,    "v_cvt_scalef32_sr_pk_fp4_f32", random_two, random);
  v(packed<insert<8>(v2f16, u32, f32)>,    "v_cvt_scalef32_sr_pk_fp4_f16", random_two, random);
  v(packed<insert<8>(v2bf16, u32, f32)>,   "v_cvt_scalef32_sr_pk_fp4_bf16", random_two, random);
  v(packed<v2f32(part<8>, f32)>,           "v_cvt_scalef32_pk_f32_fp4", [](auto a, auto scale) { return Parts{element<kFp4>(a, 0) * scale_of(scale), element<kFp4>(a, 1) * scale_of(scale)}; }, facts);
  v(packed<v2f16(part<8>, f32)>,           "v_cvt_scalef32_pk_f16_fp4", [](auto a, auto scale) { return Parts{element<kFp4>(a, 0) * scale_of(scale), element<kFp4>(a, 1) * scale_of(scale)}; }, facts);
  v(packed<v2bf16(part<8>, f32)>,          "v_cvt_scalef32_pk_bf16_fp4", [](auto a, auto scale) { return Parts{element<kFp4>(a, 0) * scale_of(scale), element<kFp4>(a, 1) * scale_of(scale)}; }, facts);
  // clang-format on
}

}  // namespace wavesmith::isa
