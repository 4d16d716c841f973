// What an instruction does to the flow of control.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

namespace wavesmith::isa {

enum class Flow : uint8_t { Next, Branch, Conditional, Call, Indirect, IndirectCall, End };

inline Flow flow_of(std::string_view mnemonic) {
  if (!mnemonic.starts_with("s_")) return Flow::Next;
  if (mnemonic == "s_branch") return Flow::Branch;
  if (mnemonic.starts_with("s_cbranch_")) return Flow::Conditional;
  if (mnemonic == "s_call_b64") return Flow::Call;
  if (mnemonic == "s_setpc_b64") return Flow::Indirect;
  if (mnemonic == "s_swappc_b64") return Flow::IndirectCall;
  if (mnemonic == "s_endpgm" || mnemonic == "s_endpgm_saved") return Flow::End;
  return Flow::Next;
}

/// What a conditional branch asks: whether SCC is 1, or whether VCC or EXEC has a lane.
struct BranchCondition {
  enum class Flag : uint8_t { None, Scc, Vcc, Exec };
  Flag flag = Flag::None;
  bool set = false;  ///< it branches if so
};

/// Flag::None for what is no conditional branch, or asks the debugger.
inline BranchCondition condition_of(std::string_view mnemonic) {
  constexpr std::string_view kBranch = "s_cbranch_";
  if (!mnemonic.starts_with(kBranch)) return {};
  const std::string_view condition = mnemonic.substr(kBranch.size());
  using Flag = BranchCondition::Flag;
  if (condition.starts_with("scc")) return {Flag::Scc, condition.ends_with('1')};
  if (condition.starts_with("vcc")) return {Flag::Vcc, condition.ends_with("nz")};
  if (condition.starts_with("exec")) return {Flag::Exec, condition.ends_with("nz")};
  return {};
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
