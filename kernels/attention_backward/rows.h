// What goes before and after a kernel that adds to dQ: the rows of queries with nothing added yet, and
// rounded.
#pragma once

#include "kernels/attention/place.h"
#include "kernels/attention_backward/arguments.h"
#include "kernels/attention_backward/weights.h"
#include "tile/known_row.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

/// A workgroup's rows of queries of a head of `kHeadSize` elements, eight of a row in a lane.
template <class Element_, int kHeadSize_>
struct QueryRows {
  using Element = Element_;
  static constexpr int kHeadSize = kHeadSize_, kThreads = kThreadsOfRows;
  static constexpr int kLanes = kHeadSize / 8;       ///< of a row
  static constexpr int kAtOnce = kThreads / kLanes;  ///< rows
  static constexpr int kRows = rows_together(kHeadSize), kRounds = kRows / kAtOnce;

  const AttentionBackwardArguments& a;
  AttentionPlace place;
  Sequence sequence;
  int column;

  TILE_DEVICE explicit QueryRows(const AttentionBackwardArguments& arguments)
      : a(arguments),
        place(a.forward, kRows),
        sequence(a.forward, place.valid ? place.batch : 0),
        column(tile::arch::thread_id() % kLanes * 8) {}

  TILE_DEVICE tile::TypedView view(const void* data, const AttentionStrides& stride) const {
    return {matrix_of<Element>(data, stride, place.batch, place.head, sequence.first_q),
            __is_same(Element, tile::f16) ? tile::Type::F16 : tile::Type::BF16,
            sequence.length_q,
            a.forward.head_size,
            stride.row,
            place.first_row,
            0};
  }
  /// Gives `use` each of the lane's rows, counted from the workgroup's first, and where it is of all.
  template <class Use>
  TILE_DEVICE void each(Use use) const {
    if (!place.valid) return;
    const long first =
        place.batch * a.row_batch + place.head * a.row_head + sequence.first_q + place.first_row;
    TILE_UNROLL for (int i = 0; i < kRounds; ++i) {
      const int row = i * kAtOnce + tile::arch::thread_id() / kLanes;
      if (place.first_row + row < sequence.length_q) use(row, first + row);
    }
  }
  TILE_DEVICE long sum(long row) const { return row * kHeadSize + column; }

  /// Finds what weights need, and clears the sums.
  TILE_DEVICE void begin() const {
    using namespace tile;
    const AttentionArguments& g = a.forward;
    const TypedView o = view(g.o, g.stride_o), d_o = view(a.d_o, a.stride_d_o);
    const float* const lse = g.lse + place.batch * g.lse_batch + place.head * g.lse_head + sequence.first_q;
    each([&](int row, long of_all) {
      const Eight products = o.load(row, column) * d_o.load(row, column);
      const float delta = reduce_lanes<kLanes>(sum_of(products), Sum{});
      arch::store_global(a.sums, sum(of_all) / 4, Piece{});
      arch::store_global(a.sums, sum(of_all) / 4 + 1, Piece{});
      if (column != 0) return;
      const Vector<float, 2> two = {reference_of<Element>(arch::load_global(lse, place.first_row + row)),
                                    delta * kWeightUnit<Element>};
      arch::store_global(a.rows, of_all, two);
    });
  }
  /// Rounds the sums to dQ.
  TILE_DEVICE void end() const {
    using namespace tile;
    const TypedView dq = view(a.dq, a.stride_dq);
    each([&](int row, long of_all) {
      struct Two {
        Piece low, high;
      } two;
      two.low = arch::load_global_as<Piece>(a.sums, sum(of_all) / 4);
      two.high = arch::load_global_as<Piece>(a.sums, sum(of_all) / 4 + 1);
      dq.store(row, column, bits_as<Eight>(two) * a.scale);
    });
  }
};

}  // namespace wavesmith::kernels
