// How the sums of a warpgroup become elements of D: 64 columns at a time by way of shared memory. Where all
// of them get the same factor, and D is a tensor of 2 bytes, the copy engine writes them while the next ones
// are rounded.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "tile/warpgroup.h"

namespace wavesmith::kernels {

/// Of kernels that the copy engine serves. Its tensors have 4 dimensions: K or D's columns, rows, matrices of
/// the batch, and one.
struct GemmTensorArguments : GemmArguments {
  tile::ptx::TensorMap tensor_a, tensor_b, tensor_d;
  int writes_tensor;  ///< sums times alpha and scales of whole matrices, by tensor_d
  int batches;
};

/// `T` is the type of A's elements.
template <class T>
struct GemmSumsOut {
  using Atom = tile::arch::Best<T>;
  static constexpr int kColumns = 64, kAtoms = kColumns / 8;
  static constexpr int kBox =
      tile::kWarpgroupRows * tile::Rows128::kRowBytes;  ///< 64 by 64 elements of 2 bytes
  static constexpr int kBytes = 2 * kBox, kOfWarp = kBytes / 4;
  using Some = tile::Sums<Atom, 2, kAtoms>;

  char* memory;  ///< kBytes, the warpgroup's own
  int group, thread;

  /// Of the rows and columns of D that begin there.
  template <int kAll>
  TILE_DEVICE void write(const GemmTensorArguments& g, const tile::Sums<Atom, 2, kAll>& sums, int row,
                         int column, int batch) const {
    if (g.writes_tensor) {
      const float factor = factor_of(g);
      TILE_UNROLL for (int first = 0; first < kAll; first += kAtoms) {
        const auto some = part(sums, first);
        if (static_cast<tile::Type>(g.type_d) == tile::Type::BF16)
          write_box<tile::bf16>(g, some, factor, first / kAtoms % 2, {column + first * 8, row, batch, 0});
        else
          write_box<tile::f16>(g, some, factor, first / kAtoms % 2, {column + first * 8, row, batch, 0});
      }
    } else {
      wait_until_read<0>();
      const GemmEpilogue<T> epilogue(g, batch, row, column);
      const int warp_row = thread / 32 * 16;
      TILE_KEEP_LOOP
      for (int first = 0; first < kAll; first += kAtoms) {
        Some some;
        TILE_UNROLL for (int i = 0; i < kAll; i += kAtoms) {
          if (i == first) some = part(sums, i);
        }
        tile::for_each_eight<kOfWarp>(some, memory + thread / 32 * kOfWarp, thread % 32,
                                      [&](int at, int further, tile::Eight eight) {
                                        epilogue(warp_row + at, first * 8 + further, eight);
                                      });
      }
    }
  }
  /// All is written.
  TILE_DEVICE void finish() const {
    if (thread == 0) tile::ptx::wait_stores();
  }

 private:
  template <int kAll>
  TILE_DEVICE static Some part(const tile::Sums<Atom, 2, kAll>& sums, int first) {
    Some some;
    TILE_UNROLL for (int i = 0; i < 2; ++i) {
      TILE_UNROLL for (int j = 0; j < kAtoms; ++j) some.at[i][j] = sums.at[i][first + j];
    }
    return some;
  }
  TILE_DEVICE static float factor_of(const GemmArguments& g) {
    float factor = g.alpha;
    if (g.scale_a) factor *= tile::arch::load_global(g.scale_a, 0);
    if (g.scale_b) factor *= tile::arch::load_global(g.scale_b, 0);
    if (g.scale_d) factor *= tile::arch::load_global(g.scale_d, 0);
    return factor;
  }
  TILE_DEVICE void meet() const { tile::ptx::meet(1 + group, tile::kWarpgroupThreads); }
  /// At most so many boxes are still read by the copy engine.
  template <int kCount>
  TILE_DEVICE void wait_until_read() const {
    if (thread == 0) tile::ptx::wait_stores_read<kCount>();
    meet();
  }
  template <class Element>
  TILE_DEVICE void write_box(const GemmTensorArguments& g, const Some& some, float factor, int box,
                             tile::ptx::BoxAt at) const {
    using namespace tile;
    char* const to = memory + box * kBox;
    const int lane = thread % 32, row = thread / 32 * 16 + lane % 16;
    wait_until_read<1>();
    TILE_UNROLL for (int j = 0; j < kAtoms; j += 2) {
      Eight values;
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = some.at[i / 2 % 2][j + i / 4][i % 2];
      const Piece piece = arch::narrowed<Element>(values * factor);
      const u32 held[4] = {piece[0], piece[1], piece[2], piece[3]};
      ptx::store_matrices(to + Rows128::offset(row, j + lane / 16), held);
    }
    ptx::share_writes();
    meet();
    if (thread == 0) ptx::store_box(&g.tensor_d, at, to);
  }
};

}  // namespace wavesmith::kernels
