// All gradients in one pass: dK and dV for a tile of rows of keys against all queries, as in backward.h, and
// what these keys add to dQ. A wave has a SIMD's registers alone, so what it does not multiply with is done
// between its products: the order of instructions is written out.
#pragma once

#include "kernels/attention_backward/additions.h"
#include "kernels/attention_backward/backward.h"

namespace wavesmith::kernels {

/// Tiles of a matrix of rows of queries, on their way to shared memory by rows and by columns at once.
template <class Shape>
struct AllFeed {
  using ByColumns = typename BackwardFeed<Shape, true, true>::ByColumns;
  using Element = typename Shape::Atom::Element;
  static constexpr int kRows = ByColumns::kCount, kInPiece = ByColumns::kInPiece;
  static_assert(ByColumns::kLast == Shape::kThreads, "each thread has pieces");

  ByColumns window;
  typename ByColumns::Pieces pieces;
  int row_offset[kRows];  ///< of the thread's rows in the tile by rows

  TILE_DEVICE AllFeed(const void* matrix, int length, int head_size, long stride, int first, int thread)
      : window(matrix, head_size, length, stride, 0, first, thread) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      row_offset[i] = TileByRows<Shape>::offset(position(window.column + i), window.shared_offset / kInPiece);
      if (window.shared_offset >= head_size) window.offset[i] = tile::arch::kOutside;
    }
  }
  /// Where ChainOrder has a row of an atom.
  TILE_DEVICE static int position(int row) {
    using Order = tile::ChainOrder<typename Shape::Atom>;
    const int group = row / kInPiece % Order::kGroups,
              sum = row / (kInPiece * Order::kGroups) * kInPiece + row % kInPiece;
    return sum % Order::kStep + (group + sum / Order::kStep * Order::kGroups) * Order::kStep;
  }
  TILE_DEVICE void load() { window.load(pieces); }
  TILE_DEVICE void store_row(int i, tile::SharedBytes tile) const {
    tile::shared_write(tile + row_offset[i], pieces.at[i]);
  }
  /// Of the thread's rows an element each, the `element`-th.
  TILE_DEVICE void store_column(int element, tile::SharedBytes tile) const {
    tile::Vector<Element, kRows> run;
    TILE_UNROLL for (int i = 0; i < kRows; ++i) run[i] =
        tile::bits_as<tile::Vector<Element, kInPiece>>(pieces.at[i])[element];
    tile::shared_write(
        tile + TileByColumns<Shape>::offset(window.shared_offset + element, window.column / kInPiece) +
            window.column % kInPiece * static_cast<int>(sizeof(Element)),
        run);
  }
};

