// Loops that serve the lanes one value of a buffer's resource after the other ("waterfall loops"): the
// compiler makes one where it holds a resource in VGPRs, mostly although all lanes have the same.
#include <map>

#include <fmt/format.h>

#include "analysis/rule.h"

namespace wavesmith::analysis::rule {
namespace {

bool writes_all(const Subject& subject, uint32_t block, Range range) {
  for (uint16_t r = range.first; r < range.first + range.count; ++r) {
    bool written = false;
    for (uint32_t i = subject.kernel.blocks[block].begin; i < subject.kernel.blocks[block].end; ++i) {
      const isa::Row* const row = subject.code.rows[i];
      written |= row && row->shape == isa::Shape::Wave && subject.code.effects[i].writes_register(r);
    }
    if (!written) return false;
  }
  return true;
}

/// The access of a loop of one block whose resource comes from lanes in that block; kNone: there is none.
uint32_t served_access(const Subject& subject, const Loop& loop) {
  if (loop.blocks.size() != 1) return kNone;
  const uint32_t block = loop.blocks.front();
  for (uint32_t i = subject.kernel.blocks[block].begin; i < subject.kernel.blocks[block].end; ++i) {
    const isa::Row* const row = subject.code.rows[i];
    if (!row || row->shape != isa::Shape::Memory) continue;
    const isa::Operand* const resource = memory_operands(subject.code.instructions[i], *row).resource;
    if (!resource) continue;
    const Range range = registers_of(*resource, subject.code.wave_lanes);
    if (range.count != 0 && writes_all(subject, block, range)) return i;
  }
  return kNone;
}

void check(const Subject& subject, std::vector<Finding>& findings) {
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> found;  // by parent: loops, and their access
  for (uint32_t l = 0; l < subject.kernel.loops.size(); ++l)
    if (const uint32_t access = served_access(subject, subject.kernel.loops[l]); access != kNone)
      found[subject.kernel.loops[l].parent].emplace_back(l, access);
  for (const auto& [parent, loops] : found) {
    Finding finding;
    finding.severity = Severity::Warning;
    finding.title = fmt::format("{} to buffers whose resource is in VGPRs: each in a loop over its values",
                                counted(loops.size(), "access"));
    std::vector<uint32_t> overhead;
    double cycles = 0;
    for (const auto& [l, access] : loops) {
      const Loop& loop = subject.kernel.loops[l];
      if (finding.where.size() < 8) finding.where.push_back({access, access, parent});
      if (finding.evidence.size() < 3)
        finding.evidence.push_back(
            fmt::format("{}: {:.0f} cycles of a wave where all lanes have the same resource",
                        cite(subject, access), loop.cycles.one_wave));
      cycles += loop.cycles.one_wave - subject.costs.of[access].issue;
      subject.own_instructions(l, [&, kept = access](uint32_t i) {
        if (i != kept) overhead.push_back(i);
      });
    }
    if (parent == kNone) {
      finding.gain_cycles = {.value = cycles, .tag = Tag::Modelled, .unknown_because = {}};
      finding.gain_percent.unknown_because = "the code runs once in a wave, and what its loops take depends";
    } else {
      set_gain(finding, subject, subject.kernel.loops[parent],
               gain_without(subject, subject.kernel.loops[parent], overhead));
    }
    finding.experiment =
        "Pass the pointer, the size and whatever they are computed from through "
        "__builtin_amdgcn_readfirstlane, or load them by scalar loads (constant address space), and look "
        "that the loops are gone.";
    finding.unknown_because = "lanes may have different resources";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

extern const Rule waterfall_loop{"waterfall-loop", "loops over the values of a buffer's resource in VGPRs",
                                 check};

}  // namespace wavesmith::analysis::rule
