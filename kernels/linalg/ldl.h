// Bunch and Kaufman's factorisation of symmetric matrices, by columns, and solutions by it. Steps and pivots
// are those of LAPACK's sytf2.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// What a step chose: the columns of its block, and the row that is exchanged with the block's last one.
struct LdlStep {
  int columns, row;
  bool is_zero;
};

/// The same in all threads.
template <class S, class View>
TILE_DEVICE LdlStep choose_block(const View& a, int k, int n, const Team& team) {
  using T = Real<S>;
  const T alpha = T(0.6403882032022076);  // (1 + sqrt(17)) / 8
  const T own = rough_size(a(k, k));
  Largest<T> below, across;
  TILE_KEEP_LOOP for (int i = k + 1 + team.lane; i < n; i += team.size) below.take(rough_size(a(i, k)), i);
  below.combine(team);
  const T column = below.size < 0 ? T(0) : below.size;
  const T larger = own > column ? own : column;
  if (larger == 0 || own != own) return {1, k, true};
  if (own >= alpha * column) return {1, k, false};
  const int p = below.place;
  TILE_KEEP_LOOP for (int i = k + team.lane; i < n; i += team.size) {
    if (i != p) across.take(rough_size(i < p ? a(p, i) : a(i, p)), i);
  }
  across.combine(team);
  const T row = across.size;
  if (own >= alpha * column * (column / row)) return {1, k, false};
  if (rough_size(a(p, p)) >= alpha * row) return {1, p, false};
  return {2, p, false};
}

/// Exchanges rows and columns k and p of a symmetric matrix whose lower triangle is there, k being at `first`
/// or the one behind it.
template <class S, class View>
TILE_DEVICE void exchange_both(const LinalgArguments& g, const View& a, int first, int k, int p) {
  const auto exchange = [&](int i, int j, int other_i, int other_j) {
    const S x = a(i, j), z = a(other_i, other_j);
    a.set(i, j, z), a.set(other_i, other_j, x);
  };
  TILE_KEEP_LOOP for (int i = k + tile::arch::thread_id(); i < g.rows; i += g.threads) {
    if (i == k)
      exchange(k, k, p, p);
    else if (i < p)
      exchange(i, k, p, i);
    else if (i > p)
      exchange(i, k, i, p);
    else if (k != first)
      exchange(k, first, p, first);
  }
}

/// What a step's columns are multiplied with to become those of l, and how the rest of the matrix changes.
template <class S>
struct LdlBlock {
  S scale = number<S>(1), upper = number<S>(1), lower = number<S>(1);
  bool two = false;

  template <class View>
  TILE_DEVICE LdlBlock(const View& a, int k, bool of_two) : two(of_two) {
    if (!two) {
      scale = reciprocal(a(k, k));
      return;
    }
    const S between = a(k + 1, k), inverse = reciprocal(between);
    lower = a(k + 1, k + 1) * inverse, upper = a(k, k) * inverse;
    scale = reciprocal(lower * upper - number<S>(1)) * inverse;
  }
  template <class View>
  TILE_DEVICE void row(const View& a, int k, int j, S& first, S& second) const {
    if (two) {
      const S x = a(j, k), z = a(j, k + 1);
      first = scale * (lower * x - z), second = scale * (upper * z - x);
    } else {
      first = scale * a(j, k), second = number<S>(0);
    }
  }
};

template <class S, class View>
TILE_DEVICE void ldl_of(const LinalgArguments& g, const View& a, const LinalgPlace& place, const Team& team) {
  const int n = g.rows, thread = tile::arch::thread_id();
  int failure = 0;
  TILE_KEEP_LOOP for (int k = 0; k < n;) {
    meet();
    const LdlStep step = choose_block<S>(a, k, n, team);
    const bool two = step.columns == 2;
    if (thread < step.columns)
      tile::arch::store_at(place.pivot(g, k + thread), two ? -(step.row + 1) : step.row + 1);
    meet();
    const int last = k + step.columns - 1;
    if (step.row != last) exchange_both<S>(g, a, k, last, step.row);
    if (step.is_zero) {
      if (failure == 0) failure = k + 1;
    } else {
      meet();
      const LdlBlock<S> block(a, k, two);
      TILE_KEEP_LOOP for (int j = last + 1 + team.number; j < n; j += team.count) {
        S first, second;
        block.row(a, k, j, first, second);
        TILE_KEEP_LOOP for (int i = j + team.lane; i < n; i += team.size) {
          S x = a(i, j) - a(i, k) * first;
          if (two) x = x - a(i, k + 1) * second;
          a.set(i, j, x);
        }
      }
      meet();
      TILE_KEEP_LOOP for (int j = last + 1 + thread; j < n; j += g.threads) {
        S first, second;
        block.row(a, k, j, first, second);
        a.set(j, k, first);
        if (two) a.set(j, k + 1, second);
      }
    }
    k += step.columns;
  }
  place.note(g, failure);
}

