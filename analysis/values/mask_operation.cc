#include "analysis/values/mask_operation.h"

#include <utility>

#include "isa/meaning/sources.h"

namespace wavesmith::analysis {

using isa::Op;

std::optional<MaskOperation> mask_operation(const isa::Instruction& instruction, const isa::Row* row,
                                            int wave_lanes) {
  if (!row || !row->meaning || row->shape != isa::Shape::Scalar) return std::nullopt;
  const isa::Expression& expression = *row->meaning();
  const isa::Node& root = expression.node(expression.results().front());
  const auto place = [&](isa::Expression::Id id) {
    const isa::Node& node = expression.node(id);
    return node.op == Op::Source ? isa::source_place(instruction, *row, node.constant, wave_lanes)
                                 : isa::SourcePlace{};
  };
  MaskOperation out{.op = root.op, .a = nullptr, .b = nullptr};
  isa::Expression::Id a = root.arguments[0], b = root.arguments[1];
  if (root.op == Op::Select) {
    if (place(a).role.type != isa::Type::Scc) return std::nullopt;
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
  out.a = place(a).operand, out.b = place(b).operand;
  return out.a && out.b ? std::optional(out) : std::nullopt;
}

}  // namespace wavesmith::analysis
