// The shapes of the matrix instructions that are atoms, by the types of their operands' elements. A test
// compares them with the emulator's table of matrix instructions.
#pragma once

#include "isa/matrix/layout.h"

namespace tile::arch {

using wavesmith::isa::MatrixElement;
using wavesmith::isa::MatrixLayout;
using wavesmith::isa::MatrixShape;

namespace detail {

constexpr bool is_integer(MatrixElement element) {
  return element == MatrixElement::I8 || element == MatrixElement::Iu8;
}
constexpr MatrixShape square(MatrixLayout layout, MatrixElement a, MatrixElement b, int size, int depth) {
  return {.layout = layout,
          .a = a,
          .b = b,
          .d = is_integer(a) ? MatrixElement::I32 : MatrixElement::F32,
          .m = static_cast<unsigned char>(size),
          .n = static_cast<unsigned char>(size),
          .k = static_cast<unsigned char>(depth)};
}

}  // namespace detail

constexpr MatrixShape mfma16(MatrixElement a, MatrixElement b, int depth) {
  return detail::square(MatrixLayout::Mfma, a, b, 16, depth);
}
constexpr MatrixShape mfma32(MatrixElement a, MatrixElement b, int depth) {
  return detail::square(MatrixLayout::Mfma, a, b, 32, depth);
}
constexpr MatrixShape wmma3(MatrixElement element) {
  return detail::square(MatrixLayout::Wmma3, element, element, 16, 16);
}
constexpr MatrixShape wmma4(MatrixElement a, MatrixElement b) {
  return detail::square(MatrixLayout::Wmma4, a, b, 16, 16);
}

}  // namespace tile::arch
