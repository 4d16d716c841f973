// Where the elements of a matrix instruction's operands are: (row or column, k, block) -> (lane, bit). Bits
// are counted through the lane's registers: bit 37 is bit 5 of the second one. In all layouts 16 (or 4, or
// 32) lanes that follow each other hold one row of C and D, or one k of A and B.
//
// Source: AMD's matrix instruction calculator, whose output for every instruction that it knows stands in
// calculator.csv beside this file; table_test.cc compares the two. It does not know CDNA4: there the rule of
// CDNA3 goes on, except that an 8-bit operand of f8f6f4 is two halves of 16 elements a lane (Composable
// Kernel, test/mx_mfma_op/mx_mfma_op.hpp, whose tables are checked on hardware).
//
// `Shape` is a MatrixShape or a MatrixInstruction; nothing here needs a library.
#pragma once

#include "isa/matrix/shape.h"

namespace wavesmith::isa {

struct MatrixPlace {
  int lane = 0;
  int bit = 0;
  constexpr bool operator==(const MatrixPlace&) const = default;
};

namespace detail {

/// A or B. `rows` is M or N, `k` runs over `held` elements, `pairs` 4 or 8: elements of 16 bits that RDNA4
/// keeps together.
template <class Shape>
constexpr MatrixPlace input_place(const Shape& in, MatrixElement element, int wave_lanes, int rows, int held,
                                  int run, int i, int k, int block) {
  const int bits = bits_of_element(element);
  if (in.layout == MatrixLayout::Wmma3) return {i, k * bits};
  if (in.layout == MatrixLayout::Mfma) {
    int group = 0, position = 0;
    if (in.a == MatrixElement::F8f6f4 && bits == 8) {
      group = k % (held / 2) / 16;
      position = k / (held / 2) * 16 + k % 16;
    } else {
      const int in_lane = held * rows * in.blocks / 64;
      group = k / in_lane;
      position = k % in_lane;
    }
    return {i + rows * block + rows * in.blocks * group, position * bits};
  }
  if (bits == 16) {
    const int group = k / run;
    if (wave_lanes == 32) return {i + 16 * (group % 2), (k % run + group / 2 * run) * bits};
    return {i + 16 * (group % 2) + 32 * (group / 2), k % run * bits};
  }
  const int share = held * 16 / wave_lanes, least = 32 / bits, in_lane = share > least ? share : least;
  const int group = k / in_lane;
  const bool quarters = held / in_lane == 4;
  return {i + (quarters ? 32 * (group % 2) + 16 * (group / 2) : 16 * group), k % in_lane * bits};
}

}  // namespace detail

/// A[i][k] of a block. In sparse forms `k` counts the elements held: 2q and 2q + 1 are the two of columns 4q
/// to 4q + 3. `element` is the format in use: in.a, or that chosen for f8f6f4.
template <class Shape>
constexpr MatrixPlace place_a(const Shape& in, MatrixElement element, int wave_lanes, int i, int k,
                              int block) {
  return detail::input_place(in, element, wave_lanes, in.m, held_k(in), 4, i, k, block);
}

/// B[k][j] of a block.
template <class Shape>
constexpr MatrixPlace place_b(const Shape& in, MatrixElement element, int wave_lanes, int k, int j,
                              int block) {
  return detail::input_place(in, element, wave_lanes, in.n, in.k, in.sparse ? 8 : 4, j, k, block);
}

/// C[i][j] and D[i][j] of a block; 16-bit results of RDNA3 stand in the low halves (op_sel: in the high
/// ones).
template <class Shape>
constexpr MatrixPlace place_d(const Shape& in, int wave_lanes, int i, int j, int block) {
  const int bits = bits_of_element(in.d);
  switch (in.layout) {
    case MatrixLayout::Wmma3: {
      const int rows = wave_lanes / 16;
      return {j + 16 * (i % rows), i / rows * 32};
    }
    case MatrixLayout::Wmma4:
      if (wave_lanes == 32) return {j + 16 * (i / 8), i % 8 * bits};
      return {j + 16 * (i / 8) + 32 * (i / 4 % 2), i % 4 * bits};
    case MatrixLayout::Mfma:
      break;
  }
  if (in.d == MatrixElement::F64) {
    if (in.m == 4) return {j + 4 * block + 16 * i, 0};
    return {j + 16 * (i % 4), i / 4 * 64};
  }
  if (in.m == 4) return {j + 4 * block, i * 32};
  if (in.m == 16) return {j + 16 * (i / 4), (i % 4 + 4 * block) * 32};
  return {j + 32 * (i / 4 % 2), (i % 4 + 4 * (i / 8) + 16 * block) * 32};
}

/// Registers of an operand.
template <class Shape>
constexpr int registers_of_a(const Shape& in, MatrixElement element, int wave_lanes) {
  return (place_a(in, element, wave_lanes, in.m - 1, held_k(in) - 1, in.blocks - 1).bit +
          bits_of_element(element) + 31) /
         32;
}
template <class Shape>
constexpr int registers_of_b(const Shape& in, MatrixElement element, int wave_lanes) {
  return (place_b(in, element, wave_lanes, in.k - 1, in.n - 1, in.blocks - 1).bit + bits_of_element(element) +
          31) /
         32;
}
template <class Shape>
constexpr int registers_of_d(const Shape& in, int wave_lanes) {
  return (place_d(in, wave_lanes, in.m - 1, in.n - 1, in.blocks - 1).bit + bits_of_element(in.d) + 31) / 32;
}

/// Sparse forms: the two index bits of A's held element `k` (of row i), in the same lane's index register.
/// `set` is chosen by abid (while cbsz is 0) or index_key: a register holds as many sets as fit.
template <class Shape>
constexpr MatrixPlace place_index(const Shape& in, int wave_lanes, int i, int k, int set) {
  const int bits = bits_of_element(in.a);
  const MatrixPlace place = place_a(in, in.a, wave_lanes, i, k, 0);
  const int in_lane = registers_of_a(in, in.a, wave_lanes) * 32 / bits;
  return {place.lane, place.bit / bits * 2 + set * in_lane * 2};
}
/// How many sets of indices a register holds.
template <class Shape>
constexpr int index_sets(const Shape& in, int wave_lanes) {
  const int in_lane = registers_of_a(in, in.a, wave_lanes) * 32 / bits_of_element(in.a);
  return in_lane >= 16 ? 1 : 16 / in_lane;
}

}  // namespace wavesmith::isa
