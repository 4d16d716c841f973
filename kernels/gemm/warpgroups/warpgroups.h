// C = A * B by warpgroups (Hopper). One warp has the copy engine fill a ring of stages; two warpgroups
// multiply them, 64 rows each. Blocks stay and take one tile of D after the other, so that a tile's stages
// come while the sums of the one before leave. Two blocks beside each other share their columns of B: each
// fetches half of them for both.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/warpgroups/sums.h"
#include "tile/stages.h"
#include "tile/warpgroup.h"

namespace wavesmith::kernels {

/// `kInParts`: what a stage adds is summed up apart and joins the sums as floats, of which the matrix unit
/// keeps fewer bits where elements have 8.
template <class T, bool kInParts_ = false>
struct GemmWarpgroupShape {
  static constexpr bool kInParts = kInParts_;
  using Element = T;
  using Atom = tile::arch::Best<T>;
  static constexpr int kWarpgroups = 2;
  static constexpr int kThreads = (kWarpgroups + 1) * tile::kWarpgroupThreads;
  static constexpr int kRows = kWarpgroups * tile::kWarpgroupRows, kColumns = kInParts ? 128 : 256;
  static constexpr int kDepth = tile::Rows128::kRowBytes / static_cast<int>(sizeof(T));
  static constexpr int kStages = kInParts ? 6 : 4;
  static constexpr int kCluster = 2;  ///< blocks that are beside each other along the rows of D
  static constexpr int kBytesA = kRows * tile::Rows128::kRowBytes,
                       kBytesB = kColumns * tile::Rows128::kRowBytes;
  static constexpr int kShareOfB = kColumns / kCluster;  ///< columns that a block fetches
  using Sums = tile::WarpgroupSums<Atom, kColumns>;
  using Out = GemmSumsOut<T>;
  // Of shared memory.
  static constexpr int kSums = kStages * (kBytesA + kBytesB);
  static constexpr int kBarriers = kSums + kWarpgroups * Out::kBytes;
  static constexpr int kBytes = kBarriers + tile::Stages<kStages>::kBytes;
  static_assert(kBytes + tile::Rows128::kAlignment <= 227 << 10, "a block has 227 KiB");
  // A block has 65,536 registers, by eights per thread.
  static constexpr int kRegistersOfCopies = 40, kRegistersOfProducts = 232;
};

/// The tiles of D that a cluster takes, rows of them together.
template <class Shape>
struct GemmClusterTiles {
  const GemmTensorArguments& g;
  int number, rank;
  int row, column, batch;  ///< elements; the block's

