// Packs: sixteen lanes of a wave, in the host's vector registers. Bodies compute with packs; the compiler
// maps a pack to one AVX-512 register, two AVX2 registers, or four of 128 bits (SSE, NEON).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

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

/// A scalar's conversion, by the same name.
template <class To, class From>
  requires std::is_arithmetic_v<From>
constexpr To convert(From from) {
  return static_cast<To>(from);
}

namespace detail {
template <class V>
struct PackElement {
  using type = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
};
template <class V>
  requires std::is_arithmetic_v<V>
struct PackElement<V> {
  using type = V;
};
}  // namespace detail
/// What a pack has in each lane; a scalar's own type.
template <class V>
using ElementOf = typename detail::PackElement<V>::type;

// What operators do not say, of packs and scalars. Bodies use these names rather than the compiler's, so that
// they can also run on terms (isa/meaning/term.h).

template <class Condition, class V>
[[gnu::always_inline]] inline V choose(Condition condition, V a, V b) {
  return condition ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V smaller(V a, V b) {
  return __builtin_elementwise_min(a, b);
}
template <class V>
[[gnu::always_inline]] inline V larger(V a, V b) {
  return __builtin_elementwise_max(a, b);
}
template <class V>
[[gnu::always_inline]] inline V add_saturated(V a, V b) {
  return __builtin_elementwise_add_sat(a, b);
}
template <class V>
[[gnu::always_inline]] inline V subtract_saturated(V a, V b) {
  return __builtin_elementwise_sub_sat(a, b);
}
/// Of 0 the width, as count_trailing_zeros.
template <class V>
[[gnu::always_inline]] inline V count_leading_zeros(V a) {
  return __builtin_elementwise_clzg(a, V(8 * sizeof(ElementOf<V>)));
}
template <class V>
[[gnu::always_inline]] inline V count_trailing_zeros(V a) {
  return __builtin_elementwise_ctzg(a, V(8 * sizeof(ElementOf<V>)));
}
template <class V>
[[gnu::always_inline]] inline V count_ones(V a) {
  return __builtin_elementwise_popcount(a);
}
template <class V>
[[gnu::always_inline]] inline V reverse_bits(V a) {
  return __builtin_elementwise_bitreverse(a);
}
/// The nearest number of type To.
template <class To, class V>
[[gnu::always_inline]] inline auto saturated(V a) {
  using S = ElementOf<V>;
  return convert<To>(smaller(larger(a, V(static_cast<S>(std::numeric_limits<To>::min()))),
                             V(static_cast<S>(std::numeric_limits<To>::max()))));
}

}  // namespace wavesmith::isa
