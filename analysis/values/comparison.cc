#include "analysis/values/comparison.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analysis/values/mask_operation.h"
#include "isa/meaning/sources.h"

namespace wavesmith::analysis {
namespace {

Relation inverse(Relation r) {
  constexpr std::array kOf{Relation::GreaterEqual, Relation::Greater,  Relation::LessEqual,
                           Relation::Less,         Relation::NotEqual, Relation::Equal};
  return kOf[static_cast<size_t>(r)];
}
Relation turned(Relation r) {
  constexpr std::array kOf{Relation::Greater,   Relation::GreaterEqual, Relation::Less,
                           Relation::LessEqual, Relation::Equal,        Relation::NotEqual};
  return kOf[static_cast<size_t>(r)];
}

Comparison not_of(Comparison c) {
  c.relation = inverse(c.relation);
  return c;
}

/// The atom of this loop in a formula; "" for none, nullopt for several.
std::optional<std::string> carried_in(const Formula& formula, uint32_t l) {
  std::string found;
  for (const auto& [atom, times] : formula.terms()) {
    const bool own = ScalarValues::carried_register(l, atom) != kNone;
    // Inside of a quotient or the like.
    if (!own && atom.find(fmt::format("@{}:", l)) != atom.npos) return std::nullopt;
    if (!own) continue;
    if (!found.empty()) return std::nullopt;
    found = atom;
  }
  return found;
}

}  // namespace

bool holds(Relation relation, bool is_signed, int64_t left, int64_t right) {
  // Registers have 32 bits.
  const auto l = static_cast<uint32_t>(left), r = static_cast<uint32_t>(right);
  const int64_t a = is_signed ? int64_t{static_cast<int32_t>(l)} : int64_t{l};
  const int64_t b = is_signed ? int64_t{static_cast<int32_t>(r)} : int64_t{r};
  switch (relation) {
    case Relation::Less:
      return a < b;
    case Relation::LessEqual:
      return a <= b;
    case Relation::Greater:
      return a > b;
    case Relation::GreaterEqual:
      return a >= b;
    case Relation::Equal:
      return a == b;
    case Relation::NotEqual:
      return a != b;
  }
  return false;
}

/// "what ends it is loaded from memory" of "it is loaded from memory".
std::string reason(std::string_view what, const std::string& because) {
  return because.starts_with("it ") ? fmt::format("{} {}", what, because.substr(3))
                                    : fmt::format("of {}, {}", what, because);
}

uint32_t branch_target(const Code& code, const Graph& graph, uint32_t block) {
  const auto edge = code.edges.find(graph.blocks[block].end - 1);
  const uint32_t target = edge == code.edges.end() ? kNone : code.at(edge->second.target);
  return target == kNone ? kNone : graph.block_of[target];
}

/// The instruction before `i`, in its block or in the blocks that alone lead there, that writes `r`.
uint32_t Comparisons::writer_before(uint32_t i, uint16_t r) const {
  constexpr int kMostBlocks = 8;
  for (int blocks = 0; blocks < kMostBlocks; ++blocks) {
    const Block& block = graph_.blocks[graph_.block_of[i]];
    for (uint32_t at = i; at-- > block.begin;)
      if (code_.effects[at].writes_register(r)) return at;
    if (block.predecessors.size() != 1) return kNone;
    i = graph_.blocks[block.predecessors.front()].end;
    if (i == 0) return kNone;
    // `end` belongs to the next block; step from there.
    const Block& before = graph_.blocks[block.predecessors.front()];
    for (uint32_t at = before.end; at-- > before.begin;)
      if (code_.effects[at].writes_register(r)) return at;
    i = before.begin;
    if (i == block.begin) return kNone;
  }
  return kNone;
}

/// What instruction `i` compares, when it is a comparison of whole numbers of 32 bits.
std::optional<Comparison> Comparisons::compared(uint32_t i, ScalarValues& values) const {
  const isa::Expression* const expression = meaning_of(i);
  if (!expression || expression->results().size() != 1) return std::nullopt;
  isa::Expression::Id root = expression->results().front();
  const bool inverted = expression->is_complement(root, root);
  const isa::Node& node = expression->node(root);
  Comparison out;
  if (node.from != 32 ||
      (node.op != isa::Op::Equal && node.op != isa::Op::Less && node.op != isa::Op::LessSigned))
    return std::nullopt;
  out.relation = node.op == isa::Op::Equal ? Relation::Equal : Relation::Less;
  out.is_signed = node.op != isa::Op::Less;
  if (inverted) out = not_of(std::move(out));
  // As printed: "a > b" is the expression "b < a".
  isa::Expression::Id left = node.arguments[0], right = node.arguments[1];
  if (left > right) {
    std::swap(left, right);
    out.relation = turned(out.relation);
  }
  out.left = values.meaning(i, left), out.right = values.meaning(i, right);
  return out;
}

const isa::Expression* Comparisons::meaning_of(uint32_t i) const {
  const isa::Row* const row = code_.rows[i];
  return row && row->meaning && isa::is_plain(code_.instructions[i]) ? row->meaning() : nullptr;
}

/// When SCC is `set` before instruction `i`.
std::optional<Comparison> Comparisons::when_scc(uint32_t i, bool set, ScalarValues& values) const {
  const uint32_t writer = writer_before(i, reg::kScc);
  if (writer == kNone) return std::nullopt;
  auto c = compared(writer, values);
  if (c && !set) c = not_of(std::move(*c));
  return c;
}

/// When a mask of lanes, uniform or each lane for itself, is set in `range` before instruction `i`.
std::optional<Comparison> Comparisons::when_mask(uint32_t i, Range range, bool set, ScalarValues& values,
                                                 int depth) const {
  const uint32_t writer = writer_before(i, range.first);
  if (writer == kNone || depth == 0) return std::nullopt;
  if (auto c = compared(writer, values)) return set ? std::move(c) : not_of(std::move(*c));
  const auto operation = mask_operation(code_.instructions[writer], code_.rows[writer], code_.wave_lanes);
  if (!operation) return std::nullopt;
  const auto& [op, a, b, complement] = *operation;
  if (op == isa::Op::Select) {
    const auto number = [](const isa::SourcePlace& place) {
      return place.operand && place.operand->kind == isa::Operand::Kind::Integer;
    };
    if (!number(a) || !number(b) || (a.operand->bits == 0) == (b.operand->bits == 0)) return std::nullopt;
    return when_scc(writer, (a.operand->bits != 0) == set, values);
  }
  if (op == isa::Op::And) {
    // With EXEC, which has all lanes that run.
    if (a.registers.has(reg::kExec))
      return when_mask(writer, b.registers, set != complement, values, depth - 1);
    if (!complement && b.registers.has(reg::kExec))
      return when_mask(writer, a.registers, set, values, depth - 1);
  }
  // Lanes that have left are collected: those that leave now are in the other operand.
  if (op == isa::Op::Or && !complement)
    for (const auto& [one, other] : {std::pair{a, b}, {b, a}})
      if (other.registers == range || other.registers.has(range.first))
        return when_mask(writer, one.registers, set, values, depth - 1);
  return std::nullopt;
}

std::optional<Comparison> Comparisons::when(uint32_t block, bool taken, ScalarValues& values,
                                            std::string& because) const {
  const uint32_t branch = graph_.blocks[block].end - 1;
  const isa::BranchCondition condition = isa::condition_of(code_.instructions[branch].mnemonic);
  const auto edge = code_.edges.find(branch);
  because = "the condition that ends it is not followed";
  if (edge == code_.edges.end() || code_.flow[branch] != isa::Flow::Conditional) return std::nullopt;
  std::optional<Comparison> out;
  const bool set = condition.set == taken;
  if (condition.flag == isa::BranchCondition::Flag::Scc) {
    out = when_scc(branch, set, values);
  } else if (condition.flag == isa::BranchCondition::Flag::Vcc) {
    out = when_mask(branch, {reg::kVcc, 1}, set, values, 4);
  } else if (condition.flag == isa::BranchCondition::Flag::Exec) {
    // Lanes leave; the wave goes on while there is one.
    because = "which lanes leave it when is not followed";
    const uint32_t writer = writer_before(branch, reg::kExec);
    if (writer == kNone || !set) return std::nullopt;
    const auto operation = mask_operation(code_.instructions[writer], code_.rows[writer], code_.wave_lanes);
    if (operation && operation->op == isa::Op::And && operation->complement &&
        operation->a.registers.has(reg::kExec))
      out = when_mask(writer, operation->b.registers, false, values, 4);
    else
      out = compared(writer, values);
  }
  if (!out) return std::nullopt;
  for (const Formula* side : {&out->left, &out->right})
    if (!side->known()) {
      because = reason("what ends it", side->because());
      return std::nullopt;
    }
  return out;
}

Formula Comparisons::after_pass(uint32_t l, uint16_t r, ScalarValues& values) const {
  std::optional<Formula> next;
  for (const uint32_t latch : graph_.loops[l].latches) {
    Formula one = values.at_end(latch, r);
    if (next && !(*next == one)) return Formula::unknown("it depends on the path");
    next = std::move(one);
  }
  return next ? *next : Formula::unknown("the loop does not go back");
}

Formula Comparisons::before_loop(uint32_t l, uint16_t r, ScalarValues& values) const {
  const Loop& loop = graph_.loops[l];
  std::optional<Formula> start;
  for (const uint32_t p : graph_.blocks[loop.header].predecessors) {
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), p)) continue;
    Formula one = values.at_end(p, r);
    if (start && !(*start == one)) return Formula::unknown("it depends on the path");
    start = std::move(one);
  }
  if (start) return *start;
  const auto found = entry_.registers.find(r);
  return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets it") : found->second;
}

