// The memory system as one compute unit sees it: its L1 exactly, the levels behind it by what share of the
// other units' lines are there, and by the unit's share of their bandwidth.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timing/memory/arrivals.h"
#include "timing/memory/cache.h"
#include "timing/memory/coalesce.h"
#include "timing/memory/far_memory.h"
#include "timing/memory/line_map.h"
#include "timing/memory/parameters.h"
#include "timing/memory/recency.h"
#include "timing/trace.h"

namespace wavesmith::timing {

/// A range of memory that a launch touches, and where its lines are found when a workgroup first touches
/// them.
struct RegionHits {
  uint64_t begin = 0, end = 0;      ///< line numbers
  double l2 = 0;                    ///< share that another workgroup has brought into this die's L2
  double near = 0;                  ///< of lines touched again: share that others bring in at the same time
  double infinity_cache = 0;        ///< of the rest: share that the Infinity Cache has
  double again = 1;                 ///< the same of lines that the unit touches again
  double walk = 0;                  ///< page-table entries to fetch from behind the L2, a line
  double all = 0;                   ///< lines of it that the whole grid touches
  double stored = 0;                ///< lines of it that this unit has stored to for the first time
  const FarPath* path = nullptr;    ///< to memory that is not the GPU's own
  const FarPath* writer = nullptr;  ///< by which others write to it while the kernel runs
  double read_share = 1, write_share = 1;  ///< of the path's rate that this unit has
};

/// Where bytes went.
struct MemoryCounts {
  uint64_t l1_hits = 0, l1_misses = 0, stores = 0;
  double l2_hits = 0, infinity_cache_hits = 0, memory_lines = 0;
  double l2_bytes = 0, fabric_bytes = 0, memory_bytes = 0, walks = 0;
  double far_bytes = 0;  ///< of memory that is not the GPU's own
};

/// What share of lines an L2 still has that are touched again after `bytes` of others. Source: RRZE-HPC
/// gpu-benches, gpu-l2-stream on an MI300A: what is read again and again slows down between 12 and 19 MB of
/// the 24 MB that its dies have together.
double l2_keeps(double bytes, double l2_bytes);

/// What share of the lines that a die touched the L2 still has in the end, of `bytes` touched once each: of
/// each line what l2_keeps() says of those behind it. The others are evicted, and written back where they
/// were written.
double l2_left(double bytes, double l2_bytes);

class UnitMemory {
 public:
  /// `active`: units of the GPU at work, which share what is not a unit's own. `die_bytes`: that all units of
  /// a die touch together. `in_order`: the L1 takes accesses in order, where the GPU's is known to.
  UnitMemory(const MemoryParameters& parameters, std::vector<RegionHits> regions, double active,
             double die_bytes, bool in_order = false);
  UnitMemory(const UnitMemory&) = delete;
  UnitMemory& operator=(const UnitMemory&) = delete;

  /// `scattered`: the access touches several pieces of memory that need translations of their own, which then
  /// are not fetched ahead.
  /// Clocks at which the lines of one access are there (a load), or the store is acknowledged.
  /// `bypasses`: the L1 neither answers nor keeps it.
  double load(uint64_t line, double now, bool scattered = false, bool bypasses = false) {
    return access_one(AccessKind::Load, {line, 0}, now, scattered, bypasses);
  }
  double store(uint64_t line, uint32_t bytes, double now, bool scattered = false) {
    return access_one(AccessKind::Store, {line, bytes}, now, scattered, false);
  }
  double atomic(uint64_t line, double now) {
    return access_one(AccessKind::Atomic, {line, 0}, now, false, false);
  }
  /// The same of all lines of an access, one behind the other, when the last one's answer comes; each is
  /// counted from `least` on.
  double access(AccessKind kind, std::span<const LineUse> lines, uint64_t least, double now, bool scattered,
                bool bypasses);
  double scalar(uint64_t line, double now);
  /// Clocks until a wave that waits for a flag in that line sees it; 0: nobody else writes there.
  double flag_latency(uint64_t line);
  /// Whether an access is: its lines lie in several such pieces.
  [[nodiscard]] bool scattered(std::span<const LineUse> lines) const;
  /// The same by the distance from the least to the largest of its lines.
  [[nodiscard]] bool scattered(uint64_t reach) const {
    return static_cast<double>(reach) * parameters_.line >= parameters_.page_bytes;
  }
  /// When the address unit, which an access occupies for `clocks`, takes it.
  double address(double now, double clocks);
  /// Called behind the lines of an access: when the next one may come, where the L1 takes them in order and
  /// only so many wait in front of it; otherwise 0.
  double admits();

  /// Lines that the whole grid has written, when this unit ran `share` of it.
  [[nodiscard]] double written(double share) const;
  /// When all that was asked for has gone through.
  [[nodiscard]] double drained() const;
  /// Clocks that the busiest of the ways to memory was occupied.
  [[nodiscard]] double busiest() const;
  [[nodiscard]] MemoryCounts counts() const;
  [[nodiscard]] const MemoryParameters& parameters() const { return parameters_; }

