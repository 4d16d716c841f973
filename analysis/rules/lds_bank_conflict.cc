// LDS accesses whose lanes want different dwords of the same bank in one phase.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l <= subject.kernel.loops.size(); ++l) {
    const uint32_t number = l < subject.kernel.loops.size() ? l : kNone;  // at last, what is in no loop
    const Loop loop = number == kNone ? straight_line(subject) : subject.kernel.loops[l];
    Finding finding;
    double extra = 0, all = 0;
    bool masked = false;
    for (const AccessPattern& access : subject.kernel.accesses) {
      if (subject.kernel.instructions[access.instruction].loop != number || !access.cycles.value) continue;
      all += *access.cycles.value;
      const double lost = *access.cycles.value - *access.ideal_cycles.value;
      if (lost <= 0) continue;
      extra += lost;
      masked |= access.masked;
      finding.where.push_back({access.instruction, access.instruction, number});
      if (finding.evidence.size() < 4)
        finding.evidence.push_back(
            fmt::format("{} takes {:.0f} cycles instead of {:.0f}{}{}", cite(subject, access.instruction),
                        *access.cycles.value, *access.ideal_cycles.value,
                        access.affine ? fmt::format(", the lanes are {} bytes apart", access.stride) : "",
                        access.masked ? "; fewer where the branch before it leaves few lanes" : ""));
    }
    if (finding.where.empty()) continue;
    finding.severity = Severity::Warning;
    finding.title = fmt::format("Bank conflicts take {:.0f} of {:.0f} cycles of LDS{}", extra, all,
                                number == kNone ? " outside of loops" : " per pass");
    const bool bound = loop.cycles.bound == isa::Pipe::Lds;
    set_gain(finding, subject, loop,
             gain_of(subject, loop, 0, bound ? extra * sharing_simds(subject.gpu) : 0));
    finding.experiment =
        "Pad the rows of the array by one access's width, or swizzle (XOR the column with bits of the "
        "row), for the phases of this width. Compare; simulate to see the conflicts.";
    finding.unknown_because = "all lanes are taken to be active";
    if (masked) finding.title += ", were all lanes active";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule lds_bank_conflict{"lds-bank-conflict", "LDS accesses whose lanes want the same bank",
                                    check};

}  // namespace wavesmith::analysis::rule
