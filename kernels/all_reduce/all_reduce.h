// Sums over GPUs, and the norm of their rows. Every rank adds in the order of ranks, so that all get the same
// bits.
#pragma once

#include "kernels/all_reduce/exchange.h"
#include "tile/known_row.h"
#include "tile/math.h"

namespace wavesmith::kernels {

TILE_DEVICE tile::Piece load_piece(const void* pieces, tile::i64 number) {
  return tile::arch::load_global_as<tile::Piece>(pieces, number);
}

/// Rows of the matrices, of which a workgroup takes every `workgroups`-th.
template <class Shape, class T>
struct AllReduceRows {
  using View = tile::KnownView<Shape, T>;
  const AllReduceArguments& g;
  long rows;
  int workgroups;
  tile::KnownPieces<Shape, T> weight;  ///< of no weight 0

  TILE_DEVICE explicit AllReduceRows(const AllReduceArguments& arguments)
      : g(arguments),
        rows((arguments.elements + arguments.columns - 1) / arguments.columns),
        workgroups(rows < kMostExchanges ? static_cast<int>(rows) : kMostExchanges),
        weight(View::vector(arguments.weight, arguments.columns).load()) {}

  TILE_DEVICE int columns_of(long row) const {
    const long left = g.elements - row * g.columns;
    return left < 0 ? 0 : left < g.columns ? static_cast<int>(left) : g.columns;
  }
  /// A row of a matrix that lies like x; of no matrix, and behind the last row, all is 0.
  TILE_DEVICE View row_of(const void* matrix, long row) const {
    return View::vector(matrix ? static_cast<const char*>(matrix) + row * g.columns * 2 : nullptr,
                        columns_of(row));
  }
  /// Whether a row has the piece of that number, and where in the matrix that lies.
  TILE_DEVICE bool has(long row, int piece) const { return piece * 8 < columns_of(row); }
  TILE_DEVICE tile::i64 in_matrix(long row, int piece) const { return row * (g.columns / 8) + piece; }
  /// Calls `use(row)` for each row of this workgroup.
  template <class Use>
  TILE_DEVICE void for_each(Use use) const {
    TILE_KEEP_LOOP for (long row = tile::arch::workgroup_id(); row < rows; row += workgroups) use(row);
  }
  /// Calls `use(row, piece, at)` for this thread's pieces of the slices of this workgroup's rows: the piece
  /// of the slice, and how many pieces lie before it where slices of rows follow each other.
  template <class Use>
  TILE_DEVICE void for_each_in_slices(Use use) const {
    const int own_rows = static_cast<int>((rows - tile::arch::workgroup_id() + workgroups - 1) / workgroups);
    const tile::u32 count = own_rows * g.slice;
    TILE_KEEP_LOOP for (tile::u32 i = tile::arch::thread_id(); i < count; i += Shape::kThreads) {
      const tile::u32 number = i / g.slice, piece = i - number * g.slice;
      const long row = tile::arch::workgroup_id() + static_cast<long>(number) * workgroups;
      use(row, static_cast<int>(piece), row * g.slice + piece);
    }
  }

  /// Ends a row of which `total` is the sum: keeps it, and writes its norm. `memory` has places for two
  /// reductions, which rows use in turn.
  TILE_DEVICE void finish(long row, const tile::KnownRow<Shape>& total, tile::SharedBytes memory) const {
    using namespace tile;
    const View sum = row_of(g.sum, row);
    KnownRow<Shape> values;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      const Piece rounded = View::narrow(total.at[i]);
      sum.store(i, rounded);
      values.at[i] = View::widened(rounded);
    }
    if (!g.y) return;
    const int columns = columns_of(row);
    const float squares = values.combined(columns, Sum{}, squares_of);
    const float factor = reciprocal_root(
        reduce_row<Shape::kLanes>(squares, memory, Sum{}) / static_cast<float>(columns) + g.epsilon);
    // Without a weight the factor is 1: what is read of none is 0.
    const float offset = g.weight ? g.weight_offset : 1;
    const View y = row_of(g.y, row);
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i)
        y.store(i, View::narrow(values.at[i] * factor * (View::widened(weight.at[i]) + offset)));
  }
};