template <class Shape>
struct AllMemory {
  using Additions = QueryAdditions<Shape>;
  static constexpr int kOne = TileByRows<Shape>::kBytes;  ///< of a tile, by rows or by columns
  static_assert(TileByColumns<Shape>::kBytes == kOne);
  static constexpr int kFirstRows = 0, kSecondRows = kOne;
  /// The tiles by columns, which are there twice: the next ones come while these are multiplied.
  static constexpr int kColumns = 2 * kOne, kNext = 2 * kOne;
  static constexpr int kScores = kColumns + 2 * kNext;
  static constexpr int kTiles = kScores + Additions::kBytes;
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
  template <int kParts, class Read, class Use>
  TILE_DEVICE static void in_parts(Read read, Use use) {
    constexpr int kAhead = Shape::kHeadSize > 64 ? 3 : 1;  // where two waves have a SIMD's registers
    tile::Piece pieces[kAhead + 1];
    tile::repeat<kAhead>([&](auto part) { pieces[part.kValue] = read(part); });
    tile::repeat<kParts>([&](auto part) {
      constexpr int kPart = decltype(part)::kValue;
      if constexpr (kPart + kAhead < kParts)
        pieces[(kPart + kAhead) % (kAhead + 1)] = read(tile::Constant<kPart + kAhead>{});
      use(part, pieces[kPart % (kAhead + 1)]);
      tile::arch::keep_accesses();
      tile::arch::keep_order();
    });
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
    Feed feed_d_o(this->of_d_o(head), others, g.head_size, a.stride_d_o.row, other, thread);
    const OperandReader<Atom, TileByRows<Shape>> by_rows(0, lane);
    const OperandReader<Atom, TileByColumns<Shape>> by_columns(0, lane);
    const OperandReader<typename Additions::Atom, typename Additions::ScoresTile> by_scores(0, lane);
    const float slope = kShapes && g.slopes ? g.slopes[place.batch * g.slopes_batch + head] * kLog2OfE : 0;
    const float factor = kShapes ? 1 : g.factor;
    const arch::Buffer of_others =
        arch::buffer(a.rows + 2 * this->of_rows(head), static_cast<u32>(others) * 8);
    const arch::Buffer to_sums = arch::buffer(a.sums + this->of_rows(head) * Shape::kHeadSize,
                                              static_cast<u32>(others) * Shape::kHeadSize * 4);
    const TileByRows<Shape> q_rows{memory + Memory::kFirstRows}, d_o_rows{memory + Memory::kSecondRows};
    const typename Additions::ScoresTile all_scores{memory + Memory::kScores};
    SharedBytes columns = memory + Memory::kColumns, next_columns = columns + Memory::kNext;
    const u32 inside = row < length ? ~0u : 0;  // what weights other keys would have is anything
    TileRows<Shape> of_tile;
    feed_q.load(), feed_d_o.load();
    of_tile.load(of_others, other, group);
    arch::barrier();  // what was there before was read by all
    // Both tiles' rows and columns are stored one by one, between products.
    const auto store_row = [&](int i) {
      const auto& feed = i < Feed::kRows ? feed_q : feed_d_o;
      feed.store_row(i % Feed::kRows, (i < Feed::kRows ? q_rows : d_o_rows).memory);
    };
    const auto store_column = [&](int i, SharedBytes to) {
      const auto& feed = i < kInPiece ? feed_q : feed_d_o;
      feed.store_column(i % kInPiece, to + i / kInPiece * (Memory::kNext / 2));
    };
    TILE_UNROLL for (int i = 0; i < 2 * Feed::kRows; ++i) store_row(i);
    TILE_UNROLL for (int i = 0; i < 2 * kInPiece; ++i) store_column(i, columns);
    additions.sums.clear();
    arch::barrier();

    constexpr int kOwn = Base::Own::Operand::kPieces;            // parts of a product of own rows
    constexpr int kAcross = Weights::kPieces * Shape::kColumns;  // and of weights
    constexpr int kGradientsAt = kOwn, kValuesAt = 2 * kOwn, kKeysAt = kValuesAt + kAcross,
                  kParts = kKeysAt + kAcross;
    constexpr int kNumbers = Scores<Shape, kShapes>::kNumbers;
    constexpr int kWeighed = kNumbers / kOwn, kDifferentiated = kNumbers / kAcross;
    for (; other < end; other += Shape::kTile) {
      Scores<Shape, kShapes> scores;
      Products gradients;
      Weights weights, of_scores;
      scores.at.clear(), gradients.clear();
      const u32 before = Additions::place(other - Shape::kTile, wave, lane);
      const int of_group = other + group * kInPiece;
      const auto add_share = [&](int part, int of) {
        share(Additions::kSums, part, of, [&](int i) { additions.add(to_sums, before, i); });
      };
      in_parts<kParts>(
          [&](auto part) {
            constexpr int kPart = decltype(part)::kValue, kAt = (kPart - kValuesAt) % kAcross;
            if constexpr (kPart < kGradientsAt)
              return by_rows.piece(0, kPart, q_rows);
            else if constexpr (kPart < kValuesAt)
              return by_rows.piece(0, kPart - kGradientsAt, d_o_rows);
            else
              return by_columns.piece(
                  kAt % Shape::kColumns, kAt / Shape::kColumns,
                  TileByColumns<Shape>{kPart < kKeysAt ? columns + Memory::kNext / 2 : columns});
          },
          [&](auto part, Piece piece) {
            constexpr int kPart = decltype(part)::kValue;
            if constexpr (kPart < kGradientsAt) {
              multiply(scores.at, 0, first.operand, kPart, piece);
              if constexpr (kPart == 0) feed_q.load();
              if constexpr (kPart == 1) feed_d_o.load();
              add_share(kPart, 2 * kOwn);
              if constexpr (kPart == kGradientsAt - 1) {
                if constexpr (kShapes)  // found again: scalar registers are scarce
                  scores.shape(arch::argument_again(a).forward, slope, row, of_group, shift);
                if (!sight.whole(wave_row, Shape::kWaveRows, other, Shape::kTile))
                  hide(scores.at, sight, row, of_group);
              }
            } else if constexpr (kPart < kValuesAt) {
              constexpr int kAt = kPart - kGradientsAt, kDone = (kAt + 1) * kWeighed;
              multiply(gradients, 0, second.operand, kAt, piece);
              scores.weigh(factor, of_tile, kAt * kWeighed, kWeighed);
              add_share(kPart, 2 * kOwn);
              if constexpr (kDone % kInPiece == 0) become(scores, kDone / kInPiece - 1, weights);
            } else if constexpr (kPart < kKeysAt) {
              constexpr int kAt = kPart - kValuesAt, kDone = (kAt + 1) * kDifferentiated;
              multiply(of_second, kAt % Shape::kColumns, weights, kAt / Shape::kColumns, piece);
              scores.differentiate(gradients, of_tile, kAt * kDifferentiated, kDifferentiated);
              if constexpr (kDone % kInPiece == 0) {
                constexpr int kPiece = kDone / kInPiece - 1;
                become(scores, kPiece, of_scores);
                Additions::keep(of_scores.at[0][kPiece] & inside, kPiece, wave * Shape::kWaveRows,
                                all_scores.memory, lane);
              }
            } else {
              constexpr int kAt = kPart - kKeysAt;
              multiply(of_first, kAt % Shape::kColumns, of_scores, kAt / Shape::kColumns, piece);
              share(2 * kInPiece, kAt, kAcross, [&](int i) { store_column(i, next_columns); });
            }
          });
      additions.sums.clear();
      arch::barrier();  // scores' gradients were written by all, rows read
      constexpr int kAdds = Additions::Keys::kPieces * Additions::kAcross;
      in_parts<kAdds>(
          [&](auto part) {
            return by_scores.piece(part.kValue % Additions::kAcross, part.kValue / Additions::kAcross,
                                   all_scores);
          },
          [&](auto part, Piece piece) {
            constexpr int kPart = decltype(part)::kValue;
            multiply(additions.sums, kPart % Additions::kAcross, additions.keys, kPart / Additions::kAcross,
                     piece);
            share(2 * Feed::kRows, kPart, kAdds, store_row);
            share(TileRows<Shape>::kTwos, kPart, kAdds,
                  [&](int i) { of_tile.load(of_others, other + Shape::kTile, group, i); });
          });
      arch::barrier();  // rows were written by all, scores' gradients read
      const SharedBytes swapped = columns;
      columns = next_columns, next_columns = swapped;
    }
    const u32 before = Additions::place(other - Shape::kTile, wave, lane);
    TILE_UNROLL for (int i = 0; i < Additions::kSums; ++i) additions.add(to_sums, before, i);
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
  const auto write = [&](auto& sums, float by, void* to, const AttentionStrides& stride) {
    write_gradient<Shape, Gradient::All>(sums, by, wave, to, stride, where, of, late.forward.head_size,
                                         shared);
  };
  write(wave.of_first, late.scale, late.dk, late.stride_dk);
  write(wave.of_second, kWeightUnit<typename Shape::Atom::Element>, late.dv, late.stride_dv);
}

}  // namespace wavesmith::kernels
