// Products of floats of 8 bits whose blocks of 128 along K have scales. The sums of a block are kept apart;
// once they are complete, they join the product's sums by one multiplication and addition with the scales of
// their row and column. Of a product that gates a wave has columns of both halves of B, which have squares of
// their own: D has whole blocks of columns.
#pragma once

#include "kernels/gemm/gemm.h"

namespace wavesmith::kernels {

/// Reads the scales of some lines, rows of A or columns of B, block by block.
struct GemmBlockWindow {
  const char* base;
  tile::i64 bytes;   ///< from base to the end of the scales
  tile::i64 stride;  ///< bytes
  int left;          ///< blocks
  tile::u32 line;    ///< bytes from line to line; 0 where all of the wave's share a scale
  tile::u32 offset;  ///< of the lane's first line

  /// Of the wave's lines from `first` on, of which the lane's are those from `of_lane` on.
  TILE_DEVICE GemmBlockWindow(const GemmBlockScales& scales, int lines, int k, int batch, int first,
                              int of_lane)
      : stride(scales.block_stride * 4),
        left(tile::ceiling(k, kGemmBlock)),
        line(scales.lines == 1 ? static_cast<tile::u32>(scales.stride) * 4 : 0),
        offset(of_lane * line) {
    const tile::i64 start = (scales.lines == 1 ? first : first / kGemmBlock) * scales.stride * 4;
    const int last = scales.lines == 1 ? lines - 1 : (lines - 1) / kGemmBlock;
    base = reinterpret_cast<const char*>(scales.data) + batch * scales.batch_stride * 4 + start;
    bytes = (last * scales.stride + (left - 1) * scales.block_stride + 1) * 4 - start;
  }
  /// The scale of the lane's line that is `further` from its first, or those of several that follow each
  /// other in memory. Behind the last block it is 0.
  template <class T>
  TILE_DEVICE T load(int further) const {
    const tile::i64 in_range = left <= 0 || bytes < 0 ? 0 : bytes > 0xfffffffe ? 0xfffffffe : bytes;
    const tile::arch::Buffer buffer = tile::arch::buffer(base, static_cast<tile::u32>(in_range));
    if constexpr (sizeof(T) == tile::kPieceBytes)
      return tile::bits_as<T>(tile::arch::load_piece(buffer, offset + further * line));
    else
      return tile::arch::load<T>(buffer, offset + further * line);
  }
  TILE_DEVICE void advance() {
    base += stride;
    bytes -= stride;
    --left;
  }
};

/// The sums of a wave, and those of a block. `kOwn`: each column has a scale of its own.
template <class Shape, bool kOwn, int kRows, int kColumns>
struct GemmBlockProducts {
  using Atom = typename Shape::Atom;
  using Layout = tile::AtomLayout<Atom>;
  static constexpr int kRun = 4, kRuns = Layout::kSums / kRun;  ///< columns that a lane has side by side
  static constexpr int kSteps = kGemmBlock / (Shape::kDepth / Shape::kParts);                ///< of a block
  static constexpr int kHalves = Shape::Columns::kHalves, kWide = kColumns * Layout::kRows;  ///< columns
  static_assert(kSteps == 1 || kSteps == 2, "a block is a step or two");
  static_assert(Layout::kRun % kRun == 0, "the atom's runs of sums are whole ones");
  static_assert(kGemmBlock % (kRows * Layout::kRows) == 0 && kGemmBlock % (kColumns * Layout::kRows) == 0,
                "the wave's rows are of one block of rows, and its columns");
  static_assert(kHalves == 1 || (!kOwn && kWide / kHalves % 16 == 0), "a lane's run of sums is of one half");
  using Run = tile::Vector<float, kRun>;

  tile::Sums<Atom, kRows, kColumns> sums, block;
  GemmBlockWindow rows, columns, others;  ///< others: of B's second half
  float of_row[kRows];
  Run of_columns[kOwn ? kColumns : kHalves][kOwn ? kRuns : 1];

  TILE_DEVICE GemmBlockProducts(const GemmArguments& g, int batch, int row, int column, int lane)
      : rows(g.block_a, g.m, g.k, batch, row, Layout::row(lane)),
        columns(g.block_b, g.n, g.k, batch, of_d(column), lane / Layout::kRows * Layout::kGroupStep),
        others(g.block_b, 2 * g.n, g.k, batch, g.n + of_d(column), 0) {
    sums.clear();
    if constexpr (kSteps == 1) load();
  }
  template <int kParity>
  TILE_DEVICE void begin() {
    if constexpr (kSteps == 2 && kParity == 0) load();
  }
  template <int kParity>
  TILE_DEVICE void end() {
    if constexpr (kSteps == 1) load();
  }
  /// The products of a row of atoms.
  template <int kParity, class OperandA, class OperandB>
  TILE_DEVICE void multiply(int row, const OperandA& a, const OperandB& b) {
    if constexpr (kSteps == 1 || kParity == 0)
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) block.at[row][j] = {};
    block.multiply(row, a, b);
    if constexpr (kSteps == 1 || kParity == 1) TILE_UNROLL for (int j = 0; j < kColumns; ++j) join(row, j);
  }

 private:
  /// The wave's first column of D: where a tile's columns begin they are D's, in it they are B's.
  TILE_DEVICE static int of_d(int column) {
    if constexpr (kHalves == 1) return column;
    const int wave = tile::arch::uniform(tile::arch::thread_id() / Layout::kLanes);
    return column - wave % Shape::kWaveColumns * (kWide - kWide / kHalves);
  }
  /// Of a lane's run of sums in an atom.
  static constexpr int half_of(int column, int run) {
    return (column * Layout::kRows + Layout::first_row(run * kRun)) / (kWide / kHalves);
  }
  TILE_DEVICE void load() {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) of_row[i] = rows.template load<float>(i * Layout::kRows);
    rows.advance();
    if constexpr (kOwn) {
      TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
        TILE_UNROLL for (int run = 0; run < kRuns; ++run) of_columns[j][run] =
            columns.template load<Run>(j * Layout::kRows + Layout::first_row(run * kRun));
      }
    } else {
      const float one = columns.template load<float>(0);
      TILE_UNROLL for (int e = 0; e < kRun; ++e) of_columns[0][0][e] = one;
      if constexpr (kHalves == 2) {
        const float other = others.template load<float>(0);
        TILE_UNROLL for (int e = 0; e < kRun; ++e) of_columns[1][0][e] = other;
        others.advance();
      }
    }
    columns.advance();
  }
  TILE_DEVICE void join(int row, int column) {
    struct Runs {
      Run at[kRuns];
    };
    const Runs added = tile::bits_as<Runs>(block.at[row][column]);
    Runs all = tile::bits_as<Runs>(sums.at[row][column]);
    TILE_UNROLL for (int run = 0; run < kRuns; ++run) {
      const Run factors =
          (kOwn ? of_columns[column][run] : of_columns[half_of(column, run)][0]) * of_row[row];
      all.at[run] += added.at[run] * factors;
    }
    sums.at[row][column] = tile::bits_as<tile::Vector<float, Layout::kSums>>(all);
  }
};

/// A tile's shape whose products take the scales of blocks, one for so many columns of B.
template <class Shape_, int kShared>
struct GemmBlockShape : Shape_ {
  static_assert(kShared == 1 || kShared == kGemmBlock);
  static constexpr bool kSparesScalars = true;  ///< where there are groups, too
  template <int kRows, int kColumns>
  using Products = GemmBlockProducts<Shape_, kShared == 1, kRows, kColumns>;
};

}  // namespace wavesmith::kernels
