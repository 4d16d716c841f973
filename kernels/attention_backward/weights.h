// The weights of a tile of scores, found again from the log-sum-exp, and the scores' gradients.
#pragma once

#include "kernels/attention/scores.h"
#include "kernels/attention_backward/shape.h"
#include "tile/chain.h"

namespace wavesmith::kernels {

/// Weights of f16 are 2^13 as large while they are operands: it has small numbers only down to 2^-24.
template <class Element>
inline constexpr float kWeightLift = __is_same(Element, tile::f16) ? 13 : 0;
/// What takes that from them again.
template <class Element>
inline constexpr float kWeightUnit = __is_same(Element, tile::f16) ? 0x1p-13F : 1;

/// A row's log-sum-exp in the base of 2, less the lift: 2^(score - it) is a weight. A row without a score has
/// minus infinity, and its weights are 2^(-infinity - any number).
template <class Element>
TILE_DEVICE float reference_of(float lse) {
  return (lse == -tile::kInfinity ? 0 : lse * tile::kLog2OfE) - kWeightLift<Element>;
}

/// What the scores of queries need, where a wave has rows of queries: a lane's are of one query per atom.
template <class Shape>
struct OwnRows {
  float reference[Shape::kAtoms], delta[Shape::kAtoms];
  TILE_DEVICE float reference_at(int atom, int /*number*/) const { return reference[atom]; }
  TILE_DEVICE float delta_at(int atom, int /*number*/) const { return delta[atom]; }
};

/// The same where a wave has rows of keys: each of a lane's scores is of another query of the tile.
template <class Shape>
struct TileRows {
  using Order = tile::ChainOrder<typename Shape::Atom>;
  using Two = tile::Vector<float, 4>;  ///< of each of two rows reference and delta
  static constexpr int kTwos = Shape::kAcross * Shape::Layout::kSums / 2;
  Two at[kTwos];

  /// Of the tile of queries that begins with row `first` of those in the buffer.
  TILE_DEVICE void load(tile::arch::Buffer rows, int first, int group) {
    TILE_UNROLL for (int i = 0; i < kTwos; ++i) load(rows, place(first, group), i);
  }
  /// Where the first of a lane's rows of the tile is.
  TILE_DEVICE static tile::u32 place(int first, int group) {
    return static_cast<tile::u32>(first + group * Order::kInPiece) * 8;
  }
  TILE_DEVICE void load(tile::arch::Buffer rows, tile::u32 place, int i) {
    constexpr int kInPiece = Order::kInPiece;
    const int further = i * 2 / kInPiece * Order::kGroups * kInPiece + i * 2 % kInPiece;
    at[i] = tile::bits_as<Two>(tile::arch::load_piece(rows, place + static_cast<tile::u32>(further) * 8));
  }
  TILE_DEVICE float reference_at(int /*atom*/, int number) const { return at[number / 2][number % 2 * 2]; }
  TILE_DEVICE float delta_at(int /*atom*/, int number) const { return at[number / 2][number % 2 * 2 + 1]; }
};

/// Scores, and by how much a capped one grows with the product; of others that is 1.
template <class Shape, bool kShapes>
struct Scores {
  using Atom = typename Shape::Atom;
  tile::Sums<Atom, Shape::kAtoms, Shape::kAcross> at;
  tile::Sums<Atom, kShapes ? Shape::kAtoms : 1, kShapes ? Shape::kAcross : 1> growth;

  /// Caps and biases products. `row`, `first`: the positions of the lane's row in the first atom and of its
  /// first score of a row, of whose difference plus `shift` ALiBi takes the magnitude.
  template <class Arguments>
  TILE_DEVICE void shape(const Arguments& g, float slope, int row, int first, int shift) {
    static_assert(kShapes);
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      TILE_UNROLL for (int j = 0; j < Shape::kAcross; ++j) {
        TILE_UNROLL for (int e = 0; e < Shape::Layout::kSums; ++e) {
          if (g.softcap != 0) {
            tile::arch::keep_order();  // many tanh at once would take many registers
            const float part = tile::tanh(at.at[i][j][e] * g.per_cap);
            at.at[i][j][e] = g.softcap * part;
            growth.at[i][j][e] = 1 - part * part;
          } else {
            at.at[i][j][e] *= g.factor;
            growth.at[i][j][e] = 1;
          }
        }
      }
    }
    if (slope == 0) return;
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      tile::change_sums(at, i, [&, by = tile::arch::in_vector(slope)](float score, int column) {
        const int away = row + i * Shape::Layout::kRows + shift - first - column;
        return score - by * static_cast<float>(away < 0 ? -away : away);
      });
    }
  }

  static constexpr int kNumbers = Shape::kAcross * Shape::Layout::kSums;  ///< of a row in a lane

  /// Turns scores into weights; some of each row, from the number `first` on.
  template <class Rows>
  TILE_DEVICE void weigh(float factor, const Rows& rows, int first = 0, int count = kNumbers) {
    each(first, count, [&](float& score, float, int i, int number) {
      score = tile::exp2(score * factor - rows.reference_at(i, number));
    });
  }
  /// Turns weights, and their gradients, into gradients of the products, but for the scale.
  template <class Gradients, class Rows>
  TILE_DEVICE void differentiate(const Gradients& gradients, const Rows& rows, int first = 0,
                                 int count = kNumbers) {
    constexpr float kUnit = kWeightUnit<typename Atom::Element>;
    each(first, count, [&](float& weight, float grown, int i, int number) {
      constexpr int kSums = Shape::Layout::kSums;
      const float gradient = gradients.at[i][number / kSums][number % kSums];
      weight *= gradient * kUnit - rows.delta_at(i, number);
      if constexpr (kShapes) weight *= grown;
    });
  }

 private:
  template <class Use>
  TILE_DEVICE void each(int first, int count, Use use) {
    constexpr int kSums = Shape::Layout::kSums;
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      TILE_UNROLL for (int n = 0; n < kNumbers; ++n) {
        if (n < first || n >= first + count) continue;
        float one = at.at[i][n / kSums][n % kSums];
        use(one, kShapes ? growth.at[kShapes ? i : 0][kShapes ? n / kSums : 0][n % kSums] : 1, i, n);
        at.at[i][n / kSums][n % kSums] = one;
      }
    }
  }
};

}  // namespace wavesmith::kernels
