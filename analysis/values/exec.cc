#include "analysis/values/exec.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace wavesmith::analysis {
namespace {

using isa::Instruction;
using isa::Operand;

/// What is known of EXEC and of masks in SGPRs at one point.
struct State {
  uint32_t exec = LaneSets::kAll;
  std::array<uint32_t, 108> mask{};     ///< set + 1 of the mask that begins in this SGPR; 0: not known
  std::array<uint32_t, 108> removed{};  ///< instruction + 1 that took this mask from EXEC
  bool reached = false;
  bool operator==(const State&) const = default;
};

class Follower {
 public:
  Follower(const Code& code, const Graph& graph) : code_(code), graph_(graph) {
    out_.of.assign(code.size(), LaneSets::kAll);
    after_.resize(graph.blocks.size());
    joins_.assign(graph.blocks.size(), kNone);
    out_.made.assign(code.size(), kNone);
    out_.joined.assign(graph.blocks.size(), kNone);
    out_.at_end.assign(graph.blocks.size(), LaneSets::kAll);
  }

  ExecSets run() {
    for (const Function& function : graph_.functions)
      if (function.entry != kNone) entries_.push_back(function.entry);
    constexpr int kMostRounds = 60;
    bool changed = true;
    for (round_ = 0; changed && round_ < kMostRounds; ++round_) {
      changed = false;
      for (const uint32_t b : graph_.reverse_post) {
        State state = join(b);
        if (!state.reached) continue;
        for (uint32_t i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) {
          if (out_.of[i] != state.exec) changed = true;
          out_.of[i] = state.exec;
          step(i, state);
        }
        changed |= !(state == after_[b]);
        after_[b] = state;
        out_.at_end[b] = state.exec;
      }
    }
    if (changed) {
      // No two instructions are known to run for the same lanes.
      out_.followed = false;
      for (uint32_t& set : out_.of) set = out_.sets.add(LaneSets::kAll);
      out_.made = out_.of;
      std::fill(out_.joined.begin(), out_.joined.end(), kNone);
    }
    drop_unused();
    return std::move(out_);
  }

 private:
  /// Most masks never come to EXEC.
  void drop_unused() {
    std::vector<bool> used(out_.sets.size());
    for (const uint32_t set : out_.of)
      for (uint32_t s = set; s != LaneSets::kAll && !used[s]; s = out_.sets.parent(s)) used[s] = true;
    for (uint32_t& made : out_.made) {
      if (made == kNone || used[made]) continue;
      const uint32_t rest = out_.sets.known_complement(made);
      if (rest == kNone || !used[rest]) made = kNone;
    }
  }

  /// Masks of the former time that `set` was made are no longer what its name says.
  void forget(State& state, uint32_t set) const {
    const uint32_t rest = out_.sets.known_complement(set);
    for (uint32_t& mask : state.mask)
      if (mask && (out_.sets.within(mask - 1, set) || (rest != kNone && out_.sets.within(mask - 1, rest))))
        mask = 0;
  }

  [[nodiscard]] State join(uint32_t b) {
    State state;
    out_.joined[b] = kNone;
    if (std::find(entries_.begin(), entries_.end(), b) != entries_.end()) state.reached = true;
    std::vector<uint32_t> incoming;
    if (state.reached) incoming.push_back(LaneSets::kAll);
    for (const uint32_t p : graph_.blocks[b].predecessors) {
      const State& from = after_[p];
      if (!from.reached) continue;
      incoming.push_back(from.exec);
      if (!state.reached) {
        state = from;
        continue;
      }
      for (size_t i = 0; i < state.mask.size(); ++i) {
        if (state.mask[i] != from.mask[i]) state.mask[i] = 0;
        if (state.removed[i] != from.removed[i]) state.removed[i] = 0;
      }
    }
    if (incoming.empty()) return state;
    // What the join itself gave comes back round a loop that does not change EXEC. (Where joins come and go
    // for ever, they stay after some rounds.)
    constexpr int kFreeRounds = 8;
    if (round_ < kFreeRounds || joins_[b] == kNone) {
      std::erase_if(incoming, [&](uint32_t e) { return e == joins_[b]; });
      if (std::all_of(incoming.begin(), incoming.end(), [&](uint32_t e) { return e == incoming[0]; })) {
        if (!incoming.empty()) state.exec = incoming[0];
        return state;
      }
    }
    if (joins_[b] == kNone) joins_[b] = out_.sets.add(LaneSets::kAll);
    std::optional<uint32_t> around;
    for (const uint32_t e : incoming)
      if (!out_.sets.within(e, joins_[b])) around = around ? out_.sets.around(*around, e) : e;
    out_.sets.put_within(joins_[b], around.value_or(LaneSets::kAll));
    state.exec = out_.joined[b] = joins_[b];
    forget(state, joins_[b]);
    return state;
  }

