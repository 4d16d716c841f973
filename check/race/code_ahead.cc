#include "check/race/code_ahead.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <vector>

#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/flow.h"
#include "isa/llvm/decoder.h"
#include "isa/rows.h"

namespace wavesmith::check {
namespace {

using isa::Direction;
using isa::Operation;

/// The instruction at the start, without a look at bytes behind it: there may be none behind the last one.
Result<isa::Instruction> decode_no_further(isa::Decoder& decoder, std::span<const uint8_t> code,
                                           uint64_t pc) {
  constexpr size_t kShortest = 4, kLongest = 20;
  for (size_t size = kShortest; size < kLongest; size += 4)
    if (auto decoded = decoder.decode(code.first(std::min(size, code.size())), pc)) return decoded;
  return decoder.decode(code.first(std::min(kLongest, code.size())), pc);
}

template <class Visit>
void each_register(std::span<const isa::RegisterRange> ranges, Visit visit) {
  for (const isa::RegisterRange range : ranges)
    for (uint16_t r = range.first; r < range.first + range.count && r < isa::reg::kCount; ++r) visit(r);
}

/// Follows what a load has given through the instructions behind it.
class Taint {
 public:
  explicit Taint(const isa::Effects& load) { add(load); }
  /// Whether the instruction reads it; then what it writes has it too.
  bool follow(const isa::Effects& effects) {
    bool reads = false;
    each_register(effects.reads, [&](uint16_t r) { reads |= registers_[r]; });
    if (reads) add(effects);
    return reads;
  }

 private:
  void add(const isa::Effects& effects) {
    each_register(effects.writes, [&](uint16_t r) { registers_.set(r); });
  }
  std::bitset<isa::reg::kCount> registers_;
};

/// What instructions do to registers; of those that cannot be decoded nothing is known.
std::vector<isa::Effects> effects_of_all(uint64_t pc, std::span<const uint8_t> code, isa::Decoder& decoder,
                                         const isa::Target& target, int wave_lanes) {
  std::vector<isa::Effects> all;
  while (!code.empty()) {
    const auto instruction = decode_no_further(decoder, code, pc);
    if (!instruction) break;
    const isa::Row* const row =
        instruction->second.empty() ? isa::find_row(instruction->mnemonic, target) : nullptr;
    all.push_back(isa::effects_of(*instruction, row, target, wave_lanes));
    if (row && row->shape == isa::Shape::Memory) all.back().unknown = true;
    pc += instruction->size;
    code = code.subspan(std::min<size_t>(instruction->size, code.size()));
  }
  return all;
}

/// Whether a turn of a loop gives one of the registers another value than the turn before: all that the loop
/// writes does, but for what is computed of what stays. `head`: the loop's code before the load at its end;
/// `loop`: from the load on.
bool moves(const std::vector<isa::RegisterRange>& kept, uint64_t pc, std::span<const uint8_t> head,
           const std::vector<isa::Effects>& loop, isa::Decoder& decoder, const isa::Target& target,
           int wave_lanes) {
  std::vector<isa::Effects> all = effects_of_all(pc, head, decoder, target, wave_lanes);
  all.insert(all.end(), loop.begin(), loop.end());
  // Which lanes go on is no address.
  constexpr std::array<uint16_t, 3> kLanes = {isa::reg::kExec, isa::reg::kExec + 1, isa::reg::kScc};
  std::bitset<isa::reg::kCount> moving;
  for (const isa::Effects& one : all) each_register(one.writes, [&](uint16_t r) { moving.set(r); });
  for (const uint16_t r : kLanes) moving.reset(r);
  for (bool found = true; found;) {
    std::bitset<isa::reg::kCount> still;
    for (const isa::Effects& one : all) {
      bool of_moving = one.unknown;
      each_register(one.reads, [&](uint16_t r) { of_moving |= moving[r]; });
      if (of_moving) each_register(one.writes, [&](uint16_t r) { still.set(r); });
    }
    for (const uint16_t r : kLanes) still.reset(r);
    found = still != moving;
    moving = still;
  }
  bool any = false;
  each_register(kept, [&](uint16_t r) { any |= moving[r]; });
  return any;
}

}  // namespace

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

bool polls(const isa::Instruction& first, CodeAt code_at, const isa::Target& target, int wave_lanes) {
  constexpr int kLongest = 64;  // instructions of a spin loop
  auto decoder = isa::Decoder::create(target, wave_lanes);
  if (!decoder) return false;
  std::optional<Taint> taint;
  std::vector<isa::RegisterRange> kept;  // address and data
  bool decides = false, loads = false;
  std::vector<isa::Effects> loop;  // from the load on
  std::span<const uint8_t> code = code_at(first.pc);
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
      if (decides && again) return polls(*instruction, code_at, target, wave_lanes);
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
      if (to <= first.pc && first.pc - to < 256)
        return decides &&
               !moves(kept, to, code_at(to).first(first.pc - to), loop, *decoder, target, wave_lanes);
    }
    loop.push_back(all);
    if (!isa::goes_on(flow) || flow == isa::Flow::Call || flow == isa::Flow::IndirectCall) return false;
    pc += instruction->size;
    code = code.subspan(std::min<size_t>(instruction->size, code.size()));
  }
  return false;
}

}  // namespace wavesmith::check
