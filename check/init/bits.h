// The domain of undefined bits: what of an operation's result is undefined, given its arguments' numbers and
// which of their bits are undefined.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/meaning/expression.h"

namespace wavesmith::check::init {

/// A number of which some bits are undefined; those are 0 or 1 in `value`.
struct Bits {
  uint64_t value = 0, undefined = 0;
};

/// Whether an operation moves bits about instead of calculating with them.
constexpr bool moves_bits(isa::Op op) {
  using isa::Op;
  return op == Op::ZeroExtend || op == Op::SignExtend || op == Op::Truncate || op == Op::ReverseBits ||
         op == Op::And || op == Op::Or || op == Op::ShiftLeft || op == Op::ShiftRight ||
         op == Op::ShiftRightSigned || op == Op::ReadLane || op == Op::Select;
}

/// The undefined bits of an operation that is no leaf and not ReadLane.
inline uint64_t undefined_after(const isa::Node& node, Bits a, Bits b, Bits c) {
  using isa::Op;
  const uint64_t all = isa::low_bits(node.bits), either = a.undefined | b.undefined;
  const auto shifted = [&](auto shift) {
    if (b.undefined & static_cast<uint64_t>(node.bits - 1)) return either ? all : 0;
    return isa::compute(node, a.undefined, shift, 0) & all;
  };
  switch (node.op) {
    case Op::Select:
      if ((a.undefined & 1) == 0) return (a.value & 1 ? b.undefined : c.undefined) & all;
      return (b.undefined | c.undefined | (b.value ^ c.value)) & all;
    case Op::ZeroExtend:
    case Op::Truncate:
      return a.undefined & isa::low_bits(node.from) & all;
    case Op::SignExtend:
    case Op::ReverseBits:
      return isa::compute(node, a.undefined, 0, 0);
    case Op::LeadingZeros:
      return a.undefined > (a.value & ~a.undefined) ? all : 0;
    case Op::TrailingZeros: {
      const uint64_t set = a.value & ~a.undefined;
      return a.undefined && (set == 0 || std::countr_zero(a.undefined) < std::countr_zero(set)) ? all : 0;
    }
    case Op::Ones:
      return a.undefined ? all : 0;
    case Op::Multiply:
      if ((a.value | a.undefined) == 0 || (b.value | b.undefined) == 0) return 0;
      [[fallthrough]];
    case Op::Add:
    case Op::Subtract:  // a carry goes to higher bits only
      return -(either & -either) & all;
    case Op::And:
      return either & (a.undefined | a.value) & (b.undefined | b.value);
    case Op::Or:
      return either & (a.undefined | ~a.value) & (b.undefined | ~b.value) & all;
    case Op::Xor:
      return either;
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::ShiftRightSigned:
      return shifted(b.value);
    case Op::Equal:
      return either && ((a.value ^ b.value) & ~either) == 0 ? 1 : 0;
    case Op::Less:
    case Op::LessSigned: {
      if (!either) return 0;
      const uint64_t sign = node.op == Op::LessSigned ? uint64_t{1} << (node.from - 1) : 0;
      const auto low = [&](Bits x) { return (x.value ^ sign) & ~x.undefined; };
      const auto high = [&](Bits x) { return (x.value ^ sign) | x.undefined; };
      return high(a) < low(b) || low(a) >= high(b) ? 0 : 1;
    }
    default:
      return either | c.undefined ? all : 0;
  }
}

}  // namespace wavesmith::check::init
