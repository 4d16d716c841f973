// The softmax of rows whose scores come tile by tile. Scores become weights 2^(score - reference), where the
// reference follows the greatest score of the row so far.
#pragma once

#include "tile/chain.h"
#include "tile/math.h"

namespace wavesmith::kernels {

/// Of kRows atoms of rows, one row per lane and atom; groups of lanes (tile::ChainOrder) have different
/// scores of it.
template <class Atom, int kRows>
struct Softmax {
  using Two = tile::Vector<float, 2>;  ///< for which CDNA has instructions
  /// How far a weight's exponent may grow beyond the reference's before the reference follows.
  static constexpr float kSlack = 8;
  /// Added to all exponents: f16 has small numbers only down to 2^-24, and up to 2^16.
  static constexpr float kLift = __is_same(typename Atom::Element, tile::f16) ? 7 : 0;

  float greatest[kRows];   ///< score that the reference is of
  float reference[kRows];  ///< in the base of 2, less kLift
  Two sum[kRows];          ///< of the weights in this lane, of every other one

  TILE_DEVICE void clear() {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      greatest[i] = -tile::kInfinity;
      reference[i] = -kLift;
      sum[i] = {};
    }
  }

  /// Lets the references follow scores, which times `factor` are exponents of 2. `rescale(row, by)`
  /// multiplies what was summed with earlier weights.
  template <int kColumns, class Rescale>
  TILE_DEVICE void follow(const tile::Sums<Atom, kRows, kColumns>& scores, float factor, Rescale rescale) {
    float most[kRows];
    bool grows = false;
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      most[i] = scores.at[i][0][0];
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
        TILE_UNROLL for (int e = 0; e < tile::AtomLayout<Atom>::kSums; ++e) most[i] =
            tile::greater(most[i], scores.at[i][j][e]);
      }
      grows |= (most[i] - greatest[i]) * factor > kSlack;
    }
    if (!tile::arch::any_lane(grows)) return;
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      const bool first = greatest[i] == -tile::kInfinity;
      greatest[i] = tile::over_groups<Atom>(tile::greater(most[i], greatest[i]), tile::greater);
      // A row without a score yet: its weights are 2^(-infinity - any number).
      const float next = (greatest[i] == -tile::kInfinity ? 0 : greatest[i] * factor) - kLift;
      const float by = first ? 0 : tile::exp2(reference[i] - next);
      reference[i] = next;
      sum[i] *= by;
      rescale(i, by);
    }
  }

  /// Turns scores into weights.
  template <int kColumns>
  TILE_DEVICE void weigh(tile::Sums<Atom, kRows, kColumns>& scores, float factor) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
        auto& of_atom = scores.at[i][j];
        TILE_UNROLL for (int e = 0; e < tile::AtomLayout<Atom>::kSums; e += 2) {
          const Two exponents = Two{of_atom[e], of_atom[e + 1]} * factor - reference[i];
          const Two weights = {tile::exp2(exponents[0]), tile::exp2(exponents[1])};
          sum[i] += weights;
          of_atom[e] = weights[0], of_atom[e + 1] = weights[1];
        }
      }
    }
  }

  /// The sum of a row's weights.
  TILE_DEVICE float total(int row) const {
    return tile::over_groups<Atom>(sum[row][0] + sum[row][1], [](float a, float b) { return a + b; });
  }
};

}  // namespace wavesmith::kernels
