#include "analysis/values/formula_domain.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::analysis {
namespace {

using isa::Node;
using isa::Op;

/// Numbers of fewer bits may be pieces of larger ones.
constexpr int kWhole = 24;

Formula shifted_right(const Formula& a, const Formula& by) {
  const auto n = by.value();
  if (!a.known()) return a;
  if (!n) return by.known() ? Formula::unknown("it is shifted by what is only known at run time") : by;
  // The sign of what counts is that of a number that is not negative.
  if ((*n & 31) == 31 && !a.value()) return Formula::constant(0);
  return a.divided(int64_t{1} << (*n & 31));
}

Formula shifted_left(const Formula& a, const Formula& by) {
  const auto n = by.value();
  if (!n) return by.known() ? Formula::unknown("it is shifted by what is only known at run time") : by;
  return a * Formula::constant(int64_t{1} << (*n & 31));
}

/// A number of fewer bits, as an immediate of 16 of an addition in 64.
Formula extended(int64_t value, const Node& node) {
  const int above = 64 - node.from;
  const uint64_t high = static_cast<uint64_t>(value) << above;
  return Formula::constant(node.op == Op::SignExtend ? static_cast<int64_t>(high) >> above
                                                     : static_cast<int64_t>(high >> above));
}

}  // namespace

Formula FormulaOperations::number(uint64_t value, int bits) {
  return Formula::constant(bits < 32 ? static_cast<int64_t>(value) : static_cast<int32_t>(value));
}

Formula FormulaOperations::masked(const Formula& a, const Formula& b) const {
  if (!b.value() && a.value()) return masked(b, a);
  if (!a.known()) return a;
  if (!b.known()) return b;
  if (a.value() && b.value())
    return Formula::constant(
        static_cast<int32_t>(static_cast<uint32_t>(*a.value()) & static_cast<uint32_t>(*b.value())));
  if (!b.value()) return Formula::unknown("it is a mask of what is only known at run time");
  const auto mask = static_cast<uint32_t>(*b.value());
  if (mask == 0xffff)
    for (const std::string& name : halves_)
      if (a == Formula::name(name)) return a;
  // Low bits off: a multiple of a power of two. 0x7ffffff8 and 0xfffffff8 are the same for what is not
  // negative.
  const uint32_t low = (mask & 0x7fffffff) | (mask & 0x40000000 ? 0x80000000 : 0);
  if (low != 0 && (~low & (~low + 1)) == 0) {
    const int64_t unit = int64_t{~low} + 1;
    return unit == 1 ? a
                     : Formula::name(fmt::format("{} / {}", a.in_brackets(), unit)) * Formula::constant(unit);
  }
  if ((mask & (mask + 1)) == 0)
    return mask + 1 == 1u << kWhole
               ? a
               : Formula::name(fmt::format("{} % {}", a.in_brackets(), int64_t{mask} + 1));
  return Formula::unknown("it is a mask that is not followed");
}

/// The smaller or the larger of two; other selections depend on what is not followed.
Formula FormulaOperations::selected(const Node& node, const std::array<Formula, 3>& arguments) const {
  const auto& [condition, a, b] = arguments;
  if (a == b) return a;
  if (condition.value()) return *condition.value() ? a : b;
  const Node& compared = expression_.node(node.arguments[0]);
  if (compared.op != Op::Less && compared.op != Op::LessSigned) return not_followed();
  const bool smaller =
      compared.arguments[0] == node.arguments[1] && compared.arguments[1] == node.arguments[2];
  const bool larger =
      compared.arguments[0] == node.arguments[2] && compared.arguments[1] == node.arguments[1];
  if (!smaller && !larger) return not_followed();
  // In the order in which they are printed.
  const bool turned = node.arguments[1] > node.arguments[2];
  return Formula::call(smaller ? "min" : "max", turned ? b : a, turned ? a : b);
}

Formula FormulaOperations::operation(const Node& node, const std::array<Formula, 3>& arguments) const {
  const auto& [a, b, c] = arguments;
  // Constants of at most 32 bits: as the instruction computes them.
  const bool numbers = node.bits <= 32 && node.from <= 32 && node.op != Op::ReadLane &&
                       std::all_of(arguments.begin(), arguments.begin() + node.count,
                                   [](const Formula& one) { return one.value().has_value(); });
  if (numbers) {
    uint64_t words[3] = {};
    for (size_t n = 0; n < node.count; ++n) {
      const int bits = expression_.node(node.arguments[n]).bits;
      words[n] = static_cast<uint64_t>(*arguments[n].value()) & isa::low_bits(bits);
    }
    return number(isa::compute(node, words[0], words[1], words[2]), node.bits);
  }
  if (node.bits < 32 && node.op != Op::Truncate) return not_followed();
  switch (node.op) {
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::And:
      return masked(a, b);
    case Op::ShiftLeft:
      return shifted_left(a, b);
    case Op::ShiftRight:
    case Op::ShiftRightSigned:
      return node.bits == 32 ? shifted_right(a, b) : not_followed();
    case Op::ZeroExtend:
    case Op::SignExtend:
      return node.from == 32 ? a : a.value() ? extended(*a.value(), node) : not_followed();
    case Op::Truncate:
      return node.bits >= kWhole ? a : not_followed();
    case Op::ReadLane:
      return a;
    case Op::Select:
      return selected(node, arguments);
    default:
      return not_followed();
  }
}

}  // namespace wavesmith::analysis