std::optional<CountingComparison> Comparisons::counting(uint32_t l, Comparison c, ScalarValues& values,
                                                        std::string& because) const {
  constexpr const char* kNotLinear = "what it counts with does not grow by the same amount each pass";
  because = kNotLinear;
  auto left = carried_in(c.left, l), right = carried_in(c.right, l);
  if (!left || !right || (!left->empty() && !right->empty())) return std::nullopt;
  if (left->empty() && right->empty()) {
    because = "what ends it does not change in it";
    return std::nullopt;
  }
  if (left->empty()) {
    std::swap(c.left, c.right);
    std::swap(left, right);
    c.relation = turned(c.relation);
  }
  const auto r = static_cast<uint16_t>(ScalarValues::carried_register(l, *left));
  const Formula atom = Formula::name(*left);
  const Formula next = after_pass(l, r, values);
  if (!next.known()) {
    because = reason("what it counts with", next.because());
    return std::nullopt;
  }
  if (next.times(*left) != 1) return std::nullopt;
  const Formula gain = next - atom;
  if (carried_in(gain, l) != "") return std::nullopt;
  const Formula start = before_loop(l, r, values);
  if (!start.known()) {
    because = reason("what it starts with", start.because());
    return std::nullopt;
  }
  const int64_t factor = c.left.times(*left);
  CountingComparison out;
  out.first = c.left.without(*left) + start * Formula::constant(factor);
  out.step = gain * Formula::constant(factor);
  out.comparison = std::move(c);
  if (!out.first.known() || !out.step.known()) return std::nullopt;
  return out;
}

}  // namespace wavesmith::analysis
