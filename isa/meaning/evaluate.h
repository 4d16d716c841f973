// What an expression's results are in a domain: numbers, formulas, lanes' values, sets of lanes, or whether
// something is initialised. A domain is a class with
//
//   using Value = ...;
//   Value leaf(const Node&);                                            a constant, a source, the lane's
//   number Value operation(const Node&, const std::array<Value, 3>& arguments);
//
// What a domain can't express it answers with a Value of its own that says so. See isa/meaning/README.md.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "isa/meaning/expression.h"

namespace wavesmith::isa {

template <class Domain>
class Evaluation {
 public:
  using Value = typename Domain::Value;
  Evaluation(const Expression& expression, Domain& domain)
      : expression_(expression), domain_(domain), values_(expression.size()) {}
  /// Each node is computed when it is first asked for, and once.
  const Value& at(Expression::Id id) {
    if (!values_[id]) {
      const Node& node = expression_.node(id);
      if (node.count == 0) {
        values_[id] = domain_.leaf(node);
      } else {
        std::array<Value, 3> arguments{};
        for (size_t n = 0; n < node.count; ++n) arguments[n] = at(node.arguments[n]);
        values_[id] = domain_.operation(node, arguments);
      }
    }
    return *values_[id];
  }
  const Value& result(size_t number) { return at(expression_.results()[number]); }

 private:
  const Expression& expression_;
  Domain& domain_;
  std::vector<std::optional<Value>> values_;
};

/// The domain of numbers that are known or not. `Source` gives those of the sources: std::optional<uint64_t>
/// of a Node.
template <class Source>
struct Numbers {
  using Value = std::optional<uint64_t>;
  Source source;
  Value leaf(const Node& node) {
    if (node.op == Op::Constant) return node.constant;
    const Value value = source(node);
    return value ? Value(*value & low_bits(node.bits)) : value;
  }
  static Value operation(const Node& node, const std::array<Value, 3>& arguments) {
    const auto& [a, b, c] = arguments;
    if (node.op == Op::Select && a) return *a ? b : c;
    if (node.op == Op::ReadLane) return std::nullopt;
    for (size_t n = 0; n < node.count; ++n)
      if (!arguments[n]) return std::nullopt;
    return compute(node, *a, b.value_or(0), c.value_or(0));
  }
};
template <class Source>
Numbers(Source) -> Numbers<Source>;

}  // namespace wavesmith::isa
