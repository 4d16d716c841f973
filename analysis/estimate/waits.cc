// Sources: AMD, ISA references of CDNA3, RDNA3 and RDNA4, sections on data dependency resolution and
// S_WAITCNT; LLVM, "Memory model". Loads and LDS instructions of a kind come back in their order, scalar
// loads in any.
#include "analysis/estimate/waits.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "isa/control/row.h"
#include "isa/each_counter.h"
#include "isa/rows.h"

namespace wavesmith::analysis {
namespace {

using isa::Counter;
using isa::Direction;
using isa::Instruction;

constexpr size_t kCounters = static_cast<size_t>(Counter::Km) + 1;
/// The largest count that any generation's counters hold; older ones wait by themselves.
constexpr size_t kMostOutstanding = 64;

/// Instructions that may stand at one place of a queue, sorted.
using Slot = std::vector<uint32_t>;
/// The youngest first.
using Queue = std::vector<Slot>;
using State = std::array<Queue, kCounters>;

struct Limit {
  Counter counter;
  uint32_t value;
};

std::vector<Limit> limits_of(const Instruction& in) {
  std::vector<Limit> limits;
  isa::each_counter(isa::wait_counters(in),
                    [&](Counter counter, uint16_t value) { limits.push_back({counter, value}); });
  return limits;
}

/// Whether others see what was done before the instruction.
bool orders(const Instruction& in, const isa::Row* row) {
  if (row) return row->access.direction == Direction::Atomic && space_of(in.mnemonic) != isa::Space::Lds;
  using isa::Operation;
  switch (isa::operation_of(in.mnemonic)) {
    case Operation::Barrier:
    case Operation::BarrierSignal:
    case Operation::BarrierSignalFirst:
    case Operation::BarrierWait:
    case Operation::WriteBack:
    case Operation::ScopedWriteBack:
    case Operation::IndirectBranch:
    case Operation::IndirectCall:
    case Operation::Message:
    case Operation::MessageReturn:
    case Operation::ScalarAtomic:
      return true;
    default:
      return in.mnemonic.find("atomic") != std::string::npos;
  }
}

bool merge(State& into, const State& from) {
  bool changed = false;
  Slot both;
  for (size_t c = 0; c < kCounters; ++c) {
    if (from[c].size() > into[c].size()) into[c].resize(from[c].size()), changed = true;
    for (size_t i = 0; i < from[c].size(); ++i) {
      const Slot &old = into[c][i], &more = from[c][i];
      if (old == more) continue;
      both.clear();
      std::set_union(old.begin(), old.end(), more.begin(), more.end(), std::back_inserter(both));
      if (both.size() == old.size()) continue;
      into[c][i] = both;
      changed = true;
    }
  }
  return changed;
}

class Finder {
 public:
  Finder(const Code& code, const Graph& graph, const Costs& costs)
      : code_(code), graph_(graph), costs_(costs) {
    counters_.resize(code.size());
    roles_.resize(code.size());
    limits_.resize(code.size());
    for (uint32_t i = 0; i < code.size(); ++i) {
      const Instruction& in = code.instructions[i];
      counters_[i] = isa::counters_of(in, code.rows[i], *code.target);
      roles_[i] = role_of(i);
      if (costs.of[i].pipe == isa::Pipe::Internal) limits_[i] = limits_of(in);
    }
    solve();
  }

  std::vector<Wait> run() {
    std::vector<Wait> waits;
    for (uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      if (!reached_[b]) continue;
      State state = in_[b];
      for (uint32_t i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
        for (const Limit& limit : limits_[i])
          waits.push_back(describe(i, limit, state[static_cast<size_t>(limit.counter)]));
        step(i, state);
      }
    }
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
      return a.instruction != b.instruction ? a.instruction < b.instruction : a.counter < b.counter;
    });
    return waits;
  }

 private:
  void step(uint32_t i, State& state) const {
    for (const Limit& limit : limits_[i]) {
      Queue& queue = state[static_cast<size_t>(limit.counter)];
      if (queue.size() > limit.value) queue.resize(limit.value);
    }
    for (const Counter counter : counters_[i]) {
      Queue& queue = state[static_cast<size_t>(counter)];
      queue.insert(queue.begin(), Slot{i});
      if (queue.size() > kMostOutstanding) queue.pop_back();
    }
  }

  void solve() {
    in_.resize(graph_.blocks.size());
    reached_.assign(graph_.blocks.size(), false);
    std::vector<uint8_t> stale(graph_.blocks.size());
    for (const Function& function : graph_.functions)
      if (function.entry != kNone) reached_[function.entry] = true, stale[function.entry] = 1;
    for (bool any = true; any;) {
      any = false;
      for (const uint32_t b : graph_.reverse_post) {
        if (!stale[b]) continue;
        stale[b] = 0;
        any = true;
        State state = in_[b];
        for (uint32_t i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) step(i, state);
        for (const uint32_t to : graph_.blocks[b].successors) {
          if (merge(in_[to], state) || !reached_[to]) stale[to] = 1;
          reached_[to] = true;
        }
      }
    }
  }

