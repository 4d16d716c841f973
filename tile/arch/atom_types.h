// What atoms are made of, on all targets. `A` and `B` are the types of the operands' elements: both f16,
// bf16, f32 or i8, or each e4m3 or e5m2. Sums are floats, of i8 integers.
#pragma once

#include "isa/matrix/shape.h"
#include "tile/vector.h"

namespace tile::arch {

using wavesmith::isa::MatrixElement;

namespace detail {

template <class T>
inline constexpr MatrixElement kElement = MatrixElement::F32;
template <>
inline constexpr MatrixElement kElement<bf16> = MatrixElement::Bf16;
template <>
inline constexpr MatrixElement kElement<f16> = MatrixElement::F16;
template <>
inline constexpr MatrixElement kElement<i8> = MatrixElement::I8;
template <>
inline constexpr MatrixElement kElement<e4m3> = MatrixElement::Fp8;
template <>
inline constexpr MatrixElement kElement<e5m2> = MatrixElement::Bf8;
template <>
inline constexpr MatrixElement kElement<e2m1x2> = MatrixElement::Fp4;

template <class A>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<i8> {
  using Type = int;
};

}  // namespace detail

/// What an atom for A and B is made of, held as `kHeld` elements per lane.
template <class A, class B, int kHeld>
struct AtomTypes {
  static constexpr bool kScaled = false;  ///< operands come with scales
  static constexpr int kTogether = 1;     ///< atoms of the second operand that an instruction multiplies
  using Element = Stored<A>;              ///< of A and, of the same size, of B
  using Sum = typename detail::SumOf<A>::Type;
  using Held = Vector<Element, kHeld>;
  static constexpr MatrixElement kA = detail::kElement<A>, kB = detail::kElement<B>;
};

}  // namespace tile::arch
