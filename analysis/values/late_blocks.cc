#include "analysis/values/late_blocks.h"

#include <algorithm>
#include <optional>

#include "analysis/values/comparison.h"

namespace wavesmith::analysis {
namespace {

/// Whether arguments set it, and nothing else: neither the place in the grid nor what another loop counts
/// with.
bool is_of_arguments(const Formula& formula) {
  if (!formula.known() || formula.value()) return false;
  return std::ranges::none_of(formula.terms(), [](const auto& term) {
    return term.first.find('@') != term.first.npos || term.first.find("work") != term.first.npos;
  });
}

/// Whether it holds in the first passes; nullopt: the condition may change at any time.
std::optional<bool> holds_at_first(const CountingComparison& c) {
  const auto step = c.step.value();
  if (!step || *step == 0 || !is_of_arguments(c.first - c.comparison.right)) return std::nullopt;
  switch (c.comparison.relation) {
    case Relation::Less:
    case Relation::LessEqual:
      return *step > 0;
    case Relation::Greater:
    case Relation::GreaterEqual:
      return *step < 0;
    case Relation::Equal:
      return false;
    case Relation::NotEqual:
      return true;
  }
  return std::nullopt;
}

/// The block behind the branch at the end of `block` that only the last passes of loop `l` come to; kNone:
/// there is none.
uint32_t late_successor(const Code& code, const Graph& graph, const Comparisons& comparisons, uint32_t l,
                        uint32_t block, ScalarValues& values) {
  const std::vector<uint32_t>& next = graph.blocks[block].successors;
  const uint32_t target = branch_target(code, graph, block);
  if (next.size() != 2 || target == kNone) return kNone;
  if (!contains(graph, l, next[0]) || !contains(graph, l, next[1])) return kNone;
  std::string because;
  auto taken = comparisons.when(block, true, values, because);
  if (!taken) return kNone;
  const auto counting = comparisons.counting(l, std::move(*taken), values, because);
  if (!counting) return kNone;
  const auto at_first = holds_at_first(*counting);
  if (!at_first) return kNone;
  const uint32_t other = next[0] == target ? next[1] : next[0], late = *at_first ? other : target;
  // Others come to it, too.
  return graph.blocks[late].predecessors.size() == 1 ? late : kNone;
}

}  // namespace

void find_usual_blocks(const Code& code, const Graph& graph, const EntryValues& entry,
                       std::vector<Loop>& loops) {
  const Comparisons comparisons(code, graph, entry);
  ScalarValues values(code, graph, entry);
  for (uint32_t l = 0; l < loops.size(); ++l) {
    loops[l].usual_blocks = loops[l].blocks;
    if (!loops[l].natural) continue;
    for (const uint32_t block : loops[l].blocks) {
      if (graph.blocks[block].loop != l) continue;
      const uint32_t late = late_successor(code, graph, comparisons, l, block, values);
      if (late != kNone)
        std::erase_if(loops[l].usual_blocks, [&](uint32_t b) { return dominates(graph, late, b); });
    }
  }
}

}  // namespace wavesmith::analysis
