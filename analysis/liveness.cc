#include "analysis/liveness.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace wavesmith::analysis {
namespace {

/// For each register the lanes whose value is needed: a set of lanes + 1; 0: dead. Registers are numbered
/// densely, as few kernels use all of them.
using Needs = std::vector<uint32_t>;

bool is_vector(uint16_t r) { return r < reg::kSgpr; }

class Solver {
 public:
  Solver(const Code& code, const Graph& graph, const ExecSets& exec, const RegisterSet& entry)
      : code_(code), graph_(graph), exec_(exec), entry_(entry) {
    number_.assign(reg::kCount, kNone);
    for (const Effects& effects : code.effects)
      for (const auto* ranges : {&effects.reads, &effects.writes})
        for (const Range range : *ranges)
          for (uint16_t r = range.first; r < range.first + range.count; ++r)
            if (number_[r] == kNone) {
              number_[r] = static_cast<uint32_t>(registers_.size());
              registers_.push_back(r);
            }
    in_.assign(graph.blocks.size(), Needs(registers_.size()));
    out_ = in_;
    find_calls();
    find_defined();
    solve();
  }

  Liveness result() {
    Liveness live;
    live.before.resize(graph_.blocks.size());
    live.after.resize(graph_.blocks.size());
    live.occupied.resize(code_.size());
    for (uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      live.before[b] = counted(in_[b], defined_[b]);
      describe(b, live);
    }
    return live;
  }

  std::vector<RegisterSet> in_block(uint32_t b) {
    const Block& block = graph_.blocks[b];
    std::vector<RegisterSet> sets(block.end - block.begin);
    std::vector<RegisterSet> defined(sets.size());
    RegisterSet now = defined_[b];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      defined[i - block.begin] = now;
      add_writes(i, now);
    }
    Needs needs = out_[b];
    walk(b, needs, [&](uint32_t i) { sets[i - block.begin] = counted(needs, defined[i - block.begin]); });
    return sets;
  }

 private:
  /// Calls: where they are, and the entry of what they call.
  void find_calls() {
    calls_.assign(code_.size(), kNone);
    for (const auto& [at, edge] : code_.edges) {
      if (edge.kind != Edge::Kind::Call) continue;
      const uint32_t to = code_.at(edge.target);
      if (to != kNone) calls_[at] = graph_.block_of[to];
    }
    for (const auto& [at, edge] : code_.edges)
      if (edge.kind == Edge::Kind::Return) returns_.push_back(graph_.block_of[at]);
    std::sort(returns_.begin(), returns_.end());
    after_calls_.assign(registers_.size(), 0);
  }

