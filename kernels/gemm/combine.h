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

/// Adds so many parts that lie `apart` bytes apart, the first at `at`, to eight sums; all loads are under way
/// before the first is waited for.
template <int kCount, class Sums>
TILE_DEVICE void add_parts(Sums& sums, tile::u64 at, tile::u64 apart) {
  struct Two {
    tile::Piece low, high;
  } loaded[kCount];
  TILE_UNROLL for (int i = 0; i < kCount; ++i)
      loaded[i] = {tile::arch::load_at<tile::Piece>(at + i * apart),
                   tile::arch::load_at<tile::Piece>(at + i * apart + tile::kPieceBytes)};
  tile::arch::keep_order();
  TILE_UNROLL for (int i = 0; i < kCount; ++i) sums += tile::bits_as<Sums>(loaded[i]);
}

/// Where a workgroup's parts are, and the first of their sums in D.
struct CombinePlace {
  int row, column;    ///< in D
  int height, width;  ///< of a part from there on
  int count;          ///< parts
  tile::u64 first;    ///< bytes from the beginning of all parts
  tile::u64 apart;    ///< bytes from part to part

  TILE_DEVICE explicit CombinePlace(const GemmCombineArguments& g) {
    const GemmShare& share = g.share;
    const bool streamed = share.teams > 0;
    const int rows = streamed ? g.rows : g.gemm.m;
    row = tile::arch::workgroup_id() * kCombinedRows * g.passes;
    column = tile::arch::workgroup_id_y() * kCombinedColumns;
    height = rows - row, width = (streamed ? g.stride_parts : g.gemm.n) - column;
    count = g.splits;
    apart = static_cast<tile::u64>(rows) * g.stride_parts * 4;
    first = (static_cast<tile::u64>(row) * g.stride_parts + column) * 4;
    if (streamed) {
      const int number = tile::arch::workgroup_id_z();
      const GemmShare::Parts parts = share.parts_of(number);
      count = parts.count;
      first += parts.first * apart;
      const GemmPoint of_d = tile_of(g.gemm, share.whole + number);
      row += of_d.row * rows, column += of_d.column * g.stride_parts;
    }
  }
};

/// Eight sums of so many parts, in their order.
template <class Sums>
TILE_DEVICE Sums sum_of_parts(tile::u64 at, int count, tile::u64 apart) {
  Sums sums = {};
  for (; count >= 4; count -= 4, at += 4 * apart) add_parts<4>(sums, at, apart);
  if (count & 2) {
    add_parts<2>(sums, at, apart);
    at += 2 * apart;
  }
  if (count & 1) add_parts<1>(sums, at, apart);
  return sums;
}

/// `A` is the type of A's elements, and `Sum` that of sums. Of a product that gates, D is made of two halves
/// of their columns.
template <class A, class Sum, int kHalves>
TILE_DEVICE void combine_gemm(const GemmCombineArguments& g) {
  using namespace tile;
  using Sums = Vector<Sum, 8>;
  constexpr int kInRow = kCombinedColumns / 8;
  arch::fetch_argument<GemmCombineArguments>();
  const CombinePlace place(g);
  const int thread = arch::thread_id(), column = thread % kInRow * 8;
  if (column >= place.width) return;
  GemmArguments gemm = g.gemm;
  gemm.arrays = 0;
  const GemmEpilogue<A> epilogue(gemm, 0, place.row, place.column);
  epilogue_in_loop(gemm);
  for (int pass = 0; pass < g.passes; ++pass) {
    const int row = pass * kCombinedRows + thread / kInRow;
    if (row >= place.height) return;
    const u64 at =
        reinterpret_cast<u64>(g.parts) + place.first + static_cast<u64>(row * g.stride_parts + column) * 4;
    const Sums sums = sum_of_parts<Sums>(at, place.count, place.apart);
    if constexpr (kHalves == 1)
      epilogue(row, column, sums);
    else
      epilogue(row, column, sums,
               sum_of_parts<Sums>(at + static_cast<u64>(gemm.n) * 4, place.count, place.apart));
  }
}

}  // namespace wavesmith::kernels
