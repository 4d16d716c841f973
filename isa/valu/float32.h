// Single-precision arithmetic: VOP1, VOP2 and VOP3 of the "f32" mnemonics.
#pragma once

#include "isa/fused.h"
#include "isa/row.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {
namespace detail {

inline constexpr auto multiply_dx9 = [](auto a, auto b) {
  return ((a == 0) | (b == 0)) ? decltype(a)(0) : a * b;
};
/// The unfused multiply-add of CDNA2, which knows no denormals whatever MODE says.
inline constexpr auto mad_flushing = [](auto a, auto b, auto c) {
  return flush_denormals(flush_denormals(flush_denormals(a) * flush_denormals(b)) + flush_denormals(c));
};

/// a * b + c toward zero, of an `a` that is an f16: the product is exact in double, and a sum that was
/// rounded away from zero (Knuth's TwoSum says so) moves back.
inline constexpr auto fma_toward_zero = [](Pack<float> a, Pack<float> b, Pack<float> c) {
  using Longs = Pack<uint64_t>;
  const auto product = convert<double>(a) * convert<double>(b), addend = convert<double>(c);
  const auto sum = product + addend, part = sum - product;
  const auto error = (product - (sum - part)) + (addend - part);
  const auto above = ((error < 0.0) & (sum > 0.0)) | ((error > 0.0) & (sum < 0.0));
  const auto exact = bits<Pack<double>>(above ? bits<Longs>(sum) - 1 : bits<Longs>(sum));
  const auto nearest = convert<float>(exact);
  const auto away = convert<int32_t>(absolute(convert<double>(nearest)) > absolute(exact));
  return bits<Pack<float>>(away ? bits<Pack<uint32_t>>(nearest) - 1 : bits<Pack<uint32_t>>(nearest));
};

/// Which face of a cube a direction (x, y, z) meets: Section "V_CUBE*" of the ISA manuals.
template <class V>
struct CubeFace {
  Signed<V> z, y;  ///< whether that coordinate is the major one; otherwise x is
  CubeFace(V x_, V y_, V z_)
      : z((absolute(z_) >= absolute(x_)) & (absolute(z_) >= absolute(y_))),
        y(~z & (absolute(y_) >= absolute(x_))) {}
  [[nodiscard]] V of(V for_z, V for_y, V for_x) const { return z ? for_z : y ? for_y : for_x; }
};

}  // namespace detail

