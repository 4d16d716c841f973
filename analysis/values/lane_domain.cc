#include "analysis/values/lane_domain.h"

#include <algorithm>

namespace wavesmith::analysis {

using isa::Node;
using isa::Op;

LaneOperand LaneOperations::number(const Node& node) {
  if (node.op == Op::LaneNumber) {
    PerLane lanes;
    for (size_t l = 0; l < lanes.size(); ++l) lanes[l] = static_cast<int32_t>(l);
    return {values_.known(lanes, kExactLanes, LaneSets::kAll)};
  }
  const uint64_t value = node.op == Op::WaveLanes ? static_cast<uint64_t>(wave_lanes_) : node.constant;
  return {values_.constant(static_cast<int64_t>(value)), value};
}

LaneOperand LaneOperations::operation(const Node& node, const std::array<Value, 3>& arguments) {
  const auto& [a, b, c] = arguments;
  const bool numbers = std::all_of(arguments.begin(), arguments.begin() + node.count,
                                   [](const Value& value) { return value.number.has_value(); });
  if (numbers && node.op != Op::ReadLane) {
    const uint64_t value = isa::compute(node, *a.number, b.number.value_or(0), c.number.value_or(0));
    return {values_.constant(static_cast<int64_t>(value)), value};
  }
  if (const auto known = exact(node, arguments)) return {*known};
  return {followed(node, arguments)};
}

LaneValue LaneOperations::followed(const Node& node, const std::array<Value, 3>& arguments) {
  const LaneValue &a = arguments[0].lanes, &b = arguments[1].lanes;
  switch (node.op) {
    case Op::Add:
      return low(values_.add(a, b), node.bits);
    case Op::Subtract:
      return low(values_.add(a, b, -1), node.bits);
    case Op::Multiply:
      return low(values_.multiply(a, b), node.bits);
    case Op::And:
      return values_.bitwise(a, b, [](int32_t x, int32_t y) { return x & y; });
    case Op::Or:
      return values_.bitwise(a, b, [](int32_t x, int32_t y) { return x | y; });
    case Op::Xor:
      return values_.bitwise(a, b, [](int32_t x, int32_t y) { return x ^ y; });
    case Op::ShiftLeft:
      if (arguments[1].number && *arguments[1].number % node.bits >= 32) return values_.constant(0);
      return low(values_.shift_left(a, b), node.bits);
    case Op::ShiftRight:
    case Op::ShiftRightSigned:
      if (node.bits != 32) return other(node, arguments);
      return values_.shift_right(a, b, node.op == Op::ShiftRightSigned);
    case Op::ZeroExtend:
      return a;
    case Op::SignExtend:
      return node.from == 32 ? a : other(node, arguments);
    case Op::Truncate:
      return low(a, node.bits);
    case Op::ReadLane:
      return read_lane(a, arguments[1].number);
    case Op::Select:
      return select(node, arguments);
    default:
      return other(node, arguments);
  }
}

/// One of two values. All bits set is how kernels keep lanes out of a buffer.
LaneValue LaneOperations::select(const Node& node, const std::array<Value, 3>& arguments) {
  const auto& [condition, a, b] = arguments;
  if (a.lanes == b.lanes) return a.lanes;
  const auto outside = [&](const Value& value) {
    return node.bits == 32 && value.number && static_cast<uint32_t>(*value.number) == UINT32_MAX;
  };
  if (outside(a) == outside(b)) return other(node, arguments);
  const LaneValue value = LaneArithmetic::bounded(outside(a) ? b.lanes : a.lanes);
  return value.reason == Reason::RunTimeStride ? value : other(node, arguments);
}

/// The bits that a value of that width has.
LaneValue LaneOperations::low(const LaneValue& value, int bits) {
  if (bits >= 32) return value;
  return values_.bitwise(value, values_.constant(static_cast<int64_t>(isa::low_bits(bits))),
                         [](int32_t x, int32_t y) { return x & y; });
}

LaneValue LaneOperations::read_lane(const LaneValue& from, const std::optional<uint64_t>& lane) {
  if (!from.known()) return values_.uniform(0);
  const PerLane& f = values_.function(from.function);
  if (is_constant(f)) return from;
  if (!lane) {
    int zeros = from.zeros;
    for (const int32_t value : f) zeros = std::min(zeros, trailing_zeros(value));
    return values_.uniform(static_cast<uint8_t>(zeros));
  }
  const int32_t value = f[*lane % f.size()];
  if (from.zeros == kExactLanes) return values_.constant(value);
  return values_.uniform(static_cast<uint8_t>(std::min<int>(from.zeros, trailing_zeros(value))));
}

/// Lane by lane, where all lanes of all arguments are known.
std::optional<LaneValue> LaneOperations::exact(const Node& node, const std::array<Value, 3>& arguments) {
  if (node.bits > 32 || node.from > 32 || node.op == Op::ReadLane) return std::nullopt;
  const PerLane* functions[3] = {};
  for (size_t n = 0; n < node.count; ++n) {
    const LaneValue& value = arguments[n].lanes;
    if (!value.known() || value.zeros != kExactLanes) return std::nullopt;
    functions[n] = &values_.function(value.function);
  }
  PerLane result;
  for (size_t l = 0; l < result.size(); ++l) {
    uint64_t words[3] = {};
    for (size_t n = 0; n < node.count; ++n) words[n] = static_cast<uint32_t>((*functions[n])[l]);
    result[l] = static_cast<int32_t>(isa::compute(node, words[0], words[1], words[2]));
  }
  return values_.known(result, kExactLanes, LaneSets::kAll);
}

/// Of what is not followed: the same for all lanes where its arguments are, of which then all bits are known
/// to be.
LaneValue LaneOperations::other(const Node& node, const std::array<Value, 3>& arguments) {
  bool same = node.bits <= 32 && node.from <= 32, loaded = false;
  for (size_t n = 0; n < node.count; ++n) {
    const LaneValue& value = arguments[n].lanes;
    loaded |= !value.known() && value.reason == Reason::Loaded;
    same &= value.known() && is_constant(values_.function(value.function));
  }
  if (same) return values_.uniform(0);
  return LaneArithmetic::unknown(loaded ? Reason::Loaded : Reason::Computed);
}

}  // namespace wavesmith::analysis