  /// The set that an instruction makes, within `parent`.
  uint32_t made(uint32_t i, uint32_t parent) {
    if (out_.made[i] == kNone) out_.made[i] = out_.sets.add(parent);
    if (!out_.sets.within(parent, out_.made[i])) out_.sets.put_within(out_.made[i], parent);
    return out_.made[i];
  }

  [[nodiscard]] static bool is_exec(const Operand& operand) {
    return operand.kind == Operand::Kind::Special && (operand.name == "exec" || operand.name == "exec_lo");
  }
  [[nodiscard]] std::optional<uint16_t> scalar(const Operand& operand) const {
    const Range range = registers_of(operand, code_.wave_lanes);
    if (range.count == 0 || range.first < reg::kSgpr || range.first >= reg::kSgprEnd) return std::nullopt;
    return static_cast<uint16_t>(range.first - reg::kSgpr);
  }
  /// The set in an operand; nullopt when it is not known.
  [[nodiscard]] std::optional<uint32_t> set_of(const Operand& operand, const State& state) const {
    if (is_exec(operand)) return state.exec;
    if (operand.kind == Operand::Kind::Integer && operand.bits == -1) return LaneSets::kAll;
    if (const auto at = scalar(operand); at && state.mask[*at]) return state.mask[*at] - 1;
    return std::nullopt;
  }

  /// The set that a logical operation on masks gives; nullopt when nothing is known of it.
  std::optional<uint32_t> combine(uint32_t i, std::string_view operation, const Operand& x, const Operand& y,
                                  const State& state) {
    LaneSets& sets = out_.sets;
    const auto a = set_of(x, state), b = set_of(y, state);
    const auto within_either = [&]() -> std::optional<uint32_t> {
      if (a && b && sets.within(*a, *b)) return a;
      if (a && b && sets.within(*b, *a)) return b;
      if (a) return made(i, *a);
      if (b) return made(i, *b);
      return std::nullopt;
    };
    if (operation == "and") return within_either();
    if (operation == "or") {
      // A loop's mask that comes back.
      for (const auto& [mask, other] : {std::pair{&y, a}, std::pair{&x, b}})
        if (const auto at = scalar(*mask); at && other && state.removed[*at] != 0)
          if (const auto entered = entered_with(state.removed[*at] - 1, *other)) return entered;
      if (!a || !b) return std::nullopt;
      if (sets.within(*a, *b)) return b;
      if (sets.within(*b, *a)) return a;
      if (sets.complementary(*a, *b)) return sets.parent(*a);
      return made(i, sets.around(*a, *b));
    }
    if (operation == "xor") {
      if (!a || !b) return std::nullopt;
      if (*a != *b && sets.within(*a, *b) && sets.parent(*a) == *b) return sets.complement(*a);
      if (*a != *b && sets.within(*b, *a) && sets.parent(*b) == *a) return sets.complement(*b);
      return made(i, sets.around(*a, *b));
    }
    if (operation == "andn2") {  // x and not y
      if (!a) return std::nullopt;
      if (b && *a != *b && sets.within(*b, *a) && sets.parent(*b) == *a) return sets.complement(*b);
      if (b && sets.complementary(*a, *b)) return a;
      return made(i, *a);
    }
    return std::nullopt;
  }

  /// The lanes with which the loop around instruction `taken` was entered, which takes lanes from EXEC and
  /// left `set`.
  [[nodiscard]] std::optional<uint32_t> entered_with(uint32_t taken, uint32_t set) const {
    const uint32_t loop = graph_.blocks[graph_.block_of[taken]].loop;
    if (out_.made[taken] != set || loop == kNone) return std::nullopt;
    const uint32_t join = joins_[graph_.loops[loop].header];
    return join == kNone || !out_.sets.within(set, join) ? std::nullopt
                                                         : std::optional(out_.sets.parent(join));
  }

