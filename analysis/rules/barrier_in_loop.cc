// Barriers in loops: all waves of the workgroup stand still until the last one arrives.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"
#include "isa/control/row.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const Resources& resources = subject.kernel.resources;
  const uint32_t waves = (resources.workgroup + resources.wave_size - 1) / std::max(1u, resources.wave_size);
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    Finding finding;
    subject.own_instructions(l, [&](uint32_t i) {
      const isa::Operation operation = isa::operation_of(subject.code.instructions[i].mnemonic);
      if (operation == isa::Operation::Barrier || operation == isa::Operation::BarrierWait)
        finding.where.push_back({i, i, l});
    });
    if (finding.where.empty() || waves <= 1) continue;
    const uint32_t groups = subject.kernel.occupancy.now.workgroups;
    finding.severity = groups <= 1 ? Severity::Hint : Severity::Note;
    finding.title = fmt::format("{} in the loop, of workgroups of {} waves",
                                counted(finding.where.size(), "barrier"), waves);
    finding.evidence.push_back(fmt::format("{}; {} resident to fill the time",
                                           cite(subject, finding.where[0].first),
                                           counted(groups, "workgroup") + (groups == 1 ? " is" : " are")));
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "it depends on how far apart the waves arrive";
    finding.experiment =
        loop.mix.of(isa::Pipe::Lds) > 0
            ? "Two buffers in LDS need one barrier a pass instead of two. Compare; simulate to see what "
              "the barrier costs."
            : "Simulate to see what the barrier costs.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule barrier_in_loop{"barrier-in-loop", "barriers in loops", check};

}  // namespace wavesmith::analysis::rule
