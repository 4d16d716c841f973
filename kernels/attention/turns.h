// All tiles of keys by turns: the waves are two groups, of which one multiplies, weights by V and Q by the
// next tile of K, while the other weighs. Then they change places. So a SIMD's matrix core always has a wave
// that does little else.
//
// A turn ends where all waves meet; the second group is a turn behind. K and V come past the registers to a
// ring of stages in shared memory (CDNA4), whose loads are set off three rounds ahead: a stage is free when
// both groups have been through the round that read it, which is then two turns ago.
#pragma once

#include "kernels/attention/shape.h"
#include "tile/arch/priority.h"
#include "tile/chain.h"
#include "tile/direct.h"
#include "tile/transposed.h"

namespace wavesmith::kernels {

template <class Shape>
struct TurnsMemory {
  using Atom = typename Shape::Atom;
  using TileK = tile::SharedTile<Atom, Shape::kKeys, Shape::kKeyColumns>;
  using TileV = tile::TransposedTile<Atom, Shape::kHeadSize, Shape::kKeys>;
  using WindowK = tile::DirectWindow<TileK, Shape::kThreads, tile::ChainOrder<Atom>>;
  using WindowV = tile::DirectWindow<TileV, Shape::kThreads>;
  static constexpr int kStages = 4, kStage = TileK::kBytes + TileV::kBytes;
  static constexpr int kTiles = kStages * kStage;
};

/// The tiles of K and V, on their way to shared memory and there.
template <class Shape>
struct TurnsFeed {
  using Memory = TurnsMemory<Shape>;
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  static constexpr int kOfK = Memory::WindowK::kCount, kOfV = Memory::WindowV::kCount;  ///< loads
  tile::SharedBytes memory;
  int reading = 0, loading = 0;  ///< stages: where they begin
  typename Memory::WindowK window_k;
  typename Memory::WindowV window_v;
  tile::OperandReader<Atom, typename Memory::TileK> reader_k;
  tile::OperandReader<Atom, typename Memory::TileV> reader_v;

  template <class OfWave>
  TILE_DEVICE TurnsFeed(const OfWave& queries, int key, int thread, tile::SharedBytes shared)
      : memory(shared),
        window_k(queries.keys(), queries.sequence.length_k, queries.g.head_size, queries.g.stride_k.row, key,
                 thread),
        window_v(queries.values(), queries.sequence.length_k, queries.g.head_size_v, queries.g.stride_v.row,
                 key, thread),
        reader_k(0, queries.lane),
        reader_v(0, queries.lane) {
    constexpr tile::i64 kBytes = Shape::kKeys * static_cast<int>(sizeof(Element));
    window_k.step = kBytes * queries.g.stride_k.row;
    window_v.step = kBytes * queries.g.stride_v.row;
    window_k.narrow(queries.g.head_size);
    window_v.narrow(queries.g.head_size_v);
  }
  /// Sets off the loads of a stage: K, then V.
  TILE_DEVICE void load_k() { window_k.load(memory + loading); }
  TILE_DEVICE void load_v() {
    window_v.load(memory + loading + Memory::TileK::kBytes);
    loading = after(loading);
  }
  /// In the order in which products take them.
  template <class Operand>
  TILE_DEVICE void read_k(Operand& k) const {
    read(k, reader_k, typename Memory::TileK{memory + reading});
  }
  template <class Operand>
  TILE_DEVICE void read_v(Operand& v) const {
    read(v, reader_v, typename Memory::TileV{memory + reading + Memory::TileK::kBytes});
  }
  TILE_DEVICE void advance() { reading = after(reading); }

  /// All waves meet when their loads have come but for the last of V, and K and V; or the last of K and V.
  TILE_DEVICE void meet_with_k() const { meet<kOfV + kOfK + kOfV>(); }
  TILE_DEVICE void meet_with_v() const { meet<kOfK + kOfV>(); }