  TILE_DEVICE explicit GemmClusterTiles(const GemmTensorArguments& arguments)
      : g(arguments), number(tile::arch::workgroup_id() / Shape::kCluster), rank(0) {
    if constexpr (Shape::kCluster > 1) rank = static_cast<int>(tile::ptx::block_in_cluster());
  }
  /// Whether there is a tile.
  TILE_DEVICE bool find() {
    const int rows = tile::ceiling(g.tiles_m, Shape::kCluster), of_batch = rows * g.tiles_n;
    batch = number / of_batch;
    if (batch >= g.batches) return false;
    const TileOfD at = tile_of_number(number % of_batch, g.band, rows, g.tiles_n);
    row = (at.x * Shape::kCluster + rank) * Shape::kRows;
    column = at.y * Shape::kColumns;
    return true;
  }
  TILE_DEVICE void advance() { number += tile::ptx::grid_x() / Shape::kCluster; }
};

/// What one thread does: it sets off all copies.
template <class Shape>
TILE_DEVICE void gemm_copies(const GemmTensorArguments& g, const tile::Stages<Shape::kStages>& stages,
                             char* memory) {
  using namespace tile;
  typename Stages<Shape::kStages>::Turn turn;
  for (GemmClusterTiles<Shape> tiles(g); tiles.find(); tiles.advance()) {
    for (int k = 0; k < g.k; k += Shape::kDepth) {
      stages.fill(turn, Shape::kBytesA + Shape::kBytesB);
      char* const a = memory + turn.stage * Shape::kBytesA;
      char* const b = memory + Shape::kStages * Shape::kBytesA + turn.stage * Shape::kBytesB;
      ptx::load_box(a, &g.tensor_a, {k, tiles.row, tiles.batch, 0}, stages.full(turn));
      const int first = tiles.rank * Shape::kShareOfB;
      ptx::load_box_to_blocks(b + first * Rows128::kRowBytes, &g.tensor_b,
                              {k, tiles.column + first, tiles.batch, 0}, stages.full(turn),
                              (1 << Shape::kCluster) - 1);
      turn.advance();
    }
  }
}

/// What a warpgroup does.
template <class Shape>
TILE_DEVICE void gemm_products(const GemmTensorArguments& g, const tile::Stages<Shape::kStages>& stages,
                               char* memory, int group) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  typename Stages<Shape::kStages>::Turn turn, before;
  const int thread = arch::thread_id() % kWarpgroupThreads;
  const auto give_back = [&](const auto& which) {
    if (thread < Shape::kCluster) ptx::arrive_in_block(stages.free(which), thread);
  };
  const u32 base = ptx::shared_address(memory);
  const u64 first_a = Rows128::along_k(base + group * kWarpgroupRows * Rows128::kRowBytes);
  const u64 first_b = Rows128::along_k(base + Shape::kStages * Shape::kBytesA);
  typename Shape::Sums sums;
  const typename Shape::Out out{memory + Shape::kSums + group * Shape::Out::kBytes, group, thread};
  for (GemmClusterTiles<Shape> tiles(g); tiles.find(); tiles.advance()) {
    const auto set_off_stage = [&](typename Shape::Sums& of_stage, bool add) {
      stages.wait(turn);
      keep_sums(of_stage);
      ptx::begin_products();
      set_off<Atom, Shape::kColumns, Rows128::kRowBytes>(of_stage,
                                                         first_a + turn.stage * further(Shape::kBytesA),
                                                         first_b + turn.stage * further(Shape::kBytesB), add);
      ptx::commit_products();
    };
    if constexpr (Shape::kInParts) {
      sums.clear();
      for (int k = 0; k < g.k; k += Shape::kDepth) {
        typename Shape::Sums part;
        set_off_stage(part, false);
        ptx::wait_products<0>();
        keep_sums(part);
        give_back(turn);
        TILE_UNROLL for (int i = 0; i < 2; ++i) {
          TILE_UNROLL for (int j = 0; j < Shape::kColumns / 8; ++j) sums.at[i][j] += part.at[i][j];
        }
        turn.advance();
      }
    } else {
      for (int k = 0; k < g.k; k += Shape::kDepth) {
        set_off_stage(sums, k > 0);
        ptx::wait_products<1>();
        if (k > 0) give_back(before);
        before = turn;
        turn.advance();
      }
      ptx::wait_products<0>();
      keep_sums(sums);
      give_back(before);
    }
    out.write(g, sums, tiles.row + group * kWarpgroupRows, tiles.column, tiles.batch);
  }
  out.finish();
}

template <class Shape>
TILE_DEVICE void gemm_by_warpgroups(const GemmTensorArguments& g, char* shared) {
  using namespace tile;
  char* const memory = shared + (-ptx::shared_address(shared) & (Rows128::kAlignment - 1));
  const Stages<Shape::kStages> stages{reinterpret_cast<ptx::Barrier*>(memory + Shape::kBarriers)};
  const int thread = arch::thread_id();
  if (thread == 0) {
    stages.begin(Shape::kWarpgroups * Shape::kCluster);
    ptx::announce_barriers();
  }
  ptx::cluster_barrier();
  const int group = thread / kWarpgroupThreads;
  if (group == Shape::kWarpgroups) {
    ptx::give_registers<Shape::kRegistersOfCopies>();
    if (thread % kWarpgroupThreads == 0) gemm_copies<Shape>(g, stages, memory);
  } else {
    ptx::take_registers<Shape::kRegistersOfProducts>();
    gemm_products<Shape>(g, stages, memory, group);
  }
  ptx::cluster_barrier();  // no block ends while another one writes to it
}

}  // namespace wavesmith::kernels
