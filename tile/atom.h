// A matrix atom: one matrix instruction, and where the elements of its operands are. An atom
// (arch/amd_atoms.h, ...) has the shape and the call; what lane and register hold which element follows here
// from isa/matrix/layout.h, at compile time.
//
// Kernels multiply by A times B transposed: both operands are tiles of rows, of `K` elements each. In that
// form the two operands lie alike in registers, so any order of K will do as long as it is the same for both:
// a lane can take what it needs in pieces of 16 bytes that follow each other in memory, whatever order the
// instruction wants.
#pragma once

#include "isa/matrix/layout.h"
#include "tile/arch/here.h"
#include "tile/vector.h"

namespace tile {

/// The layout of an atom's operands and sums in the lanes of a wave.
template <class Atom>
struct AtomLayout {
  static constexpr auto kShape = Atom::kShape;
  static constexpr int kLanes = arch::kHere.wave_lanes;
  static constexpr int kRows = kShape.m;  ///< of A; B has as many
  static constexpr int kElementBits = 8 * static_cast<int>(sizeof(typename Atom::Element));
  static constexpr int kNumbers = kElementBits / bits_of_element(kShape.a);  ///< that an element holds
  static constexpr int kDepth = kShape.k / kNumbers;                         ///< elements along K
  static constexpr int kHeld = registers_of_a(kShape, kShape.a, kLanes) * 32 / kElementBits;  ///< of a lane
  static constexpr int kGroups = kDepth / kHeld;  ///< of lanes that hold different elements of a row
  static constexpr int kSums = registers_of_d(kShape, kLanes);

  /// Lanes from a row to the next: lanes that follow each other hold all rows, or parts of one.
  static constexpr int kRowStep = place_a(kShape, kShape.a, kLanes, 1, 0, 0).lane;
  /// The row of A or B that a lane holds elements of, and the group that it is in.
  TILE_DEVICE static constexpr int row(int lane) { return lane / kRowStep % kRows; }
  TILE_DEVICE static constexpr int group(int lane) {
    return kGroups == 1 ? 0 : (kRowStep == 1 ? lane / kRows : lane) % kGroups;
  }

  /// Groups of lanes that hold different sums of a row: a lane is in lane % kSumLanes / kSumStep. (Written
  /// out where it is needed: a function of it has the compiler order other instructions.)
  static constexpr int kSumGroups = kLanes / kRows;
  static constexpr int kSumLanes = kRowStep == 1 ? kLanes : kRowStep, kSumStep = kRowStep == 1 ? kRows : 1;
  /// D[i][j] is in the lane with row(lane) = j; a group of lanes holds row first_row(sum) + kGroupStep * its
  /// number.
  static constexpr int kGroupStep = [] {
    for (int i = 0; i < kShape.m; ++i)
      if (place_d(kShape, kLanes, i, 0, 0).lane == kSumStep) return i;
    return 0;
  }();
  struct FirstRows {
    int of_sum[kSums];
  };
  static constexpr FirstRows kFirstRows = [] {
    FirstRows rows{};
    for (int i = 0; i < kShape.m; ++i)
      if (const auto place = place_d(kShape, kLanes, i, 0, 0); place.lane == 0)
        rows.of_sum[place.bit / 32] = i;
    return rows;
  }();
  static constexpr int first_row(int sum) { return kFirstRows.of_sum[sum]; }
  /// Sums whose rows follow each other, from sum 0 on.
  static constexpr int kRun = [] {
    int run = 1;
    while (run < kSums && first_row(run) == first_row(run - 1) + 1) ++run;
    return run;
  }();

  /// What the functions above say, compared with the layout for each element.
  static constexpr bool agrees() {
    if (kShape.m != kShape.n || kHeld * kGroups != kDepth) return false;
    for (int i = 0; i < kShape.m; ++i) {
      for (int k = 0; k < kShape.k; ++k) {
        const auto a = place_a(kShape, kShape.a, kLanes, i, k, 0),
                   b = place_b(kShape, kShape.b, kLanes, k, i, 0);
        if (!(a == b) || row(a.lane) != i || a.lane % kSumLanes / kSumStep >= kGroups) return false;
      }
      for (int j = 0; j < kShape.n; ++j) {
        const auto d = place_d(kShape, kLanes, i, j, 0);
        const int group = d.lane % kSumLanes / kSumStep;
        if (row(d.lane) != j || first_row(d.bit / 32) + kGroupStep * group != i) return false;
      }
    }
    return true;
  }
  static_assert(agrees(), "the atom's layout is none of those that AtomLayout can express");
};

}  // namespace tile
