// Half-precision arithmetic. Bodies get the halves widened to f32; results are rounded to f16 once.
#pragma once

#include "isa/row.h"
#include "isa/valu/half_fma.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {

template <class Visitor>
void float16(Visitor& v) {
  using namespace detail;
  constexpr auto fma = [](auto a, auto b, auto c) { return half_fma(a, b, c); };
  // Unfused: the product is rounded.
  constexpr auto mad = [](auto a, auto b, auto c) { return round16(a * b) + c; };
  constexpr Facts cdna{.generations = kCdna}, rdna{.generations = kRdna};
  // clang-format off
  v(lane<f16(f16, f16)>,           "v_add_f16", [](auto a, auto b) { return a + b; }, {.packed = "v_pk_add_f16"});
  v(lane<f16(f16, f16)>,           "v_sub_f16", [](auto a, auto b) { return a - b; });
  v(rare<f16(f16, f16)>,           "v_subrev_f16", [](auto a, auto b) { return b - a; });
  v(lane<f16(f16, f16)>,           "v_mul_f16", [](auto a, auto b) { return a * b; }, {.packed = "v_pk_mul_f16"});
  v(lane<f16(f16, f16, f16)>,      "v_fma_f16", fma, {.keeps_high = true, .packed = "v_pk_fma_f16"});
  v(rare<f16(f16, f16, f16)>,      "v_fma_legacy_f16", fma, cdna);
  v(rare<f16(f16, f16, f16)>,      "v_fmaak_f16 v_fmamk_f16", fma, rdna);
  v(rare<f16(f16, f16, old<f16>)>, "v_fmac_f16", fma, {.generations = kRdna, .packed = "v_pk_fma_f16"});
  v(rare<f16(f16, f16, f16)>,      "v_mad_f16", mad, {.generations = kCdna, .keeps_high = true});
  v(rare<f16(f16, f16, f16)>,      "v_mad_legacy_f16 v_madak_f16 v_madmk_f16", mad, cdna);
  v(rare<f16(f16, f16, old<f16>)>, "v_mac_f16", mad, cdna);
  v(rare<f16(f16)>,                "v_trunc_f16", [](auto a) { return __builtin_elementwise_trunc(a); });
  v(rare<f16(f16)>,                "v_ceil_f16",  [](auto a) { return __builtin_elementwise_ceil(a); });
  v(rare<f16(f16)>,                "v_rndne_f16", [](auto a) { return __builtin_elementwise_roundeven(a); });
  v(rare<f16(f16)>,                "v_floor_f16", [](auto a) { return __builtin_elementwise_floor(a); });
  v(rare<f16(f16)>,                "v_fract_f16", [](auto a) {
    const auto fraction = round16(a - __builtin_elementwise_floor(a));
    return fraction >= 1 ? decltype(a)(0x1.ffcp-1f) : fraction;
  });
  v(rare<f16(f16)>,                "v_frexp_mant_f16", [](auto a) { return frexp(a).mantissa; });
  v(rare<i16(f16)>,                "v_frexp_exp_i16_f16", [](auto a) { return convert<int16_t>(frexp(a).exponent); }, {.bounded = true});
  v(rare<f16(f16, i16)>,           "v_ldexp_f16", [](auto a, auto b) {
    // Beyond these powers every f16 overflows or vanishes; within them the product is exact.
    const auto bounded = __builtin_elementwise_min(__builtin_elementwise_max(convert<int32_t>(b), Pack<int32_t>(-60)), Pack<int32_t>(60));
    return a * power_of_two<Pack<float>>(bounded);
  });
  // clang-format on
}

}  // namespace wavesmith::isa
