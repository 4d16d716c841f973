// Parts of a loop that run for some lanes only: the wave takes the time of both sides.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

bool narrows(std::string_view name) {
  return name.starts_with("v_cmpx") ||
         (name.starts_with("s_") && name.find("_saveexec_") != std::string_view::npos &&
          (name.starts_with("s_and_save") || name.starts_with("s_andn2_save") ||
           name.starts_with("s_and_not1_save")));
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost) continue;
    Finding finding;
    double cycles = 0;
    for (const uint32_t b : loop.blocks) {
      const Block& block = subject.kernel.blocks[b];
      bool narrowed = false;
      for (uint32_t i = block.begin; i < block.end; ++i)
        narrowed |= narrows(subject.code.instructions[i].mnemonic);
      if (!narrowed || subject.code.instructions[block.end - 1].mnemonic != "s_cbranch_execz") continue;
      finding.where.push_back({block.end - 1, block.end - 1, l});
      const uint32_t side = subject.graph.block_of[std::min<size_t>(block.end, subject.code.size() - 1)];
      cycles += subject.costs.block_cycles[side];
    }
    if (finding.where.empty()) continue;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} branches in the loop depend on the lane", finding.where.size());
    finding.evidence.push_back(
        fmt::format("{}; the code behind them takes about {:.0f} cycles of a wave alone",
                    cite(subject, finding.where[0].first), cycles));
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "how often the lanes of a wave disagree is only known at run time";
    finding.experiment =
        "Count how often both sides run (wavesmith profile); order the work so that lanes of a wave "
        "agree, or select instead of branching where the sides are short.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule divergent_branch_in_loop{"divergent-branch-in-loop",
                                           "branches in loops that depend on the lane", check};

}  // namespace wavesmith::analysis::rule
