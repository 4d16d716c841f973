// Waiting for all outstanding loads in a loop when some of them are for later.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (const Wait& wait : subject.kernel.waits) {
    const uint32_t loop = subject.kernel.instructions[wait.instruction].loop;
    const bool loads = wait.counter == isa::Counter::Vm || wait.counter == isa::Counter::Load;
    if (loop == kNone || !loads || wait.value != 0 || wait.could_be == kNone || wait.could_be == 0 ||
        wait.redundant)
      continue;
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = fmt::format("The loop waits for all loads where {}({}) would do", name_of(wait.counter),
                                wait.could_be);
    finding.where.push_back({wait.instruction, wait.instruction, loop});
    finding.evidence.push_back(
        fmt::format("{} waits for {} loads; {} of them are not used before the next wait",
                    cite(subject, wait.instruction), wait.outstanding, wait.could_be));
    if (wait.needed != kNone)
      finding.evidence.push_back(fmt::format("the first use is {}", cite(subject, wait.needed)));
    const Loop& of = subject.kernel.loops[loop];
    if (const auto saved = wait_saved(subject, wait)) {
      if (*saved <= 0) continue;  // they have come before it is reached
      set_gain(finding, subject, of, gain_of_waits(subject, of, *saved));
    } else {
      finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
          "the time since the loads were issued depends on the path";
    }
    finding.experiment = fmt::format(
        "Issue the loads for the next pass before the wait and wait with {}({}): in HIP, load into a second "
        "set of "
        "registers before the first is used; in assembly, change the count. Then compare the loop's cycles.",
        name_of(wait.counter), wait.could_be);
    finding.unknown_because = "how long loads take depends on which cache serves them; L2 is assumed";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule full_drain_in_loop{"full-drain-in-loop",
                                     "a wait for all loads in a loop, though some are for later", check};

}  // namespace wavesmith::analysis::rule
