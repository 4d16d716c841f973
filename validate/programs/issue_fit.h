// Leave-one-out: the issue rules that were fitted on thread traces, fitted anew without the trace that is
// judged. What documents tell stays as it is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/cost/cost.h"
#include "validate/programs/issue_trace.h"

namespace wavesmith::validate {

/// Cycles from an instruction of a wave to the next one, one of those that are judged.
struct IssueDelta {
  const TracedWave* wave = nullptr;
  size_t row = 0;  ///< the wave's that ends it
  uint64_t measured = 0, predicted = 0;
  [[nodiscard]] uint64_t off() const {
    return measured > predicted ? measured - predicted : predicted - measured;
  }
};
/// Of a trace that was replayed.
std::vector<IssueDelta> deltas_of(const IssueTrace& trace);

struct IssueScore {
  size_t n = 0, exact = 0, within4 = 0;
  double cost = 0;  ///< what a fit makes small
  void add(const IssueScore& other);
  [[nodiscard]] double share(size_t count) const {
    return n ? static_cast<double>(count) / static_cast<double>(n) : 0;
  }
};
/// Replays a trace and scores it.
IssueScore score_of(IssueTrace& trace, const isa::IssueRules& rules);

/// A constant of RDNA's rules that thread traces tell and no document does. CDNA's are known from other
/// programs' traces (isa/cost/cdna.cc).
struct IssueConstant {
  std::string_view name;
  uint16_t before;             ///< taken where no trace tells it, nor its kin: it holds nothing up
  uint16_t first, last, step;  ///< the values that a fit tries
  std::string_view kin;        ///< whose value it takes where no trace tells it
  uint16_t (*get)(const isa::IssueRules& rules);
  void (*set)(isa::IssueRules& rules, uint16_t value);
};
std::span<const IssueConstant> issue_constants();

/// RDNA's constants fitted on some traces. Those of other generations are passed over.
class IssueFit {
 public:
  struct Value {
    uint16_t value = 0;
    bool told = false;  ///< the traces tell it
  };
  explicit IssueFit(std::span<IssueTrace* const> traces);
  /// In the order of issue_constants().
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  /// A generation's rules with them.
  [[nodiscard]] isa::IssueRules rules(const isa::Target& target) const;

 private:
  [[nodiscard]] double cost() const;
  void descend();
  void look_what_is_told();

  std::vector<IssueTrace*> traces_;
  std::vector<Value> values_;
  double best_ = 0;
};

}  // namespace wavesmith::validate
