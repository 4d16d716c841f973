// Private memory in a loop: registers that were spilled, or an array whose index is only known at run time.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const Resources& resources = subject.kernel.resources;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    uint32_t loads = 0, stores = 0, first = kNone, last = kNone;
    double cycles = 0;
    subject.own_instructions(l, [&](uint32_t i) {
      const std::string_view name = subject.code.instructions[i].mnemonic;
      const isa::Space space = space_of(name);
      const bool off = space == isa::Space::Buffer && !subject.code.target->has_architected_scratch() &&
                       resources.scratch_bytes > 0 &&
                       subject.code.instructions[i].text.find("s[0:3]") != std::string::npos;
      if (space != isa::Space::Scratch && !off) return;
      const isa::Row* const row = subject.code.rows[i];
      ++(row && row->access.direction == isa::Direction::Store ? stores : loads);
      cycles += subject.costs.data_cycles[i];
      if (first == kNone) first = i;
      last = i;
    });
    if (first == kNone) continue;
    const Loop& loop = subject.kernel.loops[l];
    const bool spilled = resources.vgpr_spills > 0;
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = fmt::format("{} in a loop: {} loads and {} stores of private memory per pass",
                                spilled ? "Spilled registers" : "Private memory", loads, stores);
    finding.where.push_back({first, last, l});
    finding.evidence.push_back(fmt::format("first {}", cite(subject, first)));
    finding.evidence.push_back(fmt::format("{} VGPRs were spilled, {} bytes of scratch per lane",
                                           resources.vgpr_spills, resources.scratch_bytes));
    set_gain(finding, subject, loop,
             gain_of(subject, loop, isa::issue_rules(*subject.code.target).quantum * (loads + stores),
                     loop.cycles.bound == isa::Pipe::Vmem ? cycles * sharing_simds(subject.gpu) : 0));
    finding.experiment =
        spilled
            ? "Allow more registers (__launch_bounds__ with fewer waves, a smaller tile) and compare."
            : "Make the array's indices known when it is compiled (unroll), or keep it in LDS, and compare.";
    finding.unknown_because = "private memory is taken to stay in L1; when it does not, the gain is larger";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule spill_in_loop{"spill-in-loop", "private memory in loops, spilled registers among it",
                                check};

}  // namespace wavesmith::analysis::rule
