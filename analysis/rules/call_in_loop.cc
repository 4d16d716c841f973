// Calls of functions in loops.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    Finding finding;
    subject.own_instructions(l, [&](uint32_t i) {
      if (subject.kernel.instructions[i].clobbers_unknown) finding.where.push_back({i, i, l});
    });
    if (finding.where.empty()) continue;
    finding.severity = Severity::Warning;
    finding.title = counted(finding.where.size(), "call") + " in the loop";
    finding.evidence.push_back(cite(subject, finding.where[0].first));
    finding.evidence.push_back(
        "a call saves registers to private memory, and what callees do is not in the loop's figures");
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "the callee's time is not counted";
    finding.experiment = "Have it inlined (__forceinline__, no function pointer), and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule call_in_loop{"call-in-loop", "calls of functions in loops", check};

}  // namespace wavesmith::analysis::rule
