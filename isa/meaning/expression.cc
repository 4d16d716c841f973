#include "isa/meaning/expression.h"

#include <algorithm>
#include <bit>

namespace wavesmith::isa {
namespace {

constexpr Expression::Id kNothing = 0xffff;

int64_t signed_of(uint64_t value, int bits) {
  return bits >= 64 ? static_cast<int64_t>(value) : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

bool commutes(Op op) {
  return op == Op::Add || op == Op::Multiply || op == Op::And || op == Op::Or || op == Op::Xor ||
         op == Op::Equal;
}

/// Of `bits` of the result, before those above are cut off.
uint64_t uncut(const Node& node, uint64_t a, uint64_t b, uint64_t c) {
  const int bits = node.bits, from = node.from;
  const uint64_t amount = b & static_cast<uint64_t>(std::max(bits, 1) - 1);
  switch (node.op) {
    case Op::ZeroExtend:
    case Op::Truncate:
      return a;
    case Op::SignExtend:
      return static_cast<uint64_t>(signed_of(a, from));
    case Op::LeadingZeros:
      return static_cast<uint64_t>(std::countl_zero(a) - (64 - bits));
    case Op::TrailingZeros:
      return static_cast<uint64_t>(std::min(std::countr_zero(a), bits));
    case Op::Ones:
      return static_cast<uint64_t>(std::popcount(a));
    case Op::ReverseBits:
      return __builtin_bitreverse64(a) >> (64 - bits);
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::ShiftLeft:
      return a << amount;
    case Op::ShiftRight:
      return a >> amount;
    case Op::ShiftRightSigned:
      return static_cast<uint64_t>(signed_of(a, bits) >> amount);
    case Op::Equal:
      return a == b;
    case Op::Less:
      return a < b;
    case Op::LessSigned:
      return signed_of(a, from) < signed_of(b, from);
    case Op::Select:
      return a ? b : c;
    case Op::Constant:
    case Op::Source:
    case Op::LaneNumber:
    case Op::WaveLanes:
    case Op::ReadLane:
      break;
  }
  return 0;
}

}  // namespace

uint64_t compute(const Node& node, uint64_t a, uint64_t b, uint64_t c) {
  return uncut(node, a, b, c) & low_bits(node.bits);
}

bool Expression::is_complement(Id id, Id& of) const {
  const Node& node = nodes_[id];
  if (node.op != Op::Xor || !is_constant(node.arguments[1], low_bits(node.bits))) return false;
  of = node.arguments[0];
  return true;
}

Builder::Id Builder::add(const Node& node) {
  const Key key{node.op, node.bits, node.arguments[0], node.arguments[1], node.arguments[2], node.constant};
  const auto [found, added] = known_.try_emplace(key, static_cast<Id>(expression_.nodes_.size()));
  if (added) expression_.nodes_.push_back(node);
  return found->second;
}

Builder::Id Builder::leaf(Op op, int bits, uint64_t value) {
  return add({.op = op, .bits = static_cast<uint8_t>(bits), .constant = value});
}

Builder::Id Builder::unary(Op op, int bits, Id a) {
  const Node argument = node(a);
  const Node made{.op = op,
                  .bits = static_cast<uint8_t>(bits),
                  .from = argument.bits,
                  .count = 1,
                  .arguments = {a, 0, 0}};
  if (argument.op == Op::Constant) return constant(compute(made, argument.constant, 0, 0), bits);
  // The low bits of what was extended.
  const bool extended = argument.op == Op::ZeroExtend || argument.op == Op::SignExtend;
  if (op == Op::Truncate && extended && argument.from == bits) return argument.arguments[0];
  return add(made);
}

Builder::Id Builder::simpler(Op op, int bits, Id a, Id b) {
  const uint64_t ones = low_bits(bits);
  const bool same = a == b;
  switch (op) {
    case Op::Add:
      return is_constant(b, 0) ? a : kNothing;
    case Op::Subtract:
      return is_constant(b, 0) ? a : same ? constant(0, bits) : kNothing;
    case Op::Multiply:
      return is_constant(b, 1) ? a : is_constant(b, 0) ? b : kNothing;
    case Op::And:
      return is_constant(b, ones) || same ? a : is_constant(b, 0) ? b : kNothing;
    case Op::Or:
      return is_constant(b, 0) || same ? a : is_constant(b, ones) ? b : kNothing;
    case Op::Xor: {
      if (is_constant(b, 0)) return a;
      if (same) return constant(0, bits);
      // A complement's complement.
      Id of = 0;
      return is_constant(b, ones) && expression_.is_complement(a, of) ? of : kNothing;
    }
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::ShiftRightSigned:
      return is_constant(b, 0) ? a : kNothing;
    case Op::Equal:
      if (same) return constant(1, 1);
      if (node(a).bits == 1 && is_constant(b, 1)) return a;
      return node(a).bits == 1 && is_constant(b, 0) ? complement(a) : kNothing;
    case Op::Less:
      return same || is_constant(b, 0) ? constant(0, 1) : kNothing;
    case Op::LessSigned:
      return same ? constant(0, 1) : kNothing;
    default:
      return kNothing;
  }
}

Builder::Id Builder::binary(Op op, int bits, Id a, Id b) {
  if (commutes(op) && node(a).op == Op::Constant) std::swap(a, b);
  const Node made{
      .op = op, .bits = static_cast<uint8_t>(bits), .from = node(a).bits, .count = 2, .arguments = {a, b, 0}};
  if (op != Op::ReadLane && node(a).op == Op::Constant && node(b).op == Op::Constant)
    return constant(compute(made, node(a).constant, node(b).constant, 0), bits);
  const Id found = simpler(op, bits, a, b);
  return found == kNothing ? add(made) : found;
}

Builder::Id Builder::select(Id condition, Id a, Id b) {
  if (a == b) return a;
  if (node(condition).op == Op::Constant) return node(condition).constant ? a : b;
  if (Id of = 0; expression_.is_complement(condition, of)) return select(of, b, a);
  const uint8_t bits = node(a).bits;
  if (bits == 1 && is_constant(a, 1) && is_constant(b, 0)) return condition;
  if (bits == 1 && is_constant(a, 0) && is_constant(b, 1)) return complement(condition);
  return add({.op = Op::Select, .bits = bits, .from = 1, .count = 3, .arguments = {condition, a, b}});
}

Expression Builder::finish(const std::vector<Id>& results) const {
  const std::vector<Node>& all = expression_.nodes_;
  std::vector<bool> used(all.size());
  for (const Id id : results) used[id] = true;
  for (size_t i = all.size(); i-- > 0;)
    for (int n = 0; used[i] && n < all[i].count; ++n) used[all[i].arguments[n]] = true;
  Expression out;
  std::vector<Id> renamed(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (!used[i]) continue;
    renamed[i] = static_cast<Id>(out.nodes_.size());
    Node node = all[i];
    for (int n = 0; n < node.count; ++n) node.arguments[n] = renamed[node.arguments[n]];
    out.nodes_.push_back(node);
  }
  for (const Id id : results) out.results_.push_back(renamed[id]);
  return out;
}

}  // namespace wavesmith::isa
