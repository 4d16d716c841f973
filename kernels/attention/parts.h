// Scores of heads that waves have in parts.
#pragma once

#include "kernels/attention/shape.h"
#include "tile/registers.h"

namespace wavesmith::kernels {

/// Waves that share rows multiply a part of the head each, and add the others' scores by way of shared
/// memory: neighbours' first, then those of pairs. So the order is the same in all, but for what is first of
/// two, and they go on with the same scores.
template <class Shape>
struct PartsOfScores {
  using Layout = typename Shape::Layout;
  static_assert((Shape::kParts & (Shape::kParts - 1)) == 0, "sums are those of pairs");
  static constexpr int kPieces = Shape::kAtoms * Shape::kKeys / Layout::kRows * Layout::kSums / 4;
  static constexpr int kOfWave = kPieces * Layout::kLanes * tile::kPieceBytes;
  static constexpr int kBytes = Shape::kParts > 1 ? Shape::kWaves* kOfWave : 0;

  tile::SharedBytes memory;
  int wave, lane;

  /// Hands out this wave's part; the others take it when all waves have met.
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
      tile::Vector<float, 4> all;
      TILE_UNROLL for (int e = 0; e < 4; ++e) all[e] = sums[first + e];
      all = with_others(all, piece);
      TILE_UNROLL for (int e = 0; e < 4; ++e) sums[first + e] = all[e];
    });
  }

 private:
  /// `own`, of so many waves, and what as many others each have, up to all parts.
  template <int kCount = 1>
  TILE_DEVICE tile::Vector<float, 4> with_others(tile::Vector<float, 4> own, int piece) const {
    if constexpr (kCount == Shape::kParts)
      return own;
    else
      return with_others<2 * kCount>(own + sum<kCount>(wave ^ kCount, piece), piece);
  }
  template <int kCount>
  TILE_DEVICE tile::Vector<float, 4> sum(int of_wave, int piece) const {
    if constexpr (kCount == 1)
      return tile::shared_read<tile::Vector<float, 4>>(at(of_wave, piece));
    else
      return sum<kCount / 2>(of_wave, piece) + sum<kCount / 2>(of_wave ^ kCount / 2, piece);
  }
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
