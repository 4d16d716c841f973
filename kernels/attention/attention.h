// O = softmax(Q * K transposed) * V, a tile of rows of Q against all keys, tile by tile, with the softmax on
// the way: no score is ever in memory.
//
// A wave has some atoms of rows of Q. Scores lie by lanes so that they are an operand of the second product
// once they are rounded (tile/chain.h), and so that a lane's scores, weights and results are of the same row:
// the softmax takes place within lanes.
#pragma once

#include "kernels/attention/arguments.h"
#include "kernels/attention/scores.h"
#include "kernels/attention/softmax.h"
#include "tile/arch/here.h"
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

/// A batch's sequence: its place in q and k, and lengths.
struct Sequence {
  int first_q = 0, first_k = 0, length_q, length_k;

  TILE_DEVICE Sequence(const AttentionArguments& g, int batch) : length_q(g.length_q), length_k(g.length_k) {
    if (g.starts_q) within(g.starts_q, batch, first_q, length_q);
    if (g.starts_k) within(g.starts_k, batch, first_k, length_k);
  }

 private:
  /// Whatever the starts say, no row is outside of the array.
  TILE_DEVICE static void within(const int* starts, int batch, int& first, int& length) {
    const auto limited = [&](int start) { return start < 0 ? 0 : start < length ? start : length; };
    first = limited(tile::arch::uniform(starts[batch]));
    const int end = limited(tile::arch::uniform(starts[batch + 1]));
    length = end > first ? end - first : 0;
  }
};

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
  using TileK = SharedTile<Atom, kKeys, Shape::kHeadSize>;
  using TileV = SharedTile<Atom, Shape::kHeadSize, kKeys, Written::ByColumns>;
  using WindowK = Window<TileK, Shape::kThreads, Along::Row, Access::Dwords, Order>;
  using WindowV = Window<TileV, Shape::kThreads, Along::Column>;
  constexpr int kTiles = WindowK::kSharedBytes + WindowV::kSharedBytes;
  // Atoms of a row of results that are written at once, by way of the same memory.
  constexpr int kAcross = (Shape::kWaves * Layout::kRows * 64 * 4 <= kTiles ? 64 : 32) / Layout::kRows;
  constexpr int kOut = Layout::kRows * kAcross * Layout::kRows * 4;
  TILE_SHARED static char memory[kTiles > Shape::kWaves * kOut ? kTiles : Shape::kWaves * kOut];
  const TileK tile_k{(SharedBytes)memory};
  const TileV tile_v{(SharedBytes)memory + WindowK::kSharedBytes};

  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes);
  // A die gets heads that follow each other, with all of their tiles, so that its cache holds their keys.
  // With a causal mask the last tiles see most keys: they come first and last by turns, first in the last
  // head.
  const int number = arch::workgroup_id() % g.dies * g.per_die + arch::workgroup_id() / g.dies;
  if (number >= g.workgroups) return;
  const int batch = number / g.tiles / g.heads, head = number / g.tiles % g.heads;
  const bool falling = (g.workgroups - 1 - number) / g.tiles % 2 == 0;
  const int first_row = (falling ? g.tiles - 1 - number % g.tiles : number % g.tiles) * Shape::kRows;
  const Sequence sequence(g, batch);
  if (first_row >= sequence.length_q) return;
  const auto matrix = [&](const void* data, const AttentionStrides& stride, int of_head, int row) {
    return static_cast<const Element*>(data) + batch * stride.batch + of_head * stride.head +
           row * stride.row;
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
  const OperandReader<Atom, TileK> reader_k(0, lane);
  const OperandReader<Atom, TileV> reader_v(0, lane);
  const int wave_row = first_row + wave * kWaveRows;
  const int row = wave_row + Layout::row(lane), group = lane / Layout::kRows;
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
      constexpr int kProducts = kAtoms * kKeys / Layout::kRows * Shape::kHeadSize / Layout::kShape.k;
      TILE_UNROLL for (int i = 0; i < kProducts; ++i) {
        arch::order<arch::kMatrix, 1>();
        arch::order<arch::kTranscendental, 1>();
        arch::order<arch::kVector, 3>();
      }
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
  const AttentionArguments late = arch::argument_again<AttentionArguments>();
  TILE_UNROLL for (int i = 0; i < kAtoms; ++i) {
    float sum = over_groups<Atom>(softmax.sum[i], [](float a, float b) { return a + b; });
    if (late.sinks) sum += exp2(arch::load_global(late.sinks, head) * kLog2OfE - softmax.reference[i]);
    const float by = sum == 0 ? 0 : reciprocal(sum);
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) o.at[i][j] *= by;
    const int at = row + i * Layout::kRows;
    if (late.lse && group == 0 && at < sequence.length_q)
      // A sink that is so much greater than all scores is the sum.
      late.lse[batch * late.lse_batch + head * late.lse_head + sequence.first_q + at] =
          late.sinks && sum == kInfinity ? arch::load_global(late.sinks, head)
                                         : (softmax.reference[i] + log2(sum)) * kLogOf2;
  }
  const TypedView out(matrix(late.o, late.stride_o, head, sequence.first_q),
                      __is_same(Element, f16) ? Type::F16 : Type::BF16, sequence.length_q, late.head_size,
                      late.stride_o.row, wave_row, 0);
  // One loop over the parts, so that writing stands in the code once.
#pragma clang loop unroll(disable)
  for (int part = 0; part < kAtoms * kColumns / kAcross; ++part) {
    Sums<Atom, 1, kAcross> some;
    TILE_UNROLL for (int i = 0; i < kAtoms * kColumns; ++i) {
      if (i / kAcross == part) some.at[0][i % kAcross] = o.at[i / kColumns][i % kColumns];
    }
    const int first = part * kAcross;  // atom
    for_each_eight<kOut>(
        some, (SharedBytes)memory + wave * kOut, lane, [&](int at, int column, Eight values) {
          out.store(first / kColumns * Layout::kRows + at, first % kColumns * Layout::kRows + column, values);
        });
  }
}

}  // namespace wavesmith::kernels
