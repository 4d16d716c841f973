#include "analysis/values/exec.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "isa/meaning/evaluate.h"
#include "isa/meaning/sources.h"

namespace wavesmith::analysis {
namespace {

using isa::Operand;
using isa::Type;

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

  /// A mask in the course of an instruction: the domain of its expression.
  struct Mask {
    std::optional<uint32_t> set;
    std::optional<uint16_t> sgpr;  ///< where it stands
    bool exec = false;             ///< it is EXEC's
    bool complement = false;       ///< the lanes that are not in the set
  };
  struct MaskDomain {
    using Value = Mask;
    Follower& follower;
    uint32_t i;
    const State& state;
    std::optional<uint16_t> removed = {};  ///< the mask that was taken from EXEC

    Mask leaf(const isa::Node& node) {
      if (node.op != isa::Op::Source) return {};
      const isa::SourcePlace place = isa::source_place(
          follower.code_.instructions[i], *follower.code_.rows[i], node.constant, follower.code_.wave_lanes);
      if (place.registers.has(reg::kExec)) return {.set = state.exec, .exec = true};
      if (!place.operand) return {};
      return {.set = follower.set_of(*place.operand, state), .sgpr = follower.scalar(*place.operand)};
    }
    Mask operation(const isa::Node& node, const std::array<Mask, 3>& arguments) {
      const auto& [a, b, unused] = arguments;
      const isa::Expression& expression = *follower.code_.rows[i]->meaning();
      if (node.op == isa::Op::Xor && expression.is_constant(node.arguments[1], isa::low_bits(node.bits))) {
        Mask rest = a;
        rest.complement = !a.complement;
        return rest;
      }
      if (a.complement && node.op == isa::Op::And) return difference(b, a);
      if (b.complement && node.op == isa::Op::And) return difference(a, b);
      if (a.complement || b.complement) return {};
      if (node.op == isa::Op::And) return {.set = follower.both(i, a.set, b.set)};
      if (node.op == isa::Op::Or) return {.set = follower.either(i, a, b, state)};
      if (node.op == isa::Op::Xor) return {.set = follower.one_of(i, a.set, b.set)};
      return {};
    }
    Mask difference(const Mask& a, const Mask& b) {
      if (a.complement) return {};
      if (a.exec) removed = b.sgpr;
      return {.set = follower.without(i, a.set, b.set)};
    }
  };

  std::optional<uint32_t> both(uint32_t i, std::optional<uint32_t> a, std::optional<uint32_t> b) {
    if (a && b && out_.sets.within(*a, *b)) return a;
    if (a && b && out_.sets.within(*b, *a)) return b;
    if (a) return made(i, *a);
    return b ? std::optional(made(i, *b)) : std::nullopt;
  }
  std::optional<uint32_t> either(uint32_t i, const Mask& a, const Mask& b, const State& state) {
    LaneSets& sets = out_.sets;
    // A loop's mask that comes back.
    for (const auto& [mask, other] : {std::pair{&b, &a}, std::pair{&a, &b}})
      if (mask->sgpr && other->set && state.removed[*mask->sgpr] != 0)
        if (const auto entered = entered_with(state.removed[*mask->sgpr] - 1, *other->set)) return entered;
    if (!a.set || !b.set) return std::nullopt;
    if (sets.within(*a.set, *b.set)) return b.set;
    if (sets.within(*b.set, *a.set)) return a.set;
    if (sets.complementary(*a.set, *b.set)) return sets.parent(*a.set);
    return made(i, sets.around(*a.set, *b.set));
  }
  std::optional<uint32_t> one_of(uint32_t i, std::optional<uint32_t> a, std::optional<uint32_t> b) {
    LaneSets& sets = out_.sets;
    if (!a || !b) return std::nullopt;
    if (*a != *b && sets.within(*a, *b) && sets.parent(*a) == *b) return sets.complement(*a);
    if (*a != *b && sets.within(*b, *a) && sets.parent(*b) == *a) return sets.complement(*b);
    return made(i, sets.around(*a, *b));
  }
  /// The lanes of `a` that are not in `b`.
  std::optional<uint32_t> without(uint32_t i, std::optional<uint32_t> a, std::optional<uint32_t> b) {
    LaneSets& sets = out_.sets;
    if (!a) return std::nullopt;
    if (b && *a != *b && sets.within(*b, *a) && sets.parent(*b) == *a) return sets.complement(*b);
    if (b && sets.complementary(*a, *b)) return a;
    return made(i, *a);
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

  /// What an instruction leaves where masks are.
  struct Written {
    std::optional<uint32_t> result;   ///< in the printed destination
    std::optional<uint32_t> exec;     ///< in EXEC, where that is not the printed destination
    std::optional<uint16_t> removed;  ///< the mask that was taken from EXEC
  };

  Written written(uint32_t i, const State& state) {
    const isa::Row* const row = code_.rows[i];
    Written out;
    if (!row || row->count == 0) return out;
    const auto writes = [&](int role, Type type) {
      return role < row->count && row->roles[role].use == isa::Role::Use::Write &&
             row->roles[role].type == type;
    };
    if (row->shape == isa::Shape::Lane) {
      // A comparison: lanes that are switched off give 0.
      const bool to_mask = writes(0, Type::LaneMask), to_exec = writes(to_mask ? 1 : 0, Type::Exec);
      if (to_mask || to_exec) out.exec = made(i, state.exec);
      if (to_mask) out.result = out.exec;
      return out;
    }
    if (row->shape != isa::Shape::Scalar || !row->meaning) return out;
    const isa::Expression& expression = *row->meaning();
    MaskDomain domain{*this, i, state};
    isa::Evaluation evaluation(expression, domain);
    int results = 0;
    for (int r = 0; r < row->count && row->roles[r].use == isa::Role::Use::Write; ++r) {
      const auto number = static_cast<size_t>(results++);
      if (expression.node(expression.results()[number]).bits != code_.wave_lanes) continue;
      const Mask& mask = evaluation.result(number);
      if (!mask.complement) (row->roles[r].printed ? out.result : out.exec) = mask.set;
    }
    out.removed = domain.removed;
    return out;
  }

  void step(uint32_t i, State& state) {
    const Effects& effects = code_.effects[i];
    const bool writes_scalars = std::any_of(effects.writes.begin(), effects.writes.end(),
                                            [](Range range) { return range.first >= reg::kSgpr; });
    if (!writes_scalars) return;
    const auto& printed = code_.instructions[i].operands;
    const Written now = written(i, state);
    const int before = code_.wave_lanes == 32 ? 0 : 1;  // a pair's second half
    for (const Range range : effects.writes)
      for (int r = range.first - before; r < range.first + range.count; ++r)
        if (r >= reg::kSgpr && r < reg::kSgprEnd)
          state.mask[static_cast<size_t>(r - reg::kSgpr)] =
              state.removed[static_cast<size_t>(r - reg::kSgpr)] = 0;
    if (out_.made[i] != kNone) forget(state, out_.made[i]);
    if (effects.writes_register(reg::kExec)) {
      std::fill(state.removed.begin(), state.removed.end(), 0u);
      const bool printed_exec = !printed.empty() && is_exec(printed[0]);
      const auto exec = printed_exec && now.result ? now.result : now.exec;
      state.exec = exec ? *exec : made(i, LaneSets::kAll);
      if (printed_exec && now.removed) state.removed[*now.removed] = i + 1;
    }
    if (!printed.empty() && now.result)
      if (const auto at = scalar(printed[0])) state.mask[*at] = *now.result + 1;
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
