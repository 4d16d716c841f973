// A wave's rows of Q whose weights are dropped at random.
#pragma once

#include "kernels/attention/kept.h"
#include "kernels/attention/queries.h"

namespace wavesmith::kernels {

/// As Queries, but weights that are dropped are no part of results. Sums of weights are of all.
template <class Shape>
struct DroppedQueries : Queries<Shape, true> {
  using Base = Queries<Shape, true>;
  using typename Base::Scores, typename Base::Weights, typename Base::Atom;
  using Kept = KeptWeights<Atom, Base::kAtoms, Shape::kKeys / Base::Layout::kRows>;
  const AttentionDropoutArguments& given;
  DropoutDraws draws;
  int key = 0;  ///< the tile's first whose scores were settled

  TILE_DEVICE DroppedQueries(const AttentionDropoutArguments& arguments, const AttentionPlace& where,
                             const Sequence& of, int thread)
      : Base(arguments, where, of, thread),
        given(arguments),
        draws(arguments.dropout, where.batch, where.head) {}

  TILE_DEVICE int first_key() const { return Base::first_key() / kDropoutSpan * kDropoutSpan; }
  TILE_DEVICE void settle(Scores& scores, int first) {
    key = first;
    Base::settle(scores, first);
  }
  TILE_DEVICE Weights weigh(Scores& scores) {
    this->softmax.weigh(scores, this->factor);
    Kept kept;
    kept.find_by_queries(draws, this->row, key, this->group);
    kept.drop(scores);
    Weights weights;
    TILE_UNROLL for (int i = 0; i < Base::kAtoms; ++i) tile::become_operand(scores, i, weights);
    return weights;
  }
  template <class Memory>
  TILE_DEVICE void finish(tile::SharedBytes memory) {
    const float by = tile::arch::argument_again(given).dropout.by;
    TILE_UNROLL for (int i = 0; i < Base::kAtoms; ++i) {
      TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) this->o.at[i][j] *= by;
    }
    Base::template finish<Memory>(memory);
  }
};

}  // namespace wavesmith::kernels
