#include "analysis/values/scalar_values.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "isa/meaning/evaluate.h"
#include "isa/meaning/sources.h"

namespace wavesmith::analysis {

using isa::Operand;

ScalarValues::ScalarValues(const Code& code, const Graph& graph, const EntryValues& entry)
    : code_(code), graph_(graph), entry_(entry) {
  for (const EntryValues::Argument& argument : entry.arguments)
    if (argument.size == 2) halves_.push_back(argument.name);
}

std::string ScalarValues::carried(uint32_t loop, uint16_t r) { return fmt::format("@{}:{}", loop, r); }

uint32_t ScalarValues::carried_register(uint32_t loop, const std::string& atom) {
  const std::string head = fmt::format("@{}:", loop);
  uint32_t r = kNone;
  if (atom.starts_with(head)) std::from_chars(atom.data() + head.size(), atom.data() + atom.size(), r);
  return r;
}

bool ScalarValues::writes(uint32_t block, uint16_t r) const {
  for (uint32_t i = graph_.blocks[block].begin; i < graph_.blocks[block].end; ++i)
    if (code_.effects[i].writes_register(r) || code_.flow[i] == isa::Flow::Call ||
        code_.flow[i] == isa::Flow::IndirectCall)
      return true;
  return false;
}

/// Whether a block on a way from `dominator` to `block`, these two apart, writes `r`.
bool ScalarValues::written_between(uint32_t dominator, uint32_t block, uint16_t r) const {
  std::set<uint32_t> seen{dominator, block};
  std::vector<uint32_t> work(graph_.blocks[block].predecessors);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (!seen.insert(b).second) continue;
    if (writes(b, r)) return true;
    work.insert(work.end(), graph_.blocks[b].predecessors.begin(), graph_.blocks[b].predecessors.end());
  }
  return false;
}

uint32_t ScalarValues::writer_in_block(uint32_t i, uint16_t r) const {
  const uint32_t begin = graph_.blocks[graph_.block_of[i]].begin;
  while (i-- > begin)
    if (code_.effects[i].writes_register(r)) return i;
  return kNone;
}

Formula ScalarValues::before(uint32_t i, uint16_t r) {
  const uint32_t b = graph_.block_of[i];
  for (uint32_t at = i; at-- > graph_.blocks[b].begin;) {
    if (code_.flow[at] == isa::Flow::Call || code_.flow[at] == isa::Flow::IndirectCall)
      return Formula::unknown("what a callee leaves is not followed");
    if (code_.effects[at].writes_register(r)) return written(at, r);
  }
  return at_begin(b, r);
}

Formula ScalarValues::at_end(uint32_t block, uint16_t r) {
  const uint32_t last = graph_.blocks[block].end - 1;
  if (code_.effects[last].writes_register(r)) return written(last, r);
  return before(last, r);
}

Formula ScalarValues::at_begin(uint32_t b, uint16_t r) {
  // Ways that meet are gone several times: a limit on all steps, and one on how deep they go.
  constexpr int kMostSteps = 2000, kDeepest = 120;
  if (++steps_ > kMostSteps || depth_ > kDeepest) return Formula::unknown("it is too long a computation");
  struct DepthGuard {
    int& depth;
    explicit DepthGuard(int& d) : depth(d) { ++depth; }
    ~DepthGuard() { --depth; }
  } const guard(depth_);
  const Block& block = graph_.blocks[b];
  const uint32_t l = block.loop;
  const bool header = l != kNone && graph_.loops[l].header == b;
  if (!header && b == graph_.functions.front().entry && block.predecessors.empty()) {
    const auto found = entry_.registers.find(r);
    return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets what it counts to")
                                           : found->second;
  }
  std::vector<uint32_t> from = block.predecessors;
  if (header) {
    const Loop& loop = graph_.loops[l];
    if (!loop.natural) return Formula::unknown("the loop has several entries");
    if (std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](uint32_t own) { return writes(own, r); }))
      return Formula::name(carried(l, r));
    std::erase_if(from,
                  [&](uint32_t p) { return std::binary_search(loop.blocks.begin(), loop.blocks.end(), p); });
    if (from.empty()) {  // the code begins with the loop
      const auto found = entry_.registers.find(r);
      return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets what it counts to")
                                             : found->second;
    }
  }
  if (from.empty()) return Formula::unknown("a caller decides");
  if (from.size() == 1) return at_end(from.front(), r);
  if (block.dominator != kNone && !header && !written_between(block.dominator, b, r))
    return at_end(block.dominator, r);
  const Formula first = at_end(from.front(), r);
  for (const uint32_t p : from)
    if (first.known() && !(at_end(p, r) == first)) return Formula::unknown("it depends on the path");
  return first;
}

