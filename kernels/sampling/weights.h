// Weights of tokens as integers, whose sums do not depend on their order: for the host and the device, with
// the same bits on both.
#pragma once

#include "kernels/random/philox.h"

#if defined(__HIP__)
#define SAMPLING_BOTH __attribute__((host, device, always_inline)) inline
#else
#define SAMPLING_BOTH inline
#endif

namespace wavesmith::kernels {

/// The weight of the largest logit.
inline constexpr int kWeightBits = 40;
inline constexpr unsigned long kFullWeight = 1UL << kWeightBits;
/// What weighs nothing is further below the largest logit, in powers of two.
inline constexpr float kWeightRange = kWeightBits + 1;
/// Temperatures below are greedy; vLLM's _SAMPLING_EPS.
inline constexpr float kLeastTemperature = 1e-5F;

/// log2(e) over the temperature: what a difference of logits is multiplied with.
SAMPLING_BOTH float scale_of(float temperature) { return 1.44269504F / temperature; }

/// 2^40 * 2^((x - largest) * scale), cut, within 2^-22 of what the exponent as it is rounded gives: a
/// polynomial between two powers of two, near the least largest error; of 0 it is exact.
SAMPLING_BOTH unsigned long weight_of(float x, float largest, float scale) {
#pragma clang fp contract(off)
  const float y = (x == largest ? 0 : x - largest) * scale;
  const bool counts = y >= -kWeightRange;
  const float n = __builtin_rintf(counts ? y : 0);
  const float f = (counts ? y : 0) - n;
  float power = 0x1.444004p-13F;
  power = __builtin_fmaf(power, f, 0x1.5f0896p-10F);
  power = __builtin_fmaf(power, f, 0x1.3b2a1cp-7F);
  power = __builtin_fmaf(power, f, 0x1.c6af6cp-5F);
  power = __builtin_fmaf(power, f, 0x1.ebfbe0p-3F);
  power = __builtin_fmaf(power, f, 0x1.62e430p-1F);
  power = __builtin_fmaf(power, f, 1);
  const auto bits = static_cast<unsigned>(power * 0x1p24F);  // a whole number, as it has 24 bits
  const unsigned long weight = static_cast<unsigned long>(bits) << (kWeightBits - 24);
  return counts ? weight >> static_cast<int>(-n) : 0;
}

/// The least weight that min-p keeps.
SAMPLING_BOTH unsigned long least_weight(float min_p) {
  const auto least = static_cast<unsigned long>(
      __builtin_ceil(static_cast<double>(min_p) * static_cast<double>(kFullWeight)));
  return least > 1 ? least : 1;
}

/// What the kept weigh at the least, of so much in all.
SAMPLING_BOTH unsigned long mass_wanted(float top_p, unsigned long all) {
  const auto wanted =
      static_cast<unsigned long>(__builtin_ceil(static_cast<double>(top_p) * static_cast<double>(all)));
  return wanted > 1 ? wanted : 1;
}

/// bits * 2^-64 of `all`, cut.
SAMPLING_BOTH unsigned long share_of(unsigned long all, unsigned low, unsigned high) {
  const unsigned long all_low = all & 0xffffffff, all_high = all >> 32;
  const unsigned long middle = all_high * low + (all_low * low >> 32);
  const unsigned long other = all_low * high + (middle & 0xffffffff);
  return all_high * high + (middle >> 32) + (other >> 32);
}

/// The weight of a probability.
SAMPLING_BOTH unsigned long weight_of_probability(float p) {
  return p > 0 ? static_cast<unsigned long>(p * static_cast<float>(kFullWeight)) : 0;
}
SAMPLING_BOTH bool is_probability(float p) { return p >= 0 && p < 2; }

/// Whether a draft is accepted.
SAMPLING_BOTH bool accepts(unsigned bits, float draft, float target) {
  return draft > 0 && static_cast<double>(bits) * 0x1p-32 * static_cast<double>(draft) < target;
}

/// A float as an unsigned number in the same order, without NaN and -0; and back.
SAMPLING_BOTH unsigned key_of(float x) {
  const auto bits = __builtin_bit_cast(unsigned, x + 0.0F);
  return (bits & 0x80000000) != 0 ? ~bits : bits | 0x80000000;
}
SAMPLING_BOTH float float_of(unsigned key) {
  return __builtin_bit_cast(float, (key & 0x80000000) != 0 ? key & 0x7fffffff : ~key);
}

}  // namespace wavesmith::kernels

#undef SAMPLING_BOTH
