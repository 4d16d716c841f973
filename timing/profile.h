// The profile of a launch: which of its workgroups are recorded, and what their replay on a compute unit says
// of the whole grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/extent3.h"
#include "gpus/gpu.h"
#include "timing/grid/grid.h"
#include "timing/recorder.h"
#include "timing/unit/compute_unit.h"

namespace wavesmith::timing {

struct GridShape {
  Extent3 extent;         ///< workgroups
  uint32_t waves = 1;     ///< of a workgroup
  uint32_t resident = 1;  ///< workgroups that a compute unit has room for at once
  [[nodiscard]] uint64_t groups() const { return extent.count(); }
  /// Workgroups that meet on one of so many units: a small grid does not fill them.
  [[nodiscard]] uint32_t meeting(uint64_t units) const {
    return static_cast<uint32_t>(std::min<uint64_t>(std::max(1u, resident), (groups() + units - 1) / units));
  }
};

/// The workgroups that are recorded.
struct Sample {
  std::vector<uint64_t>
      together;  ///< those that meet on one compute unit, in the order in which they come to it
  std::vector<uint64_t> spread;      ///< some all over the grid, to see whether workgroups differ, and how
                                     ///< much the grid does
  uint64_t base = 0;                 ///< one of them, whose
  std::vector<uint64_t> neighbours;  ///< along each axis show what workgroups share; its own number: none
  uint64_t on_die = 0;               ///< and the one that follows it on its die
  bool whole = false;                ///< all of the grid
  std::string why;                   ///< for people
  [[nodiscard]] std::vector<uint64_t> all() const;
};

/// Workgroups go to the dies in turn and on a die to its compute units in turn (ROCm, "MI300X workload
/// optimization"), so every n-th workgroup meets on one unit, n the number of units.
Sample choose_sample(const gpus::Gpu& gpu, const GridShape& grid, uint64_t most_groups = 64);

/// `count` workgroups of `total`, ascending, spread so that they meet every remainder of a division about
/// equally often: a kernel's work may depend on any of its number's digits (masked attention's on the tile,
/// however tiles are dealt to dies).
std::vector<uint64_t> spread_evenly(uint64_t total, uint64_t count);

/// Where workgroups do different amounts of work, as causal attention's, the few of a sample say little of
/// how much the grid does: those to run beside it and to count. Empty: they are alike, or the launch cannot
/// be sampled.
std::vector<uint64_t> to_count(const Recorder& recorder, const GridShape& grid, const Sample& sample);

/// Instructions of a launch that are recorded, of all its waves.
inline constexpr uint64_t kRecordedInstructions = 4'000'000;

/// Instructions of a replay whose times are kept for a timeline.
inline constexpr size_t kTimelineEvents = 20'000;

struct LaunchProfile {
  std::string refused;      ///< why there is no time; empty: there is
  bool want_whole = false;  ///< of what is refused: with the whole grid run there would be
  UnitProfile unit;         ///< of the replayed compute unit
  OpTable const* ops = nullptr;
  GridShape grid;
  Sample sample;
  uint64_t units = 0;  ///< compute units at work
  double cycles = 0;   ///< of the whole grid, from the first wave to the last
  double groups_per_unit = 0;
  double pace = 0;  ///< cycles between the ends of two workgroups of a unit once it is full
  double least = 0, most = 0, mean = 0;  ///< instructions of the recorded workgroups' waves
  double kept = 1;               ///< share of the recorded workgroups' instructions that were replayed
  bool differ = false;           ///< workgroups do different amounts of work
  double flops = 0;              ///< of matrix instructions, of the whole grid
  double wave_instructions = 0;  ///< of the whole grid
  double host_seconds = 0;       ///< of a processor, that the replay took
  uint64_t replayed = 0;         ///< instructions
  MemoryCounts memory;           ///< of the replayed unit
  double grid_bytes = 0;         ///< that the grid touches
  double dirty = 0;              ///< bytes that it leaves in the L2s to be written back
  std::vector<std::string> notes;
};

/// What a launch finds in the caches, given what it touches (GridModel::enter).
using Caches = std::function<GridModel::Found(const LaunchShape&, const std::vector<Footprint>&)>;

/// `grid_instructions`: wave-instructions of the whole grid where it has run, otherwise 0. `regions`: the
/// allocations, ascending. `counted`: wave-instructions of one of those that were counted (to_count), on
/// average; 0: none were. `timeline`: keep when the first kTimelineEvents instructions issued.
LaunchProfile profile(const gpus::Gpu& gpu, const GridShape& grid, const Sample& sample,
                      const Recorder& recorder, uint64_t grid_instructions, std::span<const Region> regions,
                      const Caches& caches, double counted = 0, bool timeline = true);

}  // namespace wavesmith::timing
