// The fused multiply-add of floats on every host.
#pragma once

#include "isa/pack.h"

namespace wavesmith::isa {

/// a * b + c rounded once. Hosts without the instruction would call the mathematics library lane by lane;
/// there the product is taken in double, where it is exact, and the sum rounded to odd, after which rounding
/// it to a float is right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
[[gnu::always_inline]] inline Pack<float> fused(Pack<float> a, Pack<float> b, Pack<float> c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_elementwise_fma(a, b, c);
#else
  using Longs = Pack<uint64_t>;
  const Pack<double> product = convert<double>(a) * convert<double>(b), addend = convert<double>(c);
  const Pack<double> sum = product + addend;
  const Pack<double> part = sum - product;  // Knuth's TwoSum: sum + error is exact
  const Pack<double> error = (product - (sum - part)) + (addend - part);
  const Longs word = bits<Longs>(sum);
  // An even sum moves to its odd neighbour on the error's side. Infinities and NaNs have no ordered error.
  const Longs odd = bits<Longs>(error) >> 63 == word >> 63 ? word | 1u : word - 1;
  const auto lost = (error < 0.0) | (error > 0.0);
  return convert<float>(bits<Pack<double>>((lost & ((word & 1u) == 0u)) ? odd : word));
#endif
}

}  // namespace wavesmith::isa
