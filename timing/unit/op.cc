#include "timing/unit/op.h"

#include <algorithm>
#include <string_view>

#include "isa/coherence.h"
#include "isa/control/row.h"
#include "isa/matrix/instruction.h"
#include "isa/memory/lds_accesses.h"

namespace wavesmith::timing {
namespace {

Control control_of(const isa::Instruction& instruction, const isa::WaitCounters& waits) {
  if (waits.waits()) return Control::Wait;
  using isa::Operation;
  switch (isa::operation_of(instruction.mnemonic)) {
    case Operation::ConditionalBranch:
    case Operation::DebuggerBranch:
      return Control::Conditional;
    case Operation::Branch:
    case Operation::Call:
    case Operation::IndirectBranch:
    case Operation::IndirectCall:
      return Control::Branch;
    case Operation::End:
      return Control::End;
    case Operation::Barrier:
      return Control::Barrier;
    case Operation::BarrierSignal:
    case Operation::BarrierSignalFirst:
      return Control::BarrierSignal;
    case Operation::BarrierWait:
      return Control::BarrierWait;
    case Operation::Nop:
      return Control::Nop;
    case Operation::Sleep:
      return Control::Sleep;
    case Operation::Delay:
      return Control::Delay;
    case Operation::Clause:
      return Control::Clause;
    case Operation::Priority:
      return Control::Priority;
    default:
      return Control::None;
  }
}

/// What the first of the instruction's counters counts.
OpCounter counter_of(const isa::Instruction& instruction, const isa::Row* row, const isa::Target& target) {
  const std::vector<isa::Counter> raised = isa::counters_of(instruction, row, target);
  if (raised.empty()) return OpCounter::None;
  switch (raised.front()) {
    case isa::Counter::Vm:
    case isa::Counter::Load:
      return OpCounter::Load;
    case isa::Counter::Vs:
    case isa::Counter::Store:
      return OpCounter::Store;
    case isa::Counter::Lgkm:
    case isa::Counter::Ds:
      return OpCounter::Lds;
    case isa::Counter::Km:
      return OpCounter::Scalar;
    default:
      return OpCounter::None;
  }
}

/// The wait's limits, on the counters as counter_of chooses them.
void set_waits(Op& op, const isa::WaitCounters& waits, const isa::Target& target) {
  const auto at = [&](OpCounter counter) -> uint16_t& { return op.wait[static_cast<size_t>(counter)]; };
  const auto limit = [](uint16_t& to, uint16_t most) { to = std::min(to, most); };
  if (target.is(isa::kRdna4)) {
    limit(at(OpCounter::Load), std::min({waits.load, waits.vm, waits.sample, waits.bvh}));
    limit(at(OpCounter::Store), std::min(waits.store, waits.vs));
    limit(at(OpCounter::Lds), std::min(waits.ds, waits.lgkm));
    limit(at(OpCounter::Scalar), std::min(waits.km, waits.lgkm));
    return;
  }
  limit(at(OpCounter::Load), waits.vm);
  limit(at(OpCounter::Lds), waits.lgkm);
  limit(at(OpCounter::Store), waits.vs);
}

/// s_delay_alu's operands: instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2), printed as one text.
/// 1 to 4: VALU_DEP_n; 5 to 7: TRANS32_DEP_n; 8: FMA_ACCUM; 9 to 11: SALU_CYCLE_n (LLVM, SOPP_DELAY_ALU).
uint8_t delay_number(std::string_view value) {
  const auto last = [&] { return static_cast<uint8_t>(value.back() - '0'); };
  if (value.starts_with("VALU_DEP_")) return last();
  if (value.starts_with("TRANS32_DEP_")) return static_cast<uint8_t>(4 + last());
  if (value.starts_with("FMA_ACCUM")) return 8;
  if (value.starts_with("SALU_CYCLE_")) return static_cast<uint8_t>(8 + last());
  return 0;
}

void set_delay(Op& op, std::string_view text) {
  const auto field = [&](std::string_view name) -> std::string_view {
    const size_t at = text.find(name);
    if (at == std::string_view::npos) return {};
    const size_t open = at + name.size(), close = text.find(')', open);
    return close == std::string_view::npos ? std::string_view{} : text.substr(open, close - open);
  };
  op.delay[0] = delay_number(field("instid0("));
  op.delay[1] = delay_number(field("instid1("));
  const std::string_view skip = field("instskip(");
  op.delay_skip = skip == "NEXT"              ? 1
                  : skip.starts_with("SKIP_") ? static_cast<uint8_t>(1 + skip.back() - '0')
                                              : 0;
}

}  // namespace

Op make_op(const isa::Instruction& instruction, const isa::Row* row, const isa::Target& target,
           int wave_lanes) {
  Op op;
  op.text = instruction.text;
  op.pc = instruction.pc;
  op.size = instruction.size ? instruction.size : 4;
  op.cost = isa::cost_of(instruction, row, target, wave_lanes);
  op.dual = !instruction.second.empty();
  op.sets_hardware = instruction.mnemonic.starts_with("s_setreg");
  op.hardware = op.sets_hardware || instruction.mnemonic.starts_with("s_getreg");
  const isa::WaitCounters waits = isa::wait_counters(instruction);
  op.control = control_of(instruction, waits);
  if (op.control == Control::Wait) set_waits(op, waits, target);
  if (op.control == Control::Delay) set_delay(op, instruction.text);
  if ((op.control == Control::Nop || op.control == Control::Priority || op.control == Control::Sleep) &&
      !instruction.operands.empty())
    op.nops = static_cast<uint16_t>(std::clamp<int64_t>(instruction.operands[0].bits, 0, 0xffff));

  using isa::Pipe;
  op.lds = op.cost.pipe == Pipe::Lds;
  op.memory = op.lds || op.cost.pipe == Pipe::Vmem || op.cost.pipe == Pipe::Smem;
  if (op.memory) {
    const isa::ControlRow* const control = row ? nullptr : isa::find_control(instruction.mnemonic);
    op.store = row ? row->access.direction == isa::Direction::Store : control && control->facts.stores;
    op.atomic = row && row->access.direction == isa::Direction::Atomic;
    op.bytes = row ? row->access.bytes : 4;
    op.neighbours =
        op.lds && row && row->access.places == 2 && isa::lds_accesses(instruction, row->access).count == 1;
    // Cache controls have the same bits, and no row.
    op.bypasses = row && !op.store && !op.lds && op.cost.pipe == Pipe::Vmem &&
                  isa::reaches_other_workgroups(instruction);
    op.counter = counter_of(instruction, row, target);
  }

  const isa::Effects effects = isa::effects_of(instruction, row, target, wave_lanes);
  const auto divide = [](const std::vector<RegisterRange>& from, std::vector<RegisterRange>& vectors,
                         std::vector<RegisterRange>& scalars) {
    for (const RegisterRange& range : from)
      (range.first < isa::reg::kSgpr ? vectors : scalars).push_back(range);
  };
  divide(effects.reads, op.vector_reads, op.scalar_reads);
  divide(effects.writes, op.vector_writes, op.scalar_writes);
  op.reads_vgpr = !op.vector_reads.empty();
  op.writes_vgpr = !op.vector_writes.empty();
  op.writes_exec = effects.writes_register(isa::reg::kExec) || effects.writes_register(isa::reg::kVcc);
  if (op.cost.pipe == Pipe::Matrix && !instruction.operands.empty()) {
    const auto range = [&](const isa::Operand& operand) { return isa::registers_of(operand, wave_lanes); };
    op.d = range(instruction.operands[0]);
    const bool sparse = row && row->matrix && row->matrix->sparse;
    op.c = sparse ? op.d : instruction.operands.size() > 3 ? range(instruction.operands[3]) : RegisterRange{};
    op.xdl = row && row->matrix && row->matrix->a != isa::MatrixElement::F32 &&
             row->matrix->a != isa::MatrixElement::F64;
    if (row && row->matrix)
      op.flops = 2.0 * row->matrix->m * row->matrix->n * row->matrix->k * row->matrix->blocks;
    op.accumulates = op.c.count != 0 && op.c.first == op.d.first && op.c.count == op.d.count;
  }
  return op;
}

uint32_t OpTable::add(const isa::Instruction& instruction, const isa::Row* row) {
  ops_.push_back(make_op(instruction, row, target_, lanes_));
  return size() - 1;
}

}  // namespace wavesmith::timing
