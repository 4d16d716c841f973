// The time of a launch on the whole GPU. A few workgroups are recorded while the grid runs; one compute unit
// replays those that would meet on it, with the levels of memory that it shares with the others; the rest of
// the grid follows at the pace that shows itself. Caches keep what a launch leaves in them for the next one.
//
//   GridModel model(gpu);
//   auto launch = model.launch(shape);
//   dispatch.listeners.push_back(launch.get());   // run it
//   const GridTime time = model.finish(*launch, regions);
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/extent3.h"
#include "emulate/run/events.h"
#include "timing/grid/engine_clock.h"
#include "timing/grid/unit.h"
#include "timing/memory/footprint.h"
#include "timing/memory/parameters.h"

namespace wavesmith::timing {

struct LaunchShape {
  Extent3 groups;
  uint32_t waves = 1;     ///< of a workgroup
  uint32_t resident = 1;  ///< workgroups of a compute unit at once
  [[nodiscard]] uint64_t total() const { return groups.count(); }
};

struct GridTime {
  double seconds = 0;  ///< from the first wave's start to the last one's end
  double compute = 0, address = 0, lds = 0, dispatch = 0;  ///< share of the time that these were busy
  MemoryCounts counts;                                     ///< of the replayed unit
  double replayed = 0;                                     ///< workgroups that were replayed
  double groups = 0;                                       ///< of the grid
  double dirty = 0;      ///< bytes that it leaves in the L2s to be written back
  double footprint = 0;  ///< bytes that the grid touches
  double far_bytes = 0,
         far = 0;     ///< that it moves over links and PCIe; share of the time that the busiest was busy
  EngineClock clock;  ///< that it is taken to run at
};

/// Chooses the workgroups to record, and records them.
class GridLaunch final : public emulate::Listener {
 public:
  GridLaunch(const LaunchShape& shape, const MemoryParameters& parameters, const UnitParameters& unit);
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& group) override;
  /// Waves shall read a modelled clock (timing/unit/wave_clock.h), which is at `cycles` when the first one
  /// starts: all workgroups are heard then.
  void tell_time(uint64_t cycles) { begins_ = cycles; }
  /// It may touch memory that is not the GPU's own, or that others write to. `all`: every workgroup of a grid
  /// that is at once on the GPU is heard for that, since they may take different paths; otherwise those that
  /// are recorded stand for the rest.
  void hear_far(std::vector<FarRegion> regions, bool all);
  /// Whether it has.
  [[nodiscard]] bool went_far() const;
  /// The workgroups that are recorded, by number, ascending.
  [[nodiscard]] std::vector<uint64_t> recorded() const;
  /// Shows every recorded workgroup; what is put in there takes the place of a run.
  void play(const std::function<void(uint64_t number, GroupSteps&)>& each) {
    for (GroupSteps& trace : traces_) each(trace.number, trace);
  }

 private:
  friend class GridModel;
  GroupSteps* find(uint64_t number);

  LaunchShape shape_;
  uint64_t key_ = 0;
  bool repeats_ = false;
  const MemoryParameters& parameters_;
  UnitParameters unit_;
  InstructionUses uses_;
  std::optional<uint64_t> begins_;  ///< cycle of the clock that waves read
  uint64_t total_ = 1;
  double rounds_ = 1;               ///< workgroups of the busiest unit
  uint64_t most_ = 0;               ///< instructions recorded of a wave
  std::vector<uint64_t> together_;  ///< those that meet on one unit
  std::optional<uint64_t> neighbours_[3], on_die_;
  std::vector<GroupSteps> traces_;
  std::vector<FarRegion> far_;
  bool hears_all_ = false;
  mutable std::mutex far_mutex_;
  std::map<uint64_t, std::vector<FarBytes>> far_bytes_;  ///< by workgroup
};

