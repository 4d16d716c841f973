// VOP3P arithmetic on two 16-bit values in a register, and CDNA's on two floats in a pair of registers.
#pragma once

#include "isa/fused.h"
#include "isa/packed.h"
#include "isa/valu/half_extremes.h"
#include "isa/valu/half_fma.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {

namespace packed_math {

using detail::NanRule;

/// Minima and maxima on encodings (isa/valu/half_extremes.h), so that `clamp` is theirs to heed.
template <NanRule kRule>
struct PackedExtremes {
  using Half = detail::HalfExtremes<kRule>;
  template <class Clamp>
  static auto finish(Clamp clamp, Pack<uint16_t> x) {
    if constexpr (clamp())
      return detail::HalfExtreme<kRule>::clamped(x);
    else
      return x;
  }
  static constexpr auto min = [](auto clamp, auto a, auto b) { return finish(clamp, Half::min(a, b)); };
  static constexpr auto max = [](auto clamp, auto a, auto b) { return finish(clamp, Half::max(a, b)); };
  static constexpr auto min3 = [](auto clamp, auto a, auto b, auto c) {
    return finish(clamp, Half::min3(a, b, c));
  };
  static constexpr auto max3 = [](auto clamp, auto a, auto b, auto c) {
    return finish(clamp, Half::max3(a, b, c));
  };
};

}  // namespace packed_math

template <class Visitor>
void packed_math_instructions(Visitor& v) {
  using namespace packed_math;
  using Ieee = PackedExtremes<NanRule::Ieee>;
  using Number = PackedExtremes<NanRule::Number>;
  using Nan = PackedExtremes<NanRule::Nan>;
  // clang-format off
  v(packed<v2f16(v2f16, v2f16)>,           "v_pk_add_f16", [](auto a, auto b) { return a + b; });
  v(packed<v2f16(v2f16, v2f16)>,           "v_pk_mul_f16", [](auto a, auto b) { return a * b; });
  v(packed<v2f16(v2f16, v2f16, v2f16)>,    "v_pk_fma_f16", [](auto a, auto b, auto c) { return half_fma(a, b, c); });
  v(packed<v2f16(v2f16, v2f16, old<v2f16>)>, "v_pk_fmac_f16", [](auto a, auto b, auto d) { return half_fma(a, b, d); });
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_min_f16", Ieee::min, {.generations = kCdna | kRdna3});
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_max_f16", Ieee::max, {.generations = kCdna | kRdna3});
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_min_num_f16", Number::min, {.generations = kRdna4, .alias = "v_pk_min_f16"});
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_max_num_f16", Number::max, {.generations = kRdna4, .alias = "v_pk_max_f16"});
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_minimum_f16", Nan::min, {.generations = kRdna4});
  v(packed<v2f16_code(v2f16_code, v2f16_code)>, "v_pk_maximum_f16", Nan::max, {.generations = kRdna4});
  v(packed<v2f16_code(v2f16_code, v2f16_code, v2f16_code)>, "v_pk_minimum3_f16", Nan::min3, {.generations = kCdna4});
  v(packed<v2f16_code(v2f16_code, v2f16_code, v2f16_code)>, "v_pk_maximum3_f16", Nan::max3, {.generations = kCdna4});

  // With `clamp` integers saturate instead of wrapping.
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_add_u16", [](auto clamp, auto a, auto b) { if constexpr (clamp()) return __builtin_elementwise_add_sat(a, b); else return a + b; });
  v(packed<v2i16(v2i16, v2i16)>,           "v_pk_add_i16", [](auto clamp, auto a, auto b) { if constexpr (clamp()) return __builtin_elementwise_add_sat(a, b); else return a + b; });
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_sub_u16", [](auto clamp, auto a, auto b) { if constexpr (clamp()) return __builtin_elementwise_sub_sat(a, b); else return a - b; });
  v(packed<v2i16(v2i16, v2i16)>,           "v_pk_sub_i16", [](auto clamp, auto a, auto b) { if constexpr (clamp()) return __builtin_elementwise_sub_sat(a, b); else return a - b; });
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_mul_lo_u16", [](auto a, auto b) { return a * b; });
  v(packed<v2u16(v2u16, v2u16, v2u16)>,    "v_pk_mad_u16", [](auto clamp, auto a, auto b, auto c) {
    if constexpr (!clamp()) return a * b + c;
    else return convert<uint16_t>(__builtin_elementwise_min(__builtin_elementwise_add_sat(convert<uint32_t>(a) * convert<uint32_t>(b), convert<uint32_t>(c)), Pack<uint32_t>(0xffff)));
  });
  v(packed<v2i16(v2i16, v2i16, v2i16)>,    "v_pk_mad_i16", [](auto clamp, auto a, auto b, auto c) {
    if constexpr (!clamp()) return a * b + c;
    else return convert<int16_t>(__builtin_elementwise_max(__builtin_elementwise_min(convert<int32_t>(a) * convert<int32_t>(b) + convert<int32_t>(c), Pack<int32_t>(0x7fff)), Pack<int32_t>(-0x8000)));
  });
  // These cannot overflow.
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_min_u16", [](auto, auto a, auto b) { return __builtin_elementwise_min(a, b); });
  v(packed<v2i16(v2i16, v2i16)>,           "v_pk_min_i16", [](auto, auto a, auto b) { return __builtin_elementwise_min(a, b); });
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_max_u16", [](auto, auto a, auto b) { return __builtin_elementwise_max(a, b); });
  v(packed<v2i16(v2i16, v2i16)>,           "v_pk_max_i16", [](auto, auto a, auto b) { return __builtin_elementwise_max(a, b); });
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_lshlrev_b16", [](auto a, auto b) { return b << (a & 15); });
  v(packed<v2u16(v2u16, v2u16)>,           "v_pk_lshrrev_b16", [](auto, auto a, auto b) { return b >> (a & 15); });
  v(packed<v2i16(v2i16, v2i16)>,           "v_pk_ashrrev_i16", [](auto, auto a, auto b) { return b >> (a & 15); });

  v(packed<v2f32(v2f32, v2f32)>,           "v_pk_add_f32", [](auto a, auto b) { return a + b; }, {.generations = kCdna});
  v(packed<v2f32(v2f32, v2f32)>,           "v_pk_mul_f32", [](auto a, auto b) { return a * b; }, {.generations = kCdna});
  v(packed<v2f32(v2f32, v2f32, v2f32)>,    "v_pk_fma_f32", [](auto a, auto b, auto c) { return fused(a, b, c); }, {.generations = kCdna});
  // The low result comes from the first source, the high one from the second.
  v(packed<v2u32(whole<v2u32>, whole<v2u32>)>, "v_pk_mov_b32", [](auto a, auto b) { return Parts{a.low, b.low}; }, {.generations = kCdna});
  // clang-format on
}

}  // namespace wavesmith::isa
