// What branches compare: whole numbers that follow from a kernel's arguments and from what its loops count
// with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/formula.h"
#include "analysis/values/scalar_values.h"
#include "analysis/values/trips.h"

namespace wavesmith::analysis {

enum class Relation : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

/// `left` compared with `right`.
struct Comparison {
  Formula left, right;
  Relation relation = Relation::Equal;
  bool is_signed = true;
};

/// Of registers, which have 32 bits.
bool holds(Relation relation, bool is_signed, int64_t left, int64_t right);

/// A comparison whose left side is `first` in a loop's first pass and grows by `step` in each.
struct CountingComparison {
  Comparison comparison;
  Formula first, step;
};

/// "what ends it is loaded from memory" of "it is loaded from memory".
std::string reason(std::string_view what, const std::string& because);

/// The block to which the branch at the end of `block` goes; kNone: there is none, or nobody knows.
uint32_t branch_target(const Code& code, const Graph& graph, uint32_t block);

class Comparisons {
 public:
  Comparisons(const Code& code, const Graph& graph, const EntryValues& entry)
      : code_(code), graph_(graph), entry_(entry) {}

  /// What holds when the branch at the end of `block` is taken, or is not; nullopt: `because` says why it is
  /// not known.
  std::optional<Comparison> when(uint32_t block, bool taken, ScalarValues& values,
                                 std::string& because) const;

  /// The comparison with what loop `l` counts with on its left; nullopt: `because` says why it does not
  /// count.
  std::optional<CountingComparison> counting(uint32_t l, Comparison comparison, ScalarValues& values,
                                             std::string& because) const;

 private:
  [[nodiscard]] uint32_t writer_before(uint32_t i, uint16_t r) const;
  [[nodiscard]] const isa::Expression* meaning_of(uint32_t i) const;
  std::optional<Comparison> compared(uint32_t i, ScalarValues& values) const;
  std::optional<Comparison> when_scc(uint32_t i, bool set, ScalarValues& values) const;
  std::optional<Comparison> when_mask(uint32_t i, Range range, bool set, ScalarValues& values,
                                      int depth) const;
  Formula after_pass(uint32_t l, uint16_t r, ScalarValues& values) const;
  Formula before_loop(uint32_t l, uint16_t r, ScalarValues& values) const;

  const Code& code_;
  const Graph& graph_;
  const EntryValues& entry_;
};

}  // namespace wavesmith::analysis