  void add_writes(uint32_t i, RegisterSet& set) const {
    for (const Range range : code_.effects[i].writes)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) set.add(r);
  }

  /// Forward: what may have been written before each block.
  void find_defined() {
    defined_.assign(graph_.blocks.size(), {});
    std::vector<RegisterSet> writes(graph_.blocks.size());
    for (uint32_t b = 0; b < graph_.blocks.size(); ++b)
      for (uint32_t i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
        add_writes(i, writes[b]);
        if (calls_[i] != kNone || code_.flow[i] == isa::Flow::IndirectCall) writes[b] = RegisterSet::all();
      }
    for (const Function& function : graph_.functions)
      if (function.entry != kNone)
        defined_[function.entry] = &function == &graph_.functions.front() ? entry_ : RegisterSet::all();
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t b : graph_.reverse_post) {
        RegisterSet out = defined_[b];
        out |= writes[b];
        for (const uint32_t to : graph_.blocks[b].successors) {
          RegisterSet merged = defined_[to];
          merged |= out;
          if (merged == defined_[to]) continue;
          defined_[to] = merged;
          changed = true;
        }
      }
    }
  }

  /// Over one instruction, backwards.
  void step(uint32_t i, Needs& needs) {
    const Effects& effects = code_.effects[i];
    const uint32_t lanes = exec_.of[i];
    if (const uint32_t made = exec_.made[i]; made != kNone)
      for (uint32_t& need : needs)
        if (need > 1) need = 1 + exec_.without(need - 1, made, exec_.sets.parent(made));
    for (const Range range : effects.writes)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) {
        uint32_t& need = needs[number_[r]];
        if (need == 0) continue;
        if (!is_vector(r) || !effects.masked || exec_.sets.within(need - 1, lanes)) need = 0;
      }
    const uint32_t reads = effects.all_lanes ? LaneSets::kAll : lanes;
    for (const Range range : effects.reads)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) {
        uint32_t& need = needs[number_[r]];
        const uint32_t by = is_vector(r) ? reads : LaneSets::kAll;
        need = 1 + (need == 0 ? by : exec_.sets.around(need - 1, by));
      }
  }

  bool merge(Needs& into, const Needs& from) const {
    bool changed = false;
    for (size_t r = 0; r < into.size(); ++r) {
      if (from[r] == 0 || into[r] == from[r]) continue;
      const uint32_t merged = into[r] == 0 ? from[r] : 1 + exec_.sets.around(into[r] - 1, from[r] - 1);
      changed |= merged != into[r];
      into[r] = merged;
    }
    return changed;
  }

  /// What is needed at the end of `from` for the sake of its successor.
  bool merge_over(uint32_t from, uint32_t to) {
    const uint32_t joined = exec_.joined[to];
    if (joined == kNone) return merge(out_[from], in_[to]);
    Needs mapped = in_[to];
    for (uint32_t& need : mapped)
      if (need > 1) need = 1 + exec_.without(need - 1, joined, exec_.at_end[from]);
    return merge(out_[from], mapped);
  }

  /// From the end of a block to its beginning. `visit` hears of each instruction with the needs behind it,
  /// then before it.
  template <class Visit>
  void walk(uint32_t b, Needs& needs, Visit visit) {
    for (uint32_t i = graph_.blocks[b].end; i-- > graph_.blocks[b].begin;) {
      if (calls_[i] != kNone) {
        merge(after_calls_, needs);
        merge(needs, in_[calls_[i]]);
      }
      step(i, needs);
      visit(i);
    }
  }

  void solve() {
    std::vector<uint32_t> order(graph_.reverse_post.rbegin(), graph_.reverse_post.rend());
    std::vector<uint8_t> stale(graph_.blocks.size(), 1);
    Needs needs;
    for (bool any = true; any;) {
      any = false;
      for (const uint32_t b : order) {
        if (!stale[b]) continue;
        stale[b] = 0;
        any = true;
        const Needs calls_before = returns_.empty() ? Needs{} : after_calls_;
        if (std::binary_search(returns_.begin(), returns_.end(), b)) merge(out_[b], after_calls_);
        for (const uint32_t to : graph_.blocks[b].successors) merge_over(b, to);
        needs = out_[b];
        walk(b, needs, [](uint32_t) {});
        if (!returns_.empty() && after_calls_ != calls_before)
          for (const uint32_t r : returns_) stale[r] = 1;
        if (!merge(in_[b], needs)) continue;
        for (const uint32_t p : graph_.blocks[b].predecessors) stale[p] = 1;
        for (uint32_t i = 0; i < code_.size() && is_entry(b); ++i)
          if (calls_[i] == b) stale[graph_.block_of[i]] = 1;
      }
    }
  }
  [[nodiscard]] bool is_entry(uint32_t b) const {
    return std::any_of(graph_.functions.begin() + 1, graph_.functions.end(),
                       [b](const Function& function) { return function.entry == b; });
  }

  [[nodiscard]] RegisterSet counted(const Needs& needs, const RegisterSet& defined) const {
    RegisterSet set;
    for (size_t n = 0; n < needs.size(); ++n)
      if (needs[n] != 0 && defined.has(registers_[n])) set.add(registers_[n]);
    return set;
  }

  static void change(Registers& count, uint16_t r, int by) {
    uint32_t* const one = r < reg::kAgpr      ? &count.vgprs
                          : r < reg::kSgpr    ? &count.agprs
                          : r < reg::kSgprEnd ? &count.sgprs
                                              : nullptr;
    if (one) *one += static_cast<uint32_t>(by);
  }

  /// Counts of each instruction, kept up to date register by register.
  void describe(uint32_t b, Liveness& live) {
    const Block& block = graph_.blocks[b];
    std::vector<uint32_t> first_write(registers_.size(), kNone);  // in the block
    RegisterSet all = defined_[b];
    for (uint32_t i = block.end; i-- > block.begin;)
      for (const Range range : code_.effects[i].writes)
        for (uint16_t r = range.first; r < range.first + range.count; ++r) {
          first_write[number_[r]] = i;
          all.add(r);
        }
    Needs needs = out_[b];
    live.after[b] = counted(needs, all);
    Registers count = live.after[b].count();
    std::vector<uint8_t> counts(registers_.size());
    for (size_t n = 0; n < needs.size(); ++n) counts[n] = live.after[b].has(registers_[n]);
    const auto recount = [&](uint16_t r, bool now) {
      uint8_t& before = counts[number_[r]];
      if (before == now) return;
      change(count, r, now ? 1 : -1);
      before = now;
    };
    for (uint32_t i = block.end; i-- > block.begin;) {
      if (calls_[i] != kNone) {
        merge(needs, in_[calls_[i]]);
        for (size_t n = 0; n < needs.size(); ++n)
          if (needs[n]) recount(registers_[n], true);
      }
      Registers with = count;  // what is written to no purpose takes a register too
      for (const Range range : code_.effects[i].writes)
        for (uint16_t r = range.first; r < range.first + range.count; ++r)
          if (!counts[number_[r]]) change(with, r, 1);
      step(i, needs);
      for (const auto* ranges : {&code_.effects[i].writes, &code_.effects[i].reads})
        for (const Range range : *ranges)
          for (uint16_t r = range.first; r < range.first + range.count; ++r) {
            const uint32_t n = number_[r];
            recount(r, needs[n] != 0 && (defined_[b].has(r) || first_write[n] < i));
          }
      live.occupied[i] = {std::max(with.vgprs, count.vgprs), std::max(with.agprs, count.agprs),
                          std::max(with.sgprs, count.sgprs)};
    }
  }

  const Code& code_;
  const Graph& graph_;
  const ExecSets& exec_;
  const RegisterSet& entry_;
  std::vector<uint32_t> number_;     ///< dense number of a register
  std::vector<uint16_t> registers_;  ///< the other way
  std::vector<Needs> in_, out_;
  std::vector<RegisterSet> defined_;
  std::vector<uint32_t> calls_, returns_;
  Needs after_calls_;  ///< what is needed behind any call
};

}  // namespace

Registers RegisterSet::count() const {
  Registers count;
  for (size_t i = 0; i < kWords; ++i) {
    uint64_t word = words_[i];
    const size_t first = i * 64;
    if (first < reg::kAgpr)
      count.vgprs += static_cast<uint32_t>(std::popcount(word));
    else if (first < reg::kSgpr)
      count.agprs += static_cast<uint32_t>(std::popcount(word));
    else
      for (; word; word &= word - 1)
        count.sgprs += first + static_cast<size_t>(std::countr_zero(word)) < reg::kSgprEnd;
  }
  return count;
}

Liveness find_live(const Code& code, const Graph& graph, const ExecSets& exec, const RegisterSet& entry) {
  return Solver(code, graph, exec, entry).result();
}

std::vector<RegisterSet> live_in_block(const Code& code, const Graph& graph, const ExecSets& exec,
                                       const RegisterSet& entry, uint32_t block) {
  return Solver(code, graph, exec, entry).in_block(block);
}

}  // namespace wavesmith::analysis
