// What goes before and after a kernel that adds to gradients: rows with nothing added yet, and rounded.
#pragma once

#include "kernels/attention/place.h"
#include "kernels/attention_backward/arguments.h"
#include "kernels/attention_backward/weights.h"
#include "tile/known_row.h"
#include "tile/reduce.h"

namespace wavesmith::kernels {

/// A workgroup's rows of queries, or of keys, of a head of `kHeadSize` elements, eight of a row in a lane.
template <class Element_, int kHeadSize_, bool kOfKeys>
struct RowsOfSums {
  using Element = Element_;
  static constexpr int kHeadSize = kHeadSize_, kThreads = kThreadsOfRows;
  static constexpr int kLanes = kHeadSize / 8;       ///< of a row
  static constexpr int kAtOnce = kThreads / kLanes;  ///< rows
  static constexpr int kRows = rows_together(kHeadSize), kRounds = kRows / kAtOnce;

  const AttentionBackwardArguments& a;
  AttentionPlace place;
  Sequence sequence;
  int first, length;  ///< of the sequence
  int column;

  TILE_DEVICE explicit RowsOfSums(const AttentionBackwardArguments& arguments)
      : a(arguments),
        place(a.forward, kRows),
        sequence(a.forward, place.valid ? place.batch : 0),
        first(kOfKeys ? sequence.first_k : sequence.first_q),
        length(kOfKeys ? sequence.length_k : sequence.length_q),
        column(tile::arch::thread_id() % kLanes * 8) {}

  TILE_DEVICE tile::TypedView view(const void* data, const AttentionStrides& stride, int head_size) const {
    return {matrix_of<Element>(data, stride, place.batch, place.head, first),
            __is_same(Element, tile::f16) ? tile::Type::F16 : tile::Type::BF16,
            length,
            head_size,
            stride.row,
            place.first_row,
            0};
  }
  /// Gives `use` each of the lane's rows, counted from the workgroup's first, and where it is of all.
  template <class Use>
  TILE_DEVICE void each(Use use) const {
    if (!place.valid) return;
    const long of_head = kOfKeys ? place.batch * a.key_batch + place.head * a.key_head
                                 : place.batch * a.row_batch + place.head * a.row_head;
    const long first_of_all = of_head + first + place.first_row;
    TILE_UNROLL for (int i = 0; i < kRounds; ++i) {
      const int row = i * kAtOnce + tile::arch::thread_id() / kLanes;
      if (place.first_row + row < length) use(row, first_of_all + row);
    }
  }
  /// A lane's eight sums of a row.
  TILE_DEVICE tile::Eight sums(const float* of, long row) const {
    struct Two {
      tile::Piece low, high;
    } two;
    two.low = tile::arch::load_global_as<tile::Piece>(of, (row * kHeadSize + column) / 4);
    two.high = tile::arch::load_global_as<tile::Piece>(of, (row * kHeadSize + column) / 4 + 1);
    return tile::bits_as<tile::Eight>(two);
  }
  TILE_DEVICE void clear(float* of, long row) const {
    tile::arch::store_global(of, (row * kHeadSize + column) / 4, tile::Piece{});
    tile::arch::store_global(of, (row * kHeadSize + column) / 4 + 1, tile::Piece{});
  }

  /// Clears the sums, and of queries finds what weights need.
  TILE_DEVICE void begin() const {
    using namespace tile;
    if constexpr (kOfKeys)
      each([&](int, long of_all) { clear(a.sums_k, of_all), clear(a.sums_v, of_all); });
    else
      begin_queries();
  }
  TILE_DEVICE void begin_queries() const {
    using namespace tile;
    const AttentionArguments& g = a.forward;
    const TypedView o = view(g.o, g.stride_o, g.head_size_v), d_o = view(a.d_o, a.stride_d_o, g.head_size_v);
    const float* const lse = g.lse + place.batch * g.lse_batch + place.head * g.lse_head + sequence.first_q;
    each([&](int row, long of_all) {
      const Eight products = o.load(row, column) * d_o.load(row, column);
      const float delta = reduce_lanes<kLanes>(sum_of(products), Sum{});
      clear(a.sums, of_all);
      if (column != 0) return;
      const Vector<float, 2> two = {reference_of<Element>(arch::load_global(lse, place.first_row + row)),
                                    delta * kWeightUnit<Element>};
      arch::store_global(a.rows, of_all, two);
    });
  }
  /// Rounds the sums to gradients.
  TILE_DEVICE void end() const {
    using namespace tile;
    if constexpr (kOfKeys) {
      const TypedView dk = view(a.dk, a.stride_dk, a.forward.head_size),
                      dv = view(a.dv, a.stride_dv, a.forward.head_size_v);
      each([&](int row, long of_all) {
        dk.store(row, column, sums(a.sums_k, of_all) * a.scale);
        dv.store(row, column, sums(a.sums_v, of_all) * kWeightUnit<Element>);
      });
    } else {
      const TypedView dq = view(a.dq, a.stride_dq, a.forward.head_size);
      each([&](int row, long of_all) { dq.store(row, column, sums(a.sums, of_all) * a.scale); });
    }
  }
};

}  // namespace wavesmith::kernels
