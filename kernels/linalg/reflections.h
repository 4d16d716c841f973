// Householder's reflections: QR factorisation by them, and their application.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// Of a column the root of the sum of squares from a row on, for all lanes. Sums are doubles; where they are
/// too large or too small for these, numbers are scaled first.
template <class S, class View>
TILE_DEVICE double norm_below(const View& a, int column, int first, int rows, const Team& team) {
  const auto sum = [&](double by) {
    double squares = 0;
    TILE_KEEP_LOOP for (int i = team.own_row(first); i < rows; i += team.size) {
      const S x = a(i, column);
      const double re = static_cast<double>(real_of(x)) * by, im = static_cast<double>(imaginary_of(x)) * by;
      squares += re * re;
      if constexpr (kIsComplex<S>) squares += im * im;
    }
    return team.sum(squares);
  };
  const double squares = sum(1);
  if constexpr (sizeof(Real<S>) == 8) {
    if (squares != 0 && (squares < 0x1p-900 || squares > 0x1p1000)) {
      const double by = squares < 1 ? 0x1p537 : 0x1p-537;
      return root(sum(by)) / by;
    }
  }
  return root(squares);
}

/// What makes a column's numbers below the diagonal 0, as LAPACK's larfg.
template <class S>
struct Reflection {
  S tau, scale;  ///< v is the column times `scale`, 1 on the diagonal
  Real<S> beta;  ///< what the diagonal becomes

  TILE_DEVICE Reflection(S alpha, double below) {
    using T = Real<S>;
    const double re = static_cast<double>(real_of(alpha)), im = static_cast<double>(imaginary_of(alpha));
    tau = number<S>(T(0)), scale = number<S>(T(0)), beta = real_of(alpha);
    if (below == 0 && im == 0) return;
    double largest = below > __builtin_fabs(re) ? below : __builtin_fabs(re);
    largest = largest > __builtin_fabs(im) ? largest : __builtin_fabs(im);
    const double x = re / largest, y = im / largest, z = below / largest;
    const double norm = largest * root(x * x + y * y + z * z), to = -__builtin_copysign(norm, re);
    beta = static_cast<T>(to);
    tau = number<S>(static_cast<T>((to - re) / to), static_cast<T>(-im / to));
    scale = reciprocal(number<S>(static_cast<T>(re - to), static_cast<T>(im)));
  }
};

/// Each team makes the reflection on its own and applies it to its columns; a column becomes its vector while
/// the next one is read.
template <class S, class View>
TILE_DEVICE void qr_of(const LinalgArguments& g, const View& a, const LinalgPlace& place, const Team& team) {
  using T = Real<S>;
  const int m = g.rows, n = g.columns, steps = m < n ? m : n;
  S scale = number<S>(T(0));
  T beta = T(0);
  const auto finish_column = [&](int k) {
    TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size)
        a.set(i, k, i == k ? number<S>(beta) : a(i, k) * scale);
  };
  TILE_KEEP_LOOP for (int k = 0; k < steps; ++k) {
    meet();
    if (k > 0 && (k - 1) % team.count == team.number) finish_column(k - 1);
    const Reflection<S> made(a(k, k), norm_below<S>(a, k, k + 1, m, team));
    scale = made.scale, beta = made.beta;
    if (tile::arch::thread_id() == 0) tile::arch::store_at(place.element<S>(g, k), made.tau);
    TILE_KEEP_LOOP for (int j = k + 1 + (team.number + team.count - (k + 1) % team.count) % team.count; j < n;
                        j += team.count) {
      const auto element = [&](int i) { return i == k ? number<S>(T(1)) : a(i, k) * scale; };
      S sum = number<S>(T(0));
      TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size) sum =
          sum + conjugate(element(i)) * a(i, j);
      sum = conjugate(made.tau) * team.sum(sum);
      TILE_KEEP_LOOP for (int i = team.own_row(k); i < m; i += team.size)
          a.set(i, j, a(i, j) - element(i) * sum);
    }
  }
  meet();
  if (steps > 0 && (steps - 1) % team.count == team.number) finish_column(steps - 1);
}

template <class S>
TILE_DEVICE void qr(const LinalgArguments& g, TILE_IN_SHARED S* memory) {
  on_matrix<S>(g, memory, [&](const auto& a, const LinalgPlace& place, const Team& team) {
    qr_of<S>(g, a, place, team);
  });
}

/// A team has a column, and each of its lanes its rows throughout: nobody waits.
template <class S>
TILE_DEVICE void reflect(const LinalgArguments& g) {
  using T = Real<S>;
  const LinalgPlace place(g);
  const Team team(g);
  const auto a = place.view<S>(g.a), b = place.view<S>(g.b);
  const bool reversed = g.flags & WAVESMITH_LINALG_REVERSED;
  const bool conjugated = g.flags & WAVESMITH_LINALG_CONJUGATE;
  const bool factors_are = g.flags & WAVESMITH_LINALG_CONJUGATE_FACTORS;
  const int j = place.group * team.count + team.number;
  if (j >= g.columns) return;
  TILE_KEEP_LOOP for (int step = 0; step < g.inner; ++step) {
    const int k = reversed ? g.inner - 1 - step : step;
    S tau = tile::arch::load_at<S>(place.element<S>(g, k));
    tau = factors_are ? conjugate(tau) : tau;
    const auto element = [&](int i) {
      const S x = i == k ? number<S>(T(1)) : a(i, k);
      return conjugated ? conjugate(x) : x;
    };
    S sum = number<S>(T(0));
    TILE_KEEP_LOOP for (int i = team.own_row(k); i < g.rows; i += team.size) sum =
        sum + conjugate(element(i)) * b(i, j);
    sum = tau * team.sum(sum);
    TILE_KEEP_LOOP for (int i = team.own_row(k); i < g.rows; i += team.size)
        b.set(i, j, b(i, j) - element(i) * sum);
  }
}

}  // namespace wavesmith::kernels
