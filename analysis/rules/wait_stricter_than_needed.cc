// A wait in a loop that leaves fewer instructions outstanding than the code behind it allows.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (const Wait& wait : subject.kernel.waits) {
    const uint32_t loop = subject.kernel.instructions[wait.instruction].loop;
    const bool drains_loads =
        wait.value == 0 && (wait.counter == isa::Counter::Vm || wait.counter == isa::Counter::Load);
    if (loop == kNone || drains_loads || wait.redundant || wait.could_be == kNone ||
        wait.could_be <= wait.value)
      continue;
    Finding finding;
    finding.title = fmt::format("{}({}) where {}({}) would do", name_of(wait.counter), wait.value,
                                name_of(wait.counter), wait.could_be);
    finding.where.push_back({wait.instruction, wait.instruction, loop});
    finding.evidence.push_back(
        fmt::format("{}: of {} outstanding, the {} youngest are not used before the next wait",
                    cite(subject, wait.instruction), wait.outstanding, wait.could_be));
    if (wait.slack.value)
      finding.evidence.push_back(
          fmt::format("the youngest that it waits for was issued {:.0f} cycles before", *wait.slack.value));
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "it depends on how long the younger ones still take";
    finding.experiment =
        "Move the uses apart (load earlier, use later), or change the count in the assembly, and "
        "compare the loop's cycles.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule wait_stricter_than_needed{"wait-stricter-than-needed",
                                            "a wait in a loop that could leave more outstanding", check};

}  // namespace wavesmith::analysis::rule