Formula ScalarValues::operand(const Operand& operand, uint32_t i, uint16_t part) {
  if (operand.kind == Operand::Kind::Integer) {
    return Formula::constant(part == 0 ? static_cast<int32_t>(operand.bits) : operand.bits < 0 ? -1 : 0);
  }
  if (operand.negate || operand.absolute || operand.half != Operand::Half::Whole || operand.sign_extend)
    return FormulaOperations::not_followed();
  const Range range = registers_of(operand, code_.wave_lanes);
  if (part >= range.count) return FormulaOperations::not_followed();
  return before(i, static_cast<uint16_t>(range.first + part));
}

Formula ScalarValues::loaded(uint32_t i, uint16_t part) {
  const isa::Instruction& in = code_.instructions[i];
  constexpr const char* kLoaded = "it is loaded from memory";
  // From an address, not by a buffer's resource, which has four registers.
  const bool from_address = space_of(in.mnemonic) == isa::Space::Scalar &&
                            code_.rows[i]->access.direction == isa::Direction::Load &&
                            in.operands.size() > 1 && in.operands[1].count == 2;
  if (!from_address) return Formula::unknown(kLoaded);
  Formula address = operand(in.operands[1], i);
  if (in.operands.size() > 2) address = address + operand(in.operands[2], i);
  if (const int64_t offset = in.value("offset")) address = address + Formula::constant(offset);
  const Formula offset = address - Formula::name(kArguments) + Formula::constant(4 * part);
  if (!address.known() || !offset.value() || *offset.value() < 0) return Formula::unknown(kLoaded);
  const int64_t at = *offset.value();
  for (const EntryValues::Argument& argument : entry_.arguments)
    if (at == argument.offset) return Formula::name(argument.name);
  for (const EntryValues::Argument& argument : entry_.arguments)
    if (at > argument.offset && at < argument.offset + int64_t{argument.size})
      return Formula::name(fmt::format("{}[{}]", argument.name, at - argument.offset));
  return Formula::name(fmt::format("argument at byte {}", at));
}

Formula ScalarValues::source(const isa::Node& node, uint32_t i, uint16_t part) {
  const isa::SourcePlace place =
      isa::source_place(code_.instructions[i], *code_.rows[i], node.constant, code_.wave_lanes);
  // What is not printed (SCC, EXEC) is no number, and neither is a mask of lanes.
  if (!place.operand || place.role.type == isa::Type::LaneMask) return FormulaOperations::not_followed();
  if (place.operand->kind == Operand::Kind::Integer && part == 0)
    return FormulaOperations::number(static_cast<uint64_t>(place.operand->bits) & isa::low_bits(node.bits),
                                     node.bits);
  return node.bits < 32 ? FormulaOperations::not_followed() : operand(*place.operand, i, part);
}

Formula ScalarValues::meaning(uint32_t i, isa::Expression::Id id) {
  const isa::Expression& expression = *code_.rows[i]->meaning();
  FormulaDomain domain(expression, halves_, [&](const isa::Node& node) { return source(node, i, 0); });
  return isa::Evaluation(expression, domain).at(id);
}

Formula ScalarValues::written(uint32_t i, uint16_t r) {
  const isa::Instruction& in = code_.instructions[i];
  const isa::Row* const row = code_.rows[i];
  if (!row || in.operands.empty() || !isa::is_plain(in)) return FormulaOperations::not_followed();
  const isa::RegisterRange result = registers_of(in.operands[0], code_.wave_lanes);
  if (!result.has(r)) return FormulaOperations::not_followed();
  const auto part = static_cast<uint16_t>(r - result.first);
  if (row->shape == isa::Shape::Memory) return loaded(i, part);
  if (!row->meaning) return FormulaOperations::not_followed();
  const isa::Expression::Id root = row->meaning()->results().front();
  if (part == 0) return meaning(i, root);
  // Of a number of several registers only a copy is followed beyond the first.
  const isa::Node& node = row->meaning()->node(root);
  return node.op == isa::Op::Source ? source(node, i, part) : FormulaOperations::not_followed();
}

}  // namespace wavesmith::analysis
