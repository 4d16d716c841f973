// Packs: sixteen lanes of a wave, in the host's vector registers. Bodies compute with packs; the compiler
// maps a pack to one AVX-512 register, two AVX2 registers, or four of 128 bits (SSE, NEON).
#pragma once

#include <cstdint>

namespace wavesmith::isa {

/// Lanes in a pack.
inline constexpr int kPackLanes = 16;

template <class T>
using Pack = T __attribute__((ext_vector_type(kPackLanes)));

/// One bit a lane. `mask ? a : b` selects lane by lane.
using Mask = Pack<bool>;

/// Reinterprets bits, pack or scalar.
template <class To, class From>
[[gnu::always_inline]] inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

/// Converts lane by lane as C does.
template <class To, class From>
[[gnu::always_inline]] inline Pack<To> convert(Pack<From> from) {
  return __builtin_convertvector(from, Pack<To>);
}

/// The lanes in which a comparison held, as a Mask: `lanes(a < b)`.
template <class V>
[[gnu::always_inline]] inline Mask lanes(V comparison) {
  return __builtin_convertvector(comparison, Mask);
}

}  // namespace wavesmith::isa
