// An instruction prepared for replay: what the pipelines have to know of it, worked out once a site instead
// of once an execution.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/cost/cost.h"
#include "isa/effects.h"
#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"
#include "isa/wait_counters.h"

namespace wavesmith::timing {

/// The counters that a wave waits on, by what they count. Generations share some (Op::counter says which).
enum class OpCounter : uint8_t { Load, Store, Lds, Scalar, None };
inline constexpr int kCounters = 4;

enum class Control : uint8_t {
  None,
  Wait,           ///< for counters
  Barrier,        ///< s_barrier: arrive and wait
  BarrierSignal,  ///< s_barrier_signal
  BarrierWait,    ///< s_barrier_wait
  Branch,         ///< always taken
  Conditional,
  Nop,
  Sleep,
  Delay,  ///< s_delay_alu
  Clause,
  Priority,
  End,
  Other,
};

using isa::RegisterRange;

struct Op {
  std::string text;
  uint64_t pc = 0;
  uint32_t size = 4;
  isa::Cost cost;
  Control control = Control::None;
  OpCounter counter = OpCounter::None;  ///< that it raises
  bool memory = false, store = false, atomic = false, lds = false;
  bool bypasses = false;                         ///< a load that no cache near the wave may answer
  double flops = 0;                              ///< of a matrix instruction
  bool hardware = false, sets_hardware = false;  ///< s_getreg or s_setreg; s_setreg
  bool dual = false;                             ///< VOPD
  bool accumulates = false;                      ///< a matrix instruction whose C is its D
  bool xdl = false;                              ///< a matrix instruction of anything but F32 and F64
  bool writes_exec = false;                      ///< or VCC: what branches read
  bool reads_vgpr = false, writes_vgpr = false;
  uint8_t bytes = 0;        ///< of a memory instruction, a lane
  bool neighbours = false;  ///< the two places of an LDS instruction lie side by side: one access
  uint16_t nops = 0;        ///< of s_nop: cycles; of s_setprio: the priority
  std::array<uint16_t, kCounters> wait = {0xffff, 0xffff, 0xffff, 0xffff};  ///< most outstanding to go on
  uint8_t delay[2] = {0, 0};  ///< of s_delay_alu: INSTID0 and INSTID1
  uint8_t delay_skip = 0;     ///< instructions between the two
  std::vector<RegisterRange> vector_reads, vector_writes, scalar_reads, scalar_writes;
  RegisterRange c, d;  ///< of a matrix instruction
};

Op make_op(const isa::Instruction& instruction, const isa::Row* row, const isa::Target& target,
           int wave_lanes);

/// The instructions of a code object that were executed, by number.
class OpTable {
 public:
  OpTable(const isa::Target& target, int wave_lanes) : target_(target), lanes_(wave_lanes) {}
  uint32_t add(const isa::Instruction& instruction, const isa::Row* row);
  [[nodiscard]] const Op& operator[](uint32_t number) const { return ops_[number]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(ops_.size()); }
  [[nodiscard]] const isa::Target& target() const { return target_; }
  [[nodiscard]] int wave_lanes() const { return lanes_; }

 private:
  const isa::Target& target_;
  int lanes_;
  std::deque<Op> ops_;
};

}  // namespace wavesmith::timing
