// The gradients of attention: dQ for a tile of rows of queries against all keys, or dK and dV for a tile of
// rows of keys against all queries. Either goes over tiles of the other side's rows: products of the wave's
// own rows with them are scores, which become weights again, and gradients of weights; these are operands of
// the next products as they lie.
#pragma once

#include "kernels/attention/kept.h"
#include "kernels/attention/parts.h"
#include "kernels/attention/results.h"
#include "kernels/attention/shape.h"
#include "kernels/attention_backward/feed.h"
#include "kernels/attention_backward/own.h"
#include "kernels/attention_backward/weights.h"

namespace wavesmith::kernels {

template <class Shape, Gradient kOf>
struct BackwardMemory {
  using First = BackwardFeed<Shape, true, Needs<kOf>::kFirstAcross>;
  using Second = BackwardFeed<Shape, Needs<kOf>::kSecond, Needs<kOf>::kSecondAcross>;
  static constexpr int kTiles = First::kBytes + Second::kBytes;
  using Own = OwnOperand<Shape>;
  static constexpr int kSecondOwn = kTiles + Own::kBytes;  ///< where it begins
  using Parts = PartsOfScores<Shape>;
  static constexpr int kParts = kSecondOwn + (Needs<kOf>::kSecond ? Own::kBytes : 0);  ///< of scores
  static constexpr int kSecondParts = kParts + Parts::kBytes;                          ///< of their gradients
  using Results = ResultsMemory<Shape, kSecondParts + (Needs<kOf>::kSecond ? Parts::kBytes : 0)>;
};

/// A wave's rows of queries or keys. Arguments with dropout make weights that are dropped.
template <class Shape, Gradient kOf, bool kShapes, class Arguments>
struct BackwardWave {
  static constexpr bool kDrops = __is_same(Arguments, AttentionBackwardDropoutArguments);
  static constexpr bool kOfQueries = kOf == Gradient::Queries;
  using Atom = typename Shape::Atom;
  using Element = typename Atom::Element;
  using Layout = typename Shape::Layout;
  using Memory = BackwardMemory<Shape, kOf>;
  using Own = OwnOperand<Shape>;
  using Products = tile::Sums<Atom, Shape::kAtoms, Shape::kAcross>;
  using Weights = tile::Operand<Atom, Shape::kAtoms, Shape::kTile>;
  using Sums = tile::Sums<Atom, Shape::kAtoms, Shape::kColumns>;

  const Arguments& a;
  const AttentionArguments& g;
  const AttentionPlace& place;
  const Sequence& sequence;
  int thread, wave, lane, group;
  int part;            ///< of heads, the wave's
  int wave_row, row;   ///< the wave's first, and the lane's in the first atom
  int length, others;  ///< of the sequence of these rows, and of the other one
  int shift;           ///< from a row's position to that of the other side's that is aligned to it
  Sight sight;
  Own first, second;  ///< q and d_o, or k and v
  Sums of_first, of_second;
  OwnRows<Shape> rows;

  TILE_DEVICE BackwardWave(const Arguments& arguments, const AttentionPlace& where, const Sequence& of,
                           int thread_)
      : a(arguments),
        g(arguments.forward),
        place(where),
        sequence(of),
        thread(thread_),
        wave(tile::arch::uniform(thread / Layout::kLanes)),
        lane(thread % Layout::kLanes),
        group(lane % Layout::kSumLanes / Layout::kSumStep),
        part(wave % Shape::kParts),
        wave_row(where.first_row + wave / Shape::kParts * Shape::kWaveRows),
        row(wave_row + Layout::row(lane)),
        length(kOfQueries ? of.length_q : of.length_k),
        others(kOfQueries ? of.length_k : of.length_q),
        shift(others - length),
        sight(kOfQueries ? g.left : g.right, kOfQueries ? g.right : g.left, length, others) {}

  /// What is uniform of the wave, which no register held until now.
  TILE_DEVICE void find_again(const AttentionPlace& where) {
    const float late = tile::arch::in_vector(tile::bits_as<float>(thread));
    wave = tile::arch::uniform(tile::bits_as<int>(late) / Layout::kLanes);
    part = wave % Shape::kParts;
    wave_row = where.first_row + wave / Shape::kParts * Shape::kWaveRows;
  }
  TILE_DEVICE const Element* matrix(const void* data, const AttentionStrides& stride, int head,
                                    bool of_q) const {
    return matrix_of<Element>(data, stride, place.batch, head, of_q ? sequence.first_q : sequence.first_k);
  }
  TILE_DEVICE int head_kv() const { return kOfQueries ? place.head / g.heads_per_kv : place.head; }
  TILE_DEVICE const Element* of_q(int head) const { return matrix(g.q, g.stride_q, head, true); }
  TILE_DEVICE const Element* of_d_o(int head) const { return matrix(a.d_o, a.stride_d_o, head, true); }
  TILE_DEVICE const Element* of_k() const { return matrix(g.k, g.stride_k, head_kv(), false); }
  TILE_DEVICE const Element* of_v() const { return matrix(g.v, g.stride_v, head_kv(), false); }
  /// Where what there is of a row of queries of a head begins.
  TILE_DEVICE long of_rows(int head) const {
    return place.batch * a.row_batch + head * a.row_head + sequence.first_q;
  }