  [[nodiscard]] bool is_scalar_load(uint32_t i) const { return costs_.of[i].pipe == isa::Pipe::Smem; }

  /// What an instruction has to do with others' memory accesses, but for registers.
  struct Role {
    bool orders = false;   ///< others see what was done before it
    bool visible = false;  ///< others see what it does
    bool to_lds = false;   ///< it loads into LDS
    bool lds = false;      ///< it reads or writes LDS
  };

  [[nodiscard]] Role role_of(uint32_t i) const {
    const Instruction& in = code_.instructions[i];
    const isa::Row* const row = code_.rows[i];
    Role role;
    role.orders = orders(in, row);
    role.to_lds = loads_to_lds(in);
    role.lds = costs_.of[i].pipe == isa::Pipe::Lds;
    // A read of LDS has to be over as well, before other waves may write there.
    role.visible = !row || row->access.direction != Direction::Load || role.to_lds ||
                   costs_.of[i].pipe == isa::Pipe::Lds;
    return role;
  }

  /// Whether `user` may only run when memory instruction `i` is done.
  [[nodiscard]] bool uses(uint32_t user, uint32_t i) const {
    const Effects& own = code_.effects[user];
    for (const Range written : code_.effects[i].writes) {
      if (written.first == reg::kScc) continue;
      for (const auto* ranges : {&own.reads, &own.writes})
        for (const Range range : *ranges)
          if (range.overlaps(written)) return true;
    }
    // What was loaded into LDS is read from there.
    return (roles_[i].visible && roles_[user].orders) || (roles_[i].to_lds && roles_[user].lds);
  }

  /// The places of a queue by what may only run when the instructions there are done: the youngest, kNone
  /// where there is none.
  struct QueuePositions {
    std::array<uint32_t, reg::kCount> of_register;
    uint32_t visible = kNone, to_lds = kNone;
    std::vector<uint32_t> members;  ///< sorted
  };

  [[nodiscard]] QueuePositions positions_of(const Queue& queue) const {
    QueuePositions places;
    places.of_register.fill(kNone);
    for (uint32_t p = static_cast<uint32_t>(queue.size()); p-- > 0;)
      for (const uint32_t m : queue[p]) {
        for (const Range written : code_.effects[m].writes)
          for (uint16_t r = written.first; r < written.first + written.count; ++r)
            if (r != reg::kScc) places.of_register[r] = p;
        if (roles_[m].visible) places.visible = p;
        if (roles_[m].to_lds) places.to_lds = p;
        places.members.push_back(m);
      }
    std::sort(places.members.begin(), places.members.end());
    return places;
  }

  /// The youngest place of the queue that `user` has to wait for.
  [[nodiscard]] uint32_t place_used(uint32_t user, const Queue& queue, const QueuePositions& places) const {
    if (std::binary_search(places.members.begin(), places.members.end(), user)) {  // round a loop
      for (uint32_t p = 0; p < queue.size(); ++p)
        if (std::any_of(queue[p].begin(), queue[p].end(),
                        [&](uint32_t m) { return m != user && uses(user, m); }))
          return p;
      return kNone;
    }
    uint32_t place = kNone;
    const Effects& own = code_.effects[user];
    for (const auto* ranges : {&own.reads, &own.writes})
      for (const Range range : *ranges)
        for (uint16_t r = range.first; r < range.first + range.count; ++r)
          place = std::min(place, places.of_register[r]);
    if (roles_[user].orders) place = std::min(place, places.visible);
    if (roles_[user].lds) place = std::min(place, places.to_lds);
    return place;
  }

  struct Need {
    uint32_t position = kNone;     ///< in the queue, of the youngest that is used; kNone: none
    uint32_t instruction = kNone;  ///< the first that uses anything
    bool known = true;
  };

  /// What of the queue is used behind the wait before the next wait for the same counter.
  [[nodiscard]] Need need_behind(uint32_t wait, Counter counter, const Queue& queue) const {
    Need need;
    constexpr uint32_t kMostLooked = 500;
    const QueuePositions places = positions_of(queue);
    uint32_t looked = 0;
    std::set<uint32_t> seen;
    std::vector<uint32_t> work{wait + 1};
    while (!work.empty()) {
      uint32_t i = work.back();
      work.pop_back();
      const uint32_t b = i < code_.size() ? graph_.block_of[i] : kNone;
      if (b == kNone || (i == graph_.blocks[b].begin && !seen.insert(b).second)) continue;
      bool goes_on = graph_.block_of[wait] == b || i == graph_.blocks[b].begin;
      for (; goes_on && i < graph_.blocks[b].end; ++i) {
        if (++looked > kMostLooked) return {need.position, need.instruction, false};
        if (std::any_of(limits_[i].begin(), limits_[i].end(),
                        [&](const Limit& limit) { return limit.counter == counter; })) {
          goes_on = false;
          break;
        }
        if (const uint32_t p = place_used(i, queue, places); p < need.position) {
          need.position = p;
          if (need.instruction == kNone) need.instruction = i;
        }
        if (code_.flow[i] == isa::Flow::Indirect || code_.flow[i] == isa::Flow::IndirectCall ||
            code_.flow[i] == isa::Flow::Call)
          need.known = false;
        if (need.position == 0) return need;
      }
      if (goes_on)
        for (const uint32_t to : graph_.blocks[b].successors) work.push_back(graph_.blocks[to].begin);
    }
    return need;
  }

