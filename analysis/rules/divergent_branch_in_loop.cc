// Parts of a loop that run for some lanes of a wave only, where it is not just the last wave that is cut off:
// the wave takes the time of both sides.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analysis/rule.h"
#include "analysis/values/mask_operation.h"

namespace wavesmith::analysis::rule {
namespace {

/// What a mask follows from.
enum class Mask : uint8_t {
  Bounds,  ///< the lane's number against what all lanes share: lanes agree but in one wave
  Data,    ///< what lanes have loaded
  Other,
};

/// An instruction that writes EXEC, as `a op b`.
std::optional<MaskOperation> to_exec(const Code& code, uint32_t i) {
  if (!code.effects[i].writes_register(reg::kExec)) return std::nullopt;
  return exec_operation(code.instructions[i], code.rows[i], code.wave_lanes);
}

/// A comparison that writes EXEC.
bool compares_to_exec(const Code& code, uint32_t i) {
  return compares_lanes(code.rows[i]) && code.effects[i].writes_register(reg::kExec);
}

/// Takes a mask's lanes, or those that are not in EXEC, and keeps EXEC for later.
bool narrows(const Code& code, uint32_t i) {
  if (compares_to_exec(code, i)) return true;
  const auto operation = to_exec(code, i);
  return operation && operation->op == isa::Op::And;
}

/// Makes EXEC the rest of the lanes.
bool turns(const Code& code, uint32_t i) {
  if (const auto operation = to_exec(code, i))
    return operation->op == isa::Op::Or || (operation->op == isa::Op::And && operation->complement);
  const auto operation = mask_operation(code.instructions[i], code.rows[i], code.wave_lanes);
  return operation && operation->op == isa::Op::Xor && code.effects[i].writes_register(reg::kExec);
}

/// What `comparison` compares.
Mask compared(const Subject& subject, uint32_t comparison) {
  Mask mask = Mask::Bounds;
  for (const Range range : subject.code.effects[comparison].reads) {
    if (range.first >= reg::kSgpr) continue;
    const LaneValue value = subject.lanes.before(comparison, range.first);
    if (value.known() || value.reason == Reason::RunTimeStride || value.reason == Reason::Shape) continue;
    if (value.reason == Reason::Loaded) return Mask::Data;
    mask = Mask::Other;
  }
  return mask;
}

/// What the scalar registers `range` hold before `at`, looked for in its block.
Mask mask_of(const Subject& subject, Range range, uint32_t at, int depth) {
  const uint32_t begin = subject.kernel.blocks[subject.graph.block_of[at]].begin;
  for (uint32_t i = at; i-- > begin;) {
    const Effects& effects = subject.code.effects[i];
    if (std::none_of(effects.writes.begin(), effects.writes.end(),
                     [&](Range written) { return written.overlaps(range); }))
      continue;
    if (compares_lanes(subject.code.rows[i])) return compared(subject, i);
    const auto operation =
        mask_operation(subject.code.instructions[i], subject.code.rows[i], subject.code.wave_lanes);
    const bool joins = operation && (operation->op == isa::Op::And || operation->op == isa::Op::Or);
    if (depth == 0 || (!joins && !to_exec(subject.code, i))) return Mask::Other;
    Mask mask = Mask::Bounds;
    for (const Range read : effects.reads) {
      if (read.first < reg::kSgpr || read.first == reg::kExec || read.first == reg::kScc) continue;
      const Mask one = mask_of(subject, read, i, depth - 1);
      if (one == Mask::Data) return one;
      if (one == Mask::Other) mask = one;
    }
    return mask;
  }
  return Mask::Other;
}

Mask mask_of(const Subject& subject, uint32_t narrowing) {
  if (compares_to_exec(subject.code, narrowing)) return compared(subject, narrowing);
  Mask mask = Mask::Bounds;
  for (const Range read : subject.code.effects[narrowing].reads) {
    if (read.first < reg::kSgpr || read.first == reg::kExec || read.first == reg::kScc) continue;
    const Mask one = mask_of(subject, read, narrowing, 4);
    if (one == Mask::Data) return one;
    if (one == Mask::Other) mask = one;
  }
  return mask;
}

/// The blocks that the branch at the end of `block` skips, of `loop`; empty where it goes back.
std::vector<uint32_t> side_of(const Subject& subject, const Loop& loop, uint32_t block) {
  const auto edge = subject.code.edges.find(subject.kernel.blocks[block].end - 1);
  if (edge == subject.code.edges.end()) return {};
  const uint32_t target = subject.code.at(edge->second.target);
  if (target == kNone) return {};
  std::vector<uint32_t> side;
  for (uint32_t b = block + 1; b < subject.graph.block_of[target]; ++b)
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), b)) side.push_back(b);
  return side;
}

