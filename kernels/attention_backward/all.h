// All gradients in one pass: dK and dV for a tile of rows of keys against all queries, as in backward.h, and
// what these keys add to dQ. A wave has a SIMD's registers alone, so what it does not multiply with is done
// between its products: the order of instructions is written out.
#pragma once

#include "kernels/attention_backward/additions.h"
#include "kernels/attention_backward/all_feed.h"
#include "kernels/attention_backward/backward.h"

namespace wavesmith::kernels {

template <class Shape>
struct AllMemory {
  using Additions = QueryAdditions<Shape>;
  static constexpr int kOne = TileByRows<Shape>::kBytes;  ///< of a tile, by rows or by columns
  static_assert(AllColumns<Shape>::kBytes == kOne);
  /// The tiles by columns are there twice: the next ones come while these are multiplied. Where there is room
  /// for it, so are those by rows and the scores' gradients, and waves meet once for each tile, not twice.
  static constexpr int kNext = 2 * kOne;  ///< to the next tiles
  static constexpr bool kMeetOnce =
      tile::arch::kHere.shared_bytes >= 4 * kNext + 2 * Additions::kBytes && Shape::kHeadSize > 64;
  static constexpr int kColumns = kMeetOnce ? 2 * kNext : kNext;
  static constexpr int kScores = kColumns + 2 * kNext;
  static constexpr int kNextScores = kMeetOnce ? Additions::kBytes : 0;
  static constexpr int kTiles = kScores + kNextScores + Additions::kBytes;
  static constexpr int kResults = BackwardMemory<Shape, Gradient::All>::Results::kBytes;
  static constexpr int kBytes = kTiles > kResults ? kTiles : kResults;
  static_assert(Additions::kBytesOfKeys <= kTiles);
};

template <class Shape, bool kShapes>
struct AllWave : BackwardWave<Shape, Gradient::All, kShapes, AttentionBackwardArguments> {
  using Base = BackwardWave<Shape, Gradient::All, kShapes, AttentionBackwardArguments>;
  using Base::a, Base::g, Base::place, Base::wave, Base::lane, Base::group, Base::row, Base::wave_row,
      Base::length, Base::others, Base::shift, Base::sight, Base::first, Base::second, Base::of_first,
      Base::of_second, Base::thread;
  using typename Base::Atom, typename Base::Element, typename Base::Layout, typename Base::Products,
      typename Base::Weights, typename Base::Sums;
  using Memory = AllMemory<Shape>;
  using Additions = typename Memory::Additions;
  using Order = tile::ChainOrder<Atom>;
  static_assert(Shape::kAtoms == 1 && Shape::kAcross == 1 && Shape::kOwnIn == OwnIn::Registers &&
                Layout::kGroups == Order::kGroups);

  Additions additions;

  using Base::Base;

  TILE_DEVICE void load(tile::SharedBytes memory) {
    Base::load(memory);
    additions.load(this->of_k(), length, g.head_size, g.stride_k.row, place.first_row, memory, thread, wave,
                   lane);
  }

