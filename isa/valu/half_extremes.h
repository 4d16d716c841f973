// Minima, maxima and medians of f16 on encodings: widened to f32, a signaling NaN would become quiet, and
// which of the two kinds a NaN is makes a difference to them.
#pragma once

#include "isa/valu/extremes_of_three.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa::detail {

template <NanRule kRule>
struct HalfExtreme {
  using Codes = Pack<uint16_t>;
  using Order = Pack<int16_t>;

  static auto is_nan(Codes x) { return (x & 0x7fff) > 0x7c00; }
  static auto is_signaling(Codes x) { return is_nan(x) & ((x & 0x0200) == 0); }
  static Codes quiet(Codes x) { return x | 0x0200; }
  /// Integers in the order of the floats, -0 below +0.
  static Order order(Codes x) { return bits<Order>((x & 0x8000) != 0 ? x ^ 0x7fff : x); }
  /// As floats compare: zeros are equal.
  static auto equal(Codes x, Codes y) { return (x == y) | (((x | y) & 0x7fff) == 0); }

  template <bool kMaximum>
  static Codes extreme(Codes a, Codes b) {
    Codes result = (kMaximum ? order(a) >= order(b) : order(a) <= order(b)) ? a : b;
    const auto nan_a = is_nan(a), nan_b = is_nan(b);
    if constexpr (kRule == NanRule::Nan) return nan_a ? quiet(a) : nan_b ? quiet(b) : result;
    result = (nan_a & nan_b) ? quiet(a) : nan_a ? b : nan_b ? a : result;
    if constexpr (kRule == NanRule::Ieee)
      result = is_signaling(a) ? quiet(a) : is_signaling(b) ? quiet(b) : result;
    return result;
  }
  /// To 0..1; a NaN becomes 0.
  static Codes clamped(Codes x) {
    const Codes bounded = x > 0x3c00 ? Codes(0x3c00) : x;
    return ((x & 0x8000) != 0 || is_nan(x)) ? Codes(0) : bounded;
  }
};

template <NanRule kRule>
using HalfExtremes = Extremes<HalfExtreme<kRule>>;

}  // namespace wavesmith::isa::detail
