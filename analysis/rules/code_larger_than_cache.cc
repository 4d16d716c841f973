// A loop that does not fit into the instruction cache is fetched from L2 again each pass.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  const uint32_t cache = subject.gpu.l1_instruction_bytes;
  if (cache == 0) return;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (loop.bytes <= cache) continue;
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = fmt::format("The loop has {} bytes of code, the instruction cache {}", loop.bytes, cache);
    const Block& header = subject.kernel.blocks[loop.header];
    finding.where.push_back({header.begin, header.begin, l});
    finding.evidence.push_back(
        fmt::format("{} instructions from {:#x} to {:#x}", loop.mix.total, loop.begin_pc, loop.end_pc));
    if (subject.gpu.units_per_scalar_cache > 1)
      finding.evidence.push_back(
          fmt::format("{} compute units share the cache", subject.gpu.units_per_scalar_cache));
    finding.gain_percent.unknown_because = finding.gain_cycles.unknown_because =
        "the rate at which L2 gives instructions is not published";
    finding.experiment = "Unroll less (#pragma unroll with a number) until the loop fits, and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule code_larger_than_cache{"code-larger-than-cache",
                                         "loops that the instruction cache does not hold", check};

}  // namespace wavesmith::analysis::rule
