// The target that is compiled for: the only place that looks at a compiler's macros of targets.
#pragma once

#include "tile/arch/atoms.h"
#include "tile/arch/targets.h"

namespace tile::arch {

#if defined(__gfx90a__)
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

/// The matrix atom for products of T with sums of floats that suits the target best.
#if defined(__gfx950__)
template <class T>
using Best = Mfma16x16x32<T>;
#elif defined(__GFX11__)
template <class T>
using Best = Wmma3<T>;
#elif defined(__GFX12__)
template <class T>
using Best = Wmma4<T>;
#else
template <class T>
using Best = Mfma16x16x16<T>;
#endif

}  // namespace tile::arch
