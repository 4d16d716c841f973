// Loads in loops whose data is wanted sooner than it can be there, and no other waves to fill the time.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const double waves = subject.kernel.occupancy.now.waves_per_simd;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost || loop.cycles.exposed <= 0) continue;
    Cycles hidden = loop.cycles;
    hidden.exposed = 0;
    const double gain = pass_cycles(loop.cycles, waves) - pass_cycles(hidden, waves);
    if (gain <= 0) continue;
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = "The loop waits for loads that were issued too late";
    for (const Wait& wait : subject.kernel.waits) {
      if (subject.kernel.instructions[wait.instruction].loop != l || wait.for_.empty() || !wait.slack.value)
        continue;
      // What has come by then is not waited for.
      if (*wait.slack.value >= load_latency(subject.code, wait.for_.front(), subject.gpu)) continue;
      finding.where.push_back({wait.instruction, wait.instruction, l});
      if (finding.evidence.size() < 4)
        finding.evidence.push_back(fmt::format(
            "{} waits for {}, issued {:.0f} cycles ({} instructions) before", cite(subject, wait.instruction),
            cite(subject, wait.for_.front()), *wait.slack.value, wait.between));
    }
    finding.evidence.push_back(fmt::format(
        "a wave alone needs {:.0f} cycles a pass and waits {:.0f} more; {:.0f} waves a SIMD share the time",
        loop.cycles.one_wave, loop.cycles.exposed, waves));
    set_gain(finding, subject, loop, gain);
    finding.experiment =
        "Load the data of the next pass (or of the one after) before computing this one's: unroll, "
        "or a second buffer in registers or LDS. Or raise the occupancy.";
    finding.unknown_because = "loads are taken to be served by L2";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule exposed_load_latency{"exposed-load-latency",
                                       "loops that wait for loads that were issued too late", check};

}  // namespace wavesmith::analysis::rule
