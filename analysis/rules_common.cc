#include "analysis/rules_common.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace wavesmith::analysis {
namespace {

/// What a pass through a loop takes now and with the waves of the next step, as parts of what it takes now
/// that are gained.
struct Gained {
  double l2 = 0, memory = 0;  ///< loads served by L2, by the memory behind all caches
  bool memory_bound =
      false;  ///< in the latter case what memory has to give is the limit, then or already now
  [[nodiscard]] double least() const { return std::min(l2, memory); }
  [[nodiscard]] double most() const { return std::max(l2, memory); }
};

/// nullopt: the waits of its loads count, and nobody has published how long these take.
std::optional<Gained> gained_by(const Subject& subject, const Loop& loop, double now, double then) {
  const Cycles& c = loop.cycles;
  const auto part = [](double before, double after) {
    return before > 0 ? std::max(0.0, (before - after) / before) : 0;
  };
  Gained step;
  step.l2 = step.memory = part(pass_cycles(c, now), pass_cycles(c, then));
  if (c.memory <= 0) return step;  // no vector memory
  if (c.load_bytes > 0 && !subject.gpu.l2_cycles) return std::nullopt;
  Cycles from_memory = c;
  from_memory.exposed = c.exposed_memory.value_or(c.exposed);
  from_memory.served = c.memory;
  step.memory = part(pass_cycles(from_memory, now), pass_cycles(from_memory, then));
  step.memory_bound = pass_cycles(from_memory, then) <= c.memory;
  return step;
}

/// Waves a SIMD after the next step.
uint32_t waves_then(const Subject& subject) {
  const Occupancy& occupancy = subject.kernel.occupancy;
  gpus::KernelResources changed = occupancy.resources;
  for (const analysis::OccupancyStep& step : occupancy.next) {
    if (step.limiter == gpus::Limiter::Vgprs) changed.vgprs = step.to;
    if (step.limiter == gpus::Limiter::Sgprs) changed.sgprs = step.to;
    if (step.limiter == gpus::Limiter::Lds) changed.lds_bytes = step.to;
    if (step.limiter == gpus::Limiter::Workgroups) changed.workgroup = step.to;
  }
  return std::max(gpus::occupancy(subject.gpu, changed).waves_per_simd, occupancy.now.waves_per_simd + 1);
}

/// Says what the step gains. Where loads are served decides; nobody knows that without running the kernel, so
/// a figure is given where both cases come to about the same.
void tell_gain(const Subject& subject, Finding& finding) {
  const double now = subject.kernel.occupancy.now.waves_per_simd, then = waves_then(subject);
  const Loop* best = nullptr;
  Gained step;
  bool unpublished = false;
  double most = 0;
  for (const Loop& loop : subject.kernel.loops) {
    if (!loop.innermost) continue;
    const std::optional<Gained> found = gained_by(subject, loop, now, then);
    unpublished |= !found;
    const double gain = found ? found->most() * pass_cycles(loop.cycles, now) : 0;
    if (gain > most) most = gain, best = &loop, step = *found;
  }
  finding.severity = Severity::Note;
  if (subject.kernel.loops.empty()) {
    finding.gain_percent.unknown_because = "there is no loop whose time could be compared";
  } else if (unpublished && !best) {
    finding.gain_percent.unknown_because =
        "the latency of this GPU's loads is unpublished, so what more waves would hide is unknown";
  } else if (!best) {
    finding.gain_percent = {.value = 0, .tag = Tag::Modelled, .unknown_because = {}};
    finding.evidence.push_back("every loop keeps a pipe busy with the waves that there are");
  } else if (step.least() < step.most() / 2) {
    if (step.least() > 0) finding.severity = Severity::Hint;
    finding.gain_percent.unknown_because = fmt::format(
        "it depends on what serves the loop's loads: {:.0f} % where L2 does, {:.0f} % where the memory "
        "behind all caches does{}",
        100 * step.l2, 100 * step.memory,
        step.memory_bound
            ? fmt::format(", which takes {:.0f} cycles per pass for the bytes alone, however many waves "
                          "there are",
                          best->cycles.memory)
            : "");
  } else {
    finding.severity = Severity::Hint;
    finding.where.front().loop = static_cast<uint32_t>(best - subject.kernel.loops.data());
    set_gain(finding, subject, *best, step.least() * pass_cycles(best->cycles, now));
    if (best->cycles.load_bytes > 0) finding.unknown_because = "more waves also share caches";
  }
}

}  // namespace

void check_occupancy(const Subject& subject, gpus::Limiter limiter, std::vector<Finding>& findings) {
  const Occupancy& occupancy = subject.kernel.occupancy;
  if (occupancy.now.limiter != limiter || occupancy.now.waves_per_simd >= subject.gpu.waves_per_simd) return;
  Finding finding;
  finding.title = fmt::format("Occupancy is {} of {} waves per SIMD, limited by {}",
                              occupancy.now.waves_per_simd, subject.gpu.waves_per_simd, name_of(limiter));
  if (!occupancy.next.empty()) finding.evidence.push_back(text_of(occupancy.next));
  const auto& resources = subject.kernel.resources;
  if (limiter == gpus::Limiter::Vgprs && subject.kernel.live_peak_at != kNone) {
    const uint32_t live = subject.kernel.live_peak.vgprs + subject.kernel.live_peak.agprs;
    finding.evidence.push_back(fmt::format("at most {} are live, at {}; {} are allocated", live,
                                           cite(subject, subject.kernel.live_peak_at),
                                           resources.vgprs_total));
    finding.where.push_back({subject.kernel.live_peak_at, subject.kernel.live_peak_at,
                             subject.kernel.instructions[subject.kernel.live_peak_at].loop});
  } else {
    finding.where.push_back({0, 0, kNone});
  }
  tell_gain(subject, finding);
  finding.experiment = limiter == gpus::Limiter::Vgprs
                           ? "Compile with __launch_bounds__ or amdgpu_waves_per_eu for one wave more; look "
                             "that nothing spills; compare."
                           : "Change the resource and compare the kernel's time.";
  findings.push_back(std::move(finding));
}

