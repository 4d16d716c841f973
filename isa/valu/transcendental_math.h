// Base-2 exponential and logarithm, sine and cosine of revolutions, reciprocals and roots over packs. Each is
// within 1 ulp of the correctly rounded float (emulate/instructions/transcendental_test.cc prints by how
// much), as AMD's manuals promise of the hardware, whose last bit is not published. Polynomials are minimax
// for the relative error, found by Remez's algorithm.
//
// The f32 instructions take denormals for zeros and give zeros for them, whatever MODE says: LLVM scales
// arguments and results around v_exp_f32, v_log_f32, v_rcp_f32, v_rsq_f32 and v_sqrt_f32 for that reason
// (AMDGPULegalizerInfo.cpp).
#pragma once

#include "isa/fused.h"
#include "isa/pack.h"

namespace wavesmith::isa::transcendental {

using Floats = Pack<float>;
using Words = Pack<uint32_t>;

inline constexpr float kInfinity = __builtin_inff();

/// Denormals as zeros of their sign.
[[gnu::always_inline]] inline Floats flush(Floats x) {
  const Words word = bits<Words>(x);
  return bits<Floats>((word & 0x7f800000u) == 0u ? word & 0x80000000u : word);
}

/// Fused multiply-add, short.
[[gnu::always_inline]] inline Floats fma(Floats a, Floats b, Floats c) { return fused(a, b, c); }

/// 2^x; zero below 2^-126.
[[gnu::always_inline]] inline Floats exp2(Floats x) {
  const Floats whole = __builtin_elementwise_roundeven(x);
  const Floats f = x - whole;
  // (2^f - 1) / f on [-1/2, 1/2], within 2e-9 of 2^f.
  Floats p = Floats(0x1.41fbbcp-13f);
  p = fma(p, f, Floats(0x1.5f3e52p-10f));
  p = fma(p, f, Floats(0x1.3b2d4cp-7f));
  p = fma(p, f, Floats(0x1.c6aee8p-5f));
  p = fma(p, f, Floats(0x1.ebfbdcp-3f));
  p = fma(p, f, Floats(0x1.62e430p-1f));
  p = fma(p, f, Floats(1.0f));
  // The float's bits after adding 1.5 * 2^23 end in the whole part: no conversion, which is undefined for
  // large x.
  const Words exponent = bits<Words>(whole + 0x1.8p23f) << 23;
  Floats result = bits<Floats>(bits<Words>(p) + exponent);
  result = x < -126.0f ? Floats(0.0f) : result;
  result = x >= 128.0f ? Floats(kInfinity) : result;
  return x != x ? x + x : result;
}

/// log2(x) of a positive normal number, by x = 2^e (1 + r), r in [sqrt(1/2) - 1, sqrt(2) - 1].
[[gnu::always_inline]] inline Floats log2_of_normal(Floats x) {
  const Words word = bits<Words>(x);
  const Words shifted = word - 0x3f3504f3u;  // sqrt(1/2) becomes 0
  const auto e = convert<float>(bits<Pack<int32_t>>(shifted) >> 23);
  const Floats r = bits<Floats>((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  // log2(1 + r) = r (c + r q(r)), within 7e-10.
  Floats q = Floats(0x1.8d670ap-4f);
  q = fma(q, r, Floats(-0x1.58fc30p-3f));
  q = fma(q, r, Floats(0x1.5fa15ap-3f));
  q = fma(q, r, Floats(-0x1.6e9796p-3f));
  q = fma(q, r, Floats(0x1.a414cap-3f));
  q = fma(q, r, Floats(-0x1.ec785ap-3f));
  q = fma(q, r, Floats(0x1.277f2ap-2f));
  q = fma(q, r, Floats(-0x1.715490p-2f));
  q = fma(q, r, Floats(0x1.ec7088p-2f));
  q = fma(q, r, Floats(-0x1.715476p-1f));
  // The leading product and its sum with e keep what rounding loses.
  constexpr float kHigh = 0x1.715476p+0f, kLow = 0x1.4ae0bfp-26f;  // log2(e) in two parts
  const Floats product = r * kHigh;
  const Floats lost = fma(r, Floats(kLow), fma(r, Floats(kHigh), -product));
  const Floats sum = e + product;
  const Floats rest = e == 0.0f ? Floats(0.0f) : product - (sum - e);
  return sum + fma(r * r, q, lost + rest);
}

/// log2(x).
[[gnu::always_inline]] inline Floats log2(Floats x) {
  const Words word = bits<Words>(x);
  Floats result = log2_of_normal(x);
  result = word == 0x7f800000u ? x : result;
  result = word > 0x7f800000u ? bits<Floats>(Words(0x7fc00000u)) : result;  // negative or NaN
  result = (word & 0x7f800000u) == 0u ? Floats(-kInfinity) : result;  // zeros and denormals of either sign
  return x != x ? x + x : result;
}

/// sin(2 pi y) of y in [-1/8, 1/8].
[[gnu::always_inline]] inline Floats sine_of_eighth(Floats y) {
  const Floats u = y * y;
  // (sin(2 pi y) - 2 pi y) / y^3, within 4e-9 of the sine.
  Floats q = Floats(-0x1.2dc84cp+6f);
  q = fma(q, u, Floats(0x1.466004p+6f));
  q = fma(q, u, Floats(-0x1.4abbbep+5f));
  constexpr float kHigh = 0x1.921fb6p+2f, kLow = -0x1.777a5cp-23f;  // 2 pi in two parts
  const Floats product = y * kHigh;
  const Floats lost = fma(y, Floats(kLow), fma(y, Floats(kHigh), -product));
  return product + fma(y * u, q, lost);
}

/// cos(2 pi y) of y in [-1/8, 1/8].
[[gnu::always_inline]] inline Floats cosine_of_eighth(Floats y) {
  const Floats u = y * y;
  // cos(2 pi y) = 1 + u (c + u q), within 7e-11; the leading product and its sum with 1 keep what rounding
  // loses.
  Floats q = Floats(0x1.d9d57ep+5f);
  q = fma(q, u, Floats(-0x1.55c5e0p+6f));
  q = fma(q, u, Floats(0x1.03c1dep+6f));
  constexpr float kHigh = -0x1.3bd3ccp+4f, kLow = -4.60127e-7f;
  const Floats product = u * kHigh;
  const Floats lost = fma(u, Floats(kHigh), -product) + fma(fma(y, y, -u), Floats(kHigh), u * kLow);
  const Floats sum = 1.0f + product;
  return sum + (((1.0f - sum) + product) + fma(u * u, q, lost));
}

/// sin(2 pi (x + turn / 4)). Infinities and NaNs give NaN; beyond 256 revolutions the result is that of 0
/// (Vega ISA manual, V_SIN_F32 and V_COS_F32).
template <uint32_t kTurn>
[[gnu::always_inline]] inline Floats wave_of(Floats x) {
  const Floats quarters = __builtin_elementwise_roundeven(x * 4.0f);
  const Floats y = x - quarters * 0.25f;  // exact: both are multiples of x's last place
  const Words quadrant = bits<Words>(quarters + 0x1.8p23f) + kTurn;
  const Floats value = (quadrant & 1u) != 0u ? cosine_of_eighth(y) : sine_of_eighth(y);
  Floats result = bits<Floats>(bits<Words>(value) ^ ((quadrant & 2u) << 30));
  const Floats magnitude = __builtin_elementwise_abs(x);
  result = magnitude > 256.0f ? Floats(kTurn == 0 ? 0.0f : 1.0f) : result;
  return magnitude < kInfinity ? result : bits<Floats>(Words(0x7fc00000u));
}

/// sin(2 pi x). A half number of revolutions gives a zero of x's sign.
[[gnu::always_inline]] inline Floats sin(Floats x) {
  const Floats result = wave_of<0>(x);
  const auto zero = (result == 0.0f) & (__builtin_elementwise_abs(x) <= 256.0f);
  return zero ? bits<Floats>(bits<Words>(x) & 0x80000000u) : result;
}

/// cos(2 pi x); its zeros are positive.
[[gnu::always_inline]] inline Floats cos(Floats x) { return wave_of<1>(x) + 0.0f; }

/// 1 / sqrt(x), one Newton step behind the two rounded operations.
[[gnu::always_inline]] inline Floats rsqrt(Floats x) {
  const Floats y = 1.0f / __builtin_elementwise_sqrt(x);
  const Floats product = x * y;
  const Floats residual = fma(-product, y, Floats(1.0f)) - fma(x, y, -product) * y;  // 1 - x y^2
  const Floats better = fma(y * 0.5f, residual, y);
  const auto usual = (x > 0.0f) & (x < kInfinity);
  return usual ? better : y;
}

/// A function over a pack, for one number.
template <class F>
inline float one(F function, float x) {
  return function(Floats(x))[0];
}

}  // namespace wavesmith::isa::transcendental
