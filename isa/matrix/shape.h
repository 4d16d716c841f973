// The shape of a matrix instruction: sizes, element types, and which map places the elements. It needs no
// library, so that code for GPUs can use it (tile/).
#pragma once

namespace wavesmith::isa {

/// What an element of A, B, C or D is.
enum class MatrixElement : unsigned char {
  F64,
  F32,
  Xf32,  ///< held as float, multiplied with 10 bits of fraction
  F16,
  Bf16,
  Fp8,     ///< e4m3, FNUZ or OCP as the generation has it
  Bf8,     ///< e5m2, likewise
  Fp6,     ///< e2m3
  Bf6,     ///< e3m2
  Fp4,     ///< e2m1
  F8f6f4,  ///< one of the five before, chosen by cbsz (A) and blgp (B)
  I8,
  Iu8,  ///< signed or unsigned, chosen by neg_lo
  Iu4,  ///< likewise
  I32,
};

constexpr int bits_of_element(MatrixElement element) {
  switch (element) {
    case MatrixElement::F64:
      return 64;
    case MatrixElement::F16:
    case MatrixElement::Bf16:
      return 16;
    case MatrixElement::Fp8:
    case MatrixElement::Bf8:
    case MatrixElement::F8f6f4:
    case MatrixElement::I8:
    case MatrixElement::Iu8:
      return 8;
    case MatrixElement::Fp6:
    case MatrixElement::Bf6:
      return 6;
    case MatrixElement::Fp4:
    case MatrixElement::Iu4:
      return 4;
    default:
      return 32;
  }
}

/// How matrices lie in registers; layout.h has the maps.
enum class MatrixLayout : unsigned char { Mfma, Wmma3, Wmma4 };

/// As much of a matrix instruction as its layout depends on; MatrixInstruction has the same members and more.
struct MatrixShape {
  MatrixLayout layout;
  MatrixElement a, b, d;  ///< C is as D
  unsigned char m, n, k;
  unsigned char blocks = 1;  ///< independent products
  bool sparse = false;       ///< A holds two of every four elements along K
};

/// Elements of A along K that are held: half of them in sparse forms.
template <class Shape>
constexpr int held_k(const Shape& shape) {
  return shape.sparse ? shape.k / 2 : shape.k;
}

}  // namespace wavesmith::isa
