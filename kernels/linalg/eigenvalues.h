// Eigenvalues of symmetric matrices by Jacobi's rotations, all pairs of a round at once.
#pragma once

#include "kernels/linalg/jacobi.h"

namespace wavesmith::kernels {

template <class T>
struct EigenvaluesShared {
  T matrices[kLinalgShared / sizeof(T)];
  T cosines[kMostSpectrum / 2], tangents[kMostSpectrum / 2];
  JacobiShared jacobi;
};

/// Angles of a round's pairs; a pair whose element is small enough keeps its place.
template <class T, class View>
TILE_DEVICE void find_angles(const LinalgArguments& g, const View& a, const Round& round, T small,
                             TILE_IN_SHARED EigenvaluesShared<T>& shared, int sweep) {
  TILE_KEEP_LOOP for (int at = tile::arch::thread_id(); at < round.pairs(); at += g.threads) {
    int p = 0, q = 0;
    round.pair(at, p, q);
    T cosine = T(1), tangent = T(0);
    if (q < g.rows) {
      const T x = a(p, p), y = a(q, p), z = a(q, q), size = __builtin_elementwise_abs(y);
      const T own = root(__builtin_elementwise_abs(x)) * root(__builtin_elementwise_abs(z));
      if (size > small && size > kEpsilon<T> * own) {
        const Rotation<T> rotation(x, y, z);
        cosine = rotation.cosine, tangent = rotation.tangent;
        if (tangent != 0) shared.jacobi.rotated[sweep & 1] = 1;
      }
    }
    shared.cosines[at] = cosine, shared.tangents[at] = tangent;
  }
}

/// The 2 by 2 block of two pairs, rotated from both sides; its mirror image is kept equal.
template <class T, class View>
TILE_DEVICE void rotate_block(const View& a, const Round& round, int first, int second, int n,
                              TILE_IN_SHARED EigenvaluesShared<T>& shared) {
  const T c = shared.cosines[first], t = shared.tangents[first], s = c * t;
  const T d = shared.cosines[second], u = shared.tangents[second], v = d * u;
  if (t == 0 && u == 0) return;
  int p = 0, q = 0, i = 0, j = 0;
  round.pair(first, p, q), round.pair(second, i, j);
  if (first == second) {
    const T x = a(p, p), y = a(q, p), z = a(q, q);
    a.set(p, p, x - t * y), a.set(q, q, z + t * y), a.set(q, p, T(0)), a.set(p, q, T(0));
    return;
  }
  const bool has_q = q < n, has_j = j < n;
  const T pi = a(p, i), pj = has_j ? a(p, j) : T(0), qi = has_q ? a(q, i) : T(0),
          qj = has_q && has_j ? a(q, j) : T(0);
  const T ri = c * pi - s * qi, rj = c * pj - s * qj, si = s * pi + c * qi, sj = s * pj + c * qj;
  const auto put = [&](int row, int column, T value) {
    a.set(row, column, value), a.set(column, row, value);
  };
  put(p, i, d * ri - v * rj);
  if (has_j) put(p, j, v * ri + d * rj);
  if (has_q) put(q, i, d * si - v * sj);
  if (has_q && has_j) put(q, j, v * si + d * sj);
}

template <class T, class View>
TILE_DEVICE void rotate(const View& a, const View& vectors, const Round& round, int n, bool wants_vectors,
                        const Team& team, TILE_IN_SHARED EigenvaluesShared<T>& shared) {
  TILE_KEEP_LOOP for (int first = team.number; first < round.pairs(); first += team.count) {
    TILE_KEEP_LOOP for (int second = first + team.lane; second < round.pairs(); second += team.size)
        rotate_block<T>(a, round, first, second, n, shared);
    const T c = shared.cosines[first], t = shared.tangents[first], s = c * t;
    if (!wants_vectors || t == 0) continue;
    int p = 0, q = 0;
    round.pair(first, p, q);
    TILE_KEEP_LOOP for (int i = team.lane; i < n; i += team.size) {
      const T x = vectors(i, p), z = vectors(i, q);
      vectors.set(i, p, c * x - s * z), vectors.set(i, q, s * x + c * z);
    }
  }
}

/// Sweeps until no pair was rotated; whether that came to be.
template <class T, class View>
TILE_DEVICE bool diagonalise(const LinalgArguments& g, const View& a, const View& vectors, T small,
                             const Team& team, TILE_IN_SHARED EigenvaluesShared<T>& shared) {
  const int n = g.rows;
  TILE_KEEP_LOOP for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    TILE_KEEP_LOOP for (int number = 0; number < Round::rounds(n); ++number) {
      const Round round(n, number);
      find_angles<T>(g, a, round, small, shared, sweep);
      meet();
      if (number == 0 && tile::arch::thread_id() == 0) shared.jacobi.rotated[~sweep & 1] = 0;
      rotate<T>(a, vectors, round, n, g.b.data != nullptr, team, shared);
      meet();
    }
    if (shared.jacobi.rotated[sweep & 1] == 0) return true;
  }
  return false;
}

