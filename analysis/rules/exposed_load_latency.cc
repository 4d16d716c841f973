// Loads in loops whose data is wanted sooner than it can be there, and no other waves to fill the time.
#include <algorithm>
#include <bitset>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

using Registers = std::bitset<reg::kCount>;

/// Calls `visit(r)` for the registers that make a load's address.
template <class Visit>
void each_address_register(const Subject& subject, uint32_t load, Visit visit) {
  const isa::Row* const row = subject.code.rows[load];
  if (!row) return;
  const MemoryOperands operands = memory_operands(subject.code.instructions[load], *row);
  for (const isa::Operand* const operand : {operands.address, operands.scalar, operands.resource}) {
    if (!operand) continue;
    const Range range = registers_of(*operand, subject.code.wave_lanes);
    for (uint16_t r = range.first; r < range.first + range.count; ++r) visit(r);
  }
}

/// What a pass of the loop makes of a load's data.
struct Use {
  bool next_address = false;  ///< the address of the same load in the next pass
  bool ends = false;          ///< whether there is a next pass
};

Use use_of(const Subject& subject, uint32_t loop, uint32_t load) {
  std::vector<uint32_t> order;
  subject.own_instructions(loop, [&](uint32_t i) { order.push_back(i); });
  const auto at = std::find(order.begin(), order.end(), load);
  if (at == order.end()) return {};
  std::rotate(order.begin(), at, order.end());
  const std::vector<uint32_t>& exits = subject.kernel.loops[loop].exits;
  Registers made;
  Use use;
  for (const uint32_t i : order) {
    const Effects& effects = subject.code.effects[i];
    const auto any = [&](const std::vector<Range>& ranges) {
      for (const Range range : ranges)
        for (uint16_t r = range.first; r < range.first + range.count; ++r)
          if (made[r]) return true;
      return false;
    };
    const bool from_load = i == load || any(effects.reads);
    use.ends |= from_load && subject.code.flow[i] == isa::Flow::Conditional &&
                std::find(exits.begin(), exits.end(), subject.graph.block_of[i]) != exits.end();
    for (const Range range : effects.writes)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) made[r] = from_load;
  }
  each_address_register(subject, load, [&](uint16_t r) { use.next_address |= made[r]; });
  return use;
}

/// Whether the loop does nothing but look at the same place until somebody else has written there.
bool polls(const Subject& subject, uint32_t loop, uint32_t load) {
  bool same = use_of(subject, loop, load).ends;
  subject.own_instructions(loop, [&](uint32_t i) {
    const isa::Row* const row = subject.code.rows[i];
    same &= !row || row->shape != isa::Shape::Memory || row->access.direction == isa::Direction::Load;
    each_address_register(subject, load,
                          [&](uint16_t r) { same &= !subject.code.effects[i].writes_register(r); });
  });
  return same;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  const double waves = subject.kernel.occupancy.now.waves_per_simd;
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (!loop.innermost || loop.cycles.exposed <= 0) continue;
    Cycles hidden = loop.cycles;
    hidden.exposed = 0;
    const double gain = pass_cycles(loop.cycles, waves) - pass_cycles(hidden, waves);
    if (gain <= 0) continue;
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = "The loop waits for loads that were issued too late";
    bool chain = true, polling = false;
    for (const Wait& wait : subject.kernel.waits) {
      if (subject.kernel.instructions[wait.instruction].loop != l || wait.for_.empty() || !wait.slack.value)
        continue;
      const uint32_t load = wait.for_.front();
      // What was loaded before the loop is waited for once.
      if (subject.kernel.instructions[load].loop != l) continue;
      // What has come by then is not waited for.
      if (*wait.slack.value >= load_latency(subject, load)) continue;
      chain &= use_of(subject, l, load).next_address;
      polling |= polls(subject, l, load);
      finding.where.push_back({wait.instruction, wait.instruction, l});
      if (finding.evidence.size() < 4)
        finding.evidence.push_back(fmt::format(
            "{} waits for {}, issued {:.0f} cycles ({} instructions) before", cite(subject, wait.instruction),
            cite(subject, load), *wait.slack.value, wait.between));
    }
    finding.evidence.push_back(fmt::format(
        "a wave alone needs {:.0f} cycles per pass and waits {:.0f} more; {:.0f} waves per SIMD share the time",
        loop.cycles.one_wave, loop.cycles.exposed, waves));
    if (polling) {
      finding.severity = Severity::Hint;
      finding.title = "The loop polls memory until another wave or the host writes it";
      finding.gain_percent.unknown_because = "how long it waits is up to those who write";
      finding.experiment =
          "Time those for whom it waits; a longer s_sleep between two looks leaves them more of the memory.";
      findings.push_back(std::move(finding));
      continue;
    }
    set_gain(finding, subject, loop, gain);
    finding.experiment =
        "Load the data of the next pass (or of the one after) before computing this one's: unroll, "
        "or a second buffer in registers or LDS. Or raise the occupancy.";
    if (subject.kernel.served_by == ServedBy::L2)
      finding.unknown_because = "loads are taken to be served by L2";
    if (chain && !finding.where.empty()) {
      finding.title =
          "Each load's address comes from the load of the pass before: none can be issued earlier";
      finding.experiment =
          "Follow several chains in a lane at once, or have more waves; fewer steps (wider nodes, an index "
          "made beforehand) shorten the chain itself.";
    }
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule exposed_load_latency{"exposed-load-latency",
                                       "loops that wait for loads that were issued too late", check};

}  // namespace wavesmith::analysis::rule
