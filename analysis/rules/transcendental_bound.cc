// Loops in which transcendental instructions (exp, log, rcp, rsq, sqrt, sin, cos) take most of the time.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    const uint32_t count = loop.mix.of(isa::Pipe::Transcendental);
    const double busy = loop.cycles.pipe[static_cast<size_t>(isa::Pipe::Transcendental)];
    if (!loop.innermost || count == 0 || busy < 0.4 * pass_cycles(subject, loop)) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} transcendental instructions take {:.0f} % of the loop", count,
                                100 * busy / pass_cycles(subject, loop));
    Location place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      if (subject.kernel.instructions[i].pipe != isa::Pipe::Transcendental) return;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    finding.where.push_back(place);
    if (place.first != kNone) finding.evidence.push_back(fmt::format("first {}", cite(subject, place.first)));
    finding.evidence.push_back(
        fmt::format("{:.0f} of {:.0f} cycles per pass", busy, pass_cycles(subject, loop)));
    set_gain(finding, subject, loop, gain_of(subject, loop, busy / 2, busy / 2));
    finding.experiment =
        "Half of them: use exp2 with a scale folded in, one reciprocal for several divisions, a "
        "polynomial on the VALU for some lanes' share; or move them out of the loop. Compare. The gain "
        "shown is that of half of them.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule transcendental_bound{"transcendental-bound", "loops that transcendental instructions bound",
                                       check};

}  // namespace wavesmith::analysis::rule
