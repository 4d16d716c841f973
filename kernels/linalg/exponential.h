// The exponential of a matrix by one workgroup: a Taylor polynomial, scaling and squaring.
//
// P. Bader, S. Blanes, F. Casas, "Computing the matrix exponential with an optimized Taylor polynomial
// approximation", Mathematics 7 (2019); the polynomials are computed as M. S. Paterson and L. J. Stockmeyer
// do, by blocks of four terms.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// The norm up to which the backward error of a polynomial of a degree is below half a unit in the last
/// place. Derived: where the sum of |c_k| x^(k-1) is 2^-24 or 2^-53, with log(e^-x T(x)) = sum of c_k x^k.
template <class T>
TILE_DEVICE T most_norm(int degree) {
  if constexpr (__is_same(T, float))
    return degree == 8 ? T(0.5800524627688768) : degree == 12 ? T(1.4616615072090335) : T(2.4782808775219713);
  else
    return degree == 8 ? 0.049912288711153226 : degree == 12 ? 0.299615891381158 : 0.7802874256626574;
}

/// 1 / k!, of k up to 16, whose factorials are exact.
TILE_DEVICE double inverse_factorial(int k) {
  double factorial = 1;
  TILE_KEEP_LOOP for (int i = 2; i <= k; ++i) factorial *= i;
  return 1 / factorial;
}

/// The column's sum of sizes that is the largest; NaN or infinity where a number is. `sums` is memory for one
/// number of each column.
template <class S, class View>
TILE_DEVICE Real<S> norm_of_columns(const LinalgArguments& g, const Team& team, const View& a,
                                    const GlobalView<S>& sums) {
  using T = Real<S>;
  TILE_KEEP_LOOP for (int j = team.number; j < g.rows; j += team.count) {
    T sum = T(0);
    TILE_KEEP_LOOP for (int i = team.lane; i < g.rows; i += team.size) {
      const S x = a(i, j);
      if constexpr (kIsComplex<S>)
        sum +=
            static_cast<T>(__builtin_elementwise_sqrt(static_cast<double>(x.re) * static_cast<double>(x.re) +
                                                      static_cast<double>(x.im) * static_cast<double>(x.im)));
      else
        sum += __builtin_elementwise_abs(x);
    }
    sum = team.sum(sum);
    if (team.lane == 0) sums.set(j, 0, number<S>(sum));
  }
  meet();
  T largest = T(0);
  TILE_KEEP_LOOP for (int j = 0; j < g.rows; ++j) {
    const T sum = real_of(sums(j, 0));
    largest = sum > largest || sum != sum ? sum : largest;
    if (largest != largest) break;
  }
  meet();
  return largest;
}

template <class S>
TILE_DEVICE S sum_of_products(int n, int i, int j, const GlobalView<S>& a, const GlobalView<S>& b) {
  S sum = number<S>(Real<S>(0));
  TILE_KEEP_LOOP for (int k = 0; k < n; ++k) sum = sum + a(i, k) * b(k, j);
  return sum;
}

/// b becomes e^a. In the workspace there are six matrices: a scaled, its powers to the fourth, and the sum so
/// far and the next one.
template <class S>
TILE_DEVICE void exponential(const LinalgArguments& g) {
  using T = Real<S>;
  const LinalgPlace place(g);
  const Team team(g);
  const auto a = place.view<S>(g.a), b = place.view<S>(g.b);
  const int n = g.rows;
  const tile::u64 memory = reinterpret_cast<tile::u64>(g.workspace) +
                           static_cast<tile::u64>(place.matrix) * static_cast<tile::u64>(g.workspace_batch);
  const auto kept = [&](int which) {
    return GlobalView<S>{memory + static_cast<tile::u64>(which * n * n) * sizeof(S), 1, n};
  };
  const auto each = [&](const GlobalView<S>& to, auto function) {
    each_element(team, n, n, [&](int i, int j) { to.set(i, j, function(i, j)); });
    meet();
  };
  const T norm = norm_of_columns<S>(g, team, a, kept(4));
  if (!(norm < static_cast<T>(__builtin_inf()))) {
    const T nan = static_cast<T>(__builtin_nan(""));
    return each(b, [&](int, int) { return number<S>(nan); });
  }
  const int degree = norm <= most_norm<T>(8) ? 8 : norm <= most_norm<T>(12) ? 12 : 16;
  int squares = 0;
  T scale = T(1);
  TILE_KEEP_LOOP while (norm * scale > most_norm<T>(16)) scale *= T(0.5), ++squares;
  const auto first = kept(0), second = kept(1), third = kept(2), fourth = kept(3);
  each(first, [&](int i, int j) { return scaled(a(i, j), scale); });
  each(second, [&](int i, int j) { return sum_of_products(n, i, j, first, first); });
  each_element(team, n, n, [&](int i, int j) { third.set(i, j, sum_of_products(n, i, j, second, first)); });
  each(fourth, [&](int i, int j) { return sum_of_products(n, i, j, second, second); });
  int now = 4;
  TILE_KEEP_LOOP for (int block = degree - 4; block >= 0; block -= 4) {
    const auto sum = kept(now), next = kept(now ^ 1);
    T factors[4];
    TILE_UNROLL for (int k = 0; k < 4; ++k) factors[k] = static_cast<T>(inverse_factorial(block + k));
    const T last = static_cast<T>(inverse_factorial(degree));
    each(next, [&](int i, int j) {
      S total = block == degree - 4 ? scaled(fourth(i, j), last) : sum_of_products(n, i, j, fourth, sum);
      total = total + scaled(first(i, j), factors[1]) + scaled(second(i, j), factors[2]) +
              scaled(third(i, j), factors[3]);
      return i == j ? total + number<S>(factors[0]) : total;
    });
    now ^= 1;
  }
  TILE_KEEP_LOOP for (; squares > 0; --squares) {
    const auto root = kept(now);
    each(kept(now ^ 1), [&](int i, int j) { return sum_of_products(n, i, j, root, root); });
    now ^= 1;
  }
  const auto result = kept(now);
  each_element(team, n, n, [&](int i, int j) { b.set(i, j, result(i, j)); });
}

}  // namespace wavesmith::kernels