  /// A part of the wave's rows.
  TILE_DEVICE typename Own::Operand own(const Element* from, int size, long stride, int of_part) const {
    typename Own::Operand rows_of_wave;
    const int column = of_part * Shape::kPartSize;
    tile::load_operand(rows_of_wave, from + column, length, size - column, stride, wave_row, lane);
    return rows_of_wave;
  }
  TILE_DEVICE typename Own::Operand own_d_o(int of_part) const {
    return own(of_d_o(place.head), g.head_size_v, a.stride_d_o.row, of_part);
  }
  /// Loads the wave's rows, and of queries finds what weights need.
  TILE_DEVICE void load(tile::SharedBytes memory) {
    const auto own_first = own(kOfQueries ? of_q(place.head) : of_k(), g.head_size,
                               kOfQueries ? g.stride_q.row : g.stride_k.row, part);
    first.keep(own_first, memory + Memory::kTiles, wave, lane);
    if constexpr (Needs<kOf>::kSecond) {
      const auto own_second = kOfQueries ? own_d_o(part) : own(of_v(), g.head_size_v, g.stride_v.row, part);
      second.keep(own_second, memory + Memory::kSecondOwn, wave, lane);
      if constexpr (kOfQueries) find_rows(own_second);
    }
    of_first.clear();
    of_second.clear();
  }

