// A sparse matrix times one dimension of an array: a thread has one result, and goes through its row's
// entries.
#pragma once

#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/elements.h"
#include "kernels/sparse/sparse_arguments.h"
#include "tile/rounding.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A result's row, and where it and what it is made of lie; x is that in column 0.
struct SparseResult {
  tile::u32 row = 0;
  int y = 0, x = 0, place = 0;  ///< bytes

  TILE_DEVICE SparseResult(const SparseArguments& g, tile::u32 element) {
    TILE_KEEP_LOOP for (int d = 0; d < tile::arch::late(g.dimensions); ++d) {
      const tile::u32 quotient = g.sizes[d].quotient(element);
      const tile::u32 at = element - quotient * g.sizes[d].divisor;
      y += static_cast<int>(at) * g.y.steps[d];
      place += static_cast<int>(at) * g.place.steps[d];
      if (d == tile::arch::late(g.along))
        row = at;
      else
        x += static_cast<int>(at) * g.x.steps[d];
      element = quotient;
    }
  }
};

TILE_DEVICE tile::u64 address(const void* data, tile::i64 offset) {
  return reinterpret_cast<tile::u64>(data) + static_cast<tile::u64>(offset);
}

TILE_DEVICE tile::i64 listed(const SparseList& list, tile::i64 at) {
  if (tile::arch::late(list.type) == WAVESMITH_POINTWISE_I32)
    return tile::arch::load_at<int>(address(list.data, at * 4));
  return tile::arch::load_at<tile::i64>(address(list.data, at * 8));
}

/// Calls with the number, the column and x's element of each entry of a row.
template <class C, class Visit>
TILE_DEVICE void each_entry(const SparseArguments& g, const SparseResult& result, Visit visit) {
  const tile::i64 end = listed(g.begins, result.row + 1);
  for (tile::i64 entry = listed(g.begins, result.row); entry < end; ++entry) {
    const tile::i64 column = listed(g.columns_of, entry);
    if (column < 0) continue;
    if (column >= g.columns) __builtin_trap();
    visit(entry, column, load_element<C>(address(g.x.data, result.x + column * g.column_step), g.x.type));
  }
}

TILE_DEVICE tile::u32 sparse_element() {
  return static_cast<tile::u32>(tile::arch::workgroup_id()) * kSparseThreads +
         static_cast<tile::u32>(tile::arch::thread_id());
}

/// Bytes are the nearest ones, upwards from halfway, as PyTorch resizes images; of NaN 0.
template <class C>
TILE_DEVICE void store_sum(tile::u64 to, int type, C sum) {
  if (tile::arch::late(type) == WAVESMITH_POINTWISE_U8) {
    const C nearest = __builtin_elementwise_floor(sum + C(0.5));
    sum = nearest >= 255 ? C(255) : nearest > 0 ? nearest : C();
  }
  store_element(to, type, sum);
}

template <class C>
TILE_DEVICE void sparse_sum(const SparseArguments& g) {
  const tile::u32 element = sparse_element();
  if (element >= g.elements) return;
  const SparseResult result(g, element);
  const tile::i64 weight_bytes = bytes_of(static_cast<Number>(tile::arch::late(g.weights.type)));
  C sum = 0;
  each_entry<C>(g, result, [&](tile::i64 entry, tile::i64 /*column*/, C x) {
    sum += g.weights.data == nullptr
               ? x
               : x * load_element<C>(address(g.weights.data, entry * weight_bytes), g.weights.type);
  });
  store_sum(address(g.y.data, result.y), g.y.type, sum);
}

/// A thread has eight results that follow each other, along another dimension than the matrix's: the first of
/// `sizes` counts eights. Entries come four at a time, so that four of x's are on their way together.
template <class S>
TILE_DEVICE void sparse_sum_eights(const SparseArguments& g) {
  using Elements = tile::Vector<S, 8>;
  constexpr int kAtOnce = 4;
  const tile::u32 element = sparse_element();
  if (element >= g.elements) return;
  const SparseResult result(g, element);
  const tile::i64 weight_bytes = bytes_of(static_cast<Number>(tile::arch::late(g.weights.type)));
  const tile::i64 end = listed(g.begins, result.row + 1);
  tile::Eight sums = {};
  for (tile::i64 first = listed(g.begins, result.row); first < end; first += kAtOnce) {
    tile::i64 columns[kAtOnce];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) columns[i] =
        listed(g.columns_of, first + i < end ? first + i : end - 1);
    Elements x[kAtOnce];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      if (columns[i] >= g.columns) __builtin_trap();
      const tile::i64 column = columns[i] < 0 ? 0 : columns[i];
      x[i] = tile::arch::load_at<Elements>(address(g.x.data, result.x + column * g.column_step));
    }
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      if (columns[i] < 0 || first + i >= end) continue;
      const tile::Eight term = tile::convert<float>(x[i]);
      sums += g.weights.data == nullptr
                  ? term
                  : term * load_element<float>(address(g.weights.data, (first + i) * weight_bytes),
                                               g.weights.type);
    }
  }
  tile::arch::store_at(address(g.y.data, result.y), tile::arch::narrowed<S>(sums));
}

TILE_DEVICE void sparse_maximum(const SparseArguments& g) {
  const tile::u32 element = sparse_element();
  if (element >= g.elements) return;
  const SparseResult result(g, element);
  double largest = 0;
  tile::i64 place = -1;
  each_entry<double>(g, result, [&](tile::i64 /*entry*/, tile::i64 column, double x) {
    if (place < 0 || x > largest || (x != x && largest == largest)) largest = x, place = column;
  });
  store_element(address(g.y.data, result.y), g.y.type, largest);
  if (g.place.data != nullptr) tile::arch::store_at(address(g.place.data, result.place), place);
}

}  // namespace wavesmith::kernels
