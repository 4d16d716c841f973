// A kernel's code: every instruction that is reachable from its entry, decoded, and the flow between them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/report.h"
#include "base/result.h"
#include "isa/effects.h"
#include "isa/flow.h"
#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::analysis {

namespace reg = isa::reg;
using isa::Effects;
using isa::effects_of;
using isa::loads_to_lds;
using isa::memory_operands;
using isa::MemoryOperands;
using isa::registers_of;
using isa::single_of;
using isa::space_of;
using Range = isa::RegisterRange;

/// The destination of an instruction that changes the flow of control, other than the next instruction.
struct Edge {
  enum class Kind : uint8_t {
    Jump,     ///< to `target`
    Call,     ///< to `target`, and comes back behind it
    Return,   ///< from a function that was called
    Unknown,  ///< an address that is not known
  };
  Kind kind = Kind::Unknown;
  uint64_t target = 0;
};

/// Decoded code in the order of pc. The vectors have one entry per instruction.
struct Code {
  const isa::Target* target = nullptr;
  int wave_lanes = 64;
  uint64_t entry = 0;
  std::vector<isa::Instruction> instructions;
  std::vector<const isa::Row*> rows;  ///< nullptr for control and dual instructions
  std::vector<Effects> effects;
  std::vector<isa::Flow> flow;
  std::unordered_map<uint32_t, Edge> edges;  ///< of instructions whose flow is not Next or End
  std::vector<uint64_t> functions;           ///< entries of functions that are called
  std::vector<Unknown> unknown;
  std::unordered_map<uint64_t, uint32_t> index;  ///< by pc

  [[nodiscard]] size_t size() const { return instructions.size(); }
  [[nodiscard]] uint32_t at(uint64_t pc) const {
    const auto found = index.find(pc);
    return found == index.end() ? kNone : found->second;
  }
};

/// The limit of instructions read for one kernel.
inline constexpr size_t kMostInstructions = 4'000'000;

/// `bytes` is the executable segment, which begins at `address`. Error: BadInput when there is no instruction
/// at `entry`; Unsupported for more than kMostInstructions.
Result<Code> read_code(const isa::Target& target, int wave_lanes, std::span<const uint8_t> bytes,
                       uint64_t address, uint64_t entry);

}  // namespace wavesmith::analysis
