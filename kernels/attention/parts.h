// Scores of heads that waves have in parts.
#pragma once

#include "kernels/attention/shape.h"
#include "tile/registers.h"

namespace wavesmith::kernels {

/// Two waves that share rows multiply half of the head each, and add the other's scores by way of shared
/// memory. A sum is the same in either order: both go on with the same scores.
template <class Shape>
struct PartsOfScores {
  using Layout = typename Shape::Layout;
  static_assert(Shape::kParts <= 2, "of more, sums would depend on the order");
  static constexpr int kPieces = Shape::kAtoms * Shape::kKeys / Layout::kRows * Layout::kSums / 4;
  static constexpr int kOfWave = kPieces * Layout::kLanes * tile::kPieceBytes;
  static constexpr int kBytes = Shape::kParts > 1 ? Shape::kWaves* kOfWave : 0;

  tile::SharedBytes memory;
  int wave, lane;

  /// Hands out this wave's part; the other one takes it when all waves have met.
  template <class Scores>
  TILE_DEVICE void give(const Scores& scores) const {
    each_four(scores, [&](const auto& sums, int first, int piece) {
      tile::Vector<float, 4> four;
      TILE_UNROLL for (int e = 0; e < 4; ++e) four[e] = sums[first + e];
      tile::shared_write(at(wave, piece), four);
    });
  }
  template <class Scores>
  TILE_DEVICE void take(Scores& scores) const {
    each_four(scores, [&](auto& sums, int first, int piece) {
      const auto four = tile::shared_read<tile::Vector<float, 4>>(at(wave ^ 1, piece));
      TILE_UNROLL for (int e = 0; e < 4; ++e) sums[first + e] += four[e];
    });
  }

 private:
  TILE_DEVICE tile::SharedBytes at(int of_wave, int piece) const {
    return memory + of_wave * kOfWave + (piece * Layout::kLanes + lane) * tile::kPieceBytes;
  }
  template <class Scores, class Use>
  TILE_DEVICE static void each_four(Scores& scores, Use use) {
    if constexpr (Shape::kParts > 1) {
      constexpr int kAcross = Shape::kKeys / Layout::kRows, kFours = Layout::kSums / 4;
      TILE_UNROLL for (int i = 0; i < kPieces; ++i)
          use(scores.at[i / (kAcross * kFours)][i / kFours % kAcross], i % kFours * 4, i);
    }
  }
};

}  // namespace wavesmith::kernels
