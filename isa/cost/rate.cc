#include "isa/control/row.h"
#include "isa/cost/generation.h"

namespace wavesmith::isa::cost_detail {

/// By the row's issue class and types: what LLVM's SIInstrInfo and VOP*Instructions.td give the schedule
/// classes WriteTrans32, WriteQuarterRate32, WriteIntMul, Write64Bit, WriteDouble*.
Rate rate_of(const Instruction& instruction, const Row* row) {
  if (!row) {
    const ControlRow* const control = find_control(instruction.mnemonic);
    return control && control->facts.quarter ? Rate::Quarter : Rate::Plain;
  }
  const bool doubles = has_type(*row, Type::F64);
  switch (row->facts.issue) {
    case Issue::Transcendental:
      return doubles ? Rate::WideTranscendental : Rate::Transcendental;
    case Issue::Multiply:
      return Rate::Multiply;
    case Issue::Half:
      return Rate::Half;
    case Issue::Quarter:
      return Rate::Quarter;
    case Issue::Plain:
    case Issue::Double:
      break;
  }
  if (doubles) return Rate::Double;
  const bool wide = has_type(*row, Type::U64) || has_type(*row, Type::I64);
  const bool compares = row->roles[0].type == Type::LaneMask || row->roles[0].type == Type::Exec;
  return wide && !compares ? Rate::Wide : Rate::Plain;
}

}  // namespace wavesmith::isa::cost_detail
