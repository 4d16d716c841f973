// What an instruction is for the machine: the pipe that takes it, and the counters that it raises. Both
// follow from its row.
#include "isa/control/row.h"
#include "isa/cost/cost.h"
#include "isa/effects.h"
#include "isa/matrix/instruction.h"
#include "isa/mnemonic.h"

namespace wavesmith::isa {
namespace {

Pipe memory_pipe(std::string_view mnemonic) {
  switch (space_of(mnemonic)) {
    case Space::Lds:
      return Pipe::Lds;
    case Space::Scalar:
      return Pipe::Smem;
    default:
      return Pipe::Vmem;
  }
}

/// Of an instruction of another generation.
Pipe pipe_by_name(std::string_view mnemonic) {
  if (is_matrix(mnemonic)) return Pipe::Matrix;
  if (is_vector(mnemonic)) return Pipe::Valu;
  if (is_scalar(mnemonic)) return Pipe::Salu;
  return space_of(mnemonic) == Space::Scalar ? Pipe::Internal : memory_pipe(mnemonic);
}

/// Whether a vector memory instruction brings data to registers or to LDS.
bool gives_back(const Instruction& instruction, const Row* row, const ControlRow* control) {
  if (row && row->shape == Shape::Memory)
    return row->access.direction == Direction::Load || memory_operands(instruction, *row).result != nullptr;
  return !control || !control->facts.stores;
}

/// Cache controls: LLVM 22, SIInsertWaitcnts.cpp, counts write-backs, and on RDNA4 the invalidation of global
/// memory.
Counter counter_of_cache_control(Operation operation, const Target& target) {
  const bool rdna4 = target.is(kRdna4);
  switch (operation) {
    case Operation::WriteBack:
      return Counter::Vm;
    case Operation::ScopedWriteBack:
      return rdna4 ? Counter::Store : Counter::None;
    case Operation::ScopedInvalidate:
      return rdna4 ? Counter::Load : Counter::None;
    default:
      return Counter::None;
  }
}

}  // namespace

Pipe pipe_of(const Instruction& instruction, const Row* row) {
  if (!row) {
    const ControlRow* const control = find_control(instruction.mnemonic);
    return control ? control->pipe : pipe_by_name(instruction.mnemonic);
  }
  switch (row->shape) {
    case Shape::Scalar:
      return Pipe::Salu;
    case Shape::Matrix:
      return Pipe::Matrix;
    case Shape::Memory:
      return memory_pipe(instruction.mnemonic);
    default:
      return row->facts.issue == Issue::Transcendental ? Pipe::Transcendental : Pipe::Valu;
  }
}

std::vector<Counter> counters_of(const Instruction& instruction, const Row* row, const Target& target) {
  const bool rdna4 = target.is(kRdna4);
  const Counter lds = rdna4 ? Counter::Ds : Counter::Lgkm, scalar = rdna4 ? Counter::Km : Counter::Lgkm;
  const ControlRow* const control = row ? nullptr : find_control(instruction.mnemonic);
  const Operation operation = control ? control->operation : Operation::None;
  switch (pipe_of(instruction, row)) {
    case Pipe::Lds:
      if (row && row->access.direction == Direction::None && row->access.lane == LdsLane::None)
        return {};  // ds_nop
      return {lds};
    case Pipe::Smem:
      if (operation == Operation::ScalarCache || operation == Operation::Prefetch) return {};
      return {scalar};
    case Pipe::Message:
      if (operation != Operation::Message && operation != Operation::MessageReturn) return {};
      return {scalar};
    case Pipe::Export:
      return {Counter::Exp};
    case Pipe::Vmem:
      break;
    default:
      return {};
  }
  if (control && operation != Operation::Unserved) {
    const Counter counter = counter_of_cache_control(operation, target);
    return counter == Counter::None ? std::vector<Counter>{} : std::vector{counter};
  }
  const bool back = gives_back(instruction, row, control);
  Counter vector = Counter::Vm;
  if (target.is(kRdna3) && !back) vector = Counter::Vs;
  if (rdna4) vector = back ? Counter::Load : Counter::Store;
  return space_of(instruction.mnemonic) == Space::Flat ? std::vector{vector, lds} : std::vector{vector};
}

}  // namespace wavesmith::isa
