// RDNA issues two VALU instructions of some kinds as one (VOPD) when their registers lie in different banks.
// Source: AMD, RDNA3 ISA, section "Dual issue VALU".
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  if (subject.code.target->has_accumulators() || subject.code.wave_lanes != 32) return;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost) continue;
    uint32_t single = 0, dual = 0;
    Location place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      const isa::Instruction& in = subject.code.instructions[i];
      dual += !in.second.empty();
      const isa::Row* const row = subject.code.rows[i];
      if (!row || !row->facts.dual) return;
      ++single;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    constexpr uint32_t kWorthwhile = 8;
    if (single < kWorthwhile || single < 2 * dual) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title =
        fmt::format("{} instructions of the loop could be issued in pairs, {} pairs are", single, dual);
    finding.where.push_back(place);
    finding.evidence.push_back(fmt::format("first {}", cite(subject, place.first)));
    set_gain(finding, subject, loop,
             gain_of(subject, loop, single / 2.0, loop.cycles.bound == isa::Pipe::Valu ? single / 2.0 : 0));
    finding.experiment =
        "Pairs need neighbours that do not depend on each other, an even and an odd destination, and "
        "sources in different banks (register number modulo 4). Unroll so that there are independent "
        "chains, look for v_dual_ in the code, compare. The gain shown is that of pairing all.";
    finding.unknown_because = "which registers the compiler can choose is not known";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule dual_issue_chance{"dual-issue-chance", "VALU instructions that could be issued in pairs",
                                    check};

}  // namespace wavesmith::analysis::rule