class GridModel {
 public:
  explicit GridModel(const gpus::Gpu& gpu);
  [[nodiscard]] std::unique_ptr<GridLaunch> launch(const LaunchShape& shape) const;
  /// Whether launches with this key (a hash of the kernel, its grid and its arguments) are known to do the
  /// same each time, and caches hold for this one what they held for the last: then it takes as long, and
  /// nobody needs to hear it. To be asked before it runs.
  bool repeats(GridLaunch& launch, uint64_t key, std::span<const Region> regions);
  /// After the grid has run. `regions`: the allocations, ascending. `instructions`: that it executed, as far
  /// as it was run.
  GridTime finish(GridLaunch& launch, std::span<const Region> regions, uint64_t instructions = 0);
  /// Where a launch of that footprint finds its lines. `enter` also has it go through the caches.
  struct Found {
    std::vector<RegionHits> hits;
    double bytes = 0, die_bytes = 0;  ///< that it touches; that one die's units touch, each line once a die
    double wanted = 0;                ///< by lines of which each workgroup wants a part (lines_wanted)
  };
  [[nodiscard]] Found find(const LaunchShape& shape, const std::vector<Footprint>& touched) const;
  Found enter(const LaunchShape& shape, const std::vector<Footprint>& touched);
  /// Something else than a kernel (a copy) has gone through the caches.
  void touch(const Region& region);
  /// What share of these the Infinity Cache has, when `bytes` are gone through in turn.
  [[nodiscard]] double kept(std::span<const Region> regions, double bytes) const;
  [[nodiscard]] const MemoryParameters& parameters() const { return parameters_; }

 private:
  struct Resident {
    uint64_t begin;
    double bytes;  ///< that the last launch touched
  };
  /// What the last launch of a key did.
  struct Known {
    std::vector<Footprint> touched;
    std::vector<RegionHits> hits;
    GridTime time;
    uint64_t instructions = 0;
    uint32_t alike = 0;   ///< launches in a row that did the same as the one before
    bool varies = false;  ///< one did not
  };
  using Groups = std::vector<const GroupSteps*>;
  /// What a compute unit has of the GPU while the grid runs.
  struct UnitShare {
    std::vector<RegionHits> hits;
    std::vector<FarBytes> far;
    double active = 0;     ///< compute units at work
    double die_bytes = 0;  ///< that one die's units touch
    double interval = 0;   ///< clocks from the start of a workgroup to the next one's
  };
  /// The time of a launch that repeats the last one of its key.
  GridTime repeat(const GridLaunch& launch, uint64_t instructions);
  /// Replays each of the workgroups on a unit of its own, for a grid that does not fill the GPU: `time` gets
  /// what the last one to end did. Returns the clocks.
  double replay_slowest(const GridLaunch& launch, const Groups& together, UnitShare& share,
                        GridTime& time) const;
  /// Replays them together on one unit, and goes on at its pace to the end of the grid.
  double replay_full(const GridLaunch& launch, const Groups& together, UnitShare& share,
                     GridTime& time) const;
  /// What the grid moves over each path.
  static std::vector<FarBytes> far_bytes(const GridLaunch& launch);
  /// Gives a unit that runs this workgroup its share of each path.
  static void share_ways(std::vector<RegionHits>& hits, const GridLaunch& launch, uint64_t number,
                         const std::vector<FarBytes>& all, double active);
  void learn(const GridLaunch& launch, std::vector<Footprint> touched, std::vector<RegionHits> hits,
             const GridTime& time, uint64_t instructions);
  /// What share of a region a cache of that size still has, by what was touched since.
  double kept(const std::list<Resident>& recent, uint64_t begin, double cache) const;
  double l2_kept(uint64_t begin, double bytes) const;
  static void remember(std::list<Resident>& recent, uint64_t begin, double bytes);

  const gpus::Gpu& gpu_;
  MemoryParameters parameters_;
  UnitParameters unit_;
  std::unordered_map<uint64_t, Known> known_;
  std::list<Resident> in_l2_, in_cache_;  ///< most recent first; of one die's L2, and of the Infinity Cache
};

}  // namespace wavesmith::timing
