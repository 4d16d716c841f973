// What minima and maxima of two floats make of three.
#pragma once

namespace wavesmith::isa::detail {

/// `Two` has extreme<kMaximum>(a, b), equal(a, b) as floats compare, and is_nan(x).
template <class Two>
struct Extremes {
  static constexpr auto min = [](auto a, auto b) { return Two::template extreme<false>(a, b); };
  static constexpr auto max = [](auto a, auto b) { return Two::template extreme<true>(a, b); };
  static constexpr auto min3 = [](auto a, auto b, auto c) { return min(min(a, b), c); };
  static constexpr auto max3 = [](auto a, auto b, auto c) { return max(max(a, b), c); };
  static constexpr auto minmax = [](auto a, auto b, auto c) { return max(min(a, b), c); };
  static constexpr auto maxmin = [](auto a, auto b, auto c) { return min(max(a, b), c); };
  /// The smallest when there is a NaN.
  static constexpr auto med3 = [](auto a, auto b, auto c) {
    const auto greatest = max3(a, b, c);
    const auto middle = Two::equal(greatest, a) ? max(b, c) : Two::equal(greatest, b) ? max(a, c) : max(a, b);
    return (Two::is_nan(a) | Two::is_nan(b) | Two::is_nan(c)) ? min3(a, b, c) : middle;
  };
};

}  // namespace wavesmith::isa::detail
