// What an instruction does to the flow of control.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/control/row.h"
#include "isa/instruction.h"

namespace wavesmith::isa {

enum class Flow : uint8_t { Next, Branch, Conditional, Call, Indirect, IndirectCall, End };

inline Flow flow_of(std::string_view mnemonic) {
  switch (operation_of(mnemonic)) {
    case Operation::Branch:
      return Flow::Branch;
    case Operation::ConditionalBranch:
    case Operation::DebuggerBranch:
      return Flow::Conditional;
    case Operation::Call:
      return Flow::Call;
    case Operation::IndirectBranch:
      return Flow::Indirect;
    case Operation::IndirectCall:
      return Flow::IndirectCall;
    case Operation::End:
      return Flow::End;
    default:
      return Flow::Next;
  }
}

/// Flag::None for what is no conditional branch, or asks the debugger.
inline BranchCondition condition_of(std::string_view mnemonic) {
  const ControlRow* const row = find_control(mnemonic);
  return row ? row->facts.condition : BranchCondition{};
}

/// Whether the instruction behind it may be the next one.
inline bool goes_on(Flow flow) { return flow != Flow::Branch && flow != Flow::Indirect && flow != Flow::End; }

/// Where a Branch, Conditional or Call goes: its offset counts dwords from the next instruction.
inline uint64_t branch_target(const Instruction& instruction) {
  const auto words =
      static_cast<int16_t>(instruction.operands.empty() ? 0 : instruction.operands.back().bits);
  return instruction.pc + instruction.size + static_cast<uint64_t>(int64_t{words} * 4);
}

}  // namespace wavesmith::isa
