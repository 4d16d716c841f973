// Where the elements of NVIDIA's mma.sync are: m16n8k16 of 16 bits and m16n8k32 of 8 bits, with sums of 32
// bits. (row or column, k) -> (lane, bit), with bits counted through the lane's registers, as in
// isa/matrix/layout.h.
//
// Source: NVIDIA, PTX ISA 8.7, "Warp-level matrix instructions", "Matrix Fragments for mma.m16n8k16 with
// floating point type" and "... for mma.m16n8k32". fragments_test.cc has its formulas, from lane and register
// to row and column.
#pragma once

#include "isa/matrix/layout.h"

namespace tile::arch {

using wavesmith::isa::MatrixElement;
using wavesmith::isa::MatrixPlace;

namespace detail {

/// Four lanes share a row, a register's elements each; the next four registers' elements of the row are
/// `apart` registers on.
constexpr MatrixPlace in_fragment(int bits, int row, int k, int apart) {
  const int in_register = 32 / bits;
  return {row * 4 + k / in_register % 4, k / (4 * in_register) * apart * 32 + k % in_register * bits};
}

}  // namespace detail

/// A[row][k], of 16 rows: the lower eight are in every other register.
constexpr MatrixPlace fragment_a(int bits, int row, int k) {
  const MatrixPlace upper = detail::in_fragment(bits, row % 8, k, 2);
  return {upper.lane, upper.bit + row / 8 * 32};
}
/// B[k][column], of 8 columns.
constexpr MatrixPlace fragment_b(int bits, int k, int column) {
  return detail::in_fragment(bits, column, k, 1);
}
/// C[row][column] and D[row][column].
constexpr MatrixPlace fragment_d(int row, int column) {
  return {row % 8 * 4 + column / 2, (row / 8 * 2 + column % 2) * 32};
}

/// An atom of it: 8 by 8 sums. The first operand is the instruction's B, the second a half of its A's rows,
/// and two atoms that have the first in common are one instruction. So a lane's sums are of the row that it
/// holds as the second operand, as in AMD's layouts.
struct FragmentShape {
  MatrixElement a, b;  ///< of the first and the second operand
  unsigned char k;
  unsigned char m = 8, n = 8;
};

/// The functions of isa/matrix/layout.h for it.
constexpr MatrixPlace place_a(const FragmentShape& /*shape*/, MatrixElement element, int /*lanes*/, int i,
                              int k, int /*block*/) {
  return fragment_b(bits_of_element(element), k, i);
}
constexpr MatrixPlace place_b(const FragmentShape& /*shape*/, MatrixElement element, int /*lanes*/, int k,
                              int j, int /*block*/) {
  const MatrixPlace upper = fragment_a(bits_of_element(element), j, k);
  return {upper.lane, upper.bit / 64 * 32 + upper.bit % 32};
}
constexpr MatrixPlace place_d(const FragmentShape& /*shape*/, int /*lanes*/, int i, int j, int /*block*/) {
  return fragment_d(j, i);
}
constexpr int registers_of_a(const FragmentShape& shape, MatrixElement element, int lanes) {
  return shape.m * shape.k * bits_of_element(element) / 32 / lanes;
}
constexpr int registers_of_d(const FragmentShape& shape, int lanes) { return shape.m * shape.n / lanes; }

}  // namespace tile::arch
