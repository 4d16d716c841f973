// The softmax of waves beside others that multiply.
#pragma once

#include "kernels/attention/shape.h"
#include "kernels/attention/softmax.h"

namespace wavesmith::kernels {

/// Softmax that weighs scores one by one. CDNA's instructions for two floats wait until no matrix instruction
/// of the SIMD has the VALU's second pipe, which nearly always one has; those for one float do not (LLVM,
/// pull request 233721, from thread traces of an MI308X and an MI350X).
template <class Atom, int kRows>
struct SoftmaxSingly : Softmax<Atom, kRows> {
  template <int kColumns>
  TILE_DEVICE void weigh(tile::Sums<Atom, kRows, kColumns>& scores, float factor) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      const float less = this->reference[i];
      float sums[2] = {this->sum[i][0], this->sum[i][1]};
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
        TILE_UNROLL for (int e = 0; e < tile::AtomLayout<Atom>::kSums; ++e) {
          const float weight = tile::exp2(scores.at[i][j][e] * factor - less);
          sums[e % 2] += weight;
          scores.at[i][j][e] = weight;
        }
      }
      // Of both at once the compiler would make a pair again.
      this->sum[i] = {tile::arch::in_vector(sums[0]), tile::arch::in_vector(sums[1])};
    }
  }
};

/// A kernel's, by when its waves multiply.
template <AttentionOrder kOrder, class Atom, int kRows>
struct SoftmaxOf {
  using Type = Softmax<Atom, kRows>;
};
template <class Atom, int kRows>
struct SoftmaxOf<AttentionOrder::Turns, Atom, kRows> {
  using Type = SoftmaxSingly<Atom, kRows>;
};

}  // namespace wavesmith::kernels
