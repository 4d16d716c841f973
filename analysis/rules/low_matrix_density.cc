// A loop with matrix instructions in which their pipe stands still for a good part of the time.
#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    const uint32_t count = loop.mix.of(isa::Pipe::Matrix);
    if (!loop.innermost || count == 0) continue;
    const double matrix = loop.cycles.pipe[static_cast<size_t>(isa::Pipe::Matrix)];
    const double pass = pass_cycles(subject, loop);
    constexpr double kDense = 0.85;
    if (pass <= 0 || matrix >= kDense * pass) continue;
    Finding finding;
    finding.severity = matrix < 0.5 * pass ? Severity::Warning : Severity::Hint;
    finding.title = fmt::format("The matrix pipe is busy for {:.0f} % of the loop", 100 * matrix / pass);
    finding.where.push_back({kNone, kNone, l});
    subject.own_instructions(l, [&](uint32_t i) {
      if (subject.kernel.instructions[i].pipe != isa::Pipe::Matrix) return;
      if (finding.where[0].first == kNone) finding.where[0].first = i;
      finding.where[0].last = i;
    });
    finding.evidence.push_back(
        fmt::format("{} matrix instructions of {} take {:.0f} of {:.0f} cycles per pass", count,
                    loop.mix.total, matrix, pass));
    for (const isa::Pipe pipe : {isa::Pipe::Valu, isa::Pipe::Lds, isa::Pipe::Vmem, isa::Pipe::Salu})
      if (const double busy = loop.cycles.pipe[static_cast<size_t>(pipe)]; busy > 0)
        finding.evidence.push_back(fmt::format("{}: {:.0f} cycles", isa::name_of(pipe), busy));
    finding.evidence.push_back(
        fmt::format("a wave alone takes {:.0f} cycles and waits {:.0f} for memory; busiest: {}",
                    loop.cycles.one_wave, loop.cycles.exposed, isa::name_of(loop.cycles.bound)));
    set_gain(finding, subject, loop, pass - matrix);
    finding.experiment =
        "Give each pass more matrix work for what it loads (a larger tile of accumulators), or take "
        "what the other pipes do out of the loop, and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule low_matrix_density{"low-matrix-density", "loops whose matrix pipe stands still", check};

}  // namespace wavesmith::analysis::rule