  /// Products are of parts, to each of which comes a piece of a tile: pieces are read a few parts ahead.
  /// Fewer where two waves have a SIMD's registers, more where products take half the time (CDNA4).
  static constexpr int kAhead = Shape::kHeadSize <= 64 ? 1 : Layout::kDepth > 8 ? 6 : 3;
  using Pieces = tile::Piece[kAhead + 1];
  /// Of kParts, to the first kBefore of which pieces were read before; and reads those of kAfter parts
  /// beyond. They are in a ring, in which the next parts begin at its beginning if there are any.
  template <int kParts, int kBefore, int kAfter, class Read, class Use>
  TILE_DEVICE static void in_parts(Pieces& pieces, Read read, Use use) {
    constexpr int kRing = kAhead + 1, kFirst = kAfter > 0 ? kRing - kParts % kRing : 0;
    static_assert(kBefore == 0 || kAfter == 0);
    tile::repeat<kAhead - kBefore>([&](auto part) {
      constexpr int kPart = kBefore + decltype(part)::kValue;
      pieces[(kFirst + kPart) % kRing] = read(tile::Constant<kPart>{});
    });
    tile::repeat<kParts>([&](auto part) {
      constexpr int kPart = decltype(part)::kValue;
      if constexpr (kPart + kAhead < kParts + kAfter)
        pieces[(kFirst + kPart + kAhead) % kRing] = read(tile::Constant<kPart + kAhead>{});
      use(part, pieces[(kFirst + kPart) % kRing]);
      tile::arch::keep_accesses();
      tile::arch::keep_order();
    });
  }
  /// A number that the compiler does not take apart: what others differ from it goes with their instructions.
  TILE_DEVICE static tile::u32 known(tile::u32 number) {
    return tile::bits_as<tile::u32>(tile::arch::in_vector(tile::bits_as<float>(number)));
  }
  /// What a part has of so many small tasks.
  template <class Do>
  TILE_DEVICE static void share(int tasks, int part, int parts, Do one) {
    TILE_UNROLL for (int i = 0; i < tasks; ++i) {
      if (i >= tasks * part / parts && i < tasks * (part + 1) / parts) one(i);
    }
  }
  /// sums.at[0][column] += a * a piece of the tile's rows, the `index`-th piece along them.
  template <class SomeSums, class Operand>
  TILE_DEVICE static void multiply(SomeSums& sums, int column, const Operand& a, int index,
                                   tile::Piece piece) {
    using Some =
        typename OneOf<__is_same(SomeSums, decltype(additions.sums)), typename Additions::Atom, Atom>::Type;
    constexpr int kHeld = tile::AtomLayout<Some>::kHeld, kInPiece = Operand::kInPiece;
    static_assert(kHeld <= kInPiece);
    tile::Operand<Some, 1, kInPiece * tile::AtomLayout<Some>::kGroups> b;
    b.at[0][0] = piece;
    TILE_UNROLL for (int step = 0; step < kInPiece / kHeld; ++step)
        sums.add(0, column, b.take(0, step), a, index * (kInPiece / kHeld) + step);
  }