  void step(uint32_t i, State& state) {
    const Effects& effects = code_.effects[i];
    const bool writes_scalars = std::any_of(effects.writes.begin(), effects.writes.end(),
                                            [](Range range) { return range.first >= reg::kSgpr; });
    if (!writes_scalars) return;
    const Instruction& in = code_.instructions[i];
    const std::string_view name = in.mnemonic;
    const auto& printed = in.operands;
    const bool wave32 = code_.wave_lanes == 32;
    const std::string_view suffix = wave32 ? "_b32" : "_b64";
    std::optional<uint32_t> result;  // in the printed destination
    std::optional<uint32_t> exec;    // in EXEC, where it is not the printed destination
    bool removed = false;
    const bool writes_exec = effects.writes_register(reg::kExec);
    if (name.starts_with("s_") && name.ends_with(suffix) && !printed.empty()) {
      std::string_view body = name.substr(2, name.size() - 2 - suffix.size());
      if (body == "mov" && printed.size() == 2) {
        result = set_of(printed[1], state);
      } else if (body.ends_with("_saveexec") && printed.size() == 2) {
        body.remove_suffix(9);
        const Operand current{.kind = Operand::Kind::Special, .name = "exec"};
        if (body == "and" || body == "or" || body == "xor")
          exec = combine(i, body, printed[1], current, state);
        if (body == "andn2" || body == "and_not1") exec = combine(i, "andn2", printed[1], current, state);
        if (body == "andn1" || body == "and_not0") exec = combine(i, "andn2", current, printed[1], state);
        result = state.exec;
      } else if (printed.size() == 3) {
        if (body == "andn2" || body == "and_not1") {
          result = combine(i, "andn2", printed[1], printed[2], state);
          removed = is_exec(printed[0]) && is_exec(printed[1]);
        } else {
          result = combine(i, body, printed[1], printed[2], state);
        }
      }
    } else if (name.starts_with("v_cmpx") && !printed.empty()) {
      exec = made(i, state.exec);
      if (!is_exec(printed[0])) result = exec;
    } else if (name.starts_with("v_cmp_") && !printed.empty()) {
      result = made(i, state.exec);  // lanes that are switched off give 0
    }
    for (const Range range : effects.writes)
      for (int r = range.first - (wave32 ? 0 : 1); r < range.first + range.count; ++r)
        if (r >= reg::kSgpr && r < reg::kSgprEnd)
          state.mask[static_cast<size_t>(r - reg::kSgpr)] =
              state.removed[static_cast<size_t>(r - reg::kSgpr)] = 0;
    if (out_.made[i] != kNone) forget(state, out_.made[i]);
    if (writes_exec) {
      std::fill(state.removed.begin(), state.removed.end(), 0u);
      const bool printed_exec = !printed.empty() && is_exec(printed[0]);
      const auto now = printed_exec ? result : exec;
      state.exec = now ? *now : made(i, LaneSets::kAll);
      if (removed)
        if (const auto at = scalar(printed[2])) state.removed[*at] = i + 1;
    }
    if (!printed.empty() && result)
      if (const auto at = scalar(printed[0])) state.mask[*at] = *result + 1;
  }

  const Code& code_;
  const Graph& graph_;
  ExecSets out_;
  std::vector<State> after_;
  int round_ = 0;
  std::vector<uint32_t> joins_, entries_;
};

}  // namespace

uint32_t LaneSets::depth(uint32_t set) const {
  uint32_t depth = 0;
  for (; set != kAll; set = parent_[set]) ++depth;
  return depth;
}

bool LaneSets::within(uint32_t set, uint32_t other) const {
  if (other == kAll) return true;
  for (; set != kAll; set = parent_[set])
    if (set == other) return true;
  return false;
}

bool LaneSets::put_within(uint32_t set, uint32_t parent) {
  const bool sound = set != kAll && !within(parent, set);
  if (set != kAll) {
    const uint32_t now = sound ? parent : kAll;
    parent_[set] = now;
    if (const uint32_t rest = complement_[set]; rest != kNone) parent_[rest] = within(now, rest) ? kAll : now;
  }
  return sound;
}

uint32_t LaneSets::complement(uint32_t set) {
  if (complement_[set] == kNone) {
    const uint32_t rest = add(parent_[set]);
    complement_[set] = rest;
    complement_[rest] = set;
  }
  return complement_[set];
}

uint32_t LaneSets::around(uint32_t a, uint32_t b) const {
  uint32_t da = depth(a), db = depth(b);
  while (da > db) a = parent_[a], --da;
  while (db > da) b = parent_[b], --db;
  while (a != b) a = parent_[a], b = parent_[b];
  return a;
}

ExecSets follow_exec(const Code& code, const Graph& graph) { return Follower(code, graph).run(); }

}  // namespace wavesmith::analysis
