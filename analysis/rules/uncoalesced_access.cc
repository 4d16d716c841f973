// Global accesses whose lanes touch more cache lines than their bytes would fill.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l <= subject.kernel.loops.size(); ++l) {
    const uint32_t number = l < subject.kernel.loops.size() ? l : kNone;  // at last, what is in no loop
    Finding finding;
    double extra = 0;
    bool at_run_time = false;
    for (const AccessPattern& access : subject.kernel.accesses) {
      if (subject.kernel.instructions[access.instruction].loop != number) continue;
      constexpr double kMuch = 1.5;
      if (!access.lines.value) {
        // Rows of a matrix whose size is an argument: hardly ever side by side.
        const double least = std::ceil(static_cast<double>(access.bytes) * access.lanes /
                                       std::max(64u, subject.gpu.l1_line_bytes));
        if (access.rows <= kMuch * least) continue;
        extra += access.rows - std::max(least, 4.0);
        at_run_time = true;
        finding.where.push_back({access.instruction, access.instruction, number});
        if (finding.evidence.size() < 4)
          finding.evidence.push_back(fmt::format(
              "{}: the lanes lie in {} rows, and how far apart these are is known at run time; as many cache "
              "lines where {:.0f} would hold the bytes",
              cite(subject, access.instruction), access.rows, least));
        continue;
      }
      if (*access.lines.value <= kMuch * *access.ideal_lines.value) continue;
      extra += *access.lines.value - std::max(*access.ideal_lines.value, 4.0);
      finding.where.push_back({access.instruction, access.instruction, number});
      if (finding.evidence.size() < 4)
        finding.evidence.push_back(
            fmt::format("{} touches {:.0f} cache lines where {:.0f} would hold its bytes{}",
                        cite(subject, access.instruction), *access.lines.value, *access.ideal_lines.value,
                        access.affine ? fmt::format(", the lanes are {} bytes apart", access.stride) : ""));
    }
    if (finding.where.empty()) continue;
    finding.severity = Severity::Warning;
    finding.title = fmt::format(
        "{} more cache lines than their bytes need",
        counted(finding.where.size(), "access") + (finding.where.size() == 1 ? " touches" : " touch"));
    const Loop loop = number == kNone ? straight_line(subject) : subject.kernel.loops[number];
    const bool bound = loop.cycles.bound == isa::Pipe::Vmem;
    set_gain(finding, subject, loop,
             gain_of(subject, loop, 0, bound ? std::max(0.0, extra) * sharing_simds(subject.gpu) : 0));
    if (finding.gain_percent.value == 0.0 && loop.cycles.memory > pass_cycles(subject, loop))
      finding.gain_percent = {.value = {},
                              .tag = Tag::Modelled,
                              .unknown_because =
                                  "memory may bound it, and it moves whole lines: what of them "
                                  "others use while they are in caches is not known"};
    finding.experiment =
        "Let neighbouring lanes access neighbouring elements (exchange the loops or the indices, or go "
        "through LDS), and compare.";
    finding.unknown_because = "lines that are used again while they are in L1 cost less";
    if (at_run_time) finding.unknown_because += "; rows are taken to be at least a line apart";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule uncoalesced_access{"uncoalesced-access", "global accesses that touch many cache lines",
                                     check};

}  // namespace wavesmith::analysis::rule
