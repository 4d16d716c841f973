// A wait in a loop that leaves fewer instructions outstanding than the code behind it allows.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    Finding finding;
    double exposed = 0;
    bool known = true;
    for (const Wait& wait : subject.kernel.waits) {
      const bool drains_loads =
          wait.value == 0 && (wait.counter == isa::Counter::Vm || wait.counter == isa::Counter::Load);
      if (subject.kernel.instructions[wait.instruction].loop != l || drains_loads || wait.redundant ||
          wait.could_be == kNone || wait.could_be <= wait.value || wait.for_.empty())
        continue;
      const auto saved = wait_saved(subject, wait);
      if (saved && *saved <= 0) continue;  // what has come before the wait is reached costs nothing
      if (saved)
        exposed += *saved;
      else
        known = false;
      finding.where.push_back({wait.instruction, wait.instruction, l});
      if (finding.evidence.size() >= 4) continue;
      finding.evidence.push_back(fmt::format(
          "{}: {}({}) would do; of {} outstanding, the {} youngest are not used before the next wait{}",
          cite(subject, wait.instruction), name_of(wait.counter), wait.could_be, wait.outstanding,
          wait.could_be,
          wait.slack.value
              ? fmt::format(", and the youngest was issued {:.0f} cycles before", *wait.slack.value)
              : ""));
    }
    if (finding.where.empty()) continue;
    finding.title =
        fmt::format("{} in the loop {} stricter than need be", counted(finding.where.size(), "wait"),
                    finding.where.size() == 1 ? "is" : "are");
    if (known) {
      const Loop& loop = subject.kernel.loops[l];
      set_gain(finding, subject, loop, gain_of_waits(subject, loop, exposed));
    } else {
      finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
          "it depends on how long the younger ones still take";
    }
    finding.experiment =
        "Move the uses apart (load earlier, use later), or change the counts in the assembly, and "
        "compare the loop's cycles.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule wait_stricter_than_needed{"wait-stricter-than-needed",
                                            "a wait in a loop that could leave more outstanding", check};

}  // namespace wavesmith::analysis::rule
