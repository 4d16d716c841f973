// The shape of a kernel of latent attention: its tile, and how its waves share the work.
#pragma once

#include "tile/chain.h"

namespace wavesmith::kernels {

/// `Stored`: the cache's elements, those of the atom or e4m3. `kParts` waves share rows: each has a part of
/// the results' columns. Of scores, `kKeyParts` groups of them have different keys, and the waves of a group
/// a part of each key's elements.
template <class Atom_, class Stored_, int kThreads_, int kParts_, int kKeyParts_>
struct LatentShape {
  using Atom = Atom_;
  using Stored = Stored_;
  using Element = typename Atom::Element;
  using Layout = tile::AtomLayout<Atom>;
  using Order = tile::ChainOrder<Atom>;
  static constexpr int kKeySize = 576;                        ///< elements of a row of the cache: a key
  static constexpr int kHeadSize = 512;                       ///< the first of them: its value
  static constexpr int kKeys = 32;                            ///< of a tile
  static constexpr int kInGroup = Order::kInPiece;            ///< keys of a piece that a group of lanes has
  static constexpr int kInPiece = Order::kGroups * kInGroup;  ///< keys of all groups
  static constexpr int kPiecesOfKeys = kKeys / kInPiece;
  static constexpr int kAtoms = kKeys / Layout::kRows;  ///< of keys in a tile
  static constexpr int kThreads = kThreads_, kWaves = kThreads / Layout::kLanes;
  static constexpr int kParts = kParts_, kKeyParts = kKeyParts_, kDepthParts = kParts / kKeyParts;
  static constexpr int kRows = kWaves / kParts * Layout::kRows;  ///< of queries, in a workgroup
  static constexpr int kOwnAtoms = kAtoms / kKeyParts;           ///< of keys, whose scores a wave computes
  static constexpr int kDepth = kKeySize / kDepthParts;          ///< elements of keys that it does so with
  /// Steps that a wave's reads of keys are ahead of their products: where registers are few, less.
  static constexpr int kAhead = Layout::kLanes == 64 ? 6 : 1;
  /// Whether the next tile is loaded beside products, which costs nothing then, but begins later: memory is
  /// not what it waits for.
  static constexpr bool kLoadsBeside = kRows > Layout::kRows;
  static constexpr int kOwnColumns = kHeadSize / kParts;
  static constexpr int kColumns = kOwnColumns / Layout::kRows;  ///< atoms of results in a wave
  static constexpr int kWide = kColumns < 8 ? kColumns : 8;     ///< columns that a lane has side by side
};

}  // namespace wavesmith::kernels
