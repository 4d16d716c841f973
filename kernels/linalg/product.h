// c - a b or c + a b, a tile of 64 by 64 per workgroup, sixteen numbers per thread.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

template <class S>
struct ProductShared {
  S a[kProductDepth][kProductTile + 1], b[kProductDepth][kProductTile + 1];
};

template <class S>
TILE_DEVICE void subtract_product(const LinalgArguments& g, TILE_IN_SHARED ProductShared<S>& shared) {
  using T = Real<S>;
  constexpr int kOwn = 4, kAcross = kProductTile / kOwn;
  const LinalgPlace place(g);
  const int down = (g.rows + kProductTile - 1) / kProductTile;
  const int tile_column = place.group / down, tile_row = place.group - tile_column * down;
  const bool lower = g.flags & WAVESMITH_LINALG_LOWER;
  if (lower && tile_row < tile_column) return;
  const bool conjugated = g.flags & WAVESMITH_LINALG_CONJUGATE;
  const bool adds = g.flags & WAVESMITH_LINALG_ADD;
  const auto a = place.view<S>(g.a), b = place.view<S>(g.b), c = place.view<S>(g.c);
  const int thread = tile::arch::thread_id(), top = tile_row * kProductTile,
            left = tile_column * kProductTile;
  const int own_row = thread % kAcross, own_column = thread / kAcross;
  S sums[kOwn][kOwn];
  TILE_UNROLL for (int i = 0; i < kOwn; ++i) TILE_UNROLL for (int j = 0; j < kOwn; ++j) sums[i][j] =
      number<S>(T(0));
  TILE_KEEP_LOOP for (int first = 0; first < g.inner; first += kProductDepth) {
    meet();
    TILE_KEEP_LOOP for (int at = thread; at < kProductTile * kProductDepth; at += kLinalgThreads) {
      const int across = at % kProductTile, k = at / kProductTile;
      const bool inside = first + k < g.inner;
      shared.a[k][across] = inside && top + across < g.rows ? a(top + across, first + k) : number<S>(T(0));
      const S z = inside && left + across < g.columns ? b(first + k, left + across) : number<S>(T(0));
      shared.b[k][across] = conjugated ? conjugate(z) : z;
    }
    meet();
    TILE_KEEP_LOOP for (int k = 0; k < kProductDepth; ++k) {
      S x[kOwn], z[kOwn];
      TILE_UNROLL for (int i = 0; i < kOwn; ++i) x[i] = shared.a[k][own_row + i * kAcross],
                                                 z[i] = shared.b[k][own_column + i * kAcross];
      TILE_UNROLL for (int i = 0; i < kOwn; ++i) TILE_UNROLL for (int j = 0; j < kOwn; ++j) sums[i][j] =
          sums[i][j] + x[i] * z[j];
    }
  }
  TILE_UNROLL for (int i = 0; i < kOwn; ++i) TILE_UNROLL for (int j = 0; j < kOwn; ++j) {
    const int row = top + own_row + i * kAcross, column = left + own_column + j * kAcross;
    if (row < g.rows && column < g.columns && (!lower || row >= column))
      c.set(row, column, adds ? c(row, column) + sums[i][j] : c(row, column) - sums[i][j]);
  }
}

}  // namespace wavesmith::kernels
