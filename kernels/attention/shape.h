// The shape of an attention kernel: its tile, and how its waves share the work.
#pragma once

#include "tile/atom.h"

namespace wavesmith::kernels {

/// When a wave multiplies and weighs: each tile's scores after the weights before them, or ahead of them, or
/// by turns with other waves.
enum class AttentionOrder { After, Ahead, Turns };

template <class Atom_, int kKeySize_, int kHeadSize_, int kParts_, int kKeys_, int kWaves_, int kAtoms_,
          AttentionOrder kOrder_>
struct AttentionShape {
  using Atom = Atom_;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr AttentionOrder kOrder = kOrder_;
  static constexpr int kKeySize = kKeySize_;    ///< of heads of Q and K
  static constexpr int kHeadSize = kHeadSize_;  ///< of those of V and O
  static constexpr int kKeys = kKeys_, kWaves = kWaves_;
  static constexpr int kParts = kParts_;                ///< of heads: waves that share rows have one each
  static constexpr int kPartSize = kHeadSize / kParts;  ///< elements of results
  static constexpr int kKeyPart = kKeySize / kParts;    ///< of queries
  static_assert(kParts == 1 || kKeyPart == kPartSize, "parts begin at the same element in K and V");
  /// Columns of a tile of keys: a power of two.
  static constexpr int kKeyColumns = [] {
    int columns = kHeadSize;
    while (columns < kKeySize) columns *= 2;
    return columns;
  }();
  static constexpr int kAtoms = kAtoms_;                      ///< of rows of Q, in a wave
  static constexpr int kColumns = kPartSize / Layout::kRows;  ///< atoms of a row of results, in a wave
  static constexpr int kWaveRows = kAtoms * Layout::kRows;
  static constexpr int kRows = kWaves / kParts * kWaveRows;
  static constexpr int kThreads = kWaves * tile::arch::kHere.wave_lanes;
};

/// Results go to memory by way of what tiles were in: each wave has a part of it.
template <class Shape, int kTiles>
struct ResultsMemory {
  using Layout = typename Shape::Layout;
  /// Atoms of a row of results that are written at once.
  static constexpr int kAcross = (Shape::kWaves * Layout::kRows * 64 * 4 <= kTiles ? 64 : 32) / Layout::kRows;
  static constexpr int kOut = Layout::kRows * kAcross * Layout::kRows * 4;
  static constexpr int kBytes = kTiles > Shape::kWaves* kOut ? kTiles : Shape::kWaves* kOut;
};

}  // namespace wavesmith::kernels