/// The other side of an if, which begins where the first one ends: EXEC becomes the rest of the lanes.
std::vector<uint32_t> other_side_of(const Subject& subject, const Loop& loop, uint32_t block) {
  const auto edge = subject.code.edges.find(subject.kernel.blocks[block].end - 1);
  const uint32_t target = subject.code.at(edge->second.target);
  const uint32_t at = target == kNone ? kNone : subject.graph.block_of[target];
  if (at == kNone || !std::binary_search(loop.blocks.begin(), loop.blocks.end(), at)) return {};
  const Block& joined = subject.kernel.blocks[at];
  for (uint32_t i = joined.begin; i < joined.end; ++i) {
    if (turns(subject.code, i)) return side_of(subject, loop, at);
    if (subject.code.effects[i].writes_register(reg::kExec)) break;
  }
  return {};
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  constexpr double kWorthwhile = 0.1;  // of a wave's pass
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost) continue;
    Finding finding;
    double wave = 0, pipe = 0;
    bool both = true;
    for (const uint32_t b : loop.blocks) {
      const Block& block = subject.kernel.blocks[b];
      const isa::BranchCondition condition =
          isa::condition_of(subject.code.instructions[block.end - 1].mnemonic);
      if (condition.flag != isa::BranchCondition::Flag::Exec || condition.set) continue;
      std::optional<uint32_t> narrowing;
      for (uint32_t i = block.begin; i < block.end; ++i)
        if (narrows(subject.code, i)) narrowing = i;
      if (!narrowing) continue;
      const auto cycles_of_side = [&](const std::vector<uint32_t>& side) {
        return side.empty() ? Cycles{}
                            : cycles_of(subject.code, subject.graph, subject.gpu, subject.costs, side);
      };
      const std::vector<uint32_t> side = side_of(subject, loop, b), other = other_side_of(subject, loop, b);
      const Cycles one = cycles_of_side(side), two = cycles_of_side(other);
      const Mask mask = mask_of(subject, *narrowing);
      if (side.empty()) continue;  // the code is laid out in another way
      // A bound cuts off lanes of one wave. Without another side lanes only idle.
      if (mask == Mask::Bounds || (mask == Mask::Other && other.empty())) continue;
      if (one.one_wave + two.one_wave < kWorthwhile * loop.cycles.one_wave) continue;
      finding.where.push_back({block.end - 1, block.end - 1, l});
      finding.evidence.push_back(fmt::format(
          "{}: {}the code after it takes {:.0f} cycles of a wave alone{}", cite(subject, block.end - 1),
          mask == Mask::Data ? "what the lanes loaded decides; " : "", one.one_wave,
          other.empty() ? "" : fmt::format(", the other side {:.0f}", two.one_wave)));
      both &= !other.empty();
      const Cycles& less = one.one_wave < two.one_wave ? one : two;
      wave += less.one_wave;
      if (less.bound == loop.cycles.bound) pipe += less.throughput;
    }
    if (finding.where.empty()) continue;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} in the loop {} lanes of a wave", counted(finding.where.size(), "branch"),
                                finding.where.size() == 1 ? "parts" : "part");
    if (both) {
      set_gain(finding, subject, loop, gain_of(subject, loop, wave, pipe));
      finding.unknown_because =
          "how often the lanes of a wave disagree is only known at run time; the gain is "
          "that of waves which always run both sides and then run the longer one";
    } else {
      finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
          "how many lanes go there is only known at run time";
    }
    finding.experiment =
        "Count how often both sides run (wavesmith profile); order the work so that lanes of a wave "
        "agree, or select instead of branching where the sides are short.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule divergent_branch_in_loop{"divergent-branch-in-loop",
                                           "branches in loops that part the lanes of a wave", check};

}  // namespace wavesmith::analysis::rule
