// The parts of an IEEE division: v_div_scale brings numerator and denominator where a Newton iteration
// neither overflows nor loses bits, v_div_fmas undoes that, v_div_fixup answers the special cases. RDNA3 ISA
// manual, Section 16.11.
#pragma once

#include "isa/row.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {
namespace detail {

/// How far a format's operands are scaled, and from which exponents on.
template <class V>
struct DivisionScale;
template <>
struct DivisionScale<Pack<float>> {
  static constexpr int kBy = 64, kNearOverflow = 96, kTinyNumerator = 23, kUnderflow = -150;
};
template <>
struct DivisionScale<Pack<double>> {
  static constexpr int kBy = 128, kNearOverflow = 768, kTinyNumerator = 53, kUnderflow = -1075;
};

/// a is the operand to scale: the denominator b or the numerator c.
template <class V>
auto div_scale(V a, V b, V c) {
  using S = DivisionScale<V>;
  using I = Signed<V>;
  constexpr int kNormal = 1 - Format<V>::kBias;  // the smallest normal exponent
  const I of_b = exponent(b), of_c = exponent(c), difference = of_c - of_b;
  const auto zero = (b == 0) | (c == 0);
  const auto near_overflow = difference >= S::kNearOverflow;
  const auto tiny_b = of_b == 0;
  const auto reciprocal_tiny =
      (of_b >= 2 * Format<V>::kBias - 1) & (absolute(b) != power_of_two<V>(I(Format<V>::kBias - 1)));
  const auto quotient_tiny = difference <= kNormal;
  const auto is_b = bits<Unsigned<V>>(a) == bits<Unsigned<V>>(b),
             is_c = bits<Unsigned<V>>(a) == bits<Unsigned<V>>(c);

  const I up = S::kBy, down = -S::kBy, none = 0;
  const I power = near_overflow                       ? (is_b ? up : none)
                  : tiny_b                            ? up
                  : (reciprocal_tiny & quotient_tiny) ? (is_b ? down : none)
                  : reciprocal_tiny                   ? down
                  : quotient_tiny                     ? (is_c ? up : none)
                  : of_c <= S::kTinyNumerator         ? up
                                                      : none;
  const auto undo = zero | near_overflow | (~tiny_b & quotient_tiny);
  const V scaled = power == 0 ? a : a * power_of_two<V>(power);
  return Results{zero ? V(__builtin_nan("")) : scaled, lanes(undo)};
}

/// (a * b + c) * 2^-128 rounded once, to a denormal: where the rounded sum lies halfway between two
/// denormals, the error of the sum decides (Boldo and Muller, "Exact and approximated error of the FMA").
inline Pack<double> scaled_to_denormal(Pack<double> a, Pack<double> b, Pack<double> c) {
  using V = Pack<double>;
  const auto two_sum = [](V x, V y) {
    const V sum = x + y, part = sum - x;
    return Results{sum, (x - (sum - part)) + (y - part)};
  };
  const V rounded = __builtin_elementwise_fma(a, b, c), product = a * b;
  const auto low = two_sum(c, __builtin_elementwise_fma(a, b, -product));
  const auto high = two_sum(product, low.first);
  const V error = ((high.first - rounded) + high.second) + low.second;
  const V result = rounded * 0x1p-128, beyond = rounded - result * 0x1p128;
  const V step = 0x1p-1074, half = 0x1p-947;
  return ((beyond == half) & (error > 0))    ? result + step
         : ((beyond == -half) & (error < 0)) ? result - step
                                             : result;
}

template <class V>
V div_fmas(V a, V b, V c, Mask scaled) {
  const V plain = __builtin_elementwise_fma(a, b, c);
  if (!any(scaled)) [[likely]]
    return plain;
  using I = Signed<V>;
  const I by = DivisionScale<V>::kBy;
  const V factor = power_of_two<V>(exponent(c) > Format<V>::kBias ? by : -by);
  if constexpr (sizeof(Lane<V>) == 4) {
    // Through f64, so that a denormal result is rounded once.
    const auto exact = convert<double>(a) * convert<double>(b) + convert<double>(c);
    return scaled ? convert<float>(exact * convert<double>(factor)) : plain;
  } else {
    // A denormal result is rounded by the scaling, and only there; so is one that is rounded to a normal one.
    const V result = plain * factor;
    return scaled ? (exponent(result) <= 1 ? scaled_to_denormal(a, b, c) : result) : plain;
  }
}

/// quotient a of c / b.
template <class V>
V div_fixup(V a, V b, V c) {
  using S = DivisionScale<V>;
  const auto sign = bits<Unsigned<V>>(b) ^ bits<Unsigned<V>>(c);
  const V infinity = with_sign(V(__builtin_huge_val()), sign), zero = with_sign(V(0), sign);
  const V invalid = bits<V>(Unsigned<V>(Format<V>::kSign) | bits<Unsigned<V>>(V(__builtin_nan(""))));
  const auto b_infinite = is_infinite(b), c_infinite = is_infinite(c);
  const V finite = exponent(c) - exponent(b) < S::kUnderflow ? zero
                   : is_nan(a)                               ? infinity
                                                             : with_sign(absolute(a), sign);
  return is_nan(c)                                             ? quiet(c)
         : is_nan(b)                                           ? quiet(b)
         : (((b == 0) & (c == 0)) | (b_infinite & c_infinite)) ? invalid
         : ((b == 0) | c_infinite)                             ? infinity
         : (b_infinite | (c == 0))                             ? zero
                                                               : finite;
}
inline constexpr auto div_fixup16 = [](auto a, auto b, auto c) {
  using V = decltype(a);
  const auto sign = bits<Unsigned<V>>(b) ^ bits<Unsigned<V>>(c);
  const V infinity = with_sign(V(__builtin_huge_valf()), sign), zero = with_sign(V(0), sign);
  const auto b_infinite = is_infinite(b), c_infinite = is_infinite(c);
  return is_nan(c)                                             ? quiet(c)
         : is_nan(b)                                           ? quiet(b)
         : (((b == 0) & (c == 0)) | (b_infinite & c_infinite)) ? V(-__builtin_nanf(""))
         : ((b == 0) | c_infinite)                             ? infinity
         : (b_infinite | (c == 0))                             ? zero
                                                               : with_sign(absolute(a), sign);
};

}  // namespace detail

