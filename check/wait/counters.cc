// Sources: AMD's ISA references of MI200, CDNA3, CDNA4, RDNA3, RDNA3.5 and RDNA4, "Data dependency
// resolution" and S_WAITCNT; LLVM 22, SIInsertWaitcnts.cpp and AMDGPUBaseInfo.cpp.
#include "check/wait/counters.h"

#include <fmt/format.h>

#include "isa/control/row.h"
#include "isa/cost/cost.h"
#include "isa/each_counter.h"
#include "isa/effects.h"

namespace wavesmith::check::wait {

using isa::Counter;
using isa::Pipe;

namespace {

bool is_vector_counter(Counter counter) { return counter == Counter::Vm || counter == Counter::Load; }

/// LLVM: scalar loads come back in any order; so do messages beside them, and flat instructions on CDNA,
/// where lanes of LDS overtake those of memory (hasFlatLgkmVMemCountInOrder).
Order order_of(const isa::Instruction& instruction, const isa::Row* row, Counter counter,
               const isa::Target& target) {
  switch (isa::pipe_of(instruction, row)) {
    case Pipe::Vmem:
      if (isa::space_of(instruction.mnemonic) != isa::Space::Flat)
        return is_vector_counter(counter) ? Order::Vector : Order::Any;
      if (target.is(isa::kCdna)) return Order::Any;
      return is_vector_counter(counter) ? Order::Vector : Order::Lds;
    case Pipe::Lds:
      return isa::operation_of(instruction.mnemonic) == isa::Operation::GridBarrier ? Order::Any : Order::Lds;
    default:
      return Order::Any;
  }
}

}  // namespace

std::vector<Raise> raises_of(const isa::Instruction& instruction, const isa::Row* row,
                             const isa::Target& target) {
  std::vector<Raise> raises;
  for (const Counter counter : isa::counters_of(instruction, row, target))
    raises.push_back({counter, order_of(instruction, row, counter, target)});
  // LLVM takes these to raise both counters and waits accordingly.
  if (isa::loads_to_lds(instruction) && isa::space_of(instruction.mnemonic) == isa::Space::Global)
    raises.push_back({Counter::Lgkm, Order::Lds});
  // GDS_GPR_LOCK: it reads its VGPR when it is performed.
  if (isa::operation_of(instruction.mnemonic) == isa::Operation::GridBarrier)
    raises.push_back({Counter::Exp, Order::Any});
  return raises;
}

uint16_t most_of(Counter counter, const isa::Target& target) {
  switch (counter) {
    case Counter::Exp:
      return 7;
    case Counter::Lgkm:
      return target.is(isa::kCdna) ? 15 : 63;
    case Counter::Km:
      return 31;
    default:
      return 63;
  }
}

// The instructions have more bits than the counters, which go by the lower ones.
Limits limits_of(const isa::Instruction& instruction, const isa::Target& target) {
  Limits limits;
  limits.fill(kNoLimit);
  isa::each_counter(isa::wait_counters(instruction), [&](Counter counter, uint16_t value) {
    limits[static_cast<size_t>(counter)] = value & most_of(counter, target);
  });
  if (instruction.mnemonic == "s_wait_idle") limits.fill(0);
  return limits;
}

// LLVM, FeatureVmemWriteVgprInOrder.
bool loads_write_in_order(const isa::Target& target) { return !target.is(isa::kRdna4); }

std::string wait_text(Counter counter, size_t count) {
  switch (counter) {
    case Counter::Vm:
      return fmt::format("s_waitcnt vmcnt({})", count);
    case Counter::Lgkm:
      return fmt::format("s_waitcnt lgkmcnt({})", count);
    case Counter::Exp:
      return fmt::format("s_waitcnt expcnt({})", count);
    case Counter::Vs:
      return fmt::format("s_waitcnt_vscnt null, {:#x}", count);
    case Counter::Load:
      return fmt::format("s_wait_loadcnt {:#x}", count);
    case Counter::Store:
      return fmt::format("s_wait_storecnt {:#x}", count);
    case Counter::Ds:
      return fmt::format("s_wait_dscnt {:#x}", count);
    case Counter::Km:
      return fmt::format("s_wait_kmcnt {:#x}", count);
    case Counter::None:
      break;
  }
  return {};
}

}  // namespace wavesmith::check::wait