template <class S>
TILE_DEVICE void ldl(const LinalgArguments& g, TILE_IN_SHARED S* memory) {
  on_matrix<S>(g, memory, [&](const auto& a, const LinalgPlace& place, const Team& team) {
    ldl_of<S>(g, a, place, team);
  });
}

/// A team has a column of b.
template <class S>
struct LdlSolution {
  GlobalView<S> a, b;
  int n, j;
  const Team& team;

  TILE_DEVICE void exchange(int i, int p) const {
    const S x = b(i, j), z = b(p, j);
    meet_in_wave();
    if (i != p && team.lane == 0) b.set(i, j, z), b.set(p, j, x);
    meet_in_wave();
  }
  /// Takes column k's share, times x, from the rows behind `last`.
  TILE_DEVICE void subtract(int k, int last, S x) const {
    TILE_KEEP_LOOP for (int i = last + 1 + team.lane; i < n; i += team.size)
        b.set(i, j, b(i, j) - a(i, k) * x);
    meet_in_wave();
  }
  TILE_DEVICE S product(int k, int last) const {
    S sum = number<S>(0);
    TILE_KEEP_LOOP for (int i = last + 1 + team.lane; i < n; i += team.size) sum = sum + a(i, k) * b(i, j);
    return team.sum(sum);
  }
  TILE_DEVICE void put(int i, S x) const {
    meet_in_wave();
    if (team.lane == 0) b.set(i, j, x);
    meet_in_wave();
  }
  TILE_DEVICE void divide_by_two(int k) const {
    const S inverse = reciprocal(a(k + 1, k));
    const S upper = a(k, k) * inverse, lower = a(k + 1, k + 1) * inverse;
    const S scale = reciprocal(upper * lower - number<S>(1));
    const S x = b(k, j) * inverse, z = b(k + 1, j) * inverse;
    put(k, (lower * x - z) * scale), put(k + 1, (upper * z - x) * scale);
  }
};

template <class S>
TILE_DEVICE void solve_ldl(const LinalgArguments& g) {
  const LinalgPlace place(g);
  const Team team(g);
  const LdlSolution<S> one{place.view<S>(g.a), place.view<S>(g.b), g.rows,
                           place.group * team.count + team.number, team};
  if (one.j >= g.columns) return;
  const auto pivot = [&](int k) { return tile::arch::load_at<int>(place.pivot(g, k)); };
  TILE_KEEP_LOOP for (int k = 0; k < one.n;) {
    const int p = pivot(k);
    if (p > 0) {
      one.exchange(k, p - 1);
      const S x = one.b(k, one.j);
      one.subtract(k, k, x);
      one.put(k, x * reciprocal(one.a(k, k)));
      k += 1;
    } else {
      one.exchange(k + 1, -p - 1);
      const S x = one.b(k, one.j), z = one.b(k + 1, one.j);
      one.subtract(k, k + 1, x), one.subtract(k + 1, k + 1, z);
      one.divide_by_two(k);
      k += 2;
    }
  }
  TILE_KEEP_LOOP for (int k = one.n - 1; k >= 0;) {
    const int p = pivot(k);
    one.put(k, one.b(k, one.j) - one.product(k, k));
    if (p < 0) one.put(k - 1, one.b(k - 1, one.j) - one.product(k - 1, k));
    one.exchange(k, (p > 0 ? p : -p) - 1);
    k -= p > 0 ? 1 : 2;
  }
}

}  // namespace wavesmith::kernels