 private:
  TILE_DEVICE static int after(int stage) {
    return stage + Memory::kStage < Memory::kTiles ? stage + Memory::kStage : 0;
  }
  template <int kRows, int kColumns, class Reader, class Tile>
  TILE_DEVICE static void read(tile::Operand<Atom, kRows, kColumns>& operand, const Reader& reader,
                               Tile tile) {
    TILE_UNROLL for (int p = 0; p < tile::Operand<Atom, kRows, kColumns>::kPieces; ++p) {
      TILE_UNROLL for (int j = 0; j < kRows; ++j) operand.at[j][p] = reader.piece(j, p, tile);
    }
  }
  template <int kLater>
  TILE_DEVICE static void meet() {
    tile::arch::keep_order();
    tile::arch::wait_loads<kLater>();
    tile::arch::barrier();
    tile::arch::keep_order();
  }
};

template <class Shape, class OfWave>
TILE_DEVICE void attend_by_turns(OfWave& queries, int thread, tile::SharedBytes memory) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = typename Shape::Layout;
  constexpr int kKeys = Shape::kKeys, kAtoms = Shape::kAtoms, kAcross = kKeys / Layout::kRows;
  constexpr int kSteps = Shape::kKeySize / Layout::kDepth;  // of a score
  static_assert(Shape::kParts == 1, "waves that share rows would have to multiply at once");
  int key = queries.first_key();
  const int end = queries.sight.end(queries.place.first_row, Shape::kRows);
  const bool second = queries.wave >= Shape::kWaves / 2;
  TurnsFeed<Shape> feed(queries, key, thread, memory);
  feed.load_k();
  queries.load();
  // The compiler knows of these loads alone: it would wait for all others with them.
  keep_here(queries.q);
  feed.load_v();
  feed.load_k();
  feed.load_v();
  typename OfWave::Scores scores;
  typename OfWave::Weights weights;
  Operand<Atom, kAcross, Shape::kKeySize> k;
  Operand<Atom, Shape::kColumns, kKeys> v;

  const auto multiply = [&](auto weighed) {
    constexpr bool kWeighed = decltype(weighed)::kValue != 0;
    arch::priority<1>();
    feed.read_k(k);
    if constexpr (kWeighed) TILE_UNROLL for (int i = 0; i < kAtoms; ++i) queries.o.multiply(i, weights, v);
    feed.load_k();
    feed.load_v();
    scores.clear();
    TILE_UNROLL for (int i = 0; i < kAtoms; ++i) scores.template multiply<0, kSteps - 1>(i, queries.q, k);
    if constexpr (kWeighed) {
      arch::order<arch::kMatrix, 6>();  // first the other group reads V
      TILE_UNROLL for (int i = 0; i < kAcross * decltype(k)::kPieces; ++i) {
        arch::order<arch::kMatrix, 1>();
        arch::order<arch::kSharedRead, 1>();
      }
    }
    feed.meet_with_k();
    // The other group begins while the last products are under way.
    TILE_UNROLL for (int i = 0; i < kAtoms; ++i) scores.template multiply<kSteps - 1>(i, queries.q, k);
    arch::priority<0>();
    arch::keep_order();
  };
  const auto weigh = [&] {
    feed.read_v(v);
    queries.settle(scores, key);
    weights = queries.weigh(scores);
    keep_here(weights);
    feed.advance();
    key += kKeys;
    feed.meet_with_v();
  };
  feed.meet_with_k();
  if (second) feed.meet_with_v();
  multiply(Constant<0>{});
  weigh();
  while (key < end) {
    multiply(Constant<1>{});
    weigh();
  }
  TILE_UNROLL for (int i = 0; i < kAtoms; ++i) queries.o.multiply(i, weights, v);
  if (!second) arch::barrier();
  arch::wait_loads<0>();  // results go where the loads went
}

}  // namespace wavesmith::kernels
