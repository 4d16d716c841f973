// The fused multiply-add of f16, rounded once, in float arithmetic.
#pragma once

#include "isa/pack.h"

namespace wavesmith::isa {

/// a * b + c for values of f16, as a float whose rounding to f16 (11 bits) gives the correctly rounded sum.
/// The product is exact in a float. Where the float sum is not, it is rounded to odd: the last of its 24 bits
/// then says that something was lost, and a second rounding to 22 bits or fewer can't go wrong (Boldo and
/// Melquiond, "When double rounding is odd").
[[gnu::always_inline]] inline Pack<float> half_fma(Pack<float> a, Pack<float> b, Pack<float> c) {
  using Words = Pack<uint32_t>;
  const Pack<float> product = a * b;
  const Pack<float> sum = product + c;
  const Pack<float> c_part = sum - product;  // Knuth's TwoSum: sum + error is exact
  const Pack<float> error = (product - (sum - c_part)) + (c - c_part);
  const Words word = bits<Words>(sum);
  // An even sum moves to its odd neighbour on the error's side. Infinities and NaNs have no ordered error.
  const auto outward = bits<Words>(error) >> 31 == word >> 31;
  const Words odd = outward ? word | 1u : word - 1;
  const auto lost = (error < 0.0f) | (error > 0.0f);
  return bits<Pack<float>>((lost & ((word & 1u) == 0u)) ? odd : word);
}

}  // namespace wavesmith::isa
