// Loads in loops from an address that the loop does not change: each pass fetches the same place again,
// mostly because the compiler could not rule out that a store of the loop writes there.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

bool is_access(const isa::Row* row, isa::Direction direction) {
  return row && row->shape == isa::Shape::Memory && row->access.direction == direction;
}

/// Whether others may write between two passes, or nobody knows what the loop does.
bool is_shared(const Subject& subject, const Loop& loop) {
  for (const uint32_t b : loop.blocks)
    for (uint32_t i = subject.kernel.blocks[b].begin; i < subject.kernel.blocks[b].end; ++i)
      if (subject.code.effects[i].unknown || subject.kernel.instructions[i].clobbers_unknown) return true;
  return loop.mix.barriers > 0 || !loop.natural;
}

bool writes(const Subject& subject, const Loop& loop, Range range) {
  for (const uint32_t b : loop.blocks)
    for (uint32_t i = subject.kernel.blocks[b].begin; i < subject.kernel.blocks[b].end; ++i)
      for (const Range written : subject.code.effects[i].writes)
        if (range.count != 0 && written.overlaps(range)) return true;
  return false;
}

/// A load to registers from an address that is the same in each pass. What asks for more than the wave's own
/// caches (volatile and atomic loads) is meant to look again.
bool repeats(const Subject& subject, const Loop& loop, uint32_t i) {
  const isa::Instruction& in = subject.code.instructions[i];
  const isa::Row* const row = subject.code.rows[i];
  if (!is_access(row, isa::Direction::Load) || loads_to_lds(in) || row->access.merges) return false;
  const isa::Space space = space_of(in.mnemonic);
  if (space == isa::Space::Lds || space == isa::Space::Scratch) return false;
  for (const std::string_view wider : {"sc0", "sc1", "glc", "dlc", "scope"})
    if (in.has(wider)) return false;
  const MemoryOperands operands = memory_operands(in, *row);
  return std::ranges::none_of(std::initializer_list{operands.address, operands.scalar, operands.resource},
                              [&](const isa::Operand* operand) {
                                return operand &&
                                       writes(subject, loop, registers_of(*operand, subject.code.wave_lanes));
                              });
}

/// Cycles that one wave spends in waits for these loads alone. They come from L1, as far as that is known.
double waited_for(const Subject& subject, uint32_t loop, const std::vector<uint32_t>& loads) {
  double cycles = 0;
  for (const Wait& wait : subject.kernel.waits) {
    if (subject.kernel.instructions[wait.instruction].loop != loop || wait.for_.empty() || !wait.slack.value)
      continue;
    if (!std::ranges::all_of(wait.for_,
                             [&](uint32_t i) { return std::ranges::find(loads, i) != loads.end(); }))
      continue;
    const double latency =
        subject.gpu.l1_cycles ? *subject.gpu.l1_cycles : load_latency(subject, wait.for_.front());
    cycles += std::max(0.0, latency - *wait.slack.value);
  }
  return cycles;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    const Loop& loop = subject.kernel.loops[l];
    if (is_shared(subject, loop)) continue;
    std::vector<uint32_t> loads;
    uint32_t stores = 0;
    subject.own_instructions(l, [&](uint32_t i) {
      if (repeats(subject, loop, i)) loads.push_back(i);
      stores += is_access(subject.code.rows[i], isa::Direction::Store) ||
                is_access(subject.code.rows[i], isa::Direction::Atomic);
    });
    if (loads.empty()) continue;
    const double saved = waited_for(subject, l, loads);
    double cycles = saved;
    for (const uint32_t i : loads)
      cycles += std::max<double>(subject.costs.of[i].issue, subject.costs.data_cycles[i]);
    constexpr double kWorthwhile = 0.03;
    if (cycles < kWorthwhile * pass_cycles(subject, loop)) continue;
    Loop rest = loop;
    rest.cycles.exposed = std::max(0.0, loop.cycles.exposed - saved);
    const double gain = gain_of_waits(subject, loop, saved) + gain_without(subject, rest, loads);
    Finding finding;
    finding.severity = gain < kWorthwhile * pass_cycles(subject, loop) ? Severity::Note : Severity::Hint;
    finding.title =
        fmt::format("{} the same place in each pass of the loop",
                    loads.size() == 1 ? "1 load reads" : fmt::format("{} loads read", loads.size()));
    for (const uint32_t i : loads) {
      if (finding.where.size() < 8) finding.where.push_back({i, i, l});
      if (finding.evidence.size() < 3)
        finding.evidence.push_back(
            fmt::format("{}: the loop writes no register of its address", cite(subject, i)));
    }
    set_gain(finding, subject, loop, gain);
    finding.experiment =
        "Read it into a local variable before the loop (and write that back behind it), or tell the compiler with "
        "__restrict__ that stores go elsewhere, and compare.";
    finding.unknown_because = stores ? fmt::format("{} of the loop may write there", counted(stores, "store"))
                                     : "others may write there meanwhile";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule repeated_load_in_loop{"repeated-load-in-loop",
                                        "loads in loops from an address that stays the same", check};

}  // namespace wavesmith::analysis::rule
