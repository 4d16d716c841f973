// A compute unit (of RDNA: half a workgroup processor's LDS and address unit, and its SIMDs): replays
// recorded waves instruction by instruction through the sequencers' issue rules, the pipes, LDS and the wait
// counters, and asks a MemoryPort how long memory takes. What it can not know it leaves out: values, and so
// nothing is computed.
//
// Time is that of the shader clock. A wave's next instruction may issue when the wave's sequencer has got to
// it, what it depends on is ready, and its pipe takes it; of several waves the one with the higher priority
// goes first, then the older one. VALU instructions of RDNA issue into a queue of their SIMD and wait for
// their operands there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "timing/memory/system.h"
#include "timing/trace.h"
#include "timing/unit/op.h"

namespace wavesmith::timing {

/// Why an instruction did not issue when its wave got to it. The one that held it longest counts.
enum class Cause : uint8_t {
  None,
  Vector,      ///< a VALU result
  Scalar,      ///< a SALU result, or the change between the pipes
  Matrix,      ///< a matrix result
  LoadWait,    ///< s_waitcnt on vector memory loads
  StoreWait,   ///< on stores
  LdsWait,     ///< on LDS
  ScalarWait,  ///< on scalar loads
  Barrier,
  Pipe,    ///< another wave has the pipe, or it is taken
  Queue,   ///< the VALU's queue is full
  Memory,  ///< the address unit, or LDS, is taken
  Fetch,   ///< instruction cache
  Branch,
  Nop,  ///< s_nop, s_sleep, s_delay_alu
};
inline constexpr int kCauses = 15;
std::string_view name_of(Cause cause);

/// Of one instruction (a number of the OpTable), summed over waves; as rocprofv3's thread trace counts.
struct OpTime {
  uint64_t hits = 0;
  uint64_t latency = 0;  ///< stall + issue
  uint64_t stall = 0;    ///< it could not issue though the wave had got to it
  uint64_t idle = 0;     ///< the wave had not got to it: branches, fetches
  std::array<uint64_t, kCauses> by_cause = {};
};

/// An instruction of a wave, for timelines.
struct IssueEvent {
  uint64_t reached = 0, issued = 0;  ///< the wave had got to it; it issued
  uint32_t op = 0, wave = 0;         ///< number of the OpTable; the wave's, in the order in which they came
  uint8_t simd = 0;
  Cause cause = Cause::None;  ///< what held it longest in between
};

struct UnitProfile {
  uint64_t cycles = 0;  ///< from the first wave's start to the last one's end
  uint64_t instructions = 0;
  uint64_t waves = 0, groups = 0;
  std::vector<OpTime> ops;
  std::array<uint64_t, isa::kPipes> busy = {};    ///< cycles, summed over the units of that pipe
  std::array<uint64_t, isa::kPipes> issued = {};  ///< instructions
  std::array<uint64_t, kCauses> stalled = {};     ///< wave-cycles
  std::array<uint64_t, kCauses> exposed = {};     ///< SIMD-cycles in which no wave of it issued
  uint64_t empty = 0;                             ///< SIMD-cycles in which it had no wave
  uint64_t lds_conflicts = 0, lds_cycles = 0;
  std::vector<IssueEvent> events;  ///< in the order of issue: the first Options::events of them
};

/// How many of a pipe a compute unit has.
uint32_t units_of(isa::Pipe pipe, const gpus::Gpu& gpu);

/// Cycles that the pipe was taken which was taken longest, the SIMDs' own ones on average: in less, the unit
/// could not have done what it did.
double fullest_pipe(const UnitProfile& time, const gpus::Gpu& gpu);

/// What a replay may be told beyond the record, to compare with a measured one.
struct Observed {
  static constexpr uint64_t kFree = ~uint64_t{0};
  std::vector<uint64_t> at;      ///< the cycle at which that instruction issues; kFree: the model says
  std::vector<uint64_t> issued;  ///< filled: the cycle at which each did
};

class ComputeUnit {
 public:
  struct Options {
    uint32_t unit = 0;                       ///< its number for the MemoryPort
    uint32_t simds = 0;                      ///< 0: the GPU's
    const isa::IssueRules* rules = nullptr;  ///< nullptr: the generation's
    bool fetches = true;                     ///< model instruction fetch
    size_t events = 0;                       ///< so many are kept for a timeline
  };
  ComputeUnit(const gpus::Gpu& gpu, const OpTable& ops, MemoryPort& memory, const Options& options);
  ~ComputeUnit();

  /// Puts a workgroup on the unit at `cycle`; its waves go to the SIMDs with the fewest. The record must
  /// outlive the replay.
  void start(const WorkgroupRecord& group, uint64_t cycle);
  /// One wave, to a given SIMD, following what was observed.
  void start(const WaveRecord& wave, uint32_t simd, uint64_t cycle, Observed* observed);
  /// Goes on until a workgroup has ended; false when all have, or none will: every wave waits for what no
  /// wave does.
  bool step();
  /// When that was.
  [[nodiscard]] uint64_t now() const;
  /// Workgroups that have ended since the last call.
  uint32_t take_ended();
  /// Up to the end of the last wave.
  [[nodiscard]] UnitProfile time() const&;
  [[nodiscard]] UnitProfile time() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wavesmith::timing
