// Copies between VGPRs in loops: what a rotation of registers costs that unrolling would save.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost) continue;
    uint32_t count = 0;
    double cycles = 0;
    std::vector<uint32_t> moves;
    Location place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      const isa::Instruction& in = subject.code.instructions[i];
      const isa::Row* const row = subject.code.rows[i];
      const auto is_vgpr = [](const isa::Operand& operand) {
        return operand.kind == isa::Operand::Kind::Vgpr;
      };
      if (!row || !row->facts.copies || in.operands.size() != 2 || !is_vgpr(in.operands[0]) ||
          !is_vgpr(in.operands[1]) || in.encoding == isa::Encoding::Dpp || in.encoding == isa::Encoding::Sdwa)
        return;
      ++count;
      moves.push_back(i);
      cycles += subject.costs.of[i].issue;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    if (count < 4 || cycles < 0.05 * pass_cycles(subject, loop)) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} copies between VGPRs in the loop", count);
    finding.where.push_back(place);
    finding.evidence.push_back(
        fmt::format("first {}; {:.0f} cycles per pass", cite(subject, place.first), cycles));
    set_gain(finding, subject, loop, gain_without(subject, loop, moves));
    finding.experiment =
        "Unroll by the number of buffers that rotate (#pragma unroll 2), so that names change instead "
        "of registers, and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule valu_moves{"valu-moves", "copies between VGPRs in loops", check};

}  // namespace wavesmith::analysis::rule
