// Which memory a grid touches, from a few of its workgroups: the lines of each region that one workgroup
// touches, and how many of these its neighbours along each axis, and the next one on its die, touch as well.
// From that follow the lines that any block of workgroups touches, and so what caches can keep.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/extent3.h"
#include "timing/grid/trace.h"
#include "timing/memory/far_memory.h"

namespace wavesmith::timing {

/// A range of device memory: an allocation. `path` and `writer` are a FarRegion's.
struct Region {
  uint64_t begin = 0, bytes = 0;
  const FarPath* path = nullptr;
  const FarPath* writer = nullptr;
};

/// One region as a grid's workgroups touch it. Counts are of lines, or of larger grains.
struct Footprint {
  Region region;
  double lines = 0;       ///< one workgroup touches
  double shared[3] = {};  ///< share of them that the next workgroup along an axis touches, too
  /// Share of them that the next workgroup of the same die touches, too, where dies take the workgroups along
  /// x in turn: a kernel may deal its work so that neighbours on a die share what neighbours in number do
  /// not.
  std::optional<double> shared_on_die;
  /// The same as `shared` less the parts of these lines that are new there: where a workgroup wants but a
  /// part of a line, some of the next ones share the line and yet take other bytes, and then there is a new
  /// line.
  double parts_shared[3] = {};
  double grains = 0;  ///< the same for pieces of memory that one line of the page table maps
  double grains_shared[3] = {};
  double all_lines = 0, all_grains = 0;  ///< of the region

  /// Lines that `count` workgroups, numbered one after the other in a grid of `groups`, touch together.
  [[nodiscard]] double lines_of(double count, const Extent3& groups) const;
  /// Lines that `count` workgroups touch together of which each is `step` behind the one before: those of a
  /// die, as dies take workgroups in turn.
  [[nodiscard]] double lines_of_every(uint32_t step, double count, const Extent3& groups) const;
  /// How often a line is touched again, of all touches of a grid, and along which axis: by a neighbour along
  /// x, by the row of workgroups behind, by the plane behind.
  struct Again {
    double share[3] = {};
  };
  [[nodiscard]] Again again(const Extent3& groups) const;
  /// Lines that the bytes which the whole grid wants fill.
  [[nodiscard]] double lines_wanted(const Extent3& groups) const;
  [[nodiscard]] double grains_of(double count, const Extent3& groups) const;
};

/// Workgroups that one is compared with; nullptr: there is none.
struct Neighbours {
  const GroupSteps* along[3] = {};     ///< each axis the next one, or the one before
  const GroupSteps* on_die = nullptr;  ///< as many workgroups further along x as there are dies
};

/// The number of a workgroup that is `step` further along an axis than workgroup `base`, or else `step`
/// before it; nothing if the grid has neither.
std::optional<uint64_t> neighbour(uint64_t base, int axis, uint32_t step, const Extent3& groups);

/// `samples`: some workgroups; `base` and its neighbours.
std::vector<Footprint> footprints(std::span<const Region> regions, std::span<const GroupSteps* const> samples,
                                  const GroupSteps& base, const Neighbours& neighbours, uint32_t line,
                                  double grain);

/// Bytes of private memory that workgroups touch which are resident together, `resident` of them.
double private_bytes(std::span<const GroupSteps* const> samples, double resident, uint32_t line);

}  // namespace wavesmith::timing
