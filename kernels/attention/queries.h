// A wave's rows of Q, and what becomes of them with each tile of keys.
//
// Scores lie by lanes so that they are an operand of the second product once they are rounded (tile/chain.h),
// and so that a lane's scores, weights and results are of the same row: the softmax takes place within lanes.
#pragma once

#include "kernels/attention/results.h"
#include "kernels/attention/scores.h"
#include "kernels/attention/shape.h"
#include "kernels/attention/singly.h"
#include "tile/view.h"

namespace wavesmith::kernels {

/// `kShapes`: scores are capped or biased, or the factor is not above 0.
template <class Shape, bool kShapes>
struct Queries {
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr int kAtoms = Shape::kAtoms;
  using Scores = tile::Sums<Atom, kAtoms, Shape::kKeys / Layout::kRows>;
  using Weights = tile::Operand<Atom, kAtoms, Shape::kKeys>;

  const AttentionArguments& g;
  const AttentionPlace& place;
  const Sequence& sequence;
  Sight sight;
  int wave, lane;
  int part;      ///< of heads, the wave's
  int wave_row;  ///< its first
  int row;       ///< the lane's in the first atom
  int group;     ///< of lanes that have different scores of a row
  float factor, slope;
  tile::Operand<Atom, kAtoms, Shape::kKeyPart> q;
  tile::Sums<Atom, kAtoms, Shape::kColumns> o;
  typename SoftmaxOf<Shape::kOrder, Atom, kAtoms>::Type softmax;

  TILE_DEVICE Queries(const AttentionArguments& arguments, const AttentionPlace& where, const Sequence& of,
                      int thread)
      : g(arguments),
        place(where),
        sequence(of),
        sight(g.left, g.right, of.length_q, of.length_k),
        wave(tile::arch::uniform(thread / Layout::kLanes)),
        lane(thread % Layout::kLanes),
        part(wave % Shape::kParts),
        wave_row(where.first_row + wave / Shape::kParts * Shape::kWaveRows),
        row(wave_row + Layout::row(lane)),
        group(lane % Layout::kSumLanes / Layout::kSumStep),
        factor(kShapes ? 1 : g.factor),
        slope(0) {
    o.clear();
    softmax.clear();
    if (kShapes && g.slopes) slope = g.slopes[place.batch * g.slopes_batch + place.head] * tile::kLog2OfE;
  }
  TILE_DEVICE void load() {
    const int first = part * Shape::kKeyPart;
    tile::load_operand(q, matrix(g.q, g.stride_q, place.head, sequence.first_q) + first, sequence.length_q,
                       g.head_size - first, g.stride_q.row, wave_row, lane);
  }

  TILE_DEVICE const Element* matrix(const void* data, const AttentionStrides& stride, int head,
                                    int first) const {
    return matrix_of<Element>(data, stride, place.batch, head, first);
  }
  /// The keys and the values that these queries may see.
  TILE_DEVICE const Element* keys() const {
    return matrix(g.k, g.stride_k, place.head / g.heads_per_kv, sequence.first_k);
  }
  TILE_DEVICE const Element* values() const {
    return matrix(g.v, g.stride_v, place.head / g.heads_per_kv, sequence.first_k);
  }

  /// The first key of the first tile.
  TILE_DEVICE int first_key() const { return sight.begin(place.first_row); }
  /// Shapes and hides the scores of the tile of keys from `key` on, and lets references follow them.
  TILE_DEVICE void settle(Scores& scores, int key) {
    const int of_group = key + group * tile::ChainOrder<Atom>::kInPiece;
    if constexpr (kShapes) shape(scores, g, slope, row, of_group, sequence.length_k - sequence.length_q);
    if (!sight.whole(wave_row, Shape::kWaveRows, key, Shape::kKeys)) hide(scores, sight, row, of_group);
    softmax.follow(scores, factor, [&](int i, float by) {
      TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) o.at[i][j] *= by;
    });
  }
  TILE_DEVICE Weights weigh(Scores& scores) {
    softmax.weigh(scores, factor);
    Weights weights;
    TILE_UNROLL for (int i = 0; i < kAtoms; ++i) tile::become_operand(scores, i, weights);
    return weights;
  }

  /// Writes the results by way of `memory`, which all waves are done with.
  template <class Memory>
  TILE_DEVICE void finish(tile::SharedBytes memory) {
    const AttentionArguments late = tile::arch::argument_again(g);
    const AttentionPlace where(late, Shape::kRows);  // found again, too
    const Sequence of(late, where.batch);
    divide_by_sums(late, where, of, softmax, row, group == 0 && part == 0, o);
    write_results<Shape, Memory>(late, where, of, o, wave_row, part * Shape::kPartSize,
                                 memory + wave * Memory::kOut, lane);
  }
};

}  // namespace wavesmith::kernels