  /// All queries of a head that see these keys.
  TILE_DEVICE void pass(int head, tile::SharedBytes memory) {
    using namespace tile;
    int other = sight.begin(place.first_row);
    const int end = sight.end(place.first_row, Shape::kRows);
    if (other >= end) return;
    using Feed = AllFeed<Shape>;
    constexpr int kInPiece = Order::kInPiece;
    Feed feed_q(this->of_q(head), others, g.head_size, g.stride_q.row, other, thread);
    Feed feed_d_o(this->of_d_o(head), others, g.head_size_v, a.stride_d_o.row, other, thread);
    const OperandReader<Atom, TileByRows<Shape>> by_rows(0, lane);
    const OperandReader<Atom, AllColumns<Shape>> by_columns(0, lane);
    const OperandReader<typename Additions::Atom, typename Additions::ScoresTile> by_scores(0, lane);
    const float slope = kShapes && g.slopes ? g.slopes[place.batch * g.slopes_batch + head] * kLog2OfE : 0;
    const float factor = kShapes ? 1 : g.factor;
    const arch::Buffer of_others =
        arch::buffer(a.rows + 2 * this->of_rows(head), static_cast<u32>(others) * 8);
    const arch::Buffer to_sums = arch::buffer(a.sums + this->of_rows(head) * Shape::kHeadSize,
                                              static_cast<u32>(others) * Shape::kHeadSize * 4);
    constexpr bool kMeetOnce = Memory::kMeetOnce;
    constexpr int kOne = Memory::kOne;
    const auto rows_of = [&](int stage) { return memory + (kMeetOnce ? stage * Memory::kNext : 0); };
    const auto columns_of = [&](int stage) { return memory + Memory::kColumns + stage * Memory::kNext; };
    const bool whole = wave_row + Shape::kWaveRows <= length;  // the wave's rows are keys
    TileRows<Shape> of_tile;
    feed_q.load(), feed_d_o.load();
    of_tile.load(of_others, other, group);
    arch::barrier();  // what was there before was read by all
    // Both tiles' rows and columns are stored one by one, between products.
    const auto store_row = [&](int i, SharedBytes to) {
      const auto& feed = i < Feed::kRows ? feed_q : feed_d_o;
      feed.store_row(i % Feed::kRows, to + i / Feed::kRows * kOne);
    };
    const auto store_column = [&](int i, SharedBytes to) {
      constexpr int kStores = Feed::kColumnStores;
      const auto& feed = i < kStores ? feed_q : feed_d_o;
      feed.store_column(i % kStores, to + i / kStores * kOne);
    };
    TILE_UNROLL for (int i = 0; i < 2 * Feed::kRows; ++i) store_row(i, rows_of(0));
    TILE_UNROLL for (int i = 0; i < 2 * Feed::kColumnStores; ++i) store_column(i, columns_of(0));
    additions.sums.clear();
    arch::barrier();

    constexpr int kOwn = Base::Own::Operand::kPieces;            // parts of a product of own rows
    constexpr int kAcross = Weights::kPieces * Shape::kColumns;  // and of weights
    constexpr int kGradientsAt = kOwn, kValuesAt = 2 * kOwn, kKeysAt = kValuesAt + kAcross,
                  kParts = kKeysAt + kAcross;
    constexpr int kNumbers = Scores<Shape, kShapes>::kNumbers;
    constexpr int kWeighed = kNumbers / kOwn, kDifferentiated = kNumbers / kAcross;
    constexpr int kAdds = Additions::Keys::kPieces * Additions::kAcross;
    constexpr int kBefore = kMeetOnce ? kAhead : 0;  // pieces that are read before others were multiplied
    Pieces pieces;
    repeat<kBefore>([&](auto part) {
      pieces[part.kValue] = by_rows.piece(0, part.kValue, TileByRows<Shape>{rows_of(0)});
    });
    const auto step = [&](int stage) __attribute__((always_inline)) {
      const SharedBytes rows = rows_of(stage), next_rows = rows_of(1 - stage), columns = columns_of(stage),
                        next_columns = columns_of(1 - stage),
                        all_scores = memory + Memory::kScores + stage * Memory::kNextScores;
      Scores<Shape, kShapes> scores;
      Products gradients;
      Weights weights, of_scores;
      scores.at.clear(), gradients.clear();
      const u32 before = known(Additions::place(other - Shape::kTile, wave, lane)),
                of_next = known(TileRows<Shape>::place(other + Shape::kTile, group));
      const int of_group = other + group * kInPiece;
      // What goes to memory and comes from there does so in small shares, loads first.
      const auto add_share = [&](int part) {
        constexpr int kFirst = 2 * Feed::kLoads;
        if (part < kFirst) return;
        share(Additions::kSums, part - kFirst, kKeysAt - kFirst,
              [&](int i) { additions.add(to_sums, before, i); });
      };
      const auto load_of_tile = [&](int part) {
        share(TileRows<Shape>::kTwos, part, kAcross + kAdds,
              [&](int i) { of_tile.load(of_others, of_next, i); });
      };
      in_parts<kParts, kBefore, 0>(
          pieces,
          [&](auto part) {
            constexpr int kPart = decltype(part)::kValue, kAt = (kPart - kValuesAt) % kAcross;
            if constexpr (kPart < kGradientsAt)
              return by_rows.piece(0, kPart, TileByRows<Shape>{rows});
            else if constexpr (kPart < kValuesAt)
              return by_rows.piece(0, kPart - kGradientsAt, TileByRows<Shape>{rows + kOne});
            else
              return by_columns.piece(kAt % Shape::kColumns, kAt / Shape::kColumns,
                                      AllColumns<Shape>{kPart < kKeysAt ? columns + kOne : columns});
          },
          [&](auto part, Piece piece) {
            constexpr int kPart = decltype(part)::kValue;
            if constexpr (kPart < kGradientsAt) {
              multiply(scores.at, 0, first.operand, kPart, piece);
              if constexpr (kPart < 2 * Feed::kLoads)
                (kPart < Feed::kLoads ? feed_q : feed_d_o).load(kPart % Feed::kLoads);
              add_share(kPart);
              if constexpr (kPart == kGradientsAt - 1) {
                if constexpr (kShapes)  // found again: scalar registers are scarce
                  scores.shape(arch::argument_again(a).forward, slope, row, of_group, shift);
                if (!sight.whole(wave_row, Shape::kWaveRows, other, Shape::kTile) || !whole) {
                  hide(scores.at, sight, row, of_group);
                  if (row >= length) hide_row(scores.at);
                }
              }
            } else if constexpr (kPart < kValuesAt) {
              constexpr int kAt = kPart - kGradientsAt, kDone = (kAt + 1) * kWeighed;
              multiply(gradients, 0, second.operand, kAt, piece);
              scores.weigh(factor, of_tile, kAt * kWeighed, kWeighed);
              add_share(kPart);
              if constexpr (kDone % kInPiece == 0) become(scores, kDone / kInPiece - 1, weights);
            } else if constexpr (kPart < kKeysAt) {
              constexpr int kAt = kPart - kValuesAt, kDone = (kAt + 1) * kDifferentiated;
              multiply(of_second, kAt % Shape::kColumns, weights, kAt / Shape::kColumns, piece);
              scores.differentiate(gradients, of_tile, kAt * kDifferentiated, kDifferentiated);
              add_share(kPart);
              if constexpr (kDone % kInPiece == 0) {
                constexpr int kPiece = kDone / kInPiece - 1;
                become(scores, kPiece, of_scores);
                Additions::keep(of_scores.at[0][kPiece], kPiece, wave * Shape::kWaveRows, all_scores, lane);
              }
            } else {
              constexpr int kAt = kPart - kKeysAt;
              multiply(of_first, kAt % Shape::kColumns, of_scores, kAt / Shape::kColumns, piece);
              share(2 * Feed::kColumnStores, kAt, kAcross, [&](int i) { store_column(i, next_columns); });
              if constexpr (kMeetOnce)
                share(2 * Feed::kRows, kAt, kAcross, [&](int i) { store_row(i, next_rows); });
              load_of_tile(kAt);
            }
          });
      additions.sums.clear();
      arch::barrier();  // scores' gradients, and where there is room rows, were written by all
      in_parts<kAdds, 0, kBefore>(
          pieces,
          [&](auto part) {
            constexpr int kPart = decltype(part)::kValue;
            if constexpr (kPart < kAdds)
              return by_scores.piece(kPart % Additions::kAcross, kPart / Additions::kAcross,
                                     typename Additions::ScoresTile{all_scores});
            else
              return by_rows.piece(0, kPart - kAdds, TileByRows<Shape>{next_rows});
          },
          [&](auto part, Piece piece) {
            constexpr int kPart = decltype(part)::kValue;
            multiply(additions.sums, kPart % Additions::kAcross, additions.keys, kPart / Additions::kAcross,
                     piece);
            if constexpr (!kMeetOnce)
              share(2 * Feed::kRows, kPart, kAdds, [&](int i) { store_row(i, next_rows); });
            load_of_tile(kAcross + kPart);
          });
      if constexpr (!kMeetOnce) arch::barrier();  // rows were written by all, scores' gradients read
      other += Shape::kTile;
      return other < end;
    };
    if constexpr (kMeetOnce) {
      // Two steps, whose places in shared memory are constants. Behind the end no row is seen.
      TILE_KEEP_LOOP
      do {
        step(0);
      } while (step(1));
    } else {
      int stage = 0;
      TILE_KEEP_LOOP
      do stage = 1 - stage;
      while (step(1 - stage));
    }
    const u32 before = Additions::place(other - Shape::kTile, wave, lane);
    TILE_UNROLL for (int i = 0; i < Additions::kSums; ++i) additions.add(to_sums, before, i);
  }
  /// What is no key has no weight.
  TILE_DEVICE static void hide_row(Products& scores) {
    TILE_UNROLL for (int e = 0; e < Layout::kSums; ++e) scores.at[0][0][e] = -tile::kInfinity;
  }
  /// A piece of a row of scores, rounded to elements.
  TILE_DEVICE static void become(const Scores<Shape, kShapes>& scores, int piece, Weights& operand) {
    tile::Vector<float, Order::kInPiece> values;
    TILE_UNROLL for (int i = 0; i < Order::kInPiece; ++i) values[i] =
        scores.at.at[0][0][piece * Order::kInPiece + i];
    tile::put_piece(operand, 0, piece, tile::rounded<Element>(values));
  }
};

/// Adds a wave's rows of sums to those of all workgroups with the same keys; rows behind `length` are
/// dropped.
template <class Shape, class Sums>
TILE_DEVICE void add_rows(const Sums& sums, float* to, int length, int wave_row, tile::SharedBytes memory,
                          int lane) {
  using namespace tile;
  using Layout = typename Shape::Layout;
  using Results = typename BackwardMemory<Shape, Gradient::All>::Results;
  const arch::Buffer rows = arch::buffer(to, static_cast<u32>(length) * Shape::kHeadSize * 4);
  TILE_KEEP_LOOP
  for (int part = 0; part < Shape::kColumns / Results::kAcross; ++part) {
    tile::Sums<typename Shape::Atom, 1, Results::kAcross> some;
    TILE_UNROLL for (int i = 0; i < Shape::kColumns; ++i) {
      if (i / Results::kAcross == part) some.at[0][i % Results::kAcross] = sums.at[0][i];
    }
    const int first = part * Results::kAcross * Layout::kRows;
    for_each_eight<Results::kOut>(some, memory, lane, [&](int at, int column, Eight values) {
      const u32 place = ((wave_row + at) * Shape::kHeadSize + first + column) * 4;
      TILE_UNROLL for (int i = 0; i < 8; ++i) arch::add(rows, place + i * 4, values[i]);
    });
  }
}

/// The rows of keys of a workgroup: those that share them have some of the heads of queries each.
struct PartOfHeads : AttentionPlace {
  int part;
  TILE_DEVICE PartOfHeads(const AttentionBackwardArguments& a, int rows)
      : AttentionPlace(a.forward, rows), part(head % a.parts) {
    head /= a.parts;
  }
};

template <class Shape, bool kShapes>
TILE_DEVICE void attention_backward_all(const AttentionBackwardArguments& a) {
  using namespace tile;
  TILE_SHARED static char memory[AllMemory<Shape>::kBytes];
  const auto shared = (SharedBytes)memory;
  const PartOfHeads place(a, Shape::kRows);
  if (!place.valid) return;
  const Sequence sequence(a.forward, place.batch);
  AllWave<Shape, kShapes> wave(a, place, sequence, arch::thread_id());
  if (place.first_row >= wave.length) return;
  wave.load(shared);
  const int heads = a.forward.heads_per_kv / a.parts,
            first = place.head * a.forward.heads_per_kv + place.part * heads;
  TILE_KEEP_LOOP
  for (int i = 0; i < heads; ++i) wave.pass(first + i, shared);
  arch::barrier();  // tiles were read by all
  const AttentionBackwardArguments late = arch::argument_again(a);
  const PartOfHeads where(late, Shape::kRows);
  const Sequence of(late.forward, where.batch);
  if (late.parts > 1) {
    const long row = where.batch * late.key_batch + where.head * late.key_head + of.first_k;
    const auto add = [&](const auto& sums, float* to) {
      using Results = typename BackwardMemory<Shape, Gradient::All>::Results;
      add_rows<Shape>(sums, to + row * Shape::kHeadSize, of.length_k, wave.wave_row,
                      shared + wave.wave * Results::kOut, wave.lane);
    };
    add(wave.of_first, late.sums_k);
    add(wave.of_second, late.sums_v);
    return;
  }
  const auto write = [&](auto& sums, float by, void* to, const AttentionStrides& stride, int size) {
    write_gradient<Shape, Gradient::All>(sums, by, wave, to, stride, where, of, size, shared);
  };
  write(wave.of_first, late.scale, late.dk, late.stride_dk, late.forward.head_size);
  write(wave.of_second, kWeightUnit<typename Shape::Atom::Element>, late.dv, late.stride_dv,
        late.forward.head_size_v);
}

}  // namespace wavesmith::kernels
