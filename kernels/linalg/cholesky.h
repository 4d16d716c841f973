// Cholesky's factorisation of a matrix of up to 64 rows, by columns, in shared memory.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// A column is scaled while the next one is read, so that a step has one barrier.
template <class S>
TILE_DEVICE void cholesky(const LinalgArguments& g, TILE_IN_SHARED S* memory) {
  using T = Real<S>;
  const LinalgPlace place(g);
  const Team team(g);
  const auto global = place.view<S>(g.a);
  const int n = g.rows, thread = tile::arch::thread_id();
  if (g.offset != 0 && tile::arch::load_at<int>(place.info(g)) != 0) return;
  const SharedView<S> a(memory, n);
  each_element(team, n, n, [&](int i, int j) {
    if (i >= j) a.set(i, j, global(i, j));
  });
  int failure = 0;
  T root_before = T(0);
  const auto scale_column = [&](int k) {
    const T by = 1 / root_before;
    TILE_KEEP_LOOP for (int i = k + thread; i < n; i += g.threads)
        a.set(i, k, i == k ? number<S>(root_before) : scaled(a(i, k), by));
  };
  TILE_KEEP_LOOP for (int k = 0; k < n; ++k) {
    meet();
    const T pivot = real_of(a(k, k));
    if (k > 0) scale_column(k - 1);
    if (!(pivot > 0)) {
      failure = k + 1;
      break;
    }
    root_before = root(pivot);
    const T by = 1 / pivot;
    TILE_KEEP_LOOP for (int j = k + 1 + team.number; j < n; j += team.count) {
      const S w = scaled(conjugate(a(j, k)), by);
      TILE_KEEP_LOOP for (int i = j + team.lane; i < n; i += team.size) a.set(i, j, a(i, j) - a(i, k) * w);
    }
  }
  meet();
  if (failure == 0 && n > 0) {
    scale_column(n - 1);
    meet();
  }
  place.note(g, failure);
  each_element(team, n, n, [&](int i, int j) {
    if (i >= j) global.set(i, j, a(i, j));
  });
}

}  // namespace wavesmith::kernels
