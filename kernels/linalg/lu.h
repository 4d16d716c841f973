// LU factorisation with partial pivoting, by columns.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// Each team finds the pivot on its own, then exchanges rows in its columns and subtracts. The pivot's column
/// is read by all; its exchange and its scale wait until the next step, so that a step has one barrier.
template <class S, class View>
TILE_DEVICE void lu_of(const LinalgArguments& g, const View& a, const LinalgPlace& place, const Team& team) {
  using T = Real<S>;
  const int m = g.rows, n = g.columns, steps = m < n ? m : n;
  int failure = 0, exchanged = 0;
  S scale = number<S>(T(1));
  const auto finish_column = [&](int k) {  // by the team of column k
    const S upper = a(k, k), pivot = a(exchanged, k);
    meet_in_wave();
    TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size)
        a.set(i, k, i == k ? pivot : (i == exchanged ? upper : a(i, k)) * scale);
    meet_in_wave();
  };
  TILE_KEEP_LOOP for (int k = 0; k < steps; ++k) {
    meet();
    if (k > 0 && (k - 1) % team.count == team.number) finish_column(k - 1);
    Largest<T> largest;
    largest.place = k;
    if (!(g.flags & WAVESMITH_LINALG_IN_ORDER))
      TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size)
          largest.take(rough_size(a(i, k)), i);
    largest.combine(team);
    const int p = largest.place;
    const S pivot = a(p, k), upper = a(k, k);
    const bool is_zero = rough_size(pivot) == 0;
    if (is_zero && failure == 0) failure = k + 1;
    exchanged = p;
    scale = is_zero ? number<S>(T(1)) : reciprocal(pivot);
    if (tile::arch::thread_id() == 0) tile::arch::store_at(place.pivot(g, k), p + 1 + g.offset);
    TILE_KEEP_LOOP for (int j = team.number; j < n; j += team.count) {
      if (j == k) continue;
      const S u = a(p, j), other = a(k, j);
      meet_in_wave();
      if (j < k) {
        if (team.lane == 0) a.set(k, j, u), a.set(p, j, other);
        continue;
      }
      TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size) {
        const S factor = (i == p ? upper : a(i, k)) * scale;
        const S x = i == p ? other : a(i, j);
        a.set(i, j, i == k ? u : x - factor * u);
      }
    }
  }
  meet();
  if (steps > 0 && (steps - 1) % team.count == team.number) finish_column(steps - 1);
  place.note(g, failure);
}

template <class S>
TILE_DEVICE void lu(const LinalgArguments& g, TILE_IN_SHARED S* memory) {
  on_matrix<S>(g, memory, [&](const auto& a, const LinalgPlace& place, const Team& team) {
    lu_of<S>(g, a, place, team);
  });
}

/// Exchanges rows of one column per thread.
template <class S>
TILE_DEVICE void exchange_rows(const LinalgArguments& g) {
  const LinalgPlace place(g);
  const auto b = place.view<S>(g.b);
  const int j = place.group * g.threads + tile::arch::thread_id();
  const bool reversed = g.flags & WAVESMITH_LINALG_REVERSED;
  if (j >= g.columns) return;
  TILE_KEEP_LOOP for (int step = 0; step < g.inner; ++step) {
    const int i = reversed ? g.inner - 1 - step : step;
    const int p = tile::arch::load_at<int>(place.pivot(g, i)) - 1 - g.offset;
    if (p == i) continue;
    const S upper = b(i, j), lower = b(p, j);
    b.set(i, j, lower), b.set(p, j, upper);
  }
}

}  // namespace wavesmith::kernels
