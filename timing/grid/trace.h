// What a sampled workgroup did, as little as the grid's time needs: runs of computing, memory instructions
// with the lines that they touch, waits, barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulate/run/events.h"
#include "gpus/power.h"
#include "timing/grid/loop.h"
#include "timing/memory/coalesce.h"
#include "timing/memory/far_memory.h"

namespace wavesmith::isa {
struct Target;
}

namespace wavesmith::timing {

/// One step of a wave.
struct Step {
  enum class Kind : uint8_t { Compute, Scalar, Load, Store, Atomic, Lds, Wait, Barrier };
  static constexpr uint16_t kAny = 0xffff;
  Kind kind = Kind::Compute;
  uint16_t memory = kAny, local = kAny, stores = kAny;  ///< of a wait: how many may be outstanding
  uint32_t clocks = 0;  ///< of computing: the SIMD's; of memory: the address unit's; of LDS: its pipe's
  uint32_t others = 0;  ///< of computing: clocks of a wave alone beyond those (scalar, branches, nops)
  uint32_t first = 0, count = 0;  ///< of memory: its lines
  bool flag = false;              ///< of memory: it waits for what another GPU writes
};

/// Iterations of a loop of which only some were recorded.
struct Fold {
  uint32_t from = 0, to = 0;  ///< steps with which iterations begin, `apart` of them apart
  uint32_t apart = 1;
  uint32_t at = 0;     ///< the step before which those lie that were not recorded
  uint64_t times = 0;  ///< how many these are
};

struct WaveSteps {
  std::vector<Step> steps;
  std::vector<LineUse> lines;
  std::vector<Fold> folds;    ///< ascending
  std::vector<Sweep> sweeps;  ///< what folds touched
  uint64_t instructions = 0;  ///< executed
  uint64_t recorded = 0;      ///< of those, in `steps` and `folds`
  gpus::Activity work;        ///< FLOPs of matrix instructions among these
};

struct GroupSteps {
  uint64_t number = 0;  ///< in the grid
  std::vector<WaveSteps> waves;
};

/// How an instruction uses a compute unit. One object a program: instructions are looked up by their Site.
struct InstructionUse {
  Step::Kind kind = Step::Kind::Compute;
  uint16_t clocks = 0, others = 0;
  uint16_t memory = Step::kAny, local = Step::kAny, stores = Step::kAny;
  double flops = 0;  ///< of a matrix instruction
};

/// Lanes of a SIMD that execute in a clock, and what else differs between generations.
struct UnitParameters {
  uint32_t simd_lanes = 16;
  uint32_t line = 128;
  const isa::Target* target = nullptr;
};

InstructionUse use_of(const emulate::Site& site, uint32_t lanes, const UnitParameters& unit);

/// How the instructions of a launch do. Asked by those who hear its workgroups, from several threads.
class InstructionUses {
 public:
  explicit InstructionUses(const UnitParameters& unit) : unit_(unit) {}
  /// Valid as long as this is. `lanes`: of the launch's waves.
  const InstructionUse& of(const emulate::Site& site, uint32_t lanes);
  [[nodiscard]] const UnitParameters& unit() const { return unit_; }

 private:
  UnitParameters unit_;
  std::mutex mutex_;
  std::unordered_map<const emulate::Site*, InstructionUse> uses_;
};

/// Records one workgroup; each wave up to `most` instructions, folded ones among them. A wave that waits for
/// another GPU reads a flag as often as the host lets it, which tells nothing: of what it does from one such
/// reading to the next, where that is nothing but reading, only the first is kept. Of a loop that does the
/// same again and again only so many iterations are kept as tell what the others take (Loop).
class GroupRecorder final : public emulate::WorkgroupListener {
 public:
  /// `far`: memory that other GPUs write to or own, ascending. `folds`: whether loops may be folded; with far
  /// memory they are not.
  GroupRecorder(GroupSteps& trace, InstructionUses& uses, uint64_t most, std::span<const FarRegion> far = {},
                bool folds = false)
      : trace_(trace), uses_(uses), most_(most), far_(far), folds_(folds && far.empty()) {
    trace.waves.clear();  // of a run that was stopped
  }
  void wave_begins(const emulate::WaveView& wave) override;
  void wave_ends(const emulate::WaveView& wave) override;
  void instruction(const emulate::WaveView& wave, const emulate::Site& site) override;
  void access(const emulate::WaveView& wave, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;

 private:
  const InstructionUse& use(const emulate::Site& site, uint32_t lanes);
  WaveSteps& trace_of(const emulate::WaveView& wave);
  /// The loop that a wave is in.
  struct Looping {
    Loop loop;
    gpus::Activity before, last;  ///< the wave's matrix work when its last two iterations ended
  };
  static bool can_fold(const WaveSteps& trace, const Loop& loop);
  static void fold(WaveSteps& trace, Loop& loop);
  void unfold(const emulate::WaveView& wave, Looping& looping);
  /// An instruction that is not one of a fold.
  void hear(const emulate::WaveView& wave, const emulate::Site& site);
  /// Whether the instruction stays within what is recorded of a wave.
  [[nodiscard]] bool within(const WaveSteps& trace) const { return trace.instructions <= most_; }
  void record(const emulate::WaveView& wave, const emulate::Site& site, bool idle);
  void record(const emulate::WaveView& wave, const emulate::Site& site, const emulate::MemoryAccess& access);
  /// Where a wave was when an instruction last read.
  struct Reading {
    uint64_t address = 0, worked = 0;
    uint64_t instructions = 0, recorded = 0;
    size_t steps = 0, lines = 0;
  };
  bool reads_again(const emulate::WaveView& wave, const emulate::Site& site,
                   const emulate::MemoryAccess& access);
  void has_read(const emulate::WaveView& wave, const emulate::Site& site,
                const emulate::MemoryAccess& access);
  GroupSteps& trace_;
  InstructionUses& uses_;
  uint64_t most_;
  static constexpr int kRecent = 7;  ///< bits
  struct Recent {
    const emulate::Site* site = nullptr;
    const InstructionUse* use = nullptr;
  };
  std::array<Recent, 1 << kRecent> recent_;  ///< of these, the one that each place had last
  std::span<const FarRegion> far_;
  /// Of a wave: its readings by instruction, and how often it has written, or read elsewhere.
  struct Waiting {
    std::unordered_map<const emulate::Site*, Reading> readings;
    uint64_t worked = 0;
  };
  std::vector<Waiting> waiting_;
  std::unordered_set<const emulate::Site*> waits_;  ///< instructions that were seen to
  bool folds_;
  std::vector<Looping> loops_;  ///< by wave
  std::vector<uint64_t> addresses_;
  Coalesced coalesced_;
};

}  // namespace wavesmith::timing
