#include "analysis/rule.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::analysis {
namespace {

/// What would gain nothing, since the loop's time goes elsewhere, is no more than a note.
void tell_hidden(const Subject& subject, Finding& finding) {
  if (!finding.gain_percent.value || *finding.gain_percent.value > 0 || finding.where.empty()) return;
  finding.severity = Severity::Note;
  const uint32_t number = finding.where.front().loop;
  const Loop loop = number == kNone ? straight_line(subject) : subject.kernel.loops[number];
  const Cycles& cycles = loop.cycles;
  const double pass = pass_cycles(subject, loop);
  finding.evidence.push_back(fmt::format("alone it gains nothing: the time goes to {}",
                                         pass <= cycles.throughput ? isa::name_of(cycles.bound)
                                         : pass <= cycles.served
                                             ? "loads and stores beyond L1"
                                             : "a wave's own chain of instructions and waits"));
}

uint32_t first_of(const Finding& finding) {
  return finding.where.empty() ? kNone : finding.where.front().first;
}

}  // namespace

double pass_cycles(const Cycles& cycles, double waves) {
  return std::max(
      {cycles.throughput, cycles.served, (cycles.one_wave + cycles.exposed) / std::max(1.0, waves)});
}

double pass_cycles(const Subject& subject, const Loop& loop) {
  return pass_cycles(loop.cycles, subject.kernel.occupancy.now.waves_per_simd);
}

double gain_of(const Subject& subject, const Loop& loop, double wave, double pipe) {
  Cycles less = loop.cycles;
  less.one_wave = std::max(0.0, less.one_wave - wave);
  // Then another pipe is the busiest.
  less.throughput = std::max(less.next_busiest, less.throughput - pipe);
  return pass_cycles(subject, loop) - pass_cycles(less, subject.kernel.occupancy.now.waves_per_simd);
}

Loop straight_line(const Subject& subject) {
  Loop loop;
  loop.cycles = subject.kernel.outside;
  return loop;
}

double gain_with(const Subject& subject, const Loop& loop, const Costs& costs) {
  Cycles changed = cycles_of(subject.code, subject.graph, subject.gpu, costs, loop.usual_blocks);
  changed.exposed = loop.cycles.exposed;
  changed.served = loop.cycles.served;
  return pass_cycles(subject, loop) - pass_cycles(changed, subject.kernel.occupancy.now.waves_per_simd);
}

double gain_without(const Subject& subject, const Loop& loop, const std::vector<uint32_t>& instructions) {
  Costs costs = subject.costs;
  costs.left_out.resize(subject.code.size());
  for (const uint32_t i : instructions) costs.left_out[i] = 1;
  return gain_with(subject, loop, costs);
}

double load_latency(const Subject& subject, uint32_t load) {
  return load_latency(subject.code, load, subject.gpu, subject.kernel.served_by);
}

std::optional<double> wait_saved(const Subject& subject, const Wait& wait) {
  if (!wait.slack.value || wait.for_.empty() || wait.could_be == kNone || wait.could_be <= wait.value)
    return std::nullopt;
  const double latency = load_latency(subject, wait.for_.front());
  if (latency <= 0) return std::nullopt;
  const double now = std::max(0.0, latency - *wait.slack.value);
  // What it would still wait for was issued earlier.
  const size_t left = wait.could_be - wait.value;
  if (left >= wait.for_.size()) return now;
  const uint32_t older = wait.for_[left], youngest = wait.for_.front();
  if (subject.graph.block_of[older] != subject.graph.block_of[youngest] || older > youngest)
    return std::nullopt;
  const double slack = *wait.slack.value + subject.costs.clock[youngest] - subject.costs.clock[older];
  return now - std::max(0.0, load_latency(subject, older) - slack);
}

double gain_of_waits(const Subject& subject, const Loop& loop, double saved) {
  Cycles less = loop.cycles;
  less.exposed = std::max(0.0, less.exposed - saved);
  return pass_cycles(subject, loop) - pass_cycles(less, subject.kernel.occupancy.now.waves_per_simd);
}

void set_gain(Finding& finding, const Subject& subject, const Loop& loop, double cycles, Tag tag) {
  const double pass = pass_cycles(subject, loop);
  if (cycles <= 0 || pass <= 0) {
    finding.gain_cycles = finding.gain_percent = {.value = 0, .tag = tag, .unknown_because = {}};
    return;
  }
  finding.gain_cycles = {.value = cycles, .tag = tag, .unknown_because = {}};
  finding.gain_percent = {.value = std::min(100.0, 100 * cycles / pass), .tag = tag, .unknown_because = {}};
}

std::string counted(size_t count, std::string_view noun) {
  if (count != 1 && (noun.ends_with('h') || noun.ends_with('s')))
    return fmt::format("{} {}es", count, noun);  // branches, accesses
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string cite(const Subject& subject, uint32_t instruction) {
  const Instruction& in = subject.kernel.instructions[instruction];
  std::string text = fmt::format("{} at {:#x}", in.text, in.pc);
  if (in.source.known())
    text += fmt::format(
        " ({}:{})",
        subject.kernel.files[in.source.file].substr(subject.kernel.files[in.source.file].rfind('/') + 1),
        in.source.line);
  return text;
}

std::vector<Finding> find_all(const Subject& subject) {
  std::vector<Finding> all;
  for (const Rule* const rule : rules()) {
    std::vector<Finding> found;
    rule->check(subject, found);
    for (Finding& finding : found) {
      finding.rule = rule->name;
      tell_hidden(subject, finding);
      uint32_t depth = 0;
      for (const Location& location : finding.where)
        if (location.loop != kNone) depth = std::max(depth, subject.kernel.loops[location.loop].depth);
      // What is not known counts as a little. Inner loops run most often.
      constexpr double kUnknown[] = {0.5, 2, 5};
      const double gain =
          finding.gain_percent.value.value_or(kUnknown[static_cast<size_t>(finding.severity)]);
      finding.rank = (gain + 0.1 * kUnknown[static_cast<size_t>(finding.severity)]) * (1 + depth);
      all.push_back(std::move(finding));
    }
  }
  std::sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return a.rank != b.rank   ? a.rank > b.rank
           : a.rule != b.rule ? a.rule < b.rule
                              : first_of(a) < first_of(b);
  });
  return all;
}

}  // namespace wavesmith::analysis
