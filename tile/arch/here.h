// The target that is compiled for: the only place that looks at a compiler's macros of targets.
#pragma once

#include "tile/arch/targets.h"
#if defined(__NVCC__)
#include "tile/arch/nvidia_atoms.h"
#else
#include "tile/arch/amd_atoms.h"
#endif

namespace tile::arch {

#if defined(__NVCC__)
inline constexpr Capabilities kHere = kHopper;
#elif defined(__gfx90a__)
inline constexpr Capabilities kHere = kCdna2;
#elif defined(__gfx950__)
inline constexpr Capabilities kHere = kCdna4;
#elif defined(__GFX11__)
inline constexpr Capabilities kHere = kRdna3;
#elif defined(__GFX12__)
inline constexpr Capabilities kHere = kRdna4;
#else
inline constexpr Capabilities kHere = kCdna3;  // gfx942, and the host's pass over the same source
#endif

namespace detail {

template <class A>
constexpr int depth(int of_16_bits, int of_integers, int of_8_bits) {
  return sizeof(A) == 4                     ? 4
         : sizeof(A) == 2                   ? of_16_bits
         : kElement<A> == MatrixElement::I8 ? of_integers
                                            : of_8_bits;
}

#if defined(__NVCC__)
template <class A, class B>
struct Best {
  using Atom = Mma<A, B>;
};
#elif defined(__gfx90a__)
template <class A, class B>
struct Best {
  using Atom = Mfma16<A, B, depth<A>(16, 16, 0)>;
};
#elif defined(__gfx950__)
template <class A, class B>
struct Best {
  using Atom = MfmaAny<A, B, 32>;
};
template <class A>
struct Best<A, A> {
  using Atom = Mfma16Deep<A, depth<A>(32, 64, 0)>;
};
template <>
struct Best<e4m3, e4m3> {
  using Atom = MfmaAny<e4m3, e4m3, 32>;
};
template <>
struct Best<e5m2, e5m2> {
  using Atom = MfmaAny<e5m2, e5m2, 32>;
};
template <>
struct Best<e2m1x2, e2m1x2> {
  using Atom = Mfma32Scaled<e2m1x2>;
};
template <>
struct Best<float, float> {
  using Atom = Mfma16<float, float, 4>;
};
#elif defined(__GFX11__)
template <class A, class B>
struct Best {
  using Atom = Wmma3<A>;
};
#elif defined(__GFX12__)
template <class A, class B>
struct Best {
  using Atom = Wmma4<A, B>;
};
#else
template <class A, class B>
struct Best {
  using Atom = Mfma16<A, B, depth<A>(16, 32, 32)>;
};
#endif

#if defined(__gfx950__)
template <class A, class B>
struct Slim {
  using Atom = MfmaAny<A, B, 16>;
};
template <class A>
struct Slim<A, A> : Best<A, A> {};
template <>
struct Slim<e4m3, e4m3> {
  using Atom = MfmaAny<e4m3, e4m3, 16>;
};
template <>
struct Slim<e5m2, e5m2> {
  using Atom = MfmaAny<e5m2, e5m2, 16>;
};
#else
template <class A, class B>
struct Slim : Best<A, B> {};
#endif

}  // namespace detail

/// The matrix atom for products of A and B that suits the target best.
template <class A, class B = A>
using Best = typename detail::Best<A, B>::Atom;

/// The atom of 16 rows, for tiles of few.
template <class A, class B = A>
using Slim = typename detail::Slim<A, B>::Atom;

/// Of halves, the one that takes longest: other instructions fit in beside it, exponentials for example.
#if defined(__gfx950__)
template <class T>
using Longest = Mfma32<T, 16>;
#elif defined(__GFX11__) || defined(__GFX12__) || defined(__NVCC__)
template <class T>
using Longest = Best<T>;
#else
template <class T>
using Longest = Mfma32<T, 8>;
#endif

}  // namespace tile::arch
