// Numerics that several families share, over packs of floats.
#pragma once

#include <cstdint>
#include <type_traits>

#include "isa/pack.h"

namespace wavesmith::isa::detail {

template <class V>
using Lane = std::remove_cvref_t<decltype(V{}[0])>;

/// The integers of a float's width, as packs.
template <class V>
using Signed = Pack<std::conditional_t<sizeof(Lane<V>) == 8, int64_t, int32_t>>;
template <class V>
using Unsigned = Pack<std::conditional_t<sizeof(Lane<V>) == 8, uint64_t, uint32_t>>;

template <class V>
struct Format;
template <>
struct Format<Pack<float>> {
  static constexpr int kMantissa = 23, kBias = 127, kMaximum = 255;
  static constexpr uint32_t kSign = 0x80000000u;
};
template <>
struct Format<Pack<double>> {
  static constexpr int kMantissa = 52, kBias = 1023, kMaximum = 2047;
  static constexpr uint64_t kSign = 0x8000000000000000u;
};

[[gnu::always_inline]] inline bool any(Mask mask) { return __builtin_bit_cast(uint16_t, mask) != 0; }

template <class V>
[[gnu::always_inline]] auto is_nan(V x) {
  return x != x;
}
template <class V>
[[gnu::always_inline]] V absolute(V x) {
  return bits<V>(bits<Unsigned<V>>(x) & ~Format<V>::kSign);
}
template <class V>
[[gnu::always_inline]] V with_sign(V magnitude, Unsigned<V> sign) {
  return bits<V>((bits<Unsigned<V>>(magnitude) & ~Format<V>::kSign) | (sign & Format<V>::kSign));
}
template <class V>
[[gnu::always_inline]] auto is_infinite(V x) {
  return absolute(x) == V(__builtin_huge_val());
}
/// The exponent field.
template <class V>
[[gnu::always_inline]] Signed<V> exponent(V x) {
  return bits<Signed<V>>(bits<Unsigned<V>>(x) >> Format<V>::kMantissa) & Format<V>::kMaximum;
}
template <class V>
[[gnu::always_inline]] V quiet(V nan) {
  return bits<V>(bits<Unsigned<V>>(nan) | Lane<Unsigned<V>>{1} << (Format<V>::kMantissa - 1));
}
template <class V>
[[gnu::always_inline]] auto is_signaling(V x) {
  const auto quiet_bit =
      bits<Signed<V>>(bits<Unsigned<V>>(x) & (Lane<Unsigned<V>>{1} << (Format<V>::kMantissa - 1)));
  return is_nan(x) & (quiet_bit == 0);
}
/// 2 to a power within the normal numbers.
template <class V>
[[gnu::always_inline]] V power_of_two(Signed<V> power) {
  return bits<V>((power + Format<V>::kBias) << Format<V>::kMantissa);
}

/// x = mantissa * 2^exponent with the mantissa in 0.5..1; 0, infinity and NaN are their own mantissas,
/// exponent 0.
template <class V>
struct Frexp {
  V mantissa;
  Signed<V> exponent;
};
template <class V>
Frexp<V> frexp(V x) {
  constexpr int kUp = sizeof(Lane<V>) == 8 ? 128 : 64;
  const auto denormal = exponent(x) == 0;
  const V normal = denormal ? x * power_of_two<V>(Signed<V>(kUp)) : x;
  const auto plain = (x == V(0)) | (exponent(x) == Format<V>::kMaximum);
  const Signed<V> power =
      exponent(normal) - (Format<V>::kBias - 1) - (denormal ? Signed<V>(kUp) : Signed<V>(0));
  const auto mask = static_cast<Lane<Unsigned<V>>>(Format<V>::kMaximum) << Format<V>::kMantissa;
  const V mantissa = bits<V>((bits<Unsigned<V>>(normal) & ~mask) |
                             static_cast<Lane<Unsigned<V>>>(Format<V>::kBias - 1) << Format<V>::kMantissa);
  // A zero may be a denormal that MODE flushes: only its sign stays.
  const V zero = bits<V>(bits<Unsigned<V>>(x) & ~static_cast<Lane<Unsigned<V>>>(~Lane<Unsigned<V>>{0} >> 1));
  return {x == V(0) ? zero : plain ? x : mantissa, plain ? Signed<V>(0) : power};
}

/// x * 2^power, rounded once.
inline Pack<float> scale(Pack<float> x, Pack<int32_t> power) {
  const auto bounded =
      __builtin_elementwise_min(__builtin_elementwise_max(power, Pack<int32_t>(-400)), Pack<int32_t>(400));
  return convert<float>(convert<double>(x) * power_of_two<Pack<double>>(convert<int64_t>(bounded)));
}
inline Pack<double> scale(Pack<double> x, Pack<int64_t> power) {
  // The mantissa is scaled by two factors; all but the last product are exact.
  using P = Pack<int64_t>;
  const auto parts = frexp(x);
  const P total =
      __builtin_elementwise_min(__builtin_elementwise_max(parts.exponent + power, P(-1100)), P(1100));
  const P last = total < -1000 ? P(-100) : total > 1000 ? P(100) : P(0);
  return parts.mantissa * power_of_two<Pack<double>>(total - last) * power_of_two<Pack<double>>(last);
}

/// To f16 toward zero: finite numbers stay finite.
template <class V>
V truncated16(V a) {
  // Eleven bits of mantissa survive; fewer of an f16 denormal, where a fixed-point step does it.
  const V magnitude = absolute(a);
  const V normal = bits<V>(bits<Unsigned<V>>(magnitude) & ~0x1fffu);
  const V denormal = __builtin_elementwise_trunc(magnitude * 0x1p24f) * 0x1p-24f;
  const V small = magnitude < V(0x1p-14f) ? denormal : normal;
  const V result = is_infinite(a) ? magnitude : small > V(65504) ? V(65504) : small;
  return is_nan(a) ? a : with_sign(result, bits<Unsigned<V>>(a));
}

inline Pack<float> round16(Pack<float> a) { return convert<float>(convert<_Float16>(a)); }

template <class V>
[[gnu::always_inline]] V flush_denormals(V x) {
  return exponent(x) == 0 ? bits<V>(bits<Unsigned<V>>(x) & Format<V>::kSign) : x;
}

/// The greater (smaller) of two numbers, +0 above -0; for lanes without NaN.
template <bool kMaximum, class V>
[[gnu::always_inline]] V number_of_two(V a, V b) {
  const auto x = bits<Unsigned<V>>(a), y = bits<Unsigned<V>>(b);
  if constexpr (kMaximum)
    return a > b ? a : a == b ? bits<V>(x & y) : b;
  else
    return a < b ? a : a == b ? bits<V>(x | y) : b;
}
enum class NanRule {
  Ieee,    ///< v_max_*: the number; a signaling NaN wins, quieted (the IEEE bit of MODE is set in compute)
  Number,  ///< v_max_num_*: the number
  Nan,     ///< v_maximum_*: the NaN
};
template <bool kMaximum, NanRule kRule, class V>
[[gnu::always_inline]] V extreme(V a, V b) {
  V result = number_of_two<kMaximum>(a, b);
  const auto nan_a = is_nan(a), nan_b = is_nan(b);
  if (any(lanes(nan_a | nan_b))) [[unlikely]] {
    if constexpr (kRule == NanRule::Nan) {
      result = nan_a ? quiet(a) : nan_b ? quiet(b) : result;
    } else {
      result = (nan_a & nan_b) ? quiet(a) : nan_a ? b : nan_b ? a : result;
      if constexpr (kRule == NanRule::Ieee)
        result = is_signaling(a) ? quiet(a) : is_signaling(b) ? quiet(b) : result;
    }
  }
  return result;
}

/// To an integer, toward zero, saturated; NaN becomes 0.
template <class To, class V>
auto to_integer(V x) {
  constexpr bool kSigned = std::is_signed_v<To>;
  constexpr auto kAbove = static_cast<Lane<V>>(sizeof(To) == 4 ? (kSigned ? 2147483648.0 : 4294967296.0)
                                                               : (kSigned ? 32768.0 : 65536.0));
  constexpr auto kBelow = kSigned ? -kAbove : Lane<V>{0};
  const auto high = lanes(x >= V(kAbove)), low = lanes(x < V(kBelow)), none = lanes(is_nan(x));
  const V inside = (high | low | none) ? V(0) : x;
  const Pack<To> greatest(
      static_cast<To>(kSigned ? (uint64_t{1} << (8 * sizeof(To) - 1)) - 1 : ~uint64_t{0}));
  const Pack<To> least(static_cast<To>(kSigned ? uint64_t{1} << (8 * sizeof(To) - 1) : 0));
  return high ? greatest : low ? least : convert<To>(inside);
}

}  // namespace wavesmith::isa::detail
