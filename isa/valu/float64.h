// Double-precision arithmetic.
#pragma once

#include "isa/row.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {
namespace detail {

/// The first 1216 bits of 2/pi after the point.
inline constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// 53 bits of 2/pi for argument reduction: the segment-th, counted from where the argument's exponent says.
inline double two_over_pi_segment(double x, uint32_t segment) {
  const auto exponent = static_cast<int>(bits<uint64_t>(x) >> 52 & 2047);
  int shift = static_cast<int>(segment & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  uint64_t value = 0;
  for (int i = 0; i < 53; ++i) {
    const int bit = shift + i;  // beyond the table there are zeros, as in the hardware's 1201 bits
    value = value << 1 | (bit <= 1200 ? kTwoOverPi[bit / 64] >> (63 - bit % 64) & 1 : 0);
  }
  int power = -53 - shift;
  if (exponent >= 1968) power += 128;
  return __builtin_ldexp(static_cast<double>(value), power);
}

}  // namespace detail

template <class Visitor>
void float64(Visitor& v) {
  using namespace detail;
  constexpr auto fma = [](auto a, auto b, auto c) { return __builtin_elementwise_fma(a, b, c); };
  constexpr Facts wide{.issue = Issue::Double}, commutes{.issue = Issue::Double, .commutes = true};
  // clang-format off
  v(lane<f64(f64, f64)>,           "v_add_f64", [](auto a, auto b) { return a + b; }, commutes);
  v(lane<f64(f64, f64)>,           "v_mul_f64", [](auto a, auto b) { return a * b; }, commutes);
  v(lane<f64(f64, f64, f64)>,      "v_fma_f64", fma, commutes);
  v(lane<f64(f64, f64, old<f64>)>, "v_fmac_f64", fma, {.issue = Issue::Double, .generations = kCdna});
  v(rare<f64(f64)>,                "v_trunc_f64", [](auto a) { return __builtin_elementwise_trunc(a); }, wide);
  v(rare<f64(f64)>,                "v_ceil_f64",  [](auto a) { return __builtin_elementwise_ceil(a); }, wide);
  v(rare<f64(f64)>,                "v_rndne_f64", [](auto a) { return __builtin_elementwise_roundeven(a); }, wide);
  v(rare<f64(f64)>,                "v_floor_f64", [](auto a) { return __builtin_elementwise_floor(a); }, wide);
  v(rare<f64(f64)>,                "v_fract_f64", [](auto a) {
    const auto fraction = a - __builtin_elementwise_floor(a);
    return fraction >= 1 ? decltype(a)(0x1.fffffffffffffp-1) : fraction;
  }, wide);
  v(rare<f64(f64)>,                "v_frexp_mant_f64", [](auto a) { return frexp(a).mantissa; }, wide);
  v(rare<i32(f64)>,                "v_frexp_exp_i32_f64", [](auto a) { return convert<int32_t>(frexp(a).exponent); }, {.issue = Issue::Double, .bounded = true});
  v(rare<f64(f64, i32)>,           "v_ldexp_f64", [](auto a, auto b) { return scale(a, convert<int64_t>(b)); }, wide);
  v(rare<f64(f64, u32)>,           "v_trig_preop_f64", [](auto a, auto b) {
    decltype(a) result{};
    for (int i = 0; i < kPackLanes; ++i) result[i] = two_over_pi_segment(a[i], b[i]);
    return result;
  }, wide);
  // clang-format on
}

}  // namespace wavesmith::isa
