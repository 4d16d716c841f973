// The domain of formulas: evaluates an instruction's operations (isa/meaning) on whole numbers.
//
// Formulas describe loop counters and bounds: they are not negative unless they say so, and fit into the 24
// bits of 24-bit multiplications. Carries, lane masks and parts of numbers are not followed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/values/formula.h"
#include "isa/meaning/expression.h"

namespace wavesmith::analysis {

class FormulaOperations {
 public:
  using Value = Formula;
  /// `halves`: names of 16-bit arguments, whose loads include the bits behind them.
  FormulaOperations(const isa::Expression& expression, const std::vector<std::string>& halves)
      : expression_(expression), halves_(halves) {}
  Formula operation(const isa::Node& node, const std::array<Formula, 3>& arguments) const;
  /// A constant of so many bits, with its sign if they are a register's.
  static Formula number(uint64_t value, int bits);
  static Formula not_followed() { return Formula::unknown("it is computed in a way that is not followed"); }

 private:
  [[nodiscard]] Formula masked(const Formula& a, const Formula& b) const;
  [[nodiscard]] Formula selected(const isa::Node& node, const std::array<Formula, 3>& arguments) const;

  const isa::Expression& expression_;
  const std::vector<std::string>& halves_;
};

/// `Source` gives the Formula of a Node that is an Op::Source.
template <class Source>
class FormulaDomain : public FormulaOperations {
 public:
  FormulaDomain(const isa::Expression& expression, const std::vector<std::string>& halves, Source source)
      : FormulaOperations(expression, halves), source_(source) {}
  Formula leaf(const isa::Node& node) {
    if (node.op == isa::Op::Source) return source_(node);
    return node.op == isa::Op::Constant ? number(node.constant, node.bits) : not_followed();
  }

 private:
  Source source_;
};

}  // namespace wavesmith::analysis
