// Dwords of sixteen lanes put together and taken apart. Where the host's registers hold eight of them (AVX2)
// the compiler makes long sequences of a shuffle of sixteen, so there each step is one that the host has.
#pragma once

#include <cstdint>

#include "isa/pack.h"

namespace wavesmith::emulate {

using isa::Pack;
using Dwords = Pack<uint32_t>;

#if defined(__AVX2__) && !defined(__AVX512F__)
inline constexpr bool kHalves = true;
#else
inline constexpr bool kHalves = false;
#endif

/// Eight lanes.
using Half = uint32_t __attribute__((ext_vector_type(8)));

/// Keeps the compiler from making other steps of this one and the next.
[[gnu::always_inline]] inline Half step(Half value) {
#if defined(__AVX2__)
  asm("" : "+x"(value));
#endif
  return value;
}

// clang-format off
[[gnu::always_inline]] inline Half low_half(Dwords a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7); }
[[gnu::always_inline]] inline Half high_half(Dwords a) { return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15); }
[[gnu::always_inline]] inline Dwords whole(Half low, Half high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
// What AVX2 has: VPUNPCKLDQ and VPUNPCKHDQ, VPUNPCKLQDQ and VPUNPCKHQDQ, VPERM2I128.
[[gnu::always_inline]] inline Half unpack_low(Half a, Half b) { return step(__builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)); }
[[gnu::always_inline]] inline Half unpack_high(Half a, Half b) { return step(__builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)); }
[[gnu::always_inline]] inline Half unpack_low_pairs(Half a, Half b) { return step(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)); }
[[gnu::always_inline]] inline Half unpack_high_pairs(Half a, Half b) { return step(__builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)); }
[[gnu::always_inline]] inline Half low_quarters(Half a, Half b) { return step(__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)); }
[[gnu::always_inline]] inline Half high_quarters(Half a, Half b) { return step(__builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)); }

// VSHUFPS.
[[gnu::always_inline]] inline Half first_and_third(Half a, Half b) { return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14); }
[[gnu::always_inline]] inline Half second_and_fourth(Half a, Half b) { return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15); }
// clang-format on

/// Eight lanes' dwords of both, one lane after the other.
[[gnu::always_inline]] inline Dwords zip(Half a, Half b) {
  const Half p = unpack_low(a, b), q = unpack_high(a, b);
  return whole(low_quarters(p, q), high_quarters(p, q));
}
// clang-format off
/// The lower eight lanes of sixteen, and the upper ones.
[[gnu::always_inline]] inline Dwords zip_low(Dwords a, Dwords b) {
  if constexpr (kHalves) return zip(low_half(a), low_half(b));
  else return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
[[gnu::always_inline]] inline Dwords zip_high(Dwords a, Dwords b) {
  if constexpr (kHalves) return zip(high_half(a), high_half(b));
  else return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
// clang-format on

/// The inverse of both: each lane's first dword, and its second one.
[[gnu::always_inline]] inline void unzip(Dwords a, Dwords b, Dwords& first, Dwords& second) {
  if constexpr (kHalves) {
    const Half p = low_quarters(low_half(a), high_half(a)), q = high_quarters(low_half(a), high_half(a));
    const Half r = low_quarters(low_half(b), high_half(b)), s = high_quarters(low_half(b), high_half(b));
    first = whole(first_and_third(p, q), first_and_third(r, s));
    second = whole(second_and_fourth(p, q), second_and_fourth(r, s));
  } else {
    first = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  }
}

}  // namespace wavesmith::emulate
