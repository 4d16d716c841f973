// Rows of the instructions that have no row in a family: waits, hints, barriers, branches, messages, hardware
// registers, cache controls, and those that are not served. What each does is an Operation, which whoever
// executes, times or analyses it asks for instead of its name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/pipe.h"
#include "isa/row.h"
#include "isa/target.h"
#include "isa/wait_counters.h"

namespace wavesmith::isa {

enum class Operation : uint8_t {
  None,      ///< the instruction is in no control row
  Unserved,  ///< it is in one that says why it is not served
  // Waits
  WaitForSome,    ///< s_waitcnt: which counters, its operand says
  WaitForStores,  ///< perhaps beside others
  WaitForOthers,
  // Hints
  Nop,
  Sleep,
  Delay,
  Clause,
  Priority,
  Padding,  ///< what assemblers put behind code
  Hint,     ///< what changes neither results nor the modelled time
  // Caches
  Prefetch,
  ScalarCache,       ///< control of the scalar and instruction caches
  WriteBack,         ///< of what other workgroups do not see
  Invalidate,        ///< of what other workgroups write
  InvalidateOwn,     ///< of a cache that the workgroup alone has
  ScopedWriteBack,   ///< as far as the scope says
  ScopedInvalidate,  ///< as far as the scope says
  // Barriers
  Barrier,
  BarrierSignal,
  BarrierSignalFirst,
  BarrierWait,
  BarrierState,
  GridBarrier,
  // Messages, clocks, traps, the end
  Message,
  MessageReturn,
  RealTime,
  CoreTime,
  Trap,
  Illegal,
  Halt,
  Kill,
  End,
  // Hardware registers and modes
  GetRegister,
  SetRegister,
  RoundMode,
  DenormMode,
  IndexOn,
  IndexOff,
  IndexIndex,
  IndexMode,
  Skip,
  // Relative moves
  ScalarFromRelative,
  ScalarFromRelative64,
  ScalarToRelative,
  ScalarToRelative64,
  ScalarRelativeBoth,
  RowsFromRelative,
  RowsToRelative,
  RowsRelativeBoth,
  RowsRelativeBoth2,
  // Others
  ScalarAtomic,
  MaskedSumsOfDifferences,
  // Flow
  Branch,
  ConditionalBranch,
  DebuggerBranch,
  Call,
  IndirectBranch,
  IndirectCall,
  ProgramCounter,
};
inline constexpr int kOperations = static_cast<int>(Operation::ProgramCounter) + 1;

/// What a conditional branch asks: whether SCC is 1, or whether VCC or EXEC has a lane.
struct BranchCondition {
  enum class Flag : uint8_t { None, Scc, Vcc, Exec };
  Flag flag = Flag::None;
  bool set = false;  ///< it branches if so
};

/// What an atomic of scalar memory does.
enum class ScalarAtomicOperation : uint8_t {
  Swap,
  CompareSwap,
  Add,
  Sub,
  Smin,
  Umin,
  Smax,
  Umax,
  And,
  Or,
  Xor,
  Inc,
  Dec
};

/// What a row may say beside its operation and its pipe.
struct ControlFacts {
  Generations generations = kEvery;
  Fidelity fidelity = Fidelity::Exact;
  std::string_view note = {};  ///< of one that is not exact: how it differs, or why it is not served
  // Registers; printed operands are read where nothing else is said.
  bool result = false;      ///< the first printed operand is written
  bool masked = false;      ///< in the lanes of EXEC
  bool reads_m0 = false;    ///< though it is not printed
  bool writes_m0 = false;   ///< likewise
  bool writes_scc = false;  ///< likewise
  bool unknown = false;     ///< others too, which M0 chooses or which nobody has looked into
  bool stores = false;      ///< an access to memory that brings nothing back
  bool quarter = false;     ///< a VALU instruction at a quarter of the rate
  bool fields = false;      ///< operands are printed with their names: `vmcnt(0) lgkmcnt(0)`
  BranchCondition condition = {};
  ScalarAtomicOperation atomic = {};
  /// What the last operand is the limit of; of two counters: of six bits each, the first one's above.
  uint16_t WaitCounters::* waits[2] = {nullptr, nullptr};
};

struct ControlRow {
  std::string_view mnemonics;  ///< in all generations, separated by spaces
  Operation operation;
  Pipe pipe;
  ControlFacts facts = {};
};

std::span<const ControlRow> control_rows();
/// Of the instructions that LLVM knows and that are refused: Operation::Unserved.
std::span<const ControlRow> unserved_rows();

/// The row of a mnemonic, served or not, in whatever generation has it; nullptr when there is none.
const ControlRow* find_control(std::string_view mnemonic);

/// Operation::None for what has no control row.
Operation operation_of(std::string_view mnemonic);

/// What fills the space between routines: no instruction that anybody meant.
inline bool is_padding(std::string_view mnemonic) {
  const Operation operation = operation_of(mnemonic);
  return operation == Operation::Nop || operation == Operation::Padding;
}

}  // namespace wavesmith::isa
