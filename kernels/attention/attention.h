// O = softmax(Q * K transposed) * V, a tile of rows of Q against all keys, tile by tile, with the softmax on
// the way: no score is ever in memory.
//
// A wave has some atoms of rows of Q. Scores lie by lanes so that they are an operand of the second product
// once they are rounded (tile/chain.h), and so that a lane's scores, weights and results are of the same row:
// the softmax takes place within lanes.
#pragma once

#include "kernels/attention/results.h"
#include "kernels/attention/scores.h"
#include "tile/view.h"

namespace wavesmith::kernels {

template <class Atom_, int kHeadSize_, int kKeys_, int kWaves_, int kAtoms_, bool kAhead_>
struct AttentionShape {
  using Atom = Atom_;
  static constexpr int kHeadSize = kHeadSize_, kKeys = kKeys_, kWaves = kWaves_;
  static constexpr int kAtoms = kAtoms_;  ///< of rows of Q, in a wave
  static constexpr bool kAhead =
      kAhead_;  ///< the next tile's scores are computed while this one's are weighed
  static constexpr int kRows = kWaves * kAtoms * tile::AtomLayout<Atom>::kRows;
  static constexpr int kThreads = kWaves * tile::arch::kHere.wave_lanes;
};

/// Shared memory: tiles of K and V, and later results.
template <class Shape>
struct AttentionMemory {
  using Atom = typename Shape::Atom;
  using Layout = tile::AtomLayout<Atom>;
  using TileK = tile::SharedTile<Atom, Shape::kKeys, Shape::kHeadSize>;
  using TileV = tile::SharedTile<Atom, Shape::kHeadSize, Shape::kKeys, tile::Written::ByColumns>;
  using WindowK =
      tile::Window<TileK, Shape::kThreads, tile::Along::Row, tile::Access::Dwords, tile::ChainOrder<Atom>>;
  using WindowV = tile::Window<TileV, Shape::kThreads, tile::Along::Column>;
  static constexpr int kTiles = WindowK::kSharedBytes + WindowV::kSharedBytes;
  /// Atoms of a row of results that are written at once, by way of the same memory.
  static constexpr int kAcross = (Shape::kWaves * Layout::kRows * 64 * 4 <= kTiles ? 64 : 32) / Layout::kRows;
  static constexpr int kOut = Layout::kRows * kAcross * Layout::kRows * 4;
  static constexpr int kBytes = kTiles > Shape::kWaves* kOut ? kTiles : Shape::kWaves* kOut;
};

/// Asks for the instructions of a softmax between those of a product of scores.
template <class Shape>
TILE_DEVICE void interleave_softmax() {
  using namespace tile::arch;
  using Layout = tile::AtomLayout<typename Shape::Atom>;
  constexpr int kProducts = Shape::kAtoms * Shape::kKeys / Layout::kRows * Shape::kHeadSize / Layout::kDepth;
  TILE_UNROLL for (int i = 0; i < kProducts; ++i) {
    order<kMatrix, 1>();
    order<kTranscendental, 1>();
    order<kVector, 3>();
  }
}

/// `kShapes`: scores are capped or biased, or the factor is not above 0.
template <class Shape, bool kShapes>
TILE_DEVICE void attention(const AttentionArguments& g) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  using Layout = AtomLayout<Atom>;
  using Order = ChainOrder<Atom>;
  constexpr int kKeys = Shape::kKeys, kAtoms = Shape::kAtoms, kWaveRows = kAtoms * Layout::kRows;
  constexpr int kColumns = Shape::kHeadSize / Layout::kRows;  // atoms
  using Memory = AttentionMemory<Shape>;
  using WindowK = typename Memory::WindowK;
  using WindowV = typename Memory::WindowV;
  TILE_SHARED static char memory[Memory::kBytes];
  const typename Memory::TileK tile_k{(SharedBytes)memory};
  const typename Memory::TileV tile_v{(SharedBytes)memory + WindowK::kSharedBytes};

  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes);
  const AttentionPlace place(g, Shape::kRows);
  if (!place.valid) return;
  const int batch = place.batch, head = place.head, first_row = place.first_row;
  const Sequence sequence(g, batch);
  if (first_row >= sequence.length_q) return;
  const auto matrix = [&](const void* data, const AttentionStrides& stride, int of_head, int first) {
    return matrix_of<Element>(data, stride, batch, of_head, first);
  };
  const int head_kv = head / g.heads_per_kv;
  const Sight sight(g.left, g.right, sequence.length_q, sequence.length_k);
  int key = sight.begin(first_row);
  const int end = sight.end(first_row, Shape::kRows);

  WindowK window_k(matrix(g.k, g.stride_k, head_kv, sequence.first_k), sequence.length_k, g.head_size,
                   g.stride_k.row, key, 0, thread);
  window_k.step = kKeys * g.stride_k.row * static_cast<i64>(sizeof(Element));
  window_k.narrow(g.head_size);
  WindowV window_v(matrix(g.v, g.stride_v, head_kv, sequence.first_k), g.head_size, sequence.length_k,
                   g.stride_v.row, 0, key, thread);
  const OperandReader<Atom, typename Memory::TileK> reader_k(0, lane);
  const OperandReader<Atom, typename Memory::TileV> reader_v(0, lane);
  const int wave_row = first_row + wave * kWaveRows;
  const int row = wave_row + Layout::row(lane), group = lane % Layout::kSumLanes / Layout::kSumStep;
  Operand<Atom, kAtoms, Shape::kHeadSize> q;
  load_operand(q, matrix(g.q, g.stride_q, head, sequence.first_q), sequence.length_q, g.head_size,
               g.stride_q.row, wave_row, lane);
  Sums<Atom, kAtoms, kColumns> o;
  o.clear();
  Softmax<Atom, kAtoms> softmax;
  softmax.clear();
  const float factor = kShapes ? 1 : g.factor;
  float slope = 0;
  if (kShapes && g.slopes) slope = g.slopes[batch * g.slopes_batch + head] * kLog2OfE;

  // K and V come to shared memory by turns, each from registers while the other is multiplied, and are on
  // their way there from global memory during the product before.
  typename WindowK::Pieces pieces_k;
  typename WindowV::Pieces pieces_v;
  using Scores = Sums<Atom, kAtoms, kKeys / Layout::kRows>;
  const auto score = [&](Scores& scores) {
    scores.clear();
    multiply(scores, q, reader_k, tile_k);
  };
  const auto settle = [&](Scores& scores, int first_key) {
    const int of_group = first_key + group * Order::kInPiece;
    if constexpr (kShapes) shape(scores, g, slope, row, of_group, sequence.length_k - sequence.length_q);
    if (!sight.whole(wave_row, kWaveRows, first_key, kKeys)) hide(scores, sight, row, of_group);
    softmax.follow(scores, factor,
                   [&](int i, float by) { TILE_UNROLL for (int j = 0; j < kColumns; ++j) o.at[i][j] *= by; });
  };
  const auto weigh = [&](Scores& scores) {
    softmax.weigh(scores, factor);
    Operand<Atom, kAtoms, kKeys> weights;
    TILE_UNROLL for (int i = 0; i < kAtoms; ++i) become_operand(scores, i, weights);
    return weights;
  };
  window_k.load(pieces_k);
  window_k.store(pieces_k, tile_k);
  window_k.load(pieces_k);
  window_v.load(pieces_v);
  window_v.store(pieces_v, tile_v);
  arch::barrier();

  if constexpr (Shape::kAhead) {
    Scores scores[2];
    score(scores[0]);
    arch::barrier();
    window_k.store(pieces_k, tile_k);
    settle(scores[0], key);
    arch::barrier();
    const auto step = [&](auto parity) {
      Scores &now = scores[decltype(parity)::kValue], &next = scores[1 - decltype(parity)::kValue];
      window_k.load(pieces_k);
      score(next);
      const auto weights = weigh(now);
      interleave_softmax<Shape>();
      arch::barrier();  // K was read by all; V was written by all
      window_k.store(pieces_k, tile_k);
      window_v.load(pieces_v);
      multiply(o, weights, reader_v, tile_v);
      arch::barrier();  // V was read by all; K was written by all
      window_v.store(pieces_v, tile_v);
      key += kKeys;
      settle(next, key);
    };
    while (true) {
      step(Constant<0>{});
      if (key >= end) break;
      step(Constant<1>{});
      if (key >= end) break;
    }
  } else {
    for (; key < end; key += kKeys) {
      Scores scores;
      score(scores);
      arch::barrier();  // K was read by all; V was written by all
      window_k.store(pieces_k, tile_k);
      window_v.load(pieces_v);
      settle(scores, key);
      multiply(o, weigh(scores), reader_v, tile_v);
      arch::barrier();  // V was read by all; K was written by all
      window_v.store(pieces_v, tile_v);
      window_k.load(pieces_k);
    }
  }

  arch::barrier();
  const AttentionArguments late = arch::argument_again(g);
  divide_by_sums(late, place, sequence, softmax, row, lane, o);
  write_results<Shape, Memory>(late, place, sequence, o, wave_row, (SharedBytes)memory + wave * Memory::kOut,
                               lane);
}

}  // namespace wavesmith::kernels