/// Every rank gets all of every other's x, and adds all up: one flag's wait, for what crosses a link fast.
template <class Shape, class T>
TILE_DEVICE void all_reduce_at_once(const AllReduceArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[2][16];
  const Exchange exchange(g);
  const AllReduceRows<Shape, T> rows(g);
  using View = KnownView<Shape, T>;
  const i64 pieces_of_rank = g.elements / 8;
  // Calls `use(part, where in the matrix)` for the lane's pieces that the row has.
  const auto for_each_part = [&](long row, auto use) __attribute__((always_inline)) {
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      const int piece = arch::thread_id() + i * Shape::kThreads;
      if (rows.has(row, piece)) use(i, rows.in_matrix(row, piece));
    }
  };
  rows.for_each([&](long row) __attribute__((always_inline)) {
    const auto pieces = rows.row_of(g.x, row).load();
    const int ranks = arch::late(g.ranks), own = arch::late(g.rank);
    for_each_part(row, [&](int i, i64 at) __attribute__((always_inline)) {
      TILE_UNROLL for (int other = 0; other < kMostRanks; ++other) if (other < ranks && other != own)
          arch::store_global(exchange.half_of(other), g.rank * pieces_of_rank + at, pieces.at[i]);
    });
  });
  // What no other rank has to do with is under way while they are waited for.
  auto residual = rows.row_of(g.residual, arch::workgroup_id()).load();
  exchange.template meet<0>();
  exchange.end(rows.workgroups);
  int turn = 0;
  rows.for_each([&](long row) __attribute__((always_inline)) {
    KnownPieces<Shape, T> shares[kMostRanks];
    const int ranks = arch::late(g.ranks), own = arch::late(g.rank);
    for_each_part(row, [&](int i, i64 at) __attribute__((always_inline)) {
      TILE_UNROLL for (int rank = 0; rank < kMostRanks; ++rank) if (rank < ranks) shares[rank].at[i] =
          rank == own ? load_piece(g.x, at) : load_piece(exchange.own_half(), rank * pieces_of_rank + at);
    });
    KnownRow<Shape> total = {};
    for_each_part(row, [&](int i, i64 /*at*/) __attribute__((always_inline)) {
      total.at[i] = View::widened(shares[0].at[i]);
      TILE_UNROLL for (int rank = 1; rank < kMostRanks; ++rank) if (rank < ranks) total.at[i] +=
          View::widened(shares[rank].at[i]);
      if (g.residual) total.at[i] += View::widened(residual.at[i]);
    });
    residual = rows.row_of(g.residual, row + rows.workgroups).load();
    rows.finish(row, total, (SharedBytes)memory[turn]);
    turn ^= 1;
  });
}

/// Each rank adds up a slice of each row and gives it to all: less crosses the links, and flags are waited
/// for twice.
template <class Shape, class T>
TILE_DEVICE void all_reduce_in_slices(const AllReduceArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[2][16];
  const Exchange exchange(g);
  const AllReduceRows<Shape, T> rows(g);
  using View = KnownView<Shape, T>;
  const i64 slices = rows.rows * g.slice;  // pieces that a rank has to add up

  rows.for_each_in_slices([&](long row, int piece, i64 at) __attribute__((always_inline)) {
    Piece pieces[kMostRanks];
    const int ranks = arch::late(g.ranks), own = arch::late(g.rank);
    TILE_UNROLL for (int other = 0; other < kMostRanks; ++other) {
      const int whole = other * g.slice + piece;
      if (other < ranks && rows.has(row, whole)) pieces[other] = load_piece(g.x, rows.in_matrix(row, whole));
    }
    TILE_UNROLL for (int other = 0; other < kMostRanks;
                     ++other) if (other < ranks && other != own && rows.has(row, other * g.slice + piece))
        arch::store_global(exchange.half_of(other), g.rank * slices + at, pieces[other]);
  });
  exchange.template meet<0>();

  const i64 sums = slices * g.ranks;  // pieces before the sums
  rows.for_each_in_slices([&](long row, int piece, i64 at) __attribute__((always_inline)) {
    const int whole = g.rank * g.slice + piece;
    if (!rows.has(row, whole)) return;
    Piece shares[kMostRanks];
    const int ranks = arch::late(g.ranks), own = arch::late(g.rank);
    TILE_UNROLL for (int rank = 0; rank < kMostRanks; ++rank) if (rank < ranks) shares[rank] =
        rank == own ? load_piece(g.x, rows.in_matrix(row, whole))
                    : load_piece(exchange.own_half(), rank * slices + at);
    Eight total = View::widened(shares[0]);
    TILE_UNROLL for (int rank = 1; rank < kMostRanks; ++rank) if (rank < ranks) total +=
        View::widened(shares[rank]);
    if (g.residual) total += View::widened(load_piece(g.residual, rows.in_matrix(row, whole)));
    const Piece rounded = View::narrow(total);
    TILE_UNROLL for (int other = 0; other < kMostRanks; ++other) if (other < ranks)
        arch::store_global(exchange.half_of(other), sums + rows.in_matrix(row, whole), rounded);
  });
  exchange.template meet<1>();
  exchange.end(rows.workgroups);

  int turn = 0;
  rows.for_each([&](long row) __attribute__((always_inline)) {
    const auto total = rows.row_of(exchange.own_half() + sums * sizeof(Piece), row).load();
    rows.finish(row, View::widened(total), (SharedBytes)memory[turn]);
    turn ^= 1;
  });
}

}  // namespace wavesmith::kernels
