// Flat loads and stores in loops: they occupy LDS's counter and path as well, for the address says only at
// run time where it leads.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    Finding finding;
    subject.own_instructions(l, [&](uint32_t i) {
      if (space_of(subject.code.instructions[i].mnemonic) == isa::Space::Flat)
        finding.where.push_back({i, i, l});
    });
    if (finding.where.empty()) continue;
    finding.severity = Severity::Hint;
    finding.title = counted(finding.where.size(), "flat access") + " in the loop";
    finding.evidence.push_back(cite(subject, finding.where[0].first));
    finding.evidence.push_back(
        "a wait for one of them waits for LDS instructions too, and the other way round");
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "it depends on what else is outstanding";
    finding.experiment =
        "Let the compiler see that the pointer is to global memory: pass it as a kernel argument instead "
        "of loading it from memory, or __builtin_assume. Look for global_ in the code; compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule flat_access{"flat-access", "flat loads and stores in loops", check};

}  // namespace wavesmith::analysis::rule
