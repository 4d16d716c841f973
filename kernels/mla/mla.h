// O = softmax(Q * K transposed) * V for the last queries of each sequence, where a row of the cache is a key
// and its first elements are the value (multi-head latent attention, its projections absorbed by Q and O).
//
// All heads share the rows: the queries of all of them are rows of one matrix. A workgroup has some of these
// and a part of a sequence's keys, which come tile by tile through registers to shared memory, where each is
// read as a key and as a value; the next tile is on its way to registers while one is multiplied. Where a
// sequence is split, decode/combine.h makes one of all workgroups' results.
#pragma once

#include "kernels/attention/scores.h"
#include "kernels/attention/softmax.h"
#include "kernels/decode/decode.h"
#include "kernels/mla/latents.h"

namespace wavesmith::kernels {

template <class Shape>
TILE_DEVICE void decode_latents(const DecodeArguments& g) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = typename Shape::Layout;
  using Element = typename Shape::Element;
  using Tile = LatentTile<Shape>;
  constexpr int kKeys = Shape::kKeys;
  TILE_SHARED static char memory[Tile::kBytes + SharedScores<Shape>::kBytes];

  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes), part = wave % Shape::kParts;
  const int number = decode_number(g);
  if (number >= g.workgroups) return;
  const DecodePart<Shape::kRows, kKeys> mine(g, number);
  const int batch = mine.batch, split = mine.split, begin = mine.begin, end = mine.end;
  const int row = mine.first_row + wave / Shape::kParts * Layout::kRows + Layout::row(lane);
  const int query = row / g.heads_per_kv, head = mine.head_kv * g.heads_per_kv + row % g.heads_per_kv;

  const PagedHead latents(g.k, mine.head_kv);
  typename ValueReader<Shape>::Results o;
  o.clear();
  Softmax<Atom, 1> softmax;
  softmax.clear();
  const int first_column = part * Shape::kOwnColumns;
  if (begin < end) {
    const Pages pages(g, batch, end - 1);
    LatentFeed<Shape> feed(thread);
    // In the order in which the loop wants them, for a wave's loads are waited for in their order.
    const int first = pages.entry(begin + feed.key);
    int next = pages.entry(begin + kKeys + feed.key);
    arch::keep_accesses();
    feed.load(feed.row(latents, pages, first, begin));
    arch::keep_accesses();
    typename KeyReader<Shape>::Queries q;
    const auto* const queries_of_batch = static_cast<const Element*>(g.q) + batch * g.stride_q.batch;
    const arch::Buffer buffer = arch::buffer(queries_of_batch, 0xfffffffe);
    TILE_UNROLL for (int p = 0; p < KeyReader<Shape>::Queries::kPieces; ++p) {
      const int element = part % Shape::kDepthParts * Shape::kDepth +
                          (Layout::group(lane) + p * Layout::kGroups) * kPieceElements<Element>;
      const u32 at = static_cast<u32>(query * g.stride_q.row + head * g.stride_q.head + element);
      q.at[0][p] = arch::load_piece(buffer, row < g.rows ? at * sizeof(Element) : arch::kOutside);
    }
    const Tile shared{(SharedBytes)memory};
    const SharedScores<Shape> scores_of_waves{(SharedBytes)memory + Tile::kBytes};
    const KeyReader<Shape> keys(part, lane);
    const ValueReader<Shape> values(first_column, lane);
    const float factor = arch::in_vector(g.factor * latents.scale);
    TILE_KEEP_LOOP
    for (int key = begin; key < end; key += kKeys) {
      feed.store(shared);
      const int after = pages.entry(key + 2 * kKeys + feed.key);
      arch::keep_accesses();
      const u64 next_row = feed.row(latents, pages, next, key + kKeys);
      if (!Shape::kLoadsBeside) feed.load(next_row);
      arch::keep_accesses();
      next = after;
      arch::barrier();  // the tile was written by all
      typename SharedScores<Shape>::Own own;
      own.clear();
      keys.multiply(own, q, shared, [&](int slice, int slices) {
        if (Shape::kLoadsBeside) feed.load(next_row, slice, slices);
      });
      auto scores = scores_of_waves.exchange(own, wave, lane);
      typename ValueReader<Shape>::Rows rows;
      if constexpr (ValueReader<Shape>::kAhead) rows = values.read(0, shared);  // while scores become weights
      arch::keep_accesses();
      change_sums(scores, 0, [&](float score, int) { return score * factor; });
      if (!mine.sight.whole(mine.first_query, mine.queries, key, kKeys))
        hide(scores, mine.sight, query, key + lane / Layout::kRows * Shape::kInGroup);
      softmax.follow(scores, 1, [&](int, float by) {
        TILE_UNROLL for (int j = 0; j < Shape::kColumns; ++j) o.at[0][j] *= by;
      });
      softmax.weigh(scores, 1);
      typename ValueReader<Shape>::Weights weights;
      become_operand(scores, 0, weights);
      values.multiply(o, weights, rows, shared);
      arch::barrier();  // the tile was read by all
    }
  }
  if (row >= g.rows) return;
  const RowSum sum{softmax.greatest[0] == -kInfinity ? -kInfinity : softmax.reference[0], softmax.total(0)};
  write_results<Shape>(g, o, sum, {batch, head, query, split, first_column}, latents.scale, lane);
}

}  // namespace wavesmith::kernels
