// Private memory outside of loops.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const Resources& resources = subject.kernel.resources;
  if (resources.scratch_bytes == 0) return;
  Finding finding;
  finding.severity = Severity::Note;
  finding.title = fmt::format("{} bytes of private memory a lane", resources.scratch_bytes);
  finding.where.push_back({0, 0, kNone});
  if (resources.vgpr_spills || resources.sgpr_spills)
    finding.evidence.push_back(
        fmt::format("{} VGPRs and {} SGPRs were spilled", resources.vgpr_spills, resources.sgpr_spills));
  if (resources.dynamic_stack)
    finding.evidence.push_back("it has a stack of a size that is only known at run time");
  finding.evidence.push_back(fmt::format("{} instructions load or store it", subject.kernel.mix.scratch));
  finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
      "how often the code outside of loops runs is not known";
  finding.experiment =
      "Find what is private: -Rpass-analysis=kernel-resource-usage names spills; arrays with indices "
      "that are only known at run time are the other source.";
  findings.push_back(std::move(finding));
}

}  // namespace

extern const Rule scratch_use{"scratch-use", "private memory", check};

}  // namespace wavesmith::analysis::rule
