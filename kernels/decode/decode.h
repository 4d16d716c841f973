// O = softmax(Q * K transposed) * V for the last queries of each sequence, whose keys and values lie in
// pages: bound by reading these once.
//
// The queries of all heads that share a head of K and V are rows of one atom. A workgroup has a part of a
// sequence's keys, which its waves take by turns, a tile each; the next tile is on its way to registers while
// one is multiplied. At the end the waves' results become one, and where a sequence is split, combine.h makes
// one of all workgroups'.
#pragma once

#include "kernels/attention/softmax.h"
#include "kernels/decode/keys.h"
#include "kernels/decode/part.h"
#include "kernels/decode/results.h"
#include "kernels/decode/scales.h"

namespace wavesmith::kernels {

/// Which row of results a lane has: a query's of a head, from a part of its keys.
struct ResultRow {
  int batch, head, query, split;
  int first = 0;  ///< column that the wave has, of which each lane has a part
};

/// Writes what a wave has summed up of all keys of its workgroup; `by` is the factor of V's elements.
template <class Shape, class Results>
TILE_DEVICE void write_results(const DecodeArguments& g, const Results& o, RowSum sum, ResultRow row,
                               float by, int lane) {
  using namespace tile;
  using Layout = typename Shape::Layout;
  using Element = typename Shape::Atom::Element;
  if (g.splits == 1 && g.sinks) by *= sum.add_sink(arch::load_global(g.sinks, row.head) * kLog2OfE);
  by *= sum.per_sum();
  if (g.splits > 1) {
    const i64 part =
        ((static_cast<i64>(row.batch) * g.length_q + row.query) * g.heads + row.head) * g.splits + row.split;
    if (lane < Layout::kRows && row.first == 0)
      arch::store_at(reinterpret_cast<u64>(g.parts_lse + part), sum.log2_sum());
    if (sum.is_empty()) return;
    for_each_run<Shape>(o, lane, [&](int column, Vector<float, 4> values) {
      arch::store_at(reinterpret_cast<u64>(g.parts + part * Shape::kHeadSize + row.first + column),
                     values * by);
    });
    return;
  }
  if (g.lse && lane < Layout::kRows && row.first == 0)
    arch::store_at(reinterpret_cast<u64>(g.lse + row.batch * g.lse_batch + row.head * g.lse_head + row.query),
                   sum.log2_sum() * kLogOf2);
  const u64 out = reinterpret_cast<u64>(static_cast<Element*>(g.o) + row.batch * g.stride_o.batch +
                                        row.query * g.stride_o.row + row.head * g.stride_o.head + row.first);
  for_each_run<Shape>(o, lane, [&](int column, Vector<float, 4> values) {
    Vector<Element, 4> narrow;
    TILE_UNROLL for (int i = 0; i < 4; ++i) narrow[i] = static_cast<Element>(values[i] * by);
    arch::store_at(out + column * sizeof(Element), narrow);
  });
}

/// Of workgroups in order of heads and their splits, the one that has a number where those of all heads
/// follow each other. Lines of memory hold several heads of 8 bits, or scales of them, and caches have the
/// lines as long as heads go along together.
TILE_DEVICE int heads_in_a_row(const DecodeArguments& g, int number) {
  const int tile = number % g.tiles, head = number / g.tiles % g.heads_kv;
  const int part = number / g.tiles / g.heads_kv;  // of all sequences
  return ((part / g.splits * g.heads_kv + head) * g.splits + part % g.splits) * g.tiles + tile;
}

template <class Shape, int kWaves>
TILE_DEVICE void decode(const DecodeArguments& g) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = typename Shape::Layout;
  constexpr int kKeys = Shape::kKeys, kStep = kWaves * kKeys;
  constexpr bool kSmall = sizeof(typename Shape::Stored) == 1;
  TILE_SHARED static char memory[SharedResults<Shape, kWaves>::kBytes];

  const int lane = arch::thread_id() % Layout::kLanes;
  const int wave = arch::uniform(arch::thread_id() / Layout::kLanes);
  const int number = decode_number(g);
  if (number >= g.workgroups) return;
  const DecodePart<Layout::kRows, kKeys> mine(g, kSmall ? heads_in_a_row(g, number) : number);
  const int batch = mine.batch, split = mine.split, begin = mine.begin, end = mine.end;
  const int row = mine.first_row + Layout::row(lane);
  const int query = row / g.heads_per_kv, head = mine.head_kv * g.heads_per_kv + row % g.heads_per_kv;