 private:
  struct Server {
    double free = 0, busy = 0;
    [[gnu::always_inline]] double take(double now, double clocks) {
      const double start = now > free ? now : free;
      busy += clocks;
      free = start + clocks;
      return start;
    }
  };
  /// Of a line that this unit has asked for; all zeros, of one that it has not.
  struct Line {
    static constexpr uint32_t kKnown = 1, kDirty = 2;
    uint32_t state = 0;         ///< these, and the unit's traffic when it last asked the L2 for it
    uint32_t place = kNowhere;  ///< in the L1
  };
  static constexpr uint32_t kTraffic = (1u << 30) - 1;
  /// What every line of an access changes: the loops over lines keep it in registers.
  struct Flow {
    double turn = 0;  ///< when the last line got its turn
    Server unit, l2;
  };
  /// Where an answer comes from, one behind the other as they were asked for: a row of Arrivals.
  enum class Level : uint8_t { L2, InfinityCache, Memory, Stored };
  /// Where lines are found, one beside the other: the region that has them all, or that none has.
  struct Found {
    uint64_t begin = 0, lines = 0;
    RegionHits* where = nullptr;
  };
  RegionHits* region(uint64_t line);
  void find_region(uint64_t line);
  Found found_;  ///< of the line before
  [[nodiscard]] double brought_in(uint32_t since) const;
  bool in_l2(uint32_t state, const RegionHits* where);
  bool in_l2_again(uint32_t since, const RegionHits* where);
  /// When the L1 looks at an access: behind those before it.
  template <bool kInOrder>
  static double in_turn(Flow& flow, double now);
  template <bool kInOrder>
  double place(Flow& flow, double now);
  template <bool kInOrder>
  double load(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now, bool scattered,
              bool bypasses);
  template <bool kInOrder>
  double store(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now,
               bool scattered);
  template <bool kInOrder>
  double atomic(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now);
  template <bool kInOrder>
  double access(AccessKind kind, std::span<const LineUse> lines, uint64_t least, double now, bool scattered,
                bool bypasses);
  double access_one(AccessKind kind, const LineUse& line, double now, bool scattered, bool bypasses) {
    return access(kind, {&line, 1}, 0, now, scattered, bypasses);
  }
  double send(Flow& flow, Line& asks, uint64_t line, uint32_t bytes, double now, bool scattered);
  double fetch(Flow& flow, Line& asks, uint64_t line, double now, bool scattered, bool has_place);
  double fetch_behind(const RegionHits* where, double start, bool scattered, bool first, bool has_place);
  void evict(Line& asks) {
    if (asks.place != kNowhere) l1_.remove(std::exchange(asks.place, kNowhere));
  }
  static bool draw(double share, double& remainder);
  double read_far(const RegionHits& where, double start);
  double write_far(const RegionHits& where, double bytes, double start);

  const MemoryParameters& parameters_;
  std::vector<RegionHits> regions_;
  Recency<Line*> l1_;
  Cache scalar_;
  bool in_order_;
  uint32_t places_;  ///< of lines that the L1 may wait for at once, in order those of stores too
  Flow flow_;
  std::array<double, 16> passed_ = {};  ///< when the last few accesses were through, in turn
  size_t last_passed_ = 0;
  Arrivals under_way_;  ///< the lines that have a place
  /// Lines beside one another stand so, since they are asked for one after the other.
  static constexpr uint32_t kSideBySide = 16;
  LineMap<Line*> rows_;  ///< the first of them
  static constexpr size_t kTogether = 64 * kSideBySide;
  std::vector<std::unique_ptr<std::array<Line, kTogether>>> lines_;
  size_t taken_ = kTogether;  ///< of the last of them
  [[gnu::always_inline]] Line* row_of(uint64_t line) {
    Line* const* const row = rows_.find(line / kSideBySide);
    return row ? *row : new_row(line / kSideBySide);
  }
  Line* new_row(uint64_t number);
  double units_per_die_, active_, die_bytes_;
  double l2_keeps_all_;      ///< bytes up to which the L2 keeps what was touched before
  uint32_t l2_keeps_since_;  ///< the traffic that comes to as many for all units of the die
  double line_bytes_;
  double unit_clocks_, l2_clocks_, fabric_clocks_, read_clocks_,
      write_clocks_;  ///< of a line, at this unit's share
  Server address_, fabric_, memory_, walker_;
  struct FarServers {
    Server read, write;
  };
  std::unordered_map<const FarPath*, FarServers> far_;
  uint64_t fetched_ = 0, fetched_behind_ = 0;  ///< lines, of all levels; from behind the L2
  uint32_t traffic_ = 0;                       ///< lines that came from behind the L2 or went there
  double l2_left_ = 0, again_left_ = 0, near_left_ = 0, cache_left_ = 0, cache_again_left_ = 0,
         walk_left_ = 0;
  MemoryCounts counts_;  ///< without what fetched_ tells
};

}  // namespace wavesmith::timing
