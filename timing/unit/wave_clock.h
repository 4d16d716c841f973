// The clock that the waves of a workgroup read while they run (s_memtime, s_memrealtime): cycles of each wave
// as if its workgroup had a compute unit to itself. What the whole grid takes is known only when it has run
// (timing/grid/grid.h), so waiting for other workgroups is not in it.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "emulate/run/events.h"
#include "timing/grid/trace.h"
#include "timing/memory/unit.h"

namespace wavesmith::timing {

/// Hears a workgroup and keeps its waves' clocks.
class WaveClocks final : public emulate::WorkgroupListener {
 public:
  /// `begin`: the cycle at which its first wave starts.
  WaveClocks(const MemoryParameters& memory, const UnitParameters& unit, uint64_t begin, uint64_t number);
  void wave_begins(const emulate::WaveView& wave) override;
  void instruction(const emulate::WaveView& wave, const emulate::Site& site) override;
  void access(const emulate::WaveView& wave, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;
  void barrier_completes() override;
  std::optional<uint64_t> cycles(const emulate::WaveView& wave) override;

 private:
  struct Wave {
    double now = 0;
    bool meets = false;                        ///< it waits at the barrier
    std::deque<double> memory, local, stores;  ///< when what is outstanding is there, oldest first
  };
  Wave& of(const emulate::WaveView& wave);
  const InstructionUse& use(const emulate::Site& site, uint32_t lanes);

  UnitParameters unit_;
  UnitMemory memory_;
  double begin_;
  uint64_t number_;
  std::vector<Wave> waves_;
  std::unordered_map<const emulate::Site*, InstructionUse> uses_;
  std::vector<uint64_t> addresses_;
};

}  // namespace wavesmith::timing