  /// Cycles and instructions from `from` to `to`, a wave alone, when one path leads there.
  [[nodiscard]] bool distance(uint32_t from, uint32_t to, double& cycles, uint32_t& between) const {
    const uint32_t a = graph_.block_of[from], b = graph_.block_of[to];
    if (a == b && from < to) {
      cycles = costs_.clock[to] - costs_.clock[from];
      between = to - from - 1;
      return true;
    }
    // To the end of its block, over those that follow, once round a loop if need be.
    const uint32_t loop = graph_.blocks[b].loop;
    cycles = costs_.block_cycles[a] - costs_.clock[from] + costs_.clock[to];
    between = graph_.blocks[a].end - from - 1 + (to - graph_.blocks[b].begin);
    if (a == b) {  // round the loop
      if (loop == kNone) return false;
      for (const uint32_t other : graph_.loops[loop].blocks)
        if (other != a) add_block(other, cycles, between);
      return true;
    }
    uint32_t at = a;
    for (int steps = 0; steps < 64; ++steps) {
      const auto& next = graph_.blocks[at].successors;
      // Within the loop, if there is one; otherwise the next block by address.
      uint32_t chosen = kNone;
      for (const uint32_t to_block : next)
        if (to_block == b) chosen = b;
      for (const uint32_t to_block : next)
        if (chosen == kNone && (loop == kNone || contains(graph_, loop, to_block)) && to_block == at + 1)
          chosen = to_block;
      for (const uint32_t to_block : next)
        if (chosen == kNone && (loop == kNone || contains(graph_, loop, to_block))) chosen = to_block;
      if (chosen == kNone) return false;
      if (chosen == b) return true;
      add_block(chosen, cycles, between);
      at = chosen;
    }
    return false;
  }
  void add_block(uint32_t b, double& cycles, uint32_t& between) const {
    cycles += costs_.block_cycles[b];
    between += graph_.blocks[b].end - graph_.blocks[b].begin;
  }

  [[nodiscard]] Wait describe(uint32_t i, Limit limit, const Queue& queue) const {
    Wait wait;
    wait.instruction = i;
    wait.counter = limit.counter;
    wait.value = limit.value;
    wait.outstanding = static_cast<uint32_t>(queue.size());
    wait.redundant = queue.size() <= limit.value;
    const bool calls = !code_.functions.empty() || graph_.functions.size() > 1;
    if (calls && wait.redundant) {
      wait.redundant = false;
      wait.unknown_because = "what callers or callees leave outstanding is not followed";
    }
    const uint32_t loop = graph_.blocks[graph_.block_of[i]].loop;
    for (size_t p = limit.value; p < queue.size(); ++p)
      for (const uint32_t m : queue[p])
        if (std::find(wait.for_.begin(), wait.for_.end(), m) == wait.for_.end()) wait.for_.push_back(m);
    wait.slack.tag = Tag::Modelled;
    if (!wait.for_.empty()) {
      // The youngest; of several that may stand there the one in the same loop, which is the one that
      // repeats.
      uint32_t youngest = wait.for_.front();
      for (const uint32_t m : queue[limit.value])
        if (loop != kNone && contains(graph_, loop, graph_.block_of[m])) youngest = m;
      const auto at = std::find(wait.for_.begin(), wait.for_.end(), youngest);
      std::rotate(wait.for_.begin(), at, at + 1);
      double cycles = 0;
      uint32_t between = 0;
      if (distance(youngest, i, cycles, between)) {
        wait.slack.value = cycles;
        wait.between = between;
      } else {
        wait.slack.unknown_because = "several paths lead there";
      }
    } else {
      wait.slack.unknown_because = "it waits for nothing";
    }
    if (wait.redundant || queue.empty()) return wait;
    const Need need = need_behind(i, limit.counter, queue);
    wait.needed = need.instruction;
    if (!need.known) {
      wait.unknown_because = "what is used after it is not known";
      return wait;
    }
    uint32_t could = need.position == kNone ? static_cast<uint32_t>(queue.size()) : need.position;
    // Scalar loads come back in any order: when one is used, all have to be waited for.
    if (need.position != kNone)
      for (size_t p = 0; p < queue.size(); ++p)
        if (std::any_of(queue[p].begin(), queue[p].end(), [&](uint32_t m) { return is_scalar_load(m); }))
          could = 0;
    wait.could_be = std::max(could, limit.value);
    return wait;
  }

  const Code& code_;
  const Graph& graph_;
  const Costs& costs_;
  std::vector<std::vector<Counter>> counters_;
  std::vector<std::vector<Limit>> limits_;
  std::vector<Role> roles_;
  std::vector<State> in_;
  std::vector<bool> reached_;
};

}  // namespace

std::vector<Wait> find_waits(const Code& code, const Graph& graph, const Costs& costs) {
  return Finder(code, graph, costs).run();
}

}  // namespace wavesmith::analysis
