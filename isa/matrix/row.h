// The row of a matrix instruction: its facts, made from the table.
#pragma once

#include "isa/matrix/table.h"
#include "isa/row.h"

namespace wavesmith::isa {

constexpr Type type_of_element(MatrixElement element) {
  switch (element) {
    case MatrixElement::F64:
      return Type::F64;
    case MatrixElement::F32:
    case MatrixElement::Xf32:
      return Type::F32;
    case MatrixElement::F16:
      return Type::V2F16;
    case MatrixElement::Bf16:
      return Type::V2BF16;
    case MatrixElement::I32:
      return Type::I32;
    default:
      return Type::U32;  // four bytes, eight nibbles, ...
  }
}

/// Integers are exact. Sums of floats are approximate, for no manual says in which order and width the
/// hardware adds. Here products are exact (those of F32 and F64 part of a fused multiply-add where the host
/// has one), added in order of k; scaled sums of 32 elements are added to the next. Subnormal numbers are
/// kept, except with F16 and Bf16 on CDNA2, which takes and gives them as 0 (MIOpen's documentation, "MI200
/// matrix fused multiply-add (MFMA) behavior specifics"; PyTorch's, "Numerical accuracy", which adds that F32
/// and F64 keep them). MODE is ignored.
constexpr Row make_matrix_row(const MatrixInstruction& in) {
  Facts facts{.generations = in.generations};
  if (in.d != MatrixElement::I32) {
    facts.fidelity = Fidelity::Approximate;
    facts.bound = in.d == MatrixElement::F64    ? "(k + 1) * 2^-53 * (|c| + sum |a b|)"
                  : in.a == MatrixElement::Xf32 ? "2^-10 * sum |a b| + (k + 1) * 2^-24 * |c|"
                  : in.d == MatrixElement::F32
                      ? "(k + 1) * 2^-24 * (|c| + sum |a b|)"
                      : "half a unit in the last place + (k + 1) * 2^-24 * (|c| + sum |a b|)";
  }
  Row row{in.mnemonics, Shape::Matrix, facts};
  const auto add = [&](Role::Use use, Type type, bool printed = true) {
    row.roles[row.count++] = {use, type, printed, !printed};
  };
  add(Role::Use::Write, type_of_element(in.d));
  add(Role::Use::Read, type_of_element(in.a));
  add(Role::Use::Read, type_of_element(in.b));
  if (in.sparse) {
    add(Role::Use::Read, Type::U32);                     // the indices
    add(Role::Use::Read, type_of_element(in.d), false);  // C is D's former value
  } else {
    add(Role::Use::Read, type_of_element(in.d));
  }
  if (in.modifiers & kScaled) add(Role::Use::Read, Type::U32), add(Role::Use::Read, Type::U32);
  row.matrix = &in;
  return row;
}

/// The family: a visitor's call form for matrix instructions takes the instruction itself.
template <class Visitor>
void matrix(Visitor& v) {
  for (const MatrixInstruction& instruction : kMatrixInstructions) v(instruction);
}

}  // namespace wavesmith::isa
