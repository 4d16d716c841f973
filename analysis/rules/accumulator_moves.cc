// Moves between VGPRs and accumulation VGPRs in loops: values that were put there for want of registers.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    uint32_t count = 0;
    double cycles = 0;
    Location place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      const isa::Row* const row = subject.code.rows[i];
      const auto& operands = subject.code.instructions[i].operands;
      const bool accumulates = std::any_of(operands.begin(), operands.end(), [](const isa::Operand& operand) {
        return operand.kind == isa::Operand::Kind::Agpr;
      });
      if (!row || !row->facts.copies || !accumulates) return;
      ++count;
      cycles += subject.costs.of[i].issue;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    constexpr uint32_t kWorthwhile = 4;
    if (count < kWorthwhile || cycles < 0.02 * pass_cycles(subject, loop)) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} moves between VGPRs and accumulation VGPRs in the loop", count);
    finding.where.push_back(place);
    finding.evidence.push_back(
        fmt::format("first {}; {:.0f} cycles per pass", cite(subject, place.first), cycles));
    finding.evidence.push_back(fmt::format("at most {} VGPRs and {} AGPRs are live in the loop",
                                           loop.live_peak.vgprs, loop.live_peak.agprs));
    set_gain(finding, subject, loop,
             gain_of(subject, loop, cycles, loop.cycles.bound == isa::Pipe::Valu ? cycles : 0));
    finding.experiment =
        "Where the file is shared, loads and most instructions take AGPRs directly, and matrix "
        "instructions take VGPRs: fewer values live at once, or inline assembly with \"a\" operands. "
        "Compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule accumulator_moves{"accumulator-moves", "moves to and from accumulation VGPRs in loops",
                                    check};

}  // namespace wavesmith::analysis::rule
