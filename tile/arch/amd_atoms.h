// AMD's matrix instructions as atoms: the shape, whose layout isa/matrix/layout.h gives, and the call.
#pragma once

#include "tile/arch/atom_types.h"
#include "tile/arch/shapes.h"

namespace tile::arch {
namespace detail {

/// WMMA's integers are signed or not, as the call says.
constexpr MatrixElement of_wmma(MatrixElement element) {
  return element == MatrixElement::I8 ? MatrixElement::Iu8 : element;
}

}  // namespace detail

/// CDNA2 and later, products 16 deep (f32: 4), CDNA3's of 8 bits 32 deep.
template <class A, class B, int kDepth>
struct Mfma16 : AtomTypes<A, B, kDepth / 4> {
  using Types = AtomTypes<A, B, kDepth / 4>;
  using typename Types::Held;
  using Sums = Vector<typename Types::Sum, 4>;
  static constexpr auto kShape = mfma16(Types::kA, Types::kB, kDepth);
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    constexpr auto kA = Types::kA, kB = Types::kB;
    if constexpr (kA == MatrixElement::Bf16)
      return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bits_as<Vector<short, 4>>(a),
                                                       bits_as<Vector<short, 4>>(b), c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::F16)
      return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::F32)
      return __builtin_amdgcn_mfma_f32_16x16x4f32(bits_as<float>(a), bits_as<float>(b), c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::I8 && kDepth == 16)
      return __builtin_amdgcn_mfma_i32_16x16x16i8(bits_as<int>(a), bits_as<int>(b), c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::I8)
      return __builtin_amdgcn_mfma_i32_16x16x32_i8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::Fp8 && kB == MatrixElement::Fp8)
      return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
    else if constexpr (kA == MatrixElement::Fp8)
      return __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
    else if constexpr (kB == MatrixElement::Fp8)
      return __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
  }
};

/// CDNA4: products 32 deep, of integers 64.
template <class A, int kDepth>
struct Mfma16Deep : AtomTypes<A, A, kDepth / 4> {
  using Types = AtomTypes<A, A, kDepth / 4>;
  using typename Types::Held;
  using Sums = Vector<typename Types::Sum, 4>;
  static constexpr auto kShape = mfma16(Types::kA, Types::kB, kDepth);
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    if constexpr (Types::kA == MatrixElement::Bf16)
      return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0);
    else if constexpr (Types::kA == MatrixElement::F16)
      return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_i32_16x16x64_i8(bits_as<Vector<int, 4>>(a), bits_as<Vector<int, 4>>(b), c,
                                                   0, 0, 0);
  }
};

/// CDNA4: floats of 8 bits of any two formats, of 32 rows 64 deep, of 16 rows 128, which is more of a row
/// than registers can hold of large tiles.
template <class A, class B, int kRows>
struct MfmaAny : AtomTypes<A, B, 32> {
  using Types = AtomTypes<A, B, 32>;
  using typename Types::Held;
  using Sums = Vector<float, kRows * kRows / 64>;
  static constexpr auto kShape = kRows == 32 ? mfma32(MatrixElement::F8f6f4, MatrixElement::F8f6f4, 64)
                                             : mfma16(MatrixElement::F8f6f4, MatrixElement::F8f6f4, 128);
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    // Formats: 0 is e4m3, 1 e5m2. Scales of 0 leave them out: the instruction without them.
    constexpr int kFormatA = Types::kA == MatrixElement::Bf8, kFormatB = Types::kB == MatrixElement::Bf8;
    const auto wide_a = bits_as<Vector<int, 8>>(a), wide_b = bits_as<Vector<int, 8>>(b);
    if constexpr (kRows == 32)
      return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(wide_a, wide_b, c, kFormatA, kFormatB, 0, 0, 0,
                                                             0);
    else
      return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(wide_a, wide_b, c, kFormatA, kFormatB, 0, 0, 0,
                                                              0);
  }
};

/// What a lane holds of an operand whose blocks of 32 numbers along K have scales of e8m0 (powers of two): a
/// block, and its scale in the lowest byte of `scale`.
template <class Held>
struct ScaledHeld {
  Held numbers;
  u32 scale;
};

