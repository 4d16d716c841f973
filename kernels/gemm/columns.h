// Which columns of B a workgroup's tile has. Of a product that gates they are as many of B's gate half as of
// the other, and in each wave's share of the tile both: so the two sums of which an element of D is made are
// in one wave.
#pragma once

#include "tile/shared.h"

namespace wavesmith::kernels {

/// In each wave's share of the tile kHalf columns of the gate's half, then those as far into the other one.
template <int kHalf>
struct GemmColumns {
  static constexpr int kHalves = 2;  ///< columns of B for each of D
  int of_d;                          ///< after which the other half begins

  TILE_DEVICE explicit GemmColumns(int n) : of_d(n) {}
  /// From the tile's first of D on.
  TILE_DEVICE int row(int position) const {
    const int column = position / (2 * kHalf) * kHalf + position % kHalf;
    return position / kHalf % 2 == 0 ? column : column + of_d;
  }
};
/// Those that follow each other.
template <>
struct GemmColumns<0> : tile::InOrder {
  static constexpr int kHalves = 1;
  TILE_DEVICE explicit GemmColumns(int /*n*/) {}
};

}  // namespace wavesmith::kernels
