// Which groups of a token's experts are kept.
#pragma once

#include "kernels/router/key.h"
#include "kernels/router/row.h"
#include "tile/arch/lanes.h"

namespace wavesmith::kernels {

/// The two largest of some keys, of which there may be none (0).
struct TwoLargest {
  tile::u32 first = 0, second = 0;

  TILE_DEVICE void add(tile::u32 key) {
    const tile::u32 lesser = key < first ? key : first;
    first = key > first ? key : first;
    second = lesser > second ? lesser : second;
  }
  template <int kDistance>
  TILE_DEVICE void add_lane() {
    const auto swapped = [](tile::u32 key) {
      return tile::bits_as<tile::u32>(tile::arch::swap_lanes<kDistance>(tile::bits_as<float>(key)));
    };
    const tile::u32 theirs = swapped(first), theirs_second = swapped(second);
    add(theirs);
    second = theirs_second > second ? theirs_second : second;
  }
};

/// What the lanes of this one's group hold together; they are 2^`shift`.
template <int kLanes, int kDistance = 1>
TILE_DEVICE void combine_group(TwoLargest& largest, int shift) {
  if constexpr (kDistance < kLanes) {
    if (tile::arch::late(kDistance < 1 << shift)) {
      tile::arch::keep_branch();
      largest.add_lane<kDistance>();
      combine_group<kLanes, kDistance * 2>(largest, shift);
    }
  }
}

/// Whether the group of this lane is kept: fewer are worth more than `groups_kept`. `keys` are those by which
/// groups are compared.
template <class Shape>
TILE_DEVICE bool keeps_group(const RouterArguments& g, const tile::u32 (&keys)[Shape::kEach]) {
  using namespace tile;
  TwoLargest largest;
  TILE_UNROLL for (int i = 0; i < Shape::kEach; ++i) largest.add(keys[i]);
  combine_group<Shape::kLanes>(largest, g.group_shift);
  const bool sums = g.two_largest && largest.second != 0;
  const u32 worth = sums ? choice_key(number_of(largest.first) + number_of(largest.second)) : largest.first;
  const int group = Shape::lane() >> g.group_shift;
  const int first_lane = arch::lane_id() - Shape::lane();
  int better = 0;
  constexpr int kAtOnce = 4;  // exchanges that are under way
  for (int start = 0; start < g.groups; start += kAtOnce) {
    u32 theirs[kAtOnce];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) theirs[i] = static_cast<u32>(
        arch::from_lane(static_cast<int>(worth), first_lane + ((start + i) << g.group_shift)));
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      const int other = start + i;
      const bool is_better = theirs[i] > worth || (theirs[i] == worth && other < group);
      if (other < g.groups && is_better) ++better;
    }
  }
  return better < g.groups_kept;
}

}  // namespace wavesmith::kernels
