// Waits in loops for which nothing can be outstanding.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    Finding finding;
    for (size_t w = 0; w < subject.kernel.waits.size(); ++w) {
      const Wait& wait = subject.kernel.waits[w];
      if (!wait.redundant || subject.kernel.instructions[wait.instruction].loop != l) continue;
      // One instruction may wait for several counters, of which one is enough to need it.
      bool needed = false;
      for (const Wait& other : subject.kernel.waits)
        needed |= other.instruction == wait.instruction && !other.redundant;
      if (!needed && (finding.where.empty() || finding.where.back().first != wait.instruction))
        finding.where.push_back({wait.instruction, wait.instruction, l});
    }
    if (finding.where.empty()) continue;
    const Loop& loop = subject.kernel.loops[l];
    std::vector<uint32_t> waits;
    for (const Location& place : finding.where) waits.push_back(place.first);
    finding.severity = Severity::Note;
    finding.title = fmt::format("{} in the loop {} for nothing", counted(finding.where.size(), "wait"),
                                finding.where.size() == 1 ? "waits" : "wait");
    finding.evidence.push_back(fmt::format("{}: nothing that it counts can be outstanding there",
                                           cite(subject, finding.where.front().first)));
    set_gain(finding, subject, loop, gain_without(subject, loop, waits));
    finding.experiment = "Remove them from the assembly and compare the loop's cycles.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule redundant_wait{"redundant-wait", "waits in loops that wait for nothing", check};

}  // namespace wavesmith::analysis::rule
