// A loop with matrix instructions in which their pipe stands still for a good part of the time. What computes
// on their results, as a softmax does, grows with them: it is no part of the gain.
#include <algorithm>
#include <bitset>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

using Registers = std::bitset<reg::kCount>;

bool any_of(const Registers& set, const std::vector<Range>& ranges) {
  for (const Range range : ranges)
    for (uint16_t r = range.first; r < range.first + range.count; ++r)
      if (set[r]) return true;
  return false;
}

/// By instruction: whether it computes on what matrix instructions of the loop gave, at first or at second
/// hand. Results stay results until another instruction writes their registers.
std::vector<uint8_t> on_results(const Subject& subject, const Loop& loop) {
  std::vector<uint8_t> found(subject.code.size());
  Registers results;
  // A second time for what comes from the pass before.
  for (int time = 0; time < 2; ++time)
    for (const uint32_t b : loop.blocks)
      for (uint32_t i = subject.kernel.blocks[b].begin; i < subject.kernel.blocks[b].end; ++i) {
        const Effects& effects = subject.code.effects[i];
        const bool matrix = subject.kernel.instructions[i].pipe == isa::Pipe::Matrix;
        const bool computes = matrix || any_of(results, effects.reads);
        if (computes && !matrix) found[i] = 1;
        for (const Range range : effects.writes)
          for (uint16_t r = range.first; r < range.first + range.count; ++r)
            if (r < reg::kSgpr) results[r] = computes;
      }
  return found;
}

/// What costs where a loop has matrix instructions and what computes on their results, and nothing else.
Costs least_costs(const Subject& subject, const Loop& loop) {
  const std::vector<uint8_t> kept = on_results(subject, loop);
  Costs costs = subject.costs;
  costs.left_out.resize(subject.code.size());
  for (const uint32_t b : loop.blocks)
    for (uint32_t i = subject.kernel.blocks[b].begin; i < subject.kernel.blocks[b].end; ++i)
      costs.left_out[i] = !kept[i] && subject.kernel.instructions[i].pipe != isa::Pipe::Matrix;
  return costs;
}

/// A pass through some blocks of a loop, in cycles.
struct Pass {
  double matrix, all;  ///< its matrix pipe's, and what it takes
  double least;        ///< with matrix instructions and what computes on their results alone
  double served;       ///< what L2 or memory has to give
  [[nodiscard]] double gain() const { return std::max(0.0, all - std::max(least, served)); }
  [[nodiscard]] double busy_percent() const { return 100 * matrix / all; }
};

Pass pass_of(const Subject& subject, const Cycles& cycles, const std::vector<uint32_t>& blocks,
             const Costs& least) {
  return {.matrix = cycles.pipe[static_cast<size_t>(isa::Pipe::Matrix)],
          .all = pass_cycles(cycles, subject.kernel.occupancy.now.waves_per_simd),
          .least = cycles_of(subject.code, subject.graph, subject.gpu, least, blocks).throughput,
          .served = cycles.served};
}

/// The gain of passes that come to all of the loop, or unknown where it depends on how many do.
void tell_gain(Finding& finding, const Subject& subject, const Loop& loop, const Pass& pass,
               const Pass& shortest) {
  set_gain(finding, subject, loop, pass.gain());
  const auto percent = [](const Pass& of) { return 100 * of.gain() / of.all; };
  if (shortest.matrix < pass.matrix || percent(shortest) >= percent(pass) / 2) return;
  if (shortest.gain() == 0) finding.severity = Severity::Note;
  finding.gain_cycles.value = finding.gain_percent.value = std::nullopt;
  finding.gain_cycles.unknown_because = finding.gain_percent.unknown_because = fmt::format(
      "it depends on how many passes come to what stands behind conditions: {:.0f} % where all do, {:.0f} % "
      "where none does, which keeps the pipe busy for {:.0f} % of {:.0f} cycles",
      percent(pass), percent(shortest), shortest.busy_percent(), shortest.all);
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    const uint32_t count = loop.mix.of(isa::Pipe::Matrix);
    if (!loop.innermost || count == 0) continue;
    const Costs least = least_costs(subject, loop);
    const Pass pass = pass_of(subject, loop.cycles, loop.usual_blocks, least);
    constexpr double kDense = 0.85;
    if (pass.all <= 0 || pass.matrix >= kDense * pass.all) continue;
    Finding finding;
    finding.severity = pass.matrix < 0.5 * pass.all ? Severity::Warning : Severity::Hint;
    finding.title = fmt::format("The matrix pipe is busy for {:.0f} % of the loop", pass.busy_percent());
    finding.where.push_back({kNone, kNone, l});
    subject.own_instructions(l, [&](uint32_t i) {
      if (subject.kernel.instructions[i].pipe != isa::Pipe::Matrix) return;
      if (finding.where[0].first == kNone) finding.where[0].first = i;
      finding.where[0].last = i;
    });
    finding.evidence.push_back(
        fmt::format("{} matrix instructions of {} take {:.0f} of {:.0f} cycles per pass", count,
                    loop.mix.total, pass.matrix, pass.all));
    for (const isa::Pipe pipe : {isa::Pipe::Valu, isa::Pipe::Lds, isa::Pipe::Vmem, isa::Pipe::Salu})
      if (const double busy = loop.cycles.pipe[static_cast<size_t>(pipe)]; busy > 0)
        finding.evidence.push_back(fmt::format("{}: {:.0f} cycles", isa::name_of(pipe), busy));
    finding.evidence.push_back(
        fmt::format("a wave alone takes {:.0f} cycles and waits {:.0f} for memory; busiest: {}",
                    loop.cycles.one_wave, loop.cycles.exposed, isa::name_of(loop.cycles.bound)));
    if (pass.least > pass.matrix)
      finding.evidence.push_back(
          fmt::format("with nothing but what computes on their results: {:.0f} cycles", pass.least));
    if (pass.served > pass.least)
      finding.evidence.push_back(
          fmt::format("what it loads takes {:.0f} cycles from {}: of a larger tile less for each product",
                      pass.served, subject.kernel.served_by == ServedBy::L2 ? "L2" : "memory"));
    tell_gain(finding, subject, loop, pass, pass_of(subject, loop.sure_cycles, loop.sure_blocks, least));
    finding.experiment =
        "Give each pass more matrix work for what it loads (a larger tile of accumulators), or take "
        "what the other pipes do out of the loop, and compare.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule low_matrix_density{"low-matrix-density", "loops whose matrix pipe stands still", check};

}  // namespace wavesmith::analysis::rule