template <class Visitor>
void division(Visitor& v) {
  using namespace detail;
  constexpr auto scale = [](auto a, auto b, auto c) { return div_scale(a, b, c); };
  constexpr auto fmas = [](auto a, auto b, auto c, auto scaled) { return div_fmas(a, b, c, scaled); };
  constexpr auto fixup = [](auto a, auto b, auto c) { return div_fixup(a, b, c); };
  constexpr Facts wide{.issue = Issue::Double};
  // clang-format off
  v(rare<out<f32, bit>(f32, f32, f32)>, "v_div_scale_f32", scale);
  v(rare<out<f64, bit>(f64, f64, f64)>, "v_div_scale_f64", scale, wide);
  v(rare<f32(f32, f32, f32, vcc)>,      "v_div_fmas_f32", fmas);
  v(rare<f64(f64, f64, f64, vcc)>,      "v_div_fmas_f64", fmas, wide);
  v(rare<f32(f32, f32, f32)>,           "v_div_fixup_f32", fixup);
  v(rare<f64(f64, f64, f64)>,           "v_div_fixup_f64", fixup, wide);
  v(rare<f16(f16, f16, f16)>,           "v_div_fixup_f16", div_fixup16, {.keeps_high = true});
  v(rare<f16(f16, f16, f16)>,           "v_div_fixup_legacy_f16", div_fixup16, {.generations = kCdna});
  // clang-format on
}

}  // namespace wavesmith::isa