  /// Finds what the weights of the wave's rows of queries need, and leaves it to the other kernels.
  TILE_DEVICE void find_rows(const typename Own::Operand& d_o) {
    using namespace tile;
    TILE_UNROLL for (float& delta : rows.delta) delta = 0;
    if constexpr (Shape::kParts == 1) {
      add_to_delta(d_o, 0);
    } else {  // the sum is the same in all waves that share rows
      TILE_KEEP_LOOP
      for (int i = 0; i < Shape::kParts; ++i) add_to_delta(own_d_o(i), i);
    }
    const float* const lse = g.lse + place.batch * g.lse_batch + place.head * g.lse_head + sequence.first_q;
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      const int at = row + i * Layout::kRows;
      const bool inside = at < length;
      float delta = rows.delta[i];
      if constexpr (Layout::kGroups > 1) delta = over_groups<Atom>(delta, Sum{});
      rows.reference[i] = reference_of<Element>(inside ? arch::load_global(lse, at) : 0);
      rows.delta[i] = delta * kWeightUnit<Element>;
      if (!inside || group != 0 || part != 0) continue;
      float* const to = a.rows + 2 * (of_rows(place.head) + at);
      to[0] = rows.reference[i], to[1] = rows.delta[i];
    }
  }
  /// Adds a part's products of o and d_o.
  TILE_DEVICE void add_to_delta(const typename Own::Operand& d_o, int of_part) {
    using namespace tile;
    const auto o = own(matrix(g.o, g.stride_o, place.head, true), g.head_size_v, g.stride_o.row, of_part);
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
      float delta = 0;
      TILE_UNROLL for (int p = 0; p < Own::Operand::kPieces; ++p) {
        const auto of_o = bits_as<Vector<Element, 8>>(o.at[i][p]),
                   of_d_o = bits_as<Vector<Element, 8>>(d_o.at[i][p]);
        TILE_UNROLL for (int e = 0; e < 8; ++e) delta +=
            static_cast<float>(of_o[e]) * static_cast<float>(of_d_o[e]);
      }
      rows.delta[i] += delta;
    }
  }

  /// All of the other side's rows that these see; of queries those of a head.
  TILE_DEVICE void pass(int head, tile::SharedBytes memory) {
    using namespace tile;
    using First = typename Memory::First;
    using Second = typename Memory::Second;
    int other = sight.begin(place.first_row);
    if constexpr (kDrops && kOfQueries) other = other / kDropoutSpan * kDropoutSpan;
    const int end = sight.end(place.first_row, Shape::kRows);
    if (other >= end) {
      arch::barrier();  // what waves have kept of their rows lies where others' results come
      return;
    }
    const SharedBytes shared_first = memory, shared_second = memory + First::kBytes;
    const int part_bytes = part * Shape::kPartSize * static_cast<int>(sizeof(Element));
    First feed_first(kOfQueries ? of_k() : of_q(head), others, g.head_size,
                     kOfQueries ? g.stride_k.row : g.stride_q.row, other, thread);
    Second feed_second(kOfQueries ? of_v() : of_d_o(head), others, g.head_size_v,
                       kOfQueries ? g.stride_v.row : a.stride_d_o.row, other, thread);
    const OperandReader<Atom, TileByRows<Shape>> by_rows(0, lane);
    const OperandReader<Atom, TileByColumns<Shape>> by_columns(part * Shape::kPartSize, lane);
    const typename Memory::Parts parts{memory + Memory::kParts, wave, lane},
        second_parts{memory + Memory::kSecondParts, wave, lane};
    const float slope = kShapes && g.slopes ? g.slopes[place.batch * g.slopes_batch + head] * kLog2OfE : 0;
    const float factor = kShapes ? 1 : g.factor;
    const arch::Buffer of_others = arch::buffer(a.rows + 2 * of_rows(head), static_cast<u32>(others) * 8);
    feed_first.load_rows();
    feed_second.load_rows();
    arch::barrier();  // what was there before was read by all
    feed_first.store_rows(shared_first);
    feed_second.store_rows(shared_second);
    feed_first.load_columns();
    feed_second.load_columns();
    arch::barrier();
    for (; other < end; other += Shape::kTile) {
      feed_first.load_rows();
      feed_second.load_rows();
      [[maybe_unused]] TileRows<Shape> of_tile;
      if constexpr (!kOfQueries) of_tile.load(of_others, other, group);
      Scores<Shape, kShapes> scores;
      Products gradients;
      scores.at.clear();
      first.multiply(scores.at, by_rows, First::rows(shared_first + part_bytes));
      parts.give(scores.at);
      if constexpr (Needs<kOf>::kSecond) {
        gradients.clear();
        second.multiply(gradients, by_rows, Second::rows(shared_second + part_bytes));
        second_parts.give(gradients);
      }
      feed_first.store_columns(shared_first);
      feed_second.store_columns(shared_second);
      const int of_group = other + group * ChainOrder<Atom>::kInPiece;
      const auto hand_on = [&] {
        feed_first.store_rows(shared_first);
        feed_second.store_rows(shared_second);
        feed_first.load_columns();
        feed_second.load_columns();
      };
      if constexpr (Shape::kParts > 1) {
        arch::barrier();  // columns and parts were written by all, rows read
        hand_on();
        parts.take(scores.at);
        if constexpr (Needs<kOf>::kSecond) second_parts.take(gradients);
      }
      if constexpr (kShapes) scores.shape(g, slope, row, of_group, shift);
      if (!sight.whole(wave_row, Shape::kWaveRows, other, Shape::kTile))
        hide(scores.at, sight, row, of_group);
      Weights weights, of_scores;
      const auto weigh = [&](const auto& of_rows) {
        scores.weigh(factor, of_rows);
        if constexpr (kDrops) {
          drop(head, other, scores.at, weights, gradients);
        } else if constexpr (Needs<kOf>::kSecondAcross) {
          become(scores.at, weights);
        }
        if constexpr (Needs<kOf>::kFirstAcross) {
          scores.differentiate(gradients, of_rows);
          become(scores.at, of_scores);
        }
      };
      if constexpr (kOfQueries)
        weigh(rows);
      else
        weigh(of_tile);
      if constexpr (Shape::kParts == 1) {
        arch::barrier();  // columns were written by all, rows read
        hand_on();
      }
      if constexpr (Needs<kOf>::kSecondAcross)
        add(of_second, weights, by_columns, Second::columns(shared_second));
      if constexpr (Needs<kOf>::kFirstAcross)
        add(of_first, of_scores, by_columns, First::columns(shared_first));
      arch::barrier();  // rows were written by all, columns read
    }
  }
  /// What weights are dropped of the tile from `other` on: they are no operand of dV, and have no gradient.
  TILE_DEVICE void drop(int head, int other, const Products& scores, Weights& weights,
                        Products& gradients) const {
    // Found again: scalar registers are scarce.
    const Arguments late = tile::arch::argument_again(a);
    const DropoutDraws draws(late.dropout, place.batch, head);
    KeptWeights<Atom, Shape::kAtoms, Shape::kAcross> kept;
    if constexpr (kOfQueries)
      kept.find_by_queries(draws, row, other, group);
    else
      kept.find_by_keys(draws, other, wave_row, lane, group);
    if constexpr (Needs<kOf>::kSecondAcross) {
      Products some = scores;
      kept.drop(some);
      become(some, weights);
    }
    if constexpr (Needs<kOf>::kSecond)
      kept.each(gradients, [by = late.dropout.by](float gradient) { return gradient * by; });
  }
  template <class Reader, class Tile>
  TILE_DEVICE static void add(Sums& sums, const Weights& weights, const Reader& reader, Tile tile) {
    if constexpr (Shape::kOwnIn == OwnIn::Shared)
      multiply_sparingly(sums, weights, reader, tile);
    else
      tile::multiply(sums, weights, reader, tile);
  }
  TILE_DEVICE static void become(const Products& products, Weights& operand) {
    TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) tile::become_operand(products, i, operand);
  }
};

