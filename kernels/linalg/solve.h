// Solutions with a lower triangle of up to 64 rows: the triangle in shared memory, a column in a team's
// registers.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

template <class S>
TILE_DEVICE void solve_lower(const LinalgArguments& g, TILE_IN_SHARED S* memory) {
  using T = Real<S>;
  constexpr int kRows = 2;  // of a lane
  const LinalgPlace place(g);
  const Team team(g);
  const int n = g.rows;
  const bool unit = g.flags & WAVESMITH_LINALG_UNIT, conjugated = g.flags & WAVESMITH_LINALG_CONJUGATE;
  const auto global = place.view<S>(g.a), b = place.view<S>(g.b);
  const SharedView<S> a(memory, n);
  each_element(team, n, n, [&](int i, int j) {
    if (i < j) return;
    S x = i == j && unit ? number<S>(T(1)) : global(i, j);
    x = conjugated ? conjugate(x) : x;
    a.set(i, j, i == j ? reciprocal(x) : x);
  });
  meet();
  const int columns = g.groups * team.count;
  TILE_KEEP_LOOP for (int j = place.group * team.count + team.number; j < g.columns; j += columns) {
    S x[kRows];
    TILE_UNROLL for (int r = 0; r < kRows; ++r) {
      const int i = team.lane + r * team.size;
      x[r] = i < n ? b(i, j) : number<S>(T(0));
    }
    TILE_UNROLL for (int part = 0; part < kRows; ++part) {
      const int first = part * team.size, end = first + team.size < n ? first + team.size : n;
      TILE_KEEP_LOOP for (int k = first; k < end; ++k) {
        const S solved = from_lane_of(x[part], team.lane_in_wave + k - first) * a(k, k);
        TILE_UNROLL for (int r = part; r < kRows; ++r) {
          const int i = team.lane + r * team.size;
          x[r] = i == k ? solved : i > k && i < n ? x[r] - a(i, k) * solved : x[r];
        }
      }
    }
    TILE_UNROLL for (int r = 0; r < kRows; ++r) {
      const int i = team.lane + r * team.size;
      if (i < n) b.set(i, j, x[r]);
    }
  }
}

}  // namespace wavesmith::kernels