template <class Visitor>
void float32(Visitor& v) {
  using namespace detail;
  constexpr auto fma = [](auto a, auto b, auto c) { return fused(a, b, c); };
  constexpr auto fma_dx9 = [](auto a, auto b, auto c) { return ((a == 0) | (b == 0)) ? c : fused(a, b, c); };
  constexpr Facts commutes{.commutes = true};
  constexpr Facts cdna2{.generations = kCdna2}, rdna{.generations = kRdna}, rdna3{.generations = kRdna3};
  // clang-format off
  v(lane<f32(f32, f32)>,           "v_add_f32", [](auto a, auto b) { return a + b; }, {.commutes = true, .dual = true, .packed = "v_pk_add_f32"});
  v(lane<f32(f32, f32)>,           "v_sub_f32", [](auto a, auto b) { return a - b; }, {.dual = true});
  v(lane<f32(f32, f32)>,           "v_subrev_f32", [](auto a, auto b) { return b - a; }, {.dual = true});
  v(lane<f32(f32, f32)>,           "v_mul_f32", [](auto a, auto b) { return a * b; }, {.commutes = true, .dual = true, .packed = "v_pk_mul_f32"});
  v(rare<f32(f32, f32)>,           "v_mul_legacy_f32 v_mul_dx9_zero_f32", multiply_dx9);
  v(lane<f32(f32, f32, f32)>,      "v_fma_f32", fma, {.commutes = true, .dual = true, .packed = "v_pk_fma_f32"});
  v(lane<f32(f32, f32, f32)>,      "v_fmaak_f32 v_fmamk_f32", fma, commutes);
  v(lane<f32(f32, f32, old<f32>)>, "v_fmac_f32", fma, {.commutes = true, .dual = true, .packed = "v_pk_fma_f32"});
  v(rare<f32(f32, f32, f32)>,      "v_fma_dx9_zero_f32 v_fma_legacy_f32", fma_dx9, rdna);
  v(rare<f32(f32, f32, old<f32>)>, "v_fmac_dx9_zero_f32 v_fmac_legacy_f32", fma_dx9, rdna3);
  v(rare<f32(f32, f32, f32)>,      "v_mad_f32 v_madak_f32 v_madmk_f32", mad_flushing, cdna2);
  v(rare<f32(f32, f32, old<f32>)>, "v_mac_f32", mad_flushing, cdna2);
  v(rare<f32(f32, f32, f32)>,      "v_mad_legacy_f32", [](auto a, auto b, auto c) {
    return flush_denormals(multiply_dx9(flush_denormals(a), flush_denormals(b)) + flush_denormals(c));
  }, cdna2);
  // Sources that V_INTERP_* take from other lanes of the quad are exchanged before (emulate/translate/lane.cc).
  v(rare<f32(f32, f32, f32)>,      "v_interp_p10_f32", fma, {.generations = kRdna, .interpolates = Interpolation::P10});
  v(rare<f32(f32, f32, f32)>,      "v_interp_p2_f32", fma, {.generations = kRdna, .interpolates = Interpolation::P2});
  v(rare<f32(f16, f32, f16)>,      "v_interp_p10_f16_f32", fma, {.generations = kRdna, .interpolates = Interpolation::P10});
  v(rare<f16(f16, f32, f32)>,      "v_interp_p2_f16_f32", fma, {.generations = kRdna, .interpolates = Interpolation::P2});
  v(rare<f32(f16, f32, f16)>,      "v_interp_p10_rtz_f16_f32", fma_toward_zero, {.generations = kRdna, .nearest = true, .interpolates = Interpolation::P10});
  v(rare<f16(f16, f32, f32)>,      "v_interp_p2_rtz_f16_f32", [](auto a, auto b, auto c) { return truncated16(fma_toward_zero(a, b, c)); }, {.generations = kRdna, .nearest = true, .interpolates = Interpolation::P2});
  v(rare<f32(f32, f32, f32)>,      "v_mullit_f32", [](auto a, auto b, auto c) {
    const decltype(a) lowest = -3.40282346638528859812e38f;
    return ((b > lowest) & (c > 0)) ? a * b : lowest;
  }, {.issue = Issue::Quarter, .generations = kRdna});

  v(rare<f32(f32)>,                "v_trunc_f32", [](auto a) { return __builtin_elementwise_trunc(a); });
  v(rare<f32(f32)>,                "v_ceil_f32",  [](auto a) { return __builtin_elementwise_ceil(a); });
  v(rare<f32(f32)>,                "v_rndne_f32", [](auto a) { return __builtin_elementwise_roundeven(a); });
  v(rare<f32(f32)>,                "v_floor_f32", [](auto a) { return __builtin_elementwise_floor(a); });
  v(rare<f32(f32)>,                "v_fract_f32", [](auto a) {
    const auto fraction = a - __builtin_elementwise_floor(a);
    return fraction >= 1 ? decltype(a)(0x1.fffffep-1f) : fraction;
  });
  v(rare<f32(f32)>,                "v_frexp_mant_f32", [](auto a) { return frexp(a).mantissa; });
  v(rare<i32(f32)>,                "v_frexp_exp_i32_f32", [](auto a) { return frexp(a).exponent; }, {.bounded = true});
  v(rare<f32(f32, i32)>,           "v_ldexp_f32", [](auto a, auto b) { return scale(a, b); });

  v(rare<f32(f32, f32, f32)>,      "v_cubeid_f32", [](auto x, auto y, auto z) {
    using V = decltype(x);
    return CubeFace<V>(x, y, z).of(z < 0 ? V(5) : V(4), y < 0 ? V(3) : V(2), x < 0 ? V(1) : V(0));
  });
  v(rare<f32(f32, f32, f32)>,      "v_cubesc_f32", [](auto x, auto y, auto z) { return CubeFace<decltype(x)>(x, y, z).of(z < 0 ? -x : x, x, x < 0 ? z : -z); });
  v(rare<f32(f32, f32, f32)>,      "v_cubetc_f32", [](auto x, auto y, auto z) { return CubeFace<decltype(x)>(x, y, z).of(-y, y < 0 ? -z : z, -y); });
  v(rare<f32(f32, f32, f32)>,      "v_cubema_f32", [](auto x, auto y, auto z) { return CubeFace<decltype(x)>(x, y, z).of(z * 2, y * 2, x * 2); });
  // clang-format on
}

}  // namespace wavesmith::isa
