// O = softmax(Q * K transposed) * V, a tile of rows of Q against all keys, tile by tile, with the softmax on
// the way: no score is ever in memory.
#pragma once

#include "kernels/attention/parts.h"
#include "kernels/attention/queries.h"
#include "kernels/attention/turns.h"

namespace wavesmith::kernels {

/// Shared memory: tiles of K and V, and later results.
template <class Shape>
struct AttentionMemory {
  using Atom = typename Shape::Atom;
  using TileK = tile::SharedTile<Atom, Shape::kKeys, Shape::kKeyColumns>;
  using TileV = tile::SharedTile<Atom, Shape::kHeadSize, Shape::kKeys, tile::Written::ByColumns>;
  using WindowK =
      tile::Window<TileK, Shape::kThreads, tile::Along::Row, tile::Access::Dwords, tile::ChainOrder<Atom>>;
  using WindowV = tile::Window<TileV, Shape::kThreads, tile::Along::Column>;
  static constexpr int kV = WindowK::kSharedBytes, kParts = kV + WindowV::kSharedBytes;  ///< where they begin
  static constexpr int kTiles = kParts + PartsOfScores<Shape>::kBytes;
};

/// Asks for the instructions of a softmax between those of a product of scores.
template <class Shape>
TILE_DEVICE void interleave_softmax() {
  using namespace tile::arch;
  using Layout = typename Shape::Layout;
  constexpr int kProducts = Shape::kAtoms * Shape::kKeys / Layout::kRows * Shape::kKeySize / Layout::kDepth;
  TILE_UNROLL for (int i = 0; i < kProducts; ++i) {
    order<kMatrix, 1>();
    order<kTranscendental, 1>();
    order<kVector, 3>();
  }
}

/// All tiles of keys. K and V come to shared memory by turns, each from registers while the other is
/// multiplied, and are on their way there from global memory during the product before.
template <class Shape, class OfWave>
TILE_DEVICE void attend(OfWave& queries, int thread, tile::SharedBytes memory) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Memory = AttentionMemory<Shape>;
  using WindowK = typename Memory::WindowK;
  using WindowV = typename Memory::WindowV;
  constexpr int kKeys = Shape::kKeys;
  const auto& g = queries.g;
  const int rows = queries.sequence.length_k, first = queries.part * Shape::kPartSize;
  int key = queries.first_key();
  const int end = queries.sight.end(queries.place.first_row, Shape::kRows);
  const typename Memory::TileK tile_k{memory},
      part_k{memory + first * static_cast<int>(sizeof(typename Atom::Element))};
  const typename Memory::TileV tile_v{memory + Memory::kV};
  const OperandReader<Atom, typename Memory::TileK> reader_k(0, queries.lane);
  const OperandReader<Atom, typename Memory::TileV> reader_v(first, queries.lane);
  const PartsOfScores<Shape> parts{memory + Memory::kParts, queries.wave, queries.lane};
  WindowK window_k(queries.keys(), rows, g.head_size, g.stride_k.row, key, 0, thread);
  window_k.step = kKeys * g.stride_k.row * static_cast<i64>(sizeof(typename Atom::Element));
  window_k.narrow(g.head_size);
  WindowV window_v(queries.values(), g.head_size_v, rows, g.stride_v.row, 0, key, thread);
  queries.load();
  typename WindowK::Pieces pieces_k;
  typename WindowV::Pieces pieces_v;
  using Scores = typename OfWave::Scores;
  const auto score = [&](Scores& scores) {
    scores.clear();
    multiply(scores, queries.q, reader_k, part_k);
    parts.give(scores);
  };
  window_k.load(pieces_k);
  window_k.store(pieces_k, tile_k);
  window_k.load(pieces_k);
  window_v.load(pieces_v);
  window_v.store(pieces_v, tile_v);
  arch::barrier();

  if constexpr (Shape::kOrder == AttentionOrder::Ahead) {
    static_assert(Shape::kParts == 1, "parts of scores are added before they are weighed");
    Scores scores[2];
    score(scores[0]);
    arch::barrier();
    window_k.store(pieces_k, tile_k);
    queries.settle(scores[0], key);
    arch::barrier();
    const auto step = [&](auto parity) {
      Scores &now = scores[decltype(parity)::kValue], &next = scores[1 - decltype(parity)::kValue];
      window_k.load(pieces_k);
      score(next);
      const auto weights = queries.weigh(now);
      interleave_softmax<Shape>();
      arch::barrier();  // K was read by all; V was written by all
      window_k.store(pieces_k, tile_k);
      window_v.load(pieces_v);
      multiply(queries.o, weights, reader_v, tile_v);
      arch::barrier();  // V was read by all; K was written by all
      window_v.store(pieces_v, tile_v);
      key += kKeys;
      queries.settle(next, key);
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
      parts.take(scores);
      queries.settle(scores, key);
      multiply(queries.o, queries.weigh(scores), reader_v, tile_v);
      arch::barrier();  // V was read by all; K was written by all
      window_v.store(pieces_v, tile_v);
      window_k.load(pieces_k);
    }
  }
}

/// `OfWave`: a wave's rows, Queries or what has the same functions.
template <class Shape, class OfWave, class Arguments>
TILE_DEVICE void attention(const Arguments& g) {
  constexpr bool kTurns = Shape::kOrder == AttentionOrder::Turns;
  constexpr int kTiles = [] {
    if constexpr (kTurns)
      return TurnsMemory<Shape>::kTiles;
    else
      return AttentionMemory<Shape>::kTiles;
  }();
  using Memory = ResultsMemory<Shape, kTiles>;
  TILE_SHARED static char memory[Memory::kBytes];
  const AttentionPlace place(g, Shape::kRows);
  if (!place.valid) return;
  const Sequence sequence(g, place.batch);
  if (place.first_row >= sequence.length_q) return;
  const int thread = tile::arch::thread_id();
  OfWave queries(g, place, sequence, thread);
  if constexpr (kTurns)
    attend_by_turns<Shape>(queries, thread, (tile::SharedBytes)memory);
  else
    attend<Shape>(queries, thread, (tile::SharedBytes)memory);
  tile::arch::barrier();
  queries.template finish<Memory>((tile::SharedBytes)memory);
}

}  // namespace wavesmith::kernels