/// CDNA4: floats of 4 bits with scales, 128 deep: a lane holds 32 of a row, which share a scale.
template <class A>
struct Mfma32Scaled : AtomTypes<A, A, 16> {
  using Types = AtomTypes<A, A, 16>;
  using Held = ScaledHeld<typename Types::Held>;
  using Sums = Vector<float, 16>;
  static constexpr bool kScaled = true;
  static constexpr auto kShape = mfma32(Types::kA, Types::kB, 64);
  static_assert(Types::kA == MatrixElement::Fp4, "of other types a lane's numbers are of two blocks");
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    constexpr int kE2m1 = 4;  // LLVM, AMDGPUUsage: formats of cbsz and blgp
    const auto padded = [](const auto& numbers) {
      const auto words = bits_as<Vector<int, 4>>(numbers);
      return __builtin_shufflevector(words, words, 0, 1, 2, 3, -1, -1, -1, -1);
    };
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(padded(a.numbers), padded(b.numbers), c, kE2m1,
                                                           kE2m1, 0, a.scale, 0, b.scale);
  }
};

/// Halves, on CDNA2 and later 8 deep, on CDNA4 16.
template <class T, int kDepth>
struct Mfma32 : AtomTypes<T, T, kDepth / 2> {
  using Types = AtomTypes<T, T, kDepth / 2>;
  using typename Types::Held;
  using Sums = Vector<float, 16>;
  static constexpr auto kShape = mfma32(Types::kA, Types::kB, kDepth);
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    constexpr bool kIsBf16 = Types::kA == MatrixElement::Bf16;
    if constexpr (kDepth == 16 && kIsBf16)
      return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0);
    else if constexpr (kDepth == 16)
      return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
    else if constexpr (kIsBf16)
      return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(bits_as<Vector<short, 4>>(a),
                                                      bits_as<Vector<short, 4>>(b), c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
  }
};

/// RDNA3: a lane holds a whole row of 16 elements, and its upper half-wave the same again.
template <class A>
struct Wmma3 : AtomTypes<A, A, 16> {
  using Types = AtomTypes<A, A, 16>;
  using typename Types::Held;
  using Sums = Vector<typename Types::Sum, 8>;
  static constexpr auto kShape = wmma3(detail::of_wmma(Types::kA));
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    if constexpr (Types::kA == MatrixElement::Bf16)
      return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_as<Vector<short, 16>>(a),
                                                         bits_as<Vector<short, 16>>(b), c);
    else if constexpr (Types::kA == MatrixElement::F16)
      return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    else
      return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, bits_as<Vector<int, 4>>(a), true,
                                                        bits_as<Vector<int, 4>>(b), c, false);
  }
};

/// RDNA4.
template <class A, class B>
struct Wmma4 : AtomTypes<A, B, 8> {
  using Types = AtomTypes<A, B, 8>;
  using typename Types::Held;
  using Sums = Vector<typename Types::Sum, 8>;
  static constexpr auto kShape = wmma4(detail::of_wmma(Types::kA), detail::of_wmma(Types::kB));
  TILE_DEVICE static Sums multiply(Held a, Held b, Sums c) {
    constexpr auto kA = Types::kA, kB = Types::kB;
    using Two = Vector<int, 2>;
    if constexpr (kA == MatrixElement::Bf16)
      return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(bits_as<Vector<short, 8>>(a),
                                                               bits_as<Vector<short, 8>>(b), c);
    else if constexpr (kA == MatrixElement::F16)
      return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
    else if constexpr (kA == MatrixElement::I8)
      return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, bits_as<Two>(a), true, bits_as<Two>(b), c,
                                                              false);
    else if constexpr (kA == MatrixElement::Fp8 && kB == MatrixElement::Fp8)
      return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(bits_as<Two>(a), bits_as<Two>(b), c);
    else if constexpr (kA == MatrixElement::Fp8)
      return __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(bits_as<Two>(a), bits_as<Two>(b), c);
    else if constexpr (kB == MatrixElement::Fp8)
      return __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(bits_as<Two>(a), bits_as<Two>(b), c);
    else
      return __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(bits_as<Two>(a), bits_as<Two>(b), c);
  }
};

}  // namespace tile::arch
