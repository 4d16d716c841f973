// Several LDS reads side by side where one wider one would do.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    auto groups = neighbours(subject, l, isa::Space::Lds, isa::Direction::Load);

    if (groups.empty()) continue;
    const Loop& loop = subject.kernel.loops[l];
    Finding finding;
    uint32_t now = 0;
    for (const Neighbours& group : groups) {
      now += static_cast<uint32_t>(group.instructions.size());
      finding.where.push_back({*std::min_element(group.instructions.begin(), group.instructions.end()),
                               *std::max_element(group.instructions.begin(), group.instructions.end()), l});
      if (finding.evidence.size() < 3)
        finding.evidence.push_back(fmt::format("{} loads of {} bytes, the first {}",
                                               group.instructions.size(), group.bytes,
                                               cite(subject, group.instructions.front())));
    }
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} narrow LDS reads in the loop could be {} wider ones", now, groups.size());
    const double saved = now - static_cast<double>(groups.size());
    const double issue = isa::issue_rules(*subject.code.target).quantum * saved;
    set_gain(finding, subject, loop, gain_of(subject, loop, issue, 0));
    finding.experiment =
        "Load a vector type (float4, or a 16-byte aligned struct) so that the compiler can use ds_read_b128 "
        "(ds_load_b128); it "
        "has to know the alignment. Compare the loop's cycles.";
    finding.unknown_because =
        "the address has to be aligned to the wider access, which the code does not tell";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule narrow_lds_reads{"narrow-lds-reads", "LDS reads that could be wider", check};

}  // namespace wavesmith::analysis::rule