/// Writes a gradient, times `by`, by way of `memory`, which all waves are done with.
template <class Shape, Gradient kOf, class Wave>
TILE_DEVICE void write_gradient(typename Wave::Sums& sums, float by, const Wave& wave, void* to,
                                const AttentionStrides& stride, const AttentionPlace& place,
                                const Sequence& sequence, int head_size, tile::SharedBytes memory) {
  using Results = typename BackwardMemory<Shape, kOf>::Results;
  constexpr bool kOfQueries = kOf == Gradient::Queries;
  TILE_UNROLL for (int i = 0; i < Shape::kAtoms; ++i) {
    TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) sums.at[i][j] *= by;
  }
  const auto* const matrix = matrix_of<typename Shape::Atom::Element>(
      to, stride, place.batch, place.head, kOfQueries ? sequence.first_q : sequence.first_k);
  write_rows<Shape, Results>(matrix, stride.row, kOfQueries ? sequence.length_q : sequence.length_k,
                             head_size, sums, wave.wave_row, wave.part * Shape::kPartSize,
                             memory + wave.wave * Results::kOut, wave.lane);
}

/// Arguments as they are, or a copy that may be read again.
template <bool kCopy, class Arguments>
struct HeldArguments {
  using Type = const Arguments&;
};
template <class Arguments>
struct HeldArguments<true, Arguments> {
  using Type = Arguments;
};

template <class Shape, Gradient kOf, bool kShapes, class Arguments>
TILE_DEVICE void attention_backward(const Arguments& a) {
  using namespace tile;
  constexpr bool kOfQueries = kOf == Gradient::Queries;
  TILE_SHARED static char memory[BackwardMemory<Shape, kOf>::Results::kBytes];
  const auto shared = (SharedBytes)memory;
  AttentionPlace place(a.forward, Shape::kRows);
  if (!place.valid) return;
  Sequence sequence(a.forward, place.batch);
  using Wave = BackwardWave<Shape, kOf, kShapes, Arguments>;
  typename HeldArguments<Wave::kDrops, Arguments>::Type now = a;
  Wave wave(now, place, sequence, arch::thread_id());
  if (place.first_row >= wave.length) return;
  wave.load(shared);
  if constexpr (kOfQueries) {
    wave.pass(place.head, shared);
  } else {
    const int heads = a.forward.heads_per_kv;
    TILE_KEEP_LOOP
    for (int i = 0; i < heads; ++i) {
      if constexpr (Wave::kDrops) {  // scalar registers are scarce
        now = arch::argument_again(a);
        place = AttentionPlace(now.forward, Shape::kRows);
        sequence = Sequence(now.forward, place.batch);
      }
      wave.pass(place.head * heads + i, shared);
    }
  }
  const Arguments late = arch::argument_again(a);
  const AttentionPlace where(late.forward, Shape::kRows);  // found again, too
  const Sequence of(late.forward, where.batch);
  if constexpr (Wave::kDrops || Shape::kHeadSize > 128) wave.find_again(where);  // registers are scarce
  const auto write = [&](auto& sums, float by, void* to, const AttentionStrides& stride, int head_size) {
    write_gradient<Shape, kOf>(sums, by, wave, to, stride, where, of, head_size, shared);
  };
  const int size = late.forward.head_size;
  float of_values = kWeightUnit<typename Shape::Atom::Element>;
  if constexpr (Wave::kDrops) of_values *= late.dropout.by;
  if constexpr (kOfQueries) write(wave.of_first, late.scale, late.dq, late.stride_dq, size);
  if constexpr (!kOfQueries && Needs<kOf>::kFirstAcross)
    write(wave.of_first, late.scale, late.dk, late.stride_dk, size);
  if constexpr (Needs<kOf>::kSecondAcross)
    write(wave.of_second, of_values, late.dv, late.stride_dv, late.forward.head_size_v);
}

}  // namespace wavesmith::kernels
