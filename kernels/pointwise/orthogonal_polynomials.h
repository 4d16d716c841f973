// Orthogonal polynomials of any degree, by their recurrences (DLMF 18.9), those of Chebyshev of high degrees
// between -1 and 1 by their cosines and sines (18.5). A degree's fraction is cut; below 0 all are 0.
#pragma once

#include "kernels/pointwise/double_functions.h"
#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels::wide {

enum class Chebyshev : int { T, U, V, W };

/// By the value at 1 or -1, which the formulas with angles do not have.
TILE_DEVICE double chebyshev_at_end(Chebyshev kind, bool at_one, double n) {
  const bool odd = __builtin_rint(n / 2) * 2 != n;
  const bool grows = kind == Chebyshev::U || kind == (at_one ? Chebyshev::W : Chebyshev::V);
  const double size = !grows ? 1 : kind == Chebyshev::U ? n + 1 : 2 * n + 1;
  return odd && !at_one ? -size : size;
}

/// With x = cos(a): cos(n a), sin((n + 1) a) / sin(a), cos((n + 1/2) a) / cos(a / 2) and
/// sin((n + 1/2) a) / sin(a / 2).
TILE_DEVICE double chebyshev(Chebyshev kind, double x, double n) {
  const double size = __builtin_fabs(x);
  if (size == 1) return chebyshev_at_end(kind, x > 0, n);
  if (n > 8 && size < 1) {
    const double a = acos(x), shift = kind == Chebyshev::T ? 0 : kind == Chebyshev::U ? 1 : 0.5;
    const Angle above((n + shift) * a), below(shift * a);
    const bool cosines = kind == Chebyshev::T || kind == Chebyshev::V;
    return (cosines ? above.cosine : above.sine) / (cosines ? below.cosine : below.sine);
  }
  double p = 1, q = kind == Chebyshev::T   ? x
                    : kind == Chebyshev::U ? 2 * x
                    : kind == Chebyshev::V ? 2 * x - 1
                                           : 2 * x + 1;
  if (n == 0) return 1;
  TILE_KEEP_LOOP for (double k = 1; k < n && q == q; k += 1) {
    const double next = 2 * x * q - p;
    p = q;
    q = next;
  }
  return q;
}

/// The others: p(k + 1) = ((a k + b) p(k) - c k p(k - 1)) / d, d either 1 or k + 1.
TILE_DEVICE double by_recurrence(Pointwise which, double x, double n) {
  const bool is_h = which == WAVESMITH_POINTWISE_HERMITE_H;
  const bool is_laguerre = which == WAVESMITH_POINTWISE_LAGUERRE;
  const bool is_legendre = which == WAVESMITH_POINTWISE_LEGENDRE;
  const double a = is_laguerre ? 2 : is_legendre ? 2 * x : 0;
  const double b = is_h ? 2 * x : is_laguerre ? 1 - x : x, c = is_h ? 2 : 1;
  double before = 1, p = b;
  if (n == 0) return 1;
  TILE_KEEP_LOOP for (double k = 1; k < n && p == p; k += 1) {
    const double next = (a * k + b) * p - c * k * before;
    before = p;
    p = is_laguerre || is_legendre ? next / (k + 1) : next;
  }
  return p;
}

/// `limit` is the degree behind which those of Hermite are NaN.
TILE_DEVICE double orthogonal(Pointwise which, double x, double degree, double limit) {
  const double n = __builtin_trunc(degree);
  if (!(n >= 0 && n < 0x1p63)) return 0;
  if (which <= WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_W) {
    const bool shifted = which >= WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_T;
    const int first = shifted ? WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_T : WAVESMITH_POINTWISE_CHEBYSHEV_T;
    return chebyshev(static_cast<Chebyshev>(which - first), shifted ? 2 * x - 1 : x, n);
  }
  const bool is_hermite = which == WAVESMITH_POINTWISE_HERMITE_H || which == WAVESMITH_POINTWISE_HERMITE_HE;
  if (is_hermite && n > limit) return __builtin_nan("");
  if (which == WAVESMITH_POINTWISE_LEGENDRE && __builtin_fabs(x) == 1)
    return chebyshev_at_end(Chebyshev::T, x > 0, n);
  if (which == WAVESMITH_POINTWISE_LAGUERRE && x == 0) return 1;
  return by_recurrence(which, x, n);
}

}  // namespace wavesmith::kernels::wide
