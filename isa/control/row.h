// Rows of the instructions that have no row in a family: waits, hints, barriers, branches, messages, hardware
// registers, cache controls. What each does is an Operation, which whoever executes, times or analyses it
// asks for instead of its name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/pipe.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::isa {

enum class Operation : uint8_t {
  None,  ///< the instruction is in no control row
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
  Hint,  ///< what changes neither results nor the modelled time
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

struct ControlRow {
  std::string_view mnemonics;  ///< in all generations, separated by spaces
  Operation operation;
  Pipe pipe;
  Generations generations = kEvery;
  Fidelity fidelity = Fidelity::Exact;
  std::string_view note = {};  ///< of one that is not exact: how it differs
};

std::span<const ControlRow> control_rows();

/// The row of a mnemonic in whatever generation has it; nullptr when there is none.
const ControlRow* find_control(std::string_view mnemonic);

/// Operation::None for what has no control row.
Operation operation_of(std::string_view mnemonic);

}  // namespace wavesmith::isa
