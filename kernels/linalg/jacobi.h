// What Jacobi's methods share: which pairs are rotated at once, and the scale in which they compute.
#pragma once

#include "kernels/linalg/view.h"

namespace wavesmith::kernels {

/// Rounds over all pairs, of which hardly more than ten are ever needed.
inline constexpr int kMostSweeps = 40;

struct JacobiShared {
  double parts[kLinalgThreads];
  int places[kLinalgThreads];
  int rotated[2];  ///< in this sweep, and in the one before or after it
};

/// The pairs of a round, of all columns each once: places around a table, of which all but one move on (the
/// circle method of tournaments).
struct Round {
  int players, number;

  TILE_DEVICE Round(int n, int round) : players(n + (n & 1)), number(round) {}
  TILE_DEVICE static int rounds(int n) { return n + (n & 1) - 1; }
  TILE_DEVICE int pairs() const { return players / 2; }
  /// The lower column first; with an odd number of columns the second may be none of them.
  TILE_DEVICE void pair(int at, int& p, int& q) const {
    const int table = players - 1;
    const int ahead = number + at, behind = number - at;
    const int one = at == 0 ? table : ahead >= table ? ahead - table : ahead;
    const int other = at == 0 ? number : behind < 0 ? behind + table : behind;
    p = one < other ? one : other;
    q = one < other ? other : one;
  }
};

/// Cosine and tangent of the smaller angle by which [a b; b d] becomes diagonal, or two columns with these
/// inner products become orthogonal.
template <class T>
struct Rotation {
  T cosine, tangent;

  TILE_DEVICE Rotation(T a, T b, T d) {
    const T theta = (d - a) / (2 * b);
    const T size = __builtin_elementwise_abs(theta);
    const T t = 1 / (size + root(size * size + 1));
    tangent = theta < 0 ? -t : t;
    cosine = 1 / root(t * t + 1);
  }
};

/// The sum or the largest of what all threads have, for all of them.
template <class Combine>
TILE_DEVICE double of_all_threads(const LinalgArguments& g, double mine, TILE_IN_SHARED JacobiShared& shared,
                                  Combine combine) {
  shared.parts[tile::arch::thread_id()] = mine;
  TILE_KEEP_LOOP for (int half = g.threads / 2; half > 0; half /= 2) {
    meet();
    if (tile::arch::thread_id() < half)
      shared.parts[tile::arch::thread_id()] =
          combine(shared.parts[tile::arch::thread_id()], shared.parts[tile::arch::thread_id() + half]);
  }
  meet();
  const double all = shared.parts[0];
  meet();
  return all;
}

/// A power of two that brings the largest number to between 1 and 2; 0 where a number is not finite.
template <class Element>
TILE_DEVICE double scale_of(const LinalgArguments& g, const Team& team, int rows, int columns,
                            Element element, TILE_IN_SHARED JacobiShared& shared) {
  constexpr double kLargest = 0x1.fffffffffffffp1023;
  double largest = 0;
  each_element(team, rows, columns, [&](int i, int j) {
    const double size = __builtin_fabs(static_cast<double>(element(i, j)));
    largest = !(size <= kLargest) ? 2 * kLargest : size > largest ? size : largest;
  });
  const auto larger = [](double x, double z) { return x > z ? x : z; };
  largest = of_all_threads(g, largest, shared, larger);
  if (largest > kLargest) return 0;
  if (largest == 0) return 1;
  const int exponent = 1 - __builtin_amdgcn_frexp_exp(largest);  // no further than a double goes back
  return __builtin_ldexp(1.0, exponent > 1000 ? 1000 : exponent);
}

}  // namespace wavesmith::kernels