/// Values in ascending order, and vectors with them.
template <class T, class View>
TILE_DEVICE void write_sorted(const LinalgArguments& g, const View& a, const View& vectors, double scale,
                              const LinalgPlace& place, const Team& team) {
  const int n = g.rows;
  const auto b = place.view<T>(g.b);
  TILE_KEEP_LOOP for (int j = team.number; j < n; j += team.count) {
    const T value = a(j, j);
    int rank = 0;
    TILE_KEEP_LOOP for (int i = team.lane; i < n; i += team.size) {
      const T other = a(i, i);
      rank += other < value || (other == value && i < j) ? 1 : 0;
    }
    rank = team.sum(rank);
    if (team.lane == 0)
      tile::arch::store_at(place.element<T>(g, rank), static_cast<T>(static_cast<double>(value) / scale));
    if (!g.b.data) continue;
    TILE_KEEP_LOOP for (int i = team.lane; i < n; i += team.size) b.set(i, rank, vectors(i, j));
  }
}

template <class T, class View>
TILE_DEVICE void eigenvalues_of(const LinalgArguments& g, const View& a, const View& vectors,
                                const LinalgPlace& place, const Team& team,
                                TILE_IN_SHARED EigenvaluesShared<T>& shared) {
  const int n = g.rows;
  const auto given = place.view<T>(g.a);
  const auto element = [&](int i, int j) { return i >= j ? given(i, j) : given(j, i); };
  if (tile::arch::thread_id() == 0) shared.jacobi.rotated[0] = shared.jacobi.rotated[1] = 0;
  const double scale = scale_of(g, team, n, n, element, shared.jacobi);
  double squares = 0;
  each_element(team, n, n, [&](int i, int j) {
    const T x = static_cast<T>(static_cast<double>(element(i, j)) * scale);
    a.set(i, j, x);
    squares += static_cast<double>(x) * static_cast<double>(x);
    if (g.b.data) vectors.set(i, j, i == j ? T(1) : T(0));
  });
  squares = of_all_threads(g, squares, shared.jacobi, [](double x, double z) { return x + z; });
  const T small = kEpsilon<T> * static_cast<T>(root(squares)) / static_cast<T>(n);
  const bool done = scale != 0 && diagonalise<T>(g, a, vectors, small, team, shared);
  place.note(g, done ? 0 : n);
  meet();
  write_sorted<T>(g, a, vectors, scale, place, team);
}

template <class T>
TILE_DEVICE void eigenvalues(const LinalgArguments& g, TILE_IN_SHARED EigenvaluesShared<T>& shared) {
  const LinalgPlace place(g);
  const Team team(g);
  const int n = g.rows;
  if (g.in_shared) {
    const SharedView<T> a(shared.matrices, n), vectors(shared.matrices + n * (n | 1), n);
    return eigenvalues_of<T>(g, a, vectors, place, team, shared);
  }
  const tile::u64 at = reinterpret_cast<tile::u64>(g.workspace) + place.matrix * g.workspace_batch;
  const GlobalView<T> a{at, 1, n}, vectors{at + static_cast<tile::u64>(n) * n * sizeof(T), 1, n};
  eigenvalues_of<T>(g, a, vectors, place, team, shared);
}

}  // namespace wavesmith::kernels
