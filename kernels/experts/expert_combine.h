// Weighted sums of rows, as the results of a token's experts are combined.
#pragma once

#include "kernels/experts/expert_combine_arguments.h"
#include "tile/arch/device.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// Some of a token's rows of x, with their weights. One that is not there is the first of x with no bytes, of
/// which 0 is loaded, and the weight 0.
template <int kCount>
struct CombinedRows {
  tile::u32 places[kCount];
  float weights[kCount];
  bool are_there[kCount];

  /// The first `count` from a number on.
  TILE_DEVICE CombinedRows(const ExpertCombineArguments& g, tile::i64 first, int count) {
    const auto at = [&](int i) { return first + (i < count ? i : 0); };
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      places[i] = tile::arch::load_shared_by_lanes<tile::u32>(g.places, at(i));
      weights[i] = 1;
    }
    if (g.weights) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) weights[i] =
          tile::arch::load_shared_by_lanes<float>(g.weights, at(i));
    }
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      are_there[i] = i < count && places[i] < static_cast<tile::u32>(g.rows);
      places[i] = are_there[i] ? places[i] : 0;
      weights[i] = are_there[i] ? weights[i] : 0;
    }
  }
};

/// Adds `kCount` rows of x, of type T, whose eights may be moved at once; without `kWhole` only the first
/// `count` of them. All loads are under way before the first is waited for.
template <class T, int kCount, bool kWhole>
TILE_DEVICE void add_rows(tile::Eight& sum, const ExpertCombineArguments& g, tile::i64 first, int count,
                          int column) {
  using namespace tile;
  const CombinedRows<kCount> rows(g, first, kWhole ? kCount : count);
  const u64 stride = static_cast<u32>(g.stride_x) * static_cast<u32>(sizeof(T));
  const u32 at = static_cast<u32>(column) * sizeof(T), bytes = static_cast<u32>(g.columns) * sizeof(T);
  Pieces pieces[kCount];
  TILE_UNROLL for (int i = 0; i < kCount; ++i) {
    const char* const from = static_cast<const char*>(g.x) + rows.places[i] * stride;
    const arch::Buffer buffer = arch::buffer(from, rows.are_there[i] ? bytes : 0);
    pieces[i].low = arch::load_whole_piece(buffer, at);
    if constexpr (sizeof(T) == 4) pieces[i].high = arch::load_whole_piece(buffer, at + kPieceBytes);
  }
  TILE_UNROLL for (int i = 0; i < kCount; ++i) {
    Eight values;
    if constexpr (sizeof(T) == 4) {
      values = bits_as<Eight>(pieces[i]);
    } else {
      const auto elements = bits_as<Vector<T, 8>>(pieces[i].low);
      TILE_UNROLL for (int j = 0; j < 8; ++j) values[j] = static_cast<float>(elements[j]);
    }
    sum += values * rows.weights[i];
  }
}

/// Rows of x of any type, which may lie anyhow: one after the other.
TILE_DEVICE void add_elements(tile::Eight& sum, const ExpertCombineArguments& g, tile::i64 first,
                              int column) {
  using namespace tile;
  TILE_KEEP_LOOP for (int i = 0; i < g.choices; ++i) {
    const CombinedRows<1> row(g, first + i, 1);
    const TypedView x(g.x, static_cast<Type>(g.type_x), row.are_there[0] ? g.rows : 0, g.columns, g.stride_x,
                      static_cast<int>(row.places[0]), 0);
    sum += x.load(0, column) * row.weights[0];
  }
}

template <class T>
TILE_DEVICE void add_aligned(tile::Eight& sum, const ExpertCombineArguments& g, tile::i64 first, int column) {
  constexpr int kMost = 8;
  int rest = g.choices;
  TILE_KEEP_LOOP for (; rest >= kMost; rest -= kMost, first += kMost)
      add_rows<T, kMost, true>(sum, g, first, kMost, column);
  if (rest == 4)
    add_rows<T, 4, true>(sum, g, first, 4, column);
  else if (rest == 2)
    add_rows<T, 2, true>(sum, g, first, 2, column);
  else if (rest == 1)
    add_rows<T, 1, true>(sum, g, first, 1, column);
  else if (rest > 0)
    add_rows<T, kMost, false>(sum, g, first, rest, column);
}

/// Eight columns of a token each thread. `add(sum, number of the token's first choice, column)` adds rows.
template <class Add>
TILE_DEVICE void combine_experts(const ExpertCombineArguments& g, Add add) {
  using namespace tile;
  const u32 workgroup = arch::workgroup_id(), blocks = g.blocks;
  const int token = workgroup / blocks, block = workgroup % blocks;
  const int column = (block * kCombineRowThreads + arch::thread_id()) * 8;
  if (column >= g.columns) return;
  Eight sum = 0;
  add(sum, static_cast<i64>(token) * g.choices, column);
  if (g.addend)
    sum +=
        TypedView(g.addend, static_cast<Type>(g.type_addend), g.tokens, g.columns, g.stride_addend, token, 0)
            .load(0, column);
  TypedView(g.y, static_cast<Type>(g.type_y), g.tokens, g.columns, g.stride_y, token, 0)
      .store(0, column, sum);
}

}  // namespace wavesmith::kernels
