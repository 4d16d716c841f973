// What a run tells those who watch it: the sanitizers, the timing model, traces. A workgroup that nobody
// listens to runs code that has no events in it.
//
//   struct Count : WorkgroupListener {
//     void instruction(const WaveView&, const Site&) override { ++count; }
//     uint64_t count = 0;
//   };
//   struct InstructionCount : Listener {
//     std::unique_ptr<WorkgroupListener> workgroup(const WorkgroupView&) override {
//       return std::make_unique<Count>();
//     }
//   };
//   InstructionCount count;
//   dispatch.listeners.push_back(&count);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/extent3.h"
#include "emulate/run/wave.h"
#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/wait_counters.h"

namespace wavesmith::object {
struct Kernel;
}

namespace wavesmith::emulate {

using isa::wait_counters;
using isa::WaitCounters;

/// What a barrier instruction does.
enum class BarrierStep : uint8_t {
  None,
  ArriveAndWait,  ///< s_barrier
  Arrive,         ///< s_barrier_signal
  Wait,           ///< s_barrier_wait
  Grid,           ///< ds_gws_barrier: all workgroups of a cooperative launch
};

/// An instruction of the program: the same object each time that it is executed, alive as long as the
/// program.
struct Site {
  isa::Instruction instruction;  ///< with its pc, size, operands and text
  const isa::Row* row =
      nullptr;  ///< nullptr for control, and for a dual instruction (see instruction.second)
  WaitCounters wait;
  BarrierStep barrier = BarrierStep::None;
  uint32_t number = 0;  ///< among those of its program, from 0
};

/// The workgroup that an event is of.
struct WorkgroupView {
  const object::Kernel& kernel;
  uint64_t dispatch_id;
  Extent3 id;
  Extent3 size;           ///< work-items of a whole workgroup
  uint32_t lds_size;      ///< bytes
  uint32_t scratch_size;  ///< bytes a lane
};

/// The wave that an event is of, and its state before the instruction.
class WaveView {
 public:
  explicit WaveView(Wave& wave) : wave_(wave) {}
  [[nodiscard]] uint32_t index() const { return wave_.index; }  ///< in its workgroup
  [[nodiscard]] uint32_t lanes() const { return wave_.lanes; }  ///< 32 or 64
  [[nodiscard]] uint64_t exec() const { return wave_.exec(); }
  /// By number: 0 to 105, and those of scalar_index.
  [[nodiscard]] uint32_t sgpr(int number) const { return wave_.s[number]; }
  [[nodiscard]] std::span<const uint32_t> vgpr(int number) const { return {wave_.vgpr(number), lanes()}; }
  [[nodiscard]] std::span<const uint32_t> agpr(int number) const { return {wave_.agpr(number), lanes()}; }
  /// The workgroup's.
  [[nodiscard]] std::span<const uint8_t> lds() const { return {wave_.lds, wave_.lds_size}; }

 private:
  Wave& wave_;
};

enum class AddressSpace : uint8_t { Global, Lds, Private };

/// One access by the lanes of a wave. An instruction makes several when it has two offsets, when it loads to
/// LDS, or when its flat addresses lie in several spaces.
struct MemoryAccess {
  AddressSpace space;
  isa::Direction direction;  ///< Load, Store or Atomic
  bool scalar;               ///< by the wave as a whole; then it is in lane 0 of `address`
  bool side_by_side;         ///< surely: each lane's element lies behind that of the lane before
  uint8_t ignored;           ///< scalar: low bits of the address that the hardware leaves out of it
  uint32_t bytes;            ///< each lane
  uint64_t lanes;            ///< that access memory
  uint64_t dropped;          ///< whose access is out of the range of LDS or of a buffer: loads give 0
  /// By lane, valid for those in `lanes`, and for those `dropped` of LDS: a device address, an offset in the
  /// workgroup's LDS, or an offset in the lane's private memory.
  uint64_t address[kRowLanes];
};

/// Hears of one workgroup. All calls come from one thread at a time, in the order of execution; those of
/// several workgroups come from several threads.
class WorkgroupListener {
 public:
  virtual ~WorkgroupListener() = default;
  virtual void wave_begins(const WaveView&) {}
  virtual void wave_ends(const WaveView&) {}
  /// Every instruction, before it is executed. Waits and barriers too: `site.wait` and `site.barrier` say
  /// what they wait for. One that waits longer than its wave's turn is told once.
  virtual void instruction(const WaveView&, const Site&) {}
  /// Before memory is touched, after `instruction`. An access that faults is told by the fault alone.
  virtual void access(const WaveView&, const Site&, const MemoryAccess&) {}
  /// Memory that those lanes may not access: the wave stops with a fault. `access` was told before where the
  /// address looked good.
  virtual void refused(const WaveView&, const Site&, const MemoryAccess&) {}
  /// All waves have arrived at the workgroup's barrier, none has yet gone on.
  virtual void barrier_completes() {}
  /// The last call, unless the kernel was stopped by a fault. The listener is destroyed after it, or, where
  /// the kernel was stopped, before run() returns.
  virtual void ends() {}
  /// The cycle of the shader's clock at which the wave is, which it is about to read; nullopt: it reads the
  /// host's time.
  virtual std::optional<uint64_t> cycles(const WaveView&) { return std::nullopt; }
};

class Listener {
 public:
  virtual ~Listener() = default;
  /// Asked before a workgroup starts, from any thread. nullptr: it runs at full speed, unheard.
  virtual std::unique_ptr<WorkgroupListener> workgroup(const WorkgroupView& workgroup) = 0;
  /// Whether WorkgroupListener::instruction is of interest; where all listeners of a launch say no, it is not
  /// called, and the launch is faster.
  [[nodiscard]] virtual bool hears_instructions() const { return true; }
};

}  // namespace wavesmith::emulate
