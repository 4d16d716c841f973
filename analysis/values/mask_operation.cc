#include "analysis/values/mask_operation.h"

#include <utility>

namespace wavesmith::analysis {

using isa::Op;
using isa::Role;
using isa::Type;

std::optional<MaskOperation> mask_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes, size_t result) {
  if (!row || !row->meaning || row->shape != isa::Shape::Scalar) return std::nullopt;
  const isa::Expression& expression = *row->meaning();
  const isa::Node& root = expression.node(expression.results()[result]);
  isa::Expression::Id a = root.arguments[0], b = root.arguments[1];
  MaskOperation out{.op = root.op, .a = {}, .b = {}};
  const auto place = [&](isa::Expression::Id id, isa::SourcePlace& to) {
    const isa::Node& node = expression.node(id);
    if (node.op != Op::Source) return false;
    to = isa::source_place(instruction, *row, node.constant, wave_lanes);
    return true;
  };
  if (root.op == Op::Select) {
    isa::SourcePlace condition;
    if (!place(a, condition) || condition.role.type != Type::Scc) return std::nullopt;
    a = b, b = root.arguments[2];
  } else if (root.op == Op::And || root.op == Op::Or || root.op == Op::Xor) {
    if (expression.is_complement(a, a)) {
      if (expression.is_complement(b, b)) return std::nullopt;
      std::swap(a, b);
      out.complement = true;
    } else {
      out.complement = expression.is_complement(b, b);
    }
  } else {
    return std::nullopt;
  }
  return place(a, out.a) && place(b, out.b) ? std::optional(out) : std::nullopt;
}

std::optional<MaskOperation> exec_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes) {
  if (!row || row->shape != isa::Shape::Scalar) return std::nullopt;
  for (int r = 0; r < row->count && row->roles[r].use == Role::Use::Write; ++r)
    if (const Role& role = row->roles[r];
        !role.printed && (role.type == Type::Exec || role.type == Type::LaneMask))
      return mask_operation(instruction, row, wave_lanes, static_cast<size_t>(r));
  return std::nullopt;
}

bool compares_lanes(const isa::Row* row) {
  return row && row->shape == isa::Shape::Lane && row->count != 0 && row->roles[0].use == Role::Use::Write &&
         (row->roles[0].type == Type::LaneMask || row->roles[0].type == Type::Exec);
}

}  // namespace wavesmith::analysis
