// For tests of matrix instructions: one of them runs on random matrices, and a reference in double walks the
// same matrices element by element through isa/matrix/layout.h (itself proved against AMD's calculator).
#pragma once

#include <cstdint>
#include <string>

#include "isa/matrix/row.h"
#include "isa/target.h"

namespace wavesmith::emulate {

/// How an instruction is written, and what the reference needs to know of that.
struct MatrixCase {
  const isa::MatrixInstruction* in = nullptr;
  const isa::Target* target = nullptr;
  int lanes = 64;
  isa::MatrixElement a{}, b{};
  char file = 'v';
  bool in_place = false;      ///< D is C
  std::string constant = {};  ///< C, when it is one
  double constant_value = 0;
  int cbsz = 0, abid = 0, blgp = 0, index_set = 0;
  int neg_lo = 0, neg_hi = 0, op_sel = 0, scale_byte_a = 0, scale_byte_b = 0;
  bool clamp = false;
  std::string modifiers = {};
};

/// The registers that the matrices, indices and scales begin at. D begins at 0, or is C.
constexpr int kA = 64, kB = 96, kC = 32, kIndex = 130, kScaleA = 131, kScaleB = 132;

/// Registers of a file as assembly text has them.
std::string registers(char file, int first, int count);
/// The instruction as assembly text.
std::string text_of(const MatrixCase& c);

enum class MatrixNumbers { Ordinary, Special };

/// Expects that the instruction gives what the reference does, within the row's bound.
void check_matrix(const MatrixCase& c, uint64_t seed, MatrixNumbers numbers);

}  // namespace wavesmith::emulate
