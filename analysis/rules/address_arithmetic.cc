// Integer arithmetic of the kinds that addresses are made of, where it takes a large part of a loop.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rules_common.h"
#include "isa/meaning/expression.h"

namespace wavesmith::analysis::rule {
namespace {

/// Whether a node is sums, products, shifts and masks of sources, or of a carry that comes in.
bool is_arithmetic(const isa::Expression& expression, isa::Expression::Id id) {
  using isa::Op;
  const isa::Node& node = expression.node(id);
  switch (node.op) {
    case Op::Constant:
    case Op::Source:
    case Op::ZeroExtend:
    case Op::SignExtend:
    case Op::Truncate:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::ShiftRightSigned:
    case Op::Select:
      return std::all_of(node.arguments, node.arguments + node.count,
                         [&](isa::Expression::Id argument) { return is_arithmetic(expression, argument); });
    default:
      return false;
  }
}

/// An integer VALU instruction of the kinds that addresses are made of; neither a copy nor a selection.
bool is_address_arithmetic(const isa::Row* row) {
  using isa::Type;
  if (!row || row->shape != isa::Shape::Lane || !row->meaning) return false;
  const Type type = row->roles[0].type;
  if (type != Type::U32 && type != Type::I32 && type != Type::U64 && type != Type::I64) return false;
  const isa::Expression& expression = *row->meaning();
  const isa::Expression::Id root = expression.results().front();
  const isa::Node& node = expression.node(root);
  const bool selects = node.op == isa::Op::Select && expression.node(node.arguments[1]).op == isa::Op::Source;
  return node.count > 0 && !selects && is_arithmetic(expression, root);
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    const uint32_t vector = loop.mix.of(isa::Pipe::Valu) + loop.mix.of(isa::Pipe::Transcendental);
    if (!loop.innermost || vector < 8) continue;
    uint32_t count = 0;
    double cycles = 0;
    Location place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      if (!is_address_arithmetic(subject.code.rows[i])) return;
      ++count;
      cycles += subject.costs.of[i].issue;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    constexpr double kLarge = 0.35;
    const double computes = loop.mix.vector_operations + loop.mix.matrix_operations;
    if (count < kLarge * vector || computes == 0) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title =
        fmt::format("{} of {} VALU instructions in the loop are integer arithmetic", count, vector);
    finding.where.push_back(place);
    finding.evidence.push_back(
        fmt::format("they take {:.0f} cycles per pass; first {}", cycles, cite(subject, place.first)));
    const bool bound = loop.cycles.bound == isa::Pipe::Valu;
    set_gain(finding, subject, loop, gain_of(subject, loop, cycles, bound ? cycles : 0));
    finding.experiment =
        "Keep one pointer and add a constant per pass; put constant parts into the instructions' offsets "
        "and wave-uniform parts into SGPRs (the saddr form). Compare. The gain shown is that of all.";
    finding.unknown_because = "some of it may be the kernel's own computing, not addresses";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule address_arithmetic{"address-arithmetic",
                                     "integer arithmetic that takes a large part of a loop", check};

}  // namespace wavesmith::analysis::rule
