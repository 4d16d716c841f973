#include "check/race/site_facts.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <optional>
#include <vector>

#include "isa/coherence.h"
#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/flow.h"
#include "isa/llvm/decoder.h"
#include "isa/rows.h"

namespace wavesmith::check {
namespace {

using isa::Direction;
using isa::Operation;

uint16_t cache_events(const isa::Instruction& instruction, Operation operation) {
  const bool far = isa::reaches_other_workgroups(instruction);
  switch (operation) {
    case Operation::WriteBack:
      // buffer_wbinvl1 has no scope: it invalidates the vector L1.
      return instruction.mnemonic.starts_with("buffer_wbinv") ? SiteFacts::kInvalidates
             : far                                            ? SiteFacts::kWritesBack
                                                              : 0;
    case Operation::Invalidate:
      return SiteFacts::kInvalidates;
    case Operation::InvalidateOwn:
      return SiteFacts::kInvalidatesOwn;
    case Operation::ScopedInvalidate:
      return far ? SiteFacts::kInvalidates : SiteFacts::kInvalidatesOwn;
    case Operation::ScopedWriteBack:
      if (!far) return 0;
      return instruction.mnemonic == "global_wbinv" ? SiteFacts::kWritesBack | SiteFacts::kInvalidates
                                                    : SiteFacts::kWritesBack;
    default:
      return 0;
  }
}

uint16_t events_of(const emulate::Site& site, const isa::Target& target) {
  const Operation operation = isa::operation_of(site.instruction.mnemonic);
  uint16_t events = cache_events(site.instruction, operation);
  const emulate::WaitCounters& wait = site.wait;
  if (wait.lgkm == 0 || wait.ds == 0) events |= SiteFacts::kWaitsForLds;
  // Where loads and stores have a counter together, it is vmcnt.
  if (wait.vs == 0 || wait.store == 0 || (wait.vm == 0 && target.is(isa::kCdna)) ||
      operation == Operation::WaitForStores)
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

/// The instruction at the start, without a look at bytes behind it: there may be none behind the last one.
Result<isa::Instruction> decode_no_further(isa::Decoder& decoder, std::span<const uint8_t> code,
                                           uint64_t pc) {
  constexpr size_t kShortest = 4, kLongest = 20;
  for (size_t size = kShortest; size < kLongest; size += 4)
    if (auto decoded = decoder.decode(code.first(std::min(size, code.size())), pc)) return decoded;
  return decoder.decode(code.first(std::min(kLongest, code.size())), pc);
}

/// Follows what a load has given through the instructions behind it.
class Taint {
 public:
  explicit Taint(const isa::Effects& load) { add(load); }
  [[nodiscard]] bool has(isa::RegisterRange range) const {
    for (uint16_t r = range.first; r < range.first + range.count; ++r)
      if (r < isa::reg::kCount && registers_[r]) return true;
    return false;
  }
  /// Whether the instruction reads it; then what it writes has it too.
  bool follow(const isa::Effects& effects) {
    const bool reads = std::ranges::any_of(effects.reads, [&](isa::RegisterRange one) { return has(one); });
    if (reads) add(effects);
    return reads;
  }

 private:
  void add(const isa::Effects& effects) {
    for (const isa::RegisterRange range : effects.writes)
      for (uint16_t r = range.first; r < range.first + range.count && r < isa::reg::kCount; ++r)
        registers_.set(r);
  }
  std::bitset<isa::reg::kCount> registers_;
};

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

bool meets_at_once(uint64_t pc, std::span<const uint8_t> code, const isa::Target& target, int wave_lanes) {
  constexpr int kNear = 8;  // instructions
  auto decoder = isa::Decoder::create(target, wave_lanes);
  if (!decoder) return false;
  for (int i = 0; i < kNear && !code.empty(); ++i) {
    const auto instruction = decode_no_further(*decoder, code, pc);
    if (!instruction) return false;
    const Operation operation = isa::operation_of(instruction->mnemonic);
    if (operation == Operation::BarrierWait) return true;
    const isa::Row* const row =
        instruction->second.empty() ? isa::find_row(instruction->mnemonic, target) : nullptr;
    if ((row && row->shape == isa::Shape::Memory) || operation == Operation::ScalarAtomic ||
        isa::flow_of(instruction->mnemonic) != isa::Flow::Next)
      return false;
    pc += instruction->size;
    code = code.subspan(std::min<size_t>(instruction->size, code.size()));
  }
  return false;
}

bool polls(const isa::Instruction& first, std::span<const uint8_t> code, const isa::Target& target,
           int wave_lanes) {
  constexpr int kLongest = 64;  // instructions of a spin loop
  auto decoder = isa::Decoder::create(target, wave_lanes);
  if (!decoder) return false;
  std::optional<Taint> taint;
  std::vector<isa::RegisterRange> kept;  // address and data
  bool decides = false, loads = false;
  const std::span<const uint8_t> from_first = code;
  uint64_t pc = first.pc;
  for (int i = 0; i < kLongest && !code.empty(); ++i) {
    const auto instruction = decode_no_further(*decoder, code, pc);
    if (!instruction) return false;
    const isa::Row* const row =
        instruction->second.empty() ? isa::find_row(instruction->mnemonic, target) : nullptr;
    const isa::Flow flow = isa::flow_of(instruction->mnemonic);
    const bool stores = row && row->shape == isa::Shape::Memory && row->access.direction == Direction::Store;
    const Operation operation = isa::operation_of(instruction->mnemonic);
    if (stores || operation == Operation::Barrier || operation == Operation::BarrierSignal) return false;
    const isa::Effects all = isa::effects_of(*instruction, row, target, wave_lanes);
    // Of a search the next address is another one, and of a value that grows the data.
    const auto changes = [&](isa::RegisterRange one) {
      return std::ranges::any_of(kept, [&](isa::RegisterRange other) { return one.overlaps(other); });
    };
    if (taint) {
      // Compilers peel a loop's first turn: a branch around the loop, in which the same load polls.
      const bool again = loads && instruction->size == first.size &&
                         std::ranges::equal(code.first(first.size), from_first.first(first.size));
      if (decides && again) return polls(*instruction, code, target, wave_lanes);
      if (std::ranges::any_of(all.writes, changes)) return false;
      const bool reads = taint->follow(all);
      decides |= reads && flow == isa::Flow::Conditional;
    } else {
      taint.emplace(all);
      loads = row && row->access.direction == Direction::Load;
      if (row) {
        const isa::MemoryOperands operands = isa::memory_operands(*instruction, *row);
        const bool atomic = row->access.direction == Direction::Atomic;
        for (const isa::Operand* const operand :
             {operands.address, atomic ? operands.data : nullptr, atomic ? operands.second : nullptr})
          if (operand) kept.push_back(isa::registers_of(*operand, wave_lanes));
        if (atomic && std::ranges::any_of(all.writes, changes)) return false;
      }
    }
    if (flow == isa::Flow::Branch || flow == isa::Flow::Conditional) {
      const uint64_t to = isa::branch_target(*instruction);
      if (to <= first.pc && first.pc - to < 256) return decides;
    }
    if (!isa::goes_on(flow) || flow == isa::Flow::Call || flow == isa::Flow::IndirectCall) return false;
    pc += instruction->size;
    code = code.subspan(std::min<size_t>(instruction->size, code.size()));
  }
  return false;
}

}  // namespace wavesmith::check
