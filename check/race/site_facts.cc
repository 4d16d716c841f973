#include "check/race/site_facts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/coherence.h"
#include "isa/effects.h"
#include "isa/rows.h"

namespace wavesmith::check {
namespace {

using isa::Direction;

uint16_t cache_events(const isa::Instruction& instruction) {
  const isa::CacheControl control = isa::cache_control_of(instruction);
  uint16_t events = control.writes_back ? SiteFacts::kWritesBack : 0;
  if (control.invalidates) return events | SiteFacts::kInvalidates;
  if (control.invalidates_near) events |= SiteFacts::kInvalidatesOwn;
  return events;
}

uint16_t events_of(const emulate::Site& site, const isa::Target& target) {
  uint16_t events = cache_events(site.instruction);
  const emulate::WaitCounters& wait = site.wait;
  if (wait.lgkm == 0 || wait.ds == 0) events |= SiteFacts::kWaitsForLds;
  // Where loads and stores have a counter together, it is vmcnt.
  if (wait.vs == 0 || wait.store == 0 || (wait.vm == 0 && target.is(isa::kCdna)) ||
      site.instruction.mnemonic == "s_wait_idle")
    events |= SiteFacts::kWaitsForStores;
  if (site.barrier == emulate::BarrierStep::Arrive) events |= SiteFacts::kArrives;
  if (site.barrier == emulate::BarrierStep::Wait) events |= SiteFacts::kLeaves;
  if (site.barrier == emulate::BarrierStep::Grid) events |= SiteFacts::kGrid;
  if (!site.row && site.instruction.second.empty()) events |= SiteFacts::kTransparent;
  return events;
}

StoredData stored(const isa::Operand* operand, const isa::Access& access) {
  if (!operand || access.formatted || access.masked) return {};
  const bool vector = operand->kind == isa::Operand::Kind::Vgpr || operand->kind == isa::Operand::Kind::Agpr;
  if (!vector) return {};
  return {.first = operand->index,
          .accumulator = operand->kind == isa::Operand::Kind::Agpr,
          .high = access.high,
          .dwords = access.dwords};
}

}  // namespace

bool StoredData::read(const emulate::WaveView& wave, int lane, uint32_t bytes, uint8_t* data) const {
  if (first < 0 || bytes > static_cast<uint32_t>(4 * dwords)) return false;
  for (uint32_t done = 0; done < bytes; done += 4) {
    const int number = first + static_cast<int>(done / 4);
    uint32_t value = (accumulator ? wave.agpr(number) : wave.vgpr(number))[static_cast<size_t>(lane)];
    if (high) value >>= 16;
    std::memcpy(data + done, &value, std::min<uint32_t>(4, bytes - done));
  }
  return true;
}

bool StoredData::read_all(const emulate::WaveView& wave, uint64_t lanes, uint32_t bytes,
                          uint8_t* data) const {
  if (first < 0 || bytes > static_cast<uint32_t>(4 * dwords)) return false;
  for (uint32_t done = 0; done < bytes; done += 4) {
    const int number = first + static_cast<int>(done / 4);
    const std::span<const uint32_t> row = accumulator ? wave.agpr(number) : wave.vgpr(number);
    uint8_t* to = data + done;
    for (uint64_t left = lanes; left; left &= left - 1, to += bytes) {
      const uint32_t value = row[static_cast<size_t>(std::countr_zero(left))] >> (high ? 16 : 0);
      if (bytes - done >= 4)
        std::memcpy(to, &value, 4);
      else
        std::memcpy(to, &value, bytes - done);
    }
  }
  return true;
}

SiteFacts facts_of(const emulate::Site& site, const isa::Target& target) {
  SiteFacts facts;
  facts.events = events_of(site, target);
  if (!site.row || site.row->shape != isa::Shape::Memory) {
    // Atomics of scalar memory have no row, and return with glc alone.
    facts.returns = site.instruction.returns_old_value();
    return facts;
  }
  const isa::Access& access = site.row->access;
  facts.returns = access.direction == Direction::Atomic ? site.instruction.returns_old_value()
                                                        : access.lane != isa::LdsLane::None;
  facts.to_lds = isa::loads_to_lds(site.instruction);
  // Of an atomic these bits say other things: it is made where all workgroups see it.
  const bool atomic = access.direction == Direction::Atomic;
  facts.coherent = !atomic && isa::reaches_other_workgroups(site.instruction);
  facts.near = facts.coherent || (!atomic && isa::reaches_other_waves(site.instruction));
  facts.narrow = isa::reaches_other_waves(site.instruction) &&
                 !isa::reaches_other_workgroups(site.instruction) && site.instruction.find("scope");
  facts.is_volatile = target.is(isa::kRdna3) && site.instruction.has("dlc") && !site.instruction.has("slc");
  if (access.direction == Direction::Store) {
    facts.flat = site.instruction.mnemonic.starts_with("flat_");
    const isa::MemoryOperands operands = isa::memory_operands(site.instruction, *site.row);
    facts.data[0] = stored(operands.data, access);
    facts.data[1] = stored(access.places == 2 ? operands.second : nullptr, access);
  }
  return facts;
}

}  // namespace wavesmith::check
