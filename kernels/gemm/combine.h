// A product whose K was split: the parts' sums are added up in order, and go through the epilogue.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "tile/arch/here.h"

namespace wavesmith::kernels {

/// What GemmEpilogue takes for the type of floats, whose D may be of 8 bits where the target has such.
template <bool kSmall>
struct CombinedFloats {
  using Type = float;
};
template <>
struct CombinedFloats<true> {
  using Type = tile::e4m3;
};

/// `A` is the type of A's elements, and `Sum` that of sums. Of a product that gates, D is made of two halves
/// of their columns.
template <class A, class Sum, int kHalves>
TILE_DEVICE void combine_gemm(const GemmCombineArguments& g) {
  using namespace tile;
  using Sums = Vector<Sum, 8>;
  constexpr int kInRow = kCombinedColumns / 8;
  constexpr int kAtOnce = 4;  // parts, whose loads are under way together
  arch::fetch_argument<GemmCombineArguments>();
  const int thread = arch::thread_id(), columns = ceiling(g.gemm.n, kCombinedColumns);
  const int first_row = arch::workgroup_id() / columns * kCombinedRows;
  const int first_column = arch::workgroup_id() % columns * kCombinedColumns;
  const int row = thread / kInRow, column = thread % kInRow * 8;
  if (first_row + row >= g.gemm.m || first_column + column >= g.gemm.n) return;
  const u64 part = static_cast<u64>(g.gemm.m) * g.stride_parts * 4;
  const u64 first = reinterpret_cast<u64>(g.parts) +
                    (static_cast<u64>(first_row + row) * g.stride_parts + first_column + column) * 4;

  Sums sums[kHalves] = {};
  for (int split = 0; split < g.splits; split += kAtOnce) {
    struct Two {
      Piece low, high;
    } loaded[kAtOnce][kHalves];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      const u64 at = first + part * (split + i < g.splits ? split + i : split);
      TILE_UNROLL for (int half = 0; half < kHalves; ++half) {
        const u64 from = at + (half == 0 ? 0 : static_cast<u64>(g.gemm.n) * 4);
        loaded[i][half] = {arch::load_at<Piece>(from), arch::load_at<Piece>(from + kPieceBytes)};
      }
    }
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      if (split + i < g.splits)
        TILE_UNROLL for (int half = 0; half < kHalves; ++half) sums[half] += bits_as<Sums>(loaded[i][half]);
    }
  }
  const GemmEpilogue<A> epilogue(g.gemm, 0, first_row, first_column);
  if constexpr (kHalves == 1)
    epilogue(row, column, sums[0]);
  else
    epilogue(row, column, sums[0], sums[1]);
}

}  // namespace wavesmith::kernels
