// s_nop: cycles in which the wave issues nothing because the hardware does not look after a hazard.
#include <fmt/format.h>

#include "analysis/rule.h"
#include "isa/control/row.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const double quantum = isa::issue_rules(*subject.code.target).quantum;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    Finding finding;
    double cycles = 0;
    subject.own_instructions(l, [&](uint32_t i) {
      const isa::Instruction& in = subject.code.instructions[i];
      if (isa::operation_of(in.mnemonic) != isa::Operation::Nop || in.operands.empty()) return;
      cycles += quantum * static_cast<double>(in.operands[0].bits + 1);
      finding.where.push_back({i, i, l});
    });
    constexpr double kWorthwhile = 0.03;
    if (cycles <= kWorthwhile * loop.cycles.one_wave) continue;
    finding.severity = Severity::Hint;
    finding.title =
        fmt::format("{} s_nop take {:.0f} cycles of a wave per pass", finding.where.size(), cycles);
    finding.evidence.push_back(fmt::format("{}: {:.0f} % of a wave alone",
                                           cite(subject, finding.where[0].first),
                                           100 * cycles / loop.cycles.one_wave));
    if (finding.where[0].first > 0)
      finding.evidence.push_back(fmt::format("after {}", cite(subject, finding.where[0].first - 1)));
    std::vector<uint32_t> nops;
    for (const Location& place : finding.where) nops.push_back(place.first);
    set_gain(finding, subject, loop, gain_without(subject, loop, nops));
    finding.experiment =
        "Give the scheduler something independent to put there (unroll; -mllvm "
        "-amdgpu-schedule-metric-bias, iterative-ilp), and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule hazard_nops{"hazard-nops", "s_nop that take a good part of a loop", check};

}  // namespace wavesmith::analysis::rule
