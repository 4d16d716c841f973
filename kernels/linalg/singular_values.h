// Singular values by Jacobi's rotations of a matrix's columns, all pairs of a round at once, until the
// columns are orthogonal.
#pragma once

#include "kernels/linalg/jacobi.h"

namespace wavesmith::kernels {

template <class T>
struct SingularValuesShared {
  T matrices[kLinalgShared / sizeof(T)];
  double norms[kMostSpectrum];
  JacobiShared jacobi;
};

/// A column of a scaled matrix no longer than this counts as 0: squares would underflow.
template <class T>
inline constexpr double kNoColumn = __is_same(T, float) ? 0x1p-100 : 0x1p-400;

/// Rotates the columns of a pair unless they are orthogonal already; whether it did.
template <class T, class View>
TILE_DEVICE bool rotate_columns(const View& a, int rows, int p, int q, const View& vectors, int columns,
                                bool wants_vectors, double orthogonal, const Team& team) {
  double pp = 0, qq = 0, pq = 0;
  TILE_KEEP_LOOP for (int i = team.lane; i < rows; i += team.size) {
    const auto x = static_cast<double>(a(i, p)), z = static_cast<double>(a(i, q));
    pp += x * x, qq += z * z, pq += x * z;
  }
  pp = team.sum(pp), qq = team.sum(qq), pq = team.sum(pq);
  const double x = root(pp), z = root(qq);
  if (x <= kNoColumn<T> || z <= kNoColumn<T> || __builtin_fabs(pq) <= orthogonal * x * z) return false;
  const Rotation<double> rotation(pp, pq, qq);
  const T c = static_cast<T>(rotation.cosine), s = static_cast<T>(rotation.cosine * rotation.tangent);
  const auto turn = [&](const View& of, int count) {
    TILE_KEEP_LOOP for (int i = team.lane; i < count; i += team.size) {
      const T left = of(i, p), right = of(i, q);
      of.set(i, p, c * left - s * right), of.set(i, q, s * left + c * right);
    }
  };
  turn(a, rows);
  if (wants_vectors) turn(vectors, columns);
  return true;
}

template <class T, class View>
TILE_DEVICE bool orthogonalise(const LinalgArguments& g, const View& a, const View& vectors, const Team& team,
                               TILE_IN_SHARED JacobiShared& shared) {
  const int n = g.columns;
  const double orthogonal = 2 * static_cast<double>(kEpsilon<T>) * root(static_cast<double>(g.rows));
  TILE_KEEP_LOOP for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    TILE_KEEP_LOOP for (int number = 0; number < Round::rounds(n); ++number) {
      const Round round(n, number);
      meet();
      if (number == 0 && tile::arch::thread_id() == 0) shared.rotated[~sweep & 1] = 0;
      TILE_KEEP_LOOP for (int at = team.number; at < round.pairs(); at += team.count) {
        int p = 0, q = 0;
        round.pair(at, p, q);
        if (q < n && rotate_columns<T>(a, g.rows, p, q, vectors, n, g.c.data != nullptr, orthogonal, team))
          shared.rotated[sweep & 1] = 1;
      }
    }
    meet();
    if (shared.rotated[sweep & 1] == 0) return true;
  }
  return false;
}

/// Values in descending order, left vectors as columns of length 1 and right ones. How many are not 0.
template <class T, class View>
TILE_DEVICE int write_singular(const LinalgArguments& g, const View& a, const View& vectors, double scale,
                               const LinalgPlace& place, const Team& team,
                               TILE_IN_SHARED SingularValuesShared<T>& shared) {
  const int m = g.rows, n = g.columns;
  TILE_KEEP_LOOP for (int j = team.number; j < n; j += team.count) {
    double squares = 0;
    TILE_KEEP_LOOP for (int i = team.lane; i < m; i += team.size) {
      const auto x = static_cast<double>(a(i, j));
      squares += x * x;
    }
    squares = team.sum(squares);
    if (team.lane == 0) shared.norms[j] = root(squares);
  }
  meet();
  const auto b = place.view<T>(g.b), c = place.view<T>(g.c);
  TILE_KEEP_LOOP for (int j = team.number; j < n; j += team.count) {
    const double norm = shared.norms[j];
    int rank = 0;
    TILE_KEEP_LOOP for (int i = team.lane; i < n; i += team.size) {
      const double other = shared.norms[i];
      rank += other > norm || (other == norm && i < j) ? 1 : 0;
    }
    rank = team.sum(rank);
    if (team.lane == 0) tile::arch::store_at(place.element<T>(g, rank), static_cast<T>(norm / scale));
    if (!g.b.data) continue;
    const double by = norm > kNoColumn<T> ? 1 / norm : 0;
    TILE_KEEP_LOOP for (int i = team.lane; i < m; i += team.size)
        b.set(i, rank, static_cast<T>(static_cast<double>(a(i, j)) * by));
    TILE_KEEP_LOOP for (int i = team.lane; i < n; i += team.size) c.set(i, rank, vectors(i, j));
  }
  int known = 0;
  TILE_KEEP_LOOP for (int j = team.lane; j < n; j += team.size) known +=
      shared.norms[j] > kNoColumn<T> ? 1 : 0;
  return team.sum(known);
}