  const PagedHead k(g.k, mine.head_kv), v(g.v, mine.head_kv);
  const float scale_k = Shape::kTokenScales ? 1 : k.scale, scale_v = Shape::kTokenScales ? 1 : v.scale;
  typename ValueTile<Shape>::Results o;
  o.clear();
  Softmax<Atom, 1> softmax;
  softmax.clear();
  if (int key = begin + wave * kKeys; key < end) {
    typename KeyTile<Shape>::Queries q;
    const auto* const queries_of_batch =
        static_cast<const typename Atom::Element*>(g.q) + batch * g.stride_q.batch;
    load_queries<Shape>(q, arch::buffer(queries_of_batch, 0xfffffffe), lane, [&](int) {
      const u32 element = static_cast<u32>(query * g.stride_q.row + head * g.stride_q.head);
      return row < g.rows ? element * static_cast<u32>(sizeof(typename Atom::Element)) : arch::kOutside;
    });
    const struct {
      float factor, softcap, per_cap;
    } scaled{g.factor * scale_k, g.softcap, g.per_cap * scale_k};
    const float slope =
        g.slopes && row < g.rows ? arch::load_global(g.slopes + batch * g.slopes_batch, head) * kLog2OfE : 0;
    const Pages pages(g, batch, end - 1);
    const int first_k = KeyTile<Shape>::first(lane), first_v = ValueTile<Shape>::first(lane);
    KeyTile<Shape> keys;
    ValueTile<Shape> values;
    const TokenScales<Shape> scales(g, mine.head_kv, lane);
    struct Entries {
      int k, v;
    };
    const auto entries = [&](int of) {
      return Entries{pages.entry(of + first_k), pages.entry(of + first_v)};
    };
    // In the order in which the loop wants them, for a wave's loads are waited for in their order.
    const Entries first = entries(key);
    Entries next = entries(key + kStep);
    arch::keep_accesses();
    float next_scale = scales.load(pages, first.v, key);
    arch::keep_accesses();
    keys.load(k, pages, first.k, key, lane);
    arch::keep_accesses();
    values.load(v, pages, first.v, key, lane);
    arch::keep_accesses();
    for (; key < end; key += kStep) {
      typename KeyTile<Shape>::Scores scores;
      scores.clear();
      keys.multiply(scores, q);
      const Entries after = entries(key + 2 * kStep);
      arch::keep_accesses();
      const float scale = next_scale;
      scales.scale_scores(scores, scale);
      next_scale = scales.load(pages, next.v, key + kStep);
      arch::keep_accesses();
      keys.load(k, pages, next.k, key + kStep, lane);
      arch::keep_accesses();
      const int of_group = key + lane / Layout::kRows * Shape::kInGroup;
      shape(scores, scaled, slope, query, of_group, mine.length - g.length_q);
      if (!mine.sight.whole(mine.first_query, mine.queries, key, kKeys))
        hide(scores, mine.sight, query, of_group);
      softmax.follow(scores, 1, [&](int, float by) {
        TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) o.at[0][j] *= by;
      });
      softmax.weigh(scores, 1);
      const auto powers = scales.scale_weights(scores, scale);
      typename ValueTile<Shape>::Weights weights;
      become_operand(scores, 0, weights);
      values.multiply(o, weights, powers);
      values.load(v, pages, next.v, key + kStep, lane);
      arch::keep_accesses();
      next = after;
    }
  }

  SharedResults<Shape, kWaves> shared{(SharedBytes)memory};
  RowSum sum{softmax.greatest[0] == -kInfinity ? -kInfinity : softmax.reference[0], softmax.total(0)};
  if (!shared.add_waves(o, sum, wave, lane)) return;
  if (row >= g.rows) return;
  // Scalar registers do not hold the results' strides through a loop of token scales, too.
  const DecodeArguments at_end = Shape::kTokenScales ? arch::argument_again(g) : g;
  write_results<Shape>(at_end, o, sum, {batch, head, query, split}, scale_v, lane);
}

}  // namespace wavesmith::kernels
