// Integer arithmetic of the kinds that addresses are made of, where it takes a large part of a loop.
#include <fmt/format.h>

#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    const uint32_t vector = loop.mix.of(isa::Pipe::Valu) + loop.mix.of(isa::Pipe::Transcendental);
    if (!loop.innermost || vector < 8) continue;
    uint32_t count = 0;
    double cycles = 0;
    Place place{kNone, kNone, l};
    subject.own_instructions(l, [&](uint32_t i) {
      if (!is_address_arithmetic(subject.code.instructions[i].mnemonic)) return;
      ++count;
      cycles += subject.costs.of[i].issue;
      if (place.first == kNone) place.first = i;
      place.last = i;
    });
    constexpr double kLarge = 0.35;
    const double computes = loop.mix.vector_operations + loop.mix.matrix_operations;
    if (count < kLarge * vector || computes == 0) continue;
    Finding finding;
    finding.severity = Severity::Hint;
    finding.title =
        fmt::format("{} of {} VALU instructions in the loop are integer arithmetic", count, vector);
    finding.where.push_back(place);
    finding.evidence.push_back(
        fmt::format("they take {:.0f} cycles a pass; first {}", cycles, cite(subject, place.first)));
    const bool bound = loop.cycles.bound == isa::Pipe::Valu;
    set_gain(finding, subject, loop, gain_of(subject, loop, cycles, bound ? cycles : 0));
    finding.experiment =
        "Keep one pointer and add a constant a pass; put constant parts into the instructions' offsets "
        "and wave-uniform parts into SGPRs (the saddr form). Compare. The gain shown is that of all.";
    finding.unknown_because = "some of it may be the kernel's own computing, not addresses";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule address_arithmetic{"address-arithmetic",
                                     "integer arithmetic that takes a large part of a loop", check};

}  // namespace wavesmith::analysis::rule