/// The row of a matrix with orthonormal columns whose numbers are the smallest: its unit vector is farthest
/// from the columns' space. The same for all threads.
template <class T>
TILE_DEVICE int emptiest_row(const LinalgArguments& g, const GlobalView<T>& b, int columns,
                             TILE_IN_SHARED JacobiShared& shared) {
  const int thread = tile::arch::thread_id();
  Largest<double> emptiest;
  TILE_KEEP_LOOP for (int i = thread; i < g.rows; i += g.threads) {
    double left = 4;
    TILE_KEEP_LOOP for (int j = 0; j < columns; ++j) {
      const auto x = static_cast<double>(b(i, j));
      left -= x * x;
    }
    emptiest.take(left, i);
  }
  shared.parts[thread] = emptiest.size, shared.places[thread] = emptiest.place;
  meet();
  TILE_KEEP_LOOP for (int other = 0; other < g.threads; ++other)
      emptiest.take(shared.parts[other], shared.places[other]);
  return emptiest.place;
}

/// Makes column `k` of b, of which the columns before are orthonormal, one of them: a unit vector, less what
/// it has of the others, twice.
template <class T>
TILE_DEVICE void complete_column(const LinalgArguments& g, const GlobalView<T>& b, int k, const Team& team,
                                 TILE_IN_SHARED SingularValuesShared<T>& shared) {
  const int thread = tile::arch::thread_id(), unit = emptiest_row(g, b, k, shared.jacobi);
  TILE_KEEP_LOOP for (int i = thread; i < g.rows; i += g.threads) b.set(i, k, i == unit ? T(1) : T(0));
  double norm = 1;
  TILE_KEEP_LOOP for (int pass = 0; pass < 2; ++pass) {
    meet();
    TILE_KEEP_LOOP for (int j = team.number; j < k; j += team.count) {
      double sum = 0;
      TILE_KEEP_LOOP for (int i = team.lane; i < g.rows; i += team.size) sum +=
          static_cast<double>(b(i, j)) * static_cast<double>(b(i, k));
      sum = team.sum(sum);
      if (team.lane == 0) shared.norms[j] = sum;
    }
    meet();
    double squares = 0;
    TILE_KEEP_LOOP for (int i = thread; i < g.rows; i += g.threads) {
      double x = static_cast<double>(b(i, k));
      TILE_KEEP_LOOP for (int j = 0; j < k; ++j) x -= static_cast<double>(b(i, j)) * shared.norms[j];
      squares += x * x;
      b.set(i, k, static_cast<T>(x));
    }
    norm = root(of_all_threads(g, squares, shared.jacobi, [](double x, double z) { return x + z; }));
  }
  TILE_KEEP_LOOP for (int i = thread; i < g.rows; i += g.threads)
      b.set(i, k, static_cast<T>(static_cast<double>(b(i, k)) / norm));
  meet();
}

template <class T, class View>
TILE_DEVICE void singular_values_of(const LinalgArguments& g, const View& a, const View& vectors,
                                    const LinalgPlace& place, const Team& team,
                                    TILE_IN_SHARED SingularValuesShared<T>& shared) {
  const int n = g.columns;
  const auto given = place.view<T>(g.a);
  if (tile::arch::thread_id() == 0) shared.jacobi.rotated[0] = shared.jacobi.rotated[1] = 0;
  const double scale = scale_of(g, team, g.rows, n, given, shared.jacobi);
  each_element(team, g.rows, n,
               [&](int i, int j) { a.set(i, j, static_cast<T>(static_cast<double>(given(i, j)) * scale)); });
  if (g.c.data) each_element(team, n, n, [&](int i, int j) { vectors.set(i, j, i == j ? T(1) : T(0)); });
  const bool done = scale != 0 && orthogonalise<T>(g, a, vectors, team, shared.jacobi);
  place.note(g, scale == 0 ? -4 : done ? 0 : n);
  meet();
  const int known = write_singular<T>(g, a, vectors, scale, place, team, shared);
  if (!g.b.data || !done) return;
  meet();
  TILE_KEEP_LOOP for (int k = known; k < n; ++k) complete_column<T>(g, place.view<T>(g.b), k, team, shared);
}

template <class T>
TILE_DEVICE void singular_values(const LinalgArguments& g, TILE_IN_SHARED SingularValuesShared<T>& shared) {
  const LinalgPlace place(g);
  const Team team(g);
  const int m = g.rows, n = g.columns;
  if (g.in_shared) {
    const SharedView<T> a(shared.matrices, m), vectors(shared.matrices + n * (m | 1), n);
    return singular_values_of<T>(g, a, vectors, place, team, shared);
  }
  const tile::u64 at = reinterpret_cast<tile::u64>(g.workspace) + place.matrix * g.workspace_batch;
  const GlobalView<T> a{at, 1, m}, vectors{at + static_cast<tile::u64>(m) * n * sizeof(T), 1, n};
  singular_values_of<T>(g, a, vectors, place, team, shared);
}

}  // namespace wavesmith::kernels