std::vector<Neighbours> neighbours(const Subject& subject, uint32_t loop, isa::Space space,
                                   isa::Direction direction) {
  struct Candidate {
    int64_t offset;
    uint32_t instruction;
  };
  std::vector<Neighbours> all;
  const auto finish = [&](std::vector<Candidate>& group, uint32_t bytes) {
    std::sort(group.begin(), group.end(),
              [](const Candidate& a, const Candidate& b) { return a.offset < b.offset; });
    for (size_t i = 0; i < group.size();) {
      size_t j = i + 1;
      while (j < group.size() && group[j].offset == group[j - 1].offset + bytes && (j + 1 - i) * bytes <= 16)
        ++j;
      if (j - i > 1) {
        Neighbours one{{}, bytes};
        for (size_t k = i; k < j; ++k) one.instructions.push_back(group[k].instruction);
        all.push_back(std::move(one));
      }
      i = j;
    }
    group.clear();
  };
  for (const uint32_t b : subject.kernel.loops[loop].blocks) {
    if (subject.kernel.blocks[b].loop != loop) continue;
    std::map<std::tuple<std::string, uint32_t>, std::vector<Candidate>>
        groups;  // by what the address is, and width
    std::map<std::tuple<std::string, uint32_t>, std::vector<Range>> registers;
    for (uint32_t i = subject.kernel.blocks[b].begin; i < subject.kernel.blocks[b].end; ++i) {
      const isa::Instruction& in = subject.code.instructions[i];
      const isa::Row* const row = subject.code.rows[i];
      if (row && row->shape == isa::Shape::Memory && row->access.direction == direction &&
          row->access.places == 1 && row->access.bytes > 0 && row->access.bytes < 16 && !row->access.merges &&
          !loads_to_lds(in) && space_of(in.mnemonic) == space) {
        const MemoryOperands operands = memory_operands(in, *row);
        std::string key = in.mnemonic;
        std::vector<Range> used;
        for (const isa::Operand* operand : {operands.address, operands.scalar, operands.resource}) {
          if (!operand) continue;
          const Range range = registers_of(*operand, subject.code.wave_lanes);
          key += fmt::format(" {}+{}", range.first, range.count);
          if (range.count == 0) key += fmt::format("={}{}", operand->bits, operand->name);
          used.push_back(range);
        }
        const std::tuple where{key, row->access.bytes};
        groups[where].push_back({in.value("offset"), i});
        registers[where] = used;
      }
      // Whoever changes an address ends its groups.
      for (auto& [key, group] : groups) {
        if (group.empty()) continue;
        bool changed = false;
        for (const Range written : subject.code.effects[i].writes)
          for (const Range used : registers[key]) changed |= used.count != 0 && written.overlaps(used);
        if (changed) finish(group, std::get<1>(key));
      }
    }
    for (auto& [key, group] : groups) finish(group, std::get<1>(key));
  }
  std::sort(all.begin(), all.end(),
            [](const Neighbours& a, const Neighbours& b) { return a.instructions < b.instructions; });
  return all;
}

void check_narrow_loads(const Subject& subject, std::initializer_list<isa::Space> spaces,
                        std::string_view what, std::string_view instruction, std::vector<Finding>& findings) {
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l) {
    std::vector<Neighbours> groups;
    for (const isa::Space space : spaces)
      for (Neighbours& group : neighbours(subject, l, space, isa::Direction::Load))
        groups.push_back(std::move(group));
    if (groups.empty()) continue;
    Finding finding;
    uint32_t now = 0;
    for (const Neighbours& group : groups) {
      now += static_cast<uint32_t>(group.instructions.size());
      const auto [first, last] = std::ranges::minmax(group.instructions);
      finding.where.push_back({first, last, l});
      if (finding.evidence.size() < 3)
        finding.evidence.push_back(fmt::format("{} loads of {} bytes, the first {}",
                                               group.instructions.size(), group.bytes,
                                               cite(subject, group.instructions.front())));
    }
    finding.severity = Severity::Hint;
    finding.title = fmt::format("{} narrow {} in the loop could be {} wider ones", now, what, groups.size());
    // One of each group does the work of all.
    Costs costs = subject.costs;
    costs.left_out.resize(subject.code.size());
    for (const Neighbours& group : groups) {
      const auto [first, last] = std::ranges::minmax(group.instructions);
      for (const uint32_t i : group.instructions) costs.left_out[i] = i != last;
      double data = 0;
      for (const uint32_t i : group.instructions) data += costs.data_cycles[i];
      const auto bytes = static_cast<uint32_t>(group.bytes * group.instructions.size());
      if (space_of(subject.code.instructions[last].mnemonic) == isa::Space::Lds)
        data = lds_cycles(subject.gpu, isa::Direction::Load, std::min(bytes, 16u), subject.code.wave_lanes);
      costs.data_cycles[last] = data;
    }
    set_gain(finding, subject, subject.kernel.loops[l], gain_with(subject, subject.kernel.loops[l], costs));
    finding.experiment = fmt::format(
        "Load a vector type (float4, or a 16-byte aligned struct) so that the compiler can use {}; it "
        "has to know the alignment. Compare the loop's cycles.",
        instruction);
    finding.unknown_because =
        "the address has to be aligned to the wider access, which the code does not tell";
    findings.push_back(std::move(finding));
  }
}

}  // namespace wavesmith::analysis
