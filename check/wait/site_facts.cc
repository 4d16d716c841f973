#include "check/wait/site_facts.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "isa/control/row.h"
#include "isa/cost/cost.h"

namespace wavesmith::check::wait {

using isa::Operation;
using isa::RegisterRange;
using Half = isa::Operand::Half;
namespace reg = isa::reg;

namespace {

bool is_relative(Operation operation) {
  return operation >= Operation::ScalarFromRelative && operation <= Operation::RowsRelativeBoth2;
}

/// The register ranges that arrive later: of memory instructions their results; of others none.
RegisterRange later_result(const SiteFacts& facts) {
  const auto& writes = facts.effects.writes;
  if (facts.raises.empty() || facts.to_lds || writes.empty()) return {};
  return writes.front();
}

/// Loads of 16 bits keep the other half of their VGPR, and stores read one half.
Half half_of(const isa::Row* row, const isa::Target& target) {
  if (!row || row->shape != isa::Shape::Memory || row->access.dwords != 1) return Half::Whole;
  const isa::Access& access = row->access;
  const bool load = access.direction == isa::Direction::Load;
  if (load && (!access.merges || target.may_have_sram_ecc())) return Half::Whole;
  if (!load && (access.direction != isa::Direction::Store || access.formatted || access.bytes > 2))
    return Half::Whole;
  return access.high ? Half::High : Half::Low;
}

RegisterRange moved(RegisterRange range, uint32_t by) {
  const uint32_t first = range.first + by;
  return {static_cast<uint16_t>(std::min<uint32_t>(first, reg::kCount)), range.count};
}

}  // namespace

SiteFacts facts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes) {
  const isa::Instruction& instruction = site.instruction;
  SiteFacts facts;
  facts.site = &site;
  facts.effects = isa::effects_of(instruction, site.row, target, wave_lanes);
  facts.raises = raises_of(instruction, site.row, target);
  facts.to_lds = isa::loads_to_lds(instruction);
  facts.result = later_result(facts);
  if (site.row && site.row->shape == isa::Shape::Memory && site.row->access.merges) {
    auto& reads = facts.effects.reads;
    const auto kept = std::ranges::find(reads, facts.result);
    if (kept != reads.end()) reads.erase(kept);
  }
  facts.half = half_of(site.row, target);
  for (const auto* const ranges : {&facts.effects.reads, &facts.effects.writes})
    for (const RegisterRange range : *ranges) facts.touched.add(range);
  facts.limits = limits_of(instruction, target);
  if (std::ranges::any_of(facts.limits, [](uint16_t limit) { return limit != kNoLimit; }))
    facts.tally = std::make_unique<Tally>();
  const isa::Pipe pipe = isa::pipe_of(instruction, site.row);
  facts.flat = pipe == isa::Pipe::Vmem && isa::space_of(instruction.mnemonic) == isa::Space::Flat;
  facts.lds = facts.flat || facts.to_lds || pipe == isa::Pipe::Lds;
  const Operation operation = isa::operation_of(instruction.mnemonic);
  if (operation == Operation::GridBarrier)
    for (const RegisterRange range : facts.effects.reads)
      if (range.first < reg::kSgpr) facts.locked = range;
  facts.relative = !site.row && is_relative(operation);
  facts.vector = pipe == isa::Pipe::Valu || pipe == isa::Pipe::Transcendental;
  facts.index_on = operation == Operation::IndexOn;
  facts.index_off = operation == Operation::IndexOff;
  facts.plain = facts.raises.empty() && !facts.tally && site.barrier == emulate::BarrierStep::None &&
                !facts.index_on && !facts.index_off;
  return facts;
}

bool uses_half(const SiteFacts& facts, uint16_t vgpr, Half half) {
  isa::MemoryOperands memory;
  if (facts.half != Half::Whole) memory = isa::memory_operands(facts.site->instruction, *facts.site->row);
  const auto uses = [&](const isa::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [&](const isa::Operand& operand) {
      if (!isa::registers_of(operand, 64).has(vgpr)) return false;
      const bool data = &operand == memory.result || &operand == memory.data;
      const Half its = data ? facts.half : operand.half;
      return its == Half::Whole || its == half;
    });
  };
  const isa::Instruction& instruction = facts.site->instruction;
  return uses(instruction) || (!instruction.second.empty() && uses(instruction.second.front()));
}

// Sources: AMD, ISA references: V_MOVREL*, S_MOVREL* (RDNA), "VGPR indexing" (CDNA).
isa::Effects relative_effects(const SiteFacts& facts, uint32_t m0) {
  const isa::Instruction& instruction = facts.site->instruction;
  isa::Effects effects = facts.effects;
  if (!facts.relative) {
    effects.reads.clear();
    effects.writes.clear();
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const RegisterRange range = isa::registers_of(instruction.operands[i], 64);
      if (!range.count) continue;
      const bool result = i == 0, indexed = m0 >> (result ? 15 : 11 + i) & 1;
      const bool vgpr = instruction.operands[i].kind == isa::Operand::Kind::Vgpr;
      (result ? effects.writes : effects.reads).push_back(vgpr && indexed ? moved(range, m0 & 0xff) : range);
    }
    return effects;
  }
  uint32_t source = m0, result = m0;
  switch (isa::operation_of(instruction.mnemonic)) {
    case Operation::ScalarFromRelative:
    case Operation::ScalarFromRelative64:
    case Operation::RowsFromRelative:
      result = 0;
      break;
    case Operation::ScalarToRelative:
    case Operation::ScalarToRelative64:
    case Operation::RowsToRelative:
      source = 0;
      break;
    case Operation::RowsRelativeBoth:
      break;
    default:
      source = m0 & 0x3ff;
      result = m0 >> 16 & 0x3ff;
      break;
  }
  for (RegisterRange& range : effects.writes) range = moved(range, result);
  for (RegisterRange& range : effects.reads)
    if (range.first < reg::kVcc) range = moved(range, source);
  return effects;
}

std::string name_of(RegisterRange range) {
  if (range.first >= reg::kVcc) {
    static constexpr std::array<std::pair<uint16_t, std::string_view>, 5> kNamed = {
        {{reg::kVcc, "vcc"},
         {reg::kM0, "m0"},
         {reg::kExec, "exec"},
         {reg::kScc, "scc"},
         {reg::kVcc + 1, "vcc_hi"}}};
    for (const auto& [first, name] : kNamed)
      if (range.first == first) return std::string(name);
  }
  const bool trap = range.first >= reg::kTtmp;
  const char* const letter = trap                        ? "ttmp"
                             : range.first >= reg::kSgpr ? "s"
                             : range.first >= reg::kAgpr ? "a"
                                                         : "v";
  const uint32_t from = trap                        ? reg::kTtmp
                        : range.first >= reg::kSgpr ? reg::kSgpr
                        : range.first >= reg::kAgpr ? reg::kAgpr
                                                    : reg::kVgpr;
  const uint32_t first = range.first - from;
  return range.count == 1 ? fmt::format("{}{}", letter, first)
                          : fmt::format("{}[{}:{}]", letter, first, first + range.count - 1);
}

}  // namespace wavesmith::check::wait
