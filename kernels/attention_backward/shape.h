// The shape of a kernel of attention's gradients: its tile, and how its waves share the work.
#pragma once

#include "tile/atom.h"

namespace wavesmith::kernels {

/// What a kernel computes: for rows of queries dQ; for rows of keys dK, dV, both, or both and what they add
/// to dQ.
enum class Gradient { Queries, Keys, Values, KeysAndValues, All };

/// Where a wave's own rows are, as operands of the products that scores come from.
enum class OwnIn { Registers, Shared };

template <class Atom_, int kHeadSize_, int kParts_, int kTile_, int kWaves_, int kAtoms_, OwnIn kOwnIn_>
struct AttentionBackwardShape {
  using Atom = Atom_;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr int kHeadSize = kHeadSize_, kWaves = kWaves_;
  static constexpr int kParts = kParts_;                ///< of heads: waves that share rows have one each
  static constexpr int kPartSize = kHeadSize / kParts;  ///< elements
  static constexpr int kTile = kTile_;                  ///< rows of the other kind that come at a time
  static constexpr int kKeys = kTile;                   ///< as the forward's shapes name them
  static constexpr OwnIn kOwnIn = kOwnIn_;
  static constexpr int kAtoms = kAtoms_;                      ///< of rows, in a wave
  static constexpr int kColumns = kPartSize / Layout::kRows;  ///< atoms of a row of a gradient, in a wave
  static constexpr int kAcross = kTile / Layout::kRows;       ///< atoms of a row of scores
  static constexpr int kWaveRows = kAtoms * Layout::kRows;
  static constexpr int kRows = kWaves / kParts * kWaveRows;
  static constexpr int kThreads = kWaves * tile::arch::kHere.wave_lanes;
};

}  // namespace wavesmith::kernels
