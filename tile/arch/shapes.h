// The shapes of the matrix instructions that are atoms, by the type of their operands' elements; sums are
// floats. A test compares them with the emulator's table of matrix instructions.
#pragma once

#include "isa/matrix/layout.h"

namespace tile::arch {

using wavesmith::isa::MatrixElement;
using wavesmith::isa::MatrixLayout;
using wavesmith::isa::MatrixShape;

namespace detail {

constexpr MatrixShape square(MatrixLayout layout, MatrixElement element, int size, int depth) {
  return {.layout = layout,
          .a = element,
          .b = element,
          .d = MatrixElement::F32,
          .m = static_cast<unsigned char>(size),
          .n = static_cast<unsigned char>(size),
          .k = static_cast<unsigned char>(depth)};
}

}  // namespace detail

constexpr MatrixShape mfma_16x16x16(MatrixElement element) {
  return detail::square(MatrixLayout::Mfma, element, 16, 16);
}
constexpr MatrixShape mfma_16x16x32(MatrixElement element) {
  return detail::square(MatrixLayout::Mfma, element, 16, 32);
}
constexpr MatrixShape wmma3(MatrixElement element) {
  return detail::square(MatrixLayout::Wmma3, element, 16, 16);
}
constexpr MatrixShape wmma4(MatrixElement element) {
  return detail::square(MatrixLayout::Wmma4, element, 16, 16);
}

}  // namespace tile::arch
