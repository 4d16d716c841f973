// The targets' matrix instructions as atoms: the shape, whose layout isa/matrix/layout.h gives, and the call.
// `T` is bf16 or f16; sums are floats.
#pragma once

#include "tile/arch/shapes.h"
#include "tile/vector.h"

namespace tile::arch {
namespace detail {

using wavesmith::isa::MatrixElement;
template <class T>
inline constexpr MatrixElement kElement = MatrixElement::F32;
template <>
inline constexpr MatrixElement kElement<bf16> = MatrixElement::Bf16;
template <>
inline constexpr MatrixElement kElement<f16> = MatrixElement::F16;

template <class T>
inline constexpr bool kIsBf16 = kElement<T> == MatrixElement::Bf16;

}  // namespace detail

/// CDNA2 and later.
template <class T>
struct Mfma16x16x16 {
  using Element = T;
  using Sum = float;
  static constexpr auto kShape = mfma_16x16x16(detail::kElement<T>);
  TILE_DEVICE static Vector<float, 4> multiply(Vector<T, 4> a, Vector<T, 4> b, Vector<float, 4> c) {
    if constexpr (detail::kIsBf16<T>)
      return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bits_as<Vector<short, 4>>(a),
                                                       bits_as<Vector<short, 4>>(b), c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  }
};

/// CDNA4.
template <class T>
struct Mfma16x16x32 {
  using Element = T;
  using Sum = float;
  static constexpr auto kShape = mfma_16x16x32(detail::kElement<T>);
  TILE_DEVICE static Vector<float, 4> multiply(Vector<T, 8> a, Vector<T, 8> b, Vector<float, 4> c) {
    if constexpr (detail::kIsBf16<T>)
      return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
  }
};

/// RDNA3: a lane holds a whole row of 16 elements, and its upper half-wave the same again.
template <class T>
struct Wmma3 {
  using Element = T;
  using Sum = float;
  static constexpr auto kShape = wmma3(detail::kElement<T>);
  TILE_DEVICE static Vector<float, 8> multiply(Vector<T, 16> a, Vector<T, 16> b, Vector<float, 8> c) {
    if constexpr (detail::kIsBf16<T>)
      return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_as<Vector<short, 16>>(a),
                                                         bits_as<Vector<short, 16>>(b), c);
    else
      return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
  }
};

/// RDNA4.
template <class T>
struct Wmma4 {
  using Element = T;
  using Sum = float;
  static constexpr auto kShape = wmma4(detail::kElement<T>);
  TILE_DEVICE static Vector<float, 8> multiply(Vector<T, 8> a, Vector<T, 8> b, Vector<float, 8> c) {
    if constexpr (detail::kIsBf16<T>)
      return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(bits_as<Vector<short, 8>>(a),
                                                               bits_as<Vector<short, 8>>(b), c);
    else
      return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
  }
};

}  // namespace tile::arch
