// Matrix instructions that wait for one another's results, a wave alone having nothing else to do.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost || loop.mix.of(isa::Pipe::Matrix) < 2) continue;
    double lost = 0;
    Finding finding;
    std::set<uint16_t> accumulators;
    uint32_t before = kNone;
    subject.own_instructions(l, [&](uint32_t i) {
      if (subject.kernel.instructions[i].pipe != isa::Pipe::Matrix) return;
      const Effects& own = subject.code.effects[i];
      if (own.writes.empty()) return;
      accumulators.insert(own.writes[0].first);
      if (before != kNone &&
          subject.kernel.instructions[before].block == subject.kernel.instructions[i].block) {
        const Range written = subject.code.effects[before].writes[0];
        const bool reads = std::any_of(own.reads.begin(), own.reads.end(),
                                       [&](Range range) { return range.overlaps(written); });
        const bool accumulates = own.writes[0] == written;
        if (reads && !accumulates) {
          const isa::Cost& cost = subject.costs.of[before];
          const double needs = isa::matrix_result_cycles(cost, isa::MatrixUse::Operand, *subject.code.target);
          const double waits =
              std::min(needs - cost.issue, subject.costs.clock[i] - subject.costs.clock[before] - cost.issue);
          if (waits > 0) {
            lost += waits;
            finding.where.push_back({before, i, l});
          }
        }
      }
      before = i;
    });
    const double matrix = loop.cycles.pipe[static_cast<size_t>(isa::Pipe::Matrix)];
    if (lost <= 0.02 * std::max(matrix, 1.0)) continue;
    finding.severity = Severity::Hint;
    finding.title =
        fmt::format("{} for the one before", counted(finding.where.size(), "matrix instruction") +
                                                 (finding.where.size() == 1 ? " waits" : " wait"));
    finding.evidence.push_back(fmt::format("{} needs the result of {}", cite(subject, finding.where[0].last),
                                           cite(subject, finding.where[0].first)));
    finding.evidence.push_back(fmt::format(
        "{:.0f} cycles of a wave alone a pass; {} accumulators in the loop", lost, accumulators.size()));
    set_gain(finding, subject, loop, gain_of(subject, loop, lost, 0));
    finding.experiment =
        "Put independent matrix instructions between them (more accumulators, another order) and "
        "compare the loop's cycles.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule dependent_matrix_chain{"dependent-matrix-chain",
                                         "matrix instructions that wait for the one before", check};

}  // namespace wavesmith::analysis::rule
