// Bessel and Airy functions of doubles: polynomials near 0, behind it the exponential or the waves that they
// approach, times polynomials in a power of 1 / x (DLMF 10.17, 10.40 and 9.7 have the forms).
#pragma once

#include "kernels/pointwise/bessel_series.h"
#include "kernels/pointwise/large_angles.h"

namespace wavesmith::kernels::wide {

inline constexpr double kEuler = 0.577215664901532860607;

/// J and Y of order 0 or 1 of x > 0.
struct Bessel {
  double first, second;

  TILE_DEVICE Bessel(double x, bool of_one) {
    if (x <= 8)
      near_zero(x, of_one);
    else
      far(x, of_one);
  }

 private:
  TILE_DEVICE void near_zero(double x, bool of_one) {
    const double t = x * x / 32 - 1, log_x = log(x);
    const double j = of_one ? x * polynomial(series::kJ1, t) : polynomial(series::kJ0, t);
    const double rest = of_one ? x * polynomial(series::kY1, t) : polynomial(series::kY0, t);
    first = j;
    second = rest + 2 / kPi * (log_x * j - (of_one ? 1 / x : 0));
  }
  /// sqrt(2 / (pi x)) times cosine * cos(a) - sine * sin(a), a = x - pi / 4 or x - 3 pi / 4; with Y it is
  /// cosine * sin(a) + sine * cos(a).
  TILE_DEVICE void far(double x, bool of_one) {
    const double inverse = 1 / x, t = 128 * inverse * inverse - 1;
    const double cosine = of_one ? polynomial(series::kCosine1, t) : polynomial(series::kCosine0, t);
    const double sine = inverse * (of_one ? polynomial(series::kSine1, t) : polynomial(series::kSine0, t));
    const Angle angle = angle_of(x);
    const double sum = angle.sine + angle.cosine, difference = angle.sine - angle.cosine;
    const double c = of_one ? difference : sum, s = of_one ? -sum : difference;
    const double size = __builtin_sqrt(inverse / kPi);
    first = size * (cosine * c - sine * s);
    second = size * (cosine * s + sine * c);
  }
};

TILE_DEVICE double bessel_j(double x, bool of_one) {
  const double j = Bessel(__builtin_fabs(x), of_one).first;
  return of_one && x < 0 ? -j : j;
}
TILE_DEVICE double bessel_y(double x, bool of_one) {
  const double y = Bessel(x, of_one).second;
  return x == 0 ? -kInfinity : x < 0 ? __builtin_nan("") : y;
}
TILE_DEVICE double spherical_bessel_j0(double x) {
  constexpr double kSeries[] = {1.,          -1. / 6,        1. / 120,       -1. / 5040,
                                1. / 362880, -1. / 39916800, 1. / 6227020800};
  const double near = polynomial(kSeries, x * x), size = __builtin_fabs(x);
  return size < 0.5 ? near : size == kInfinity ? 0 : angle_of(x).sine / x;
}

/// The sum of y^k / (k! (k + order)!) for y up to 16 (DLMF 10.25.2); with `harmonic` each term times what K
/// has there, H(k) or (H(k) + H(k + 1)) / 2 (DLMF 10.31.2). All terms are positive.
TILE_DEVICE double modified_series(double y, bool of_one, bool harmonic) {
  double sum = 0, term = 1, h = of_one ? 0.5 : 0;
  TILE_KEEP_LOOP for (int k = 1; k <= 24; ++k) {
    const double a = k, b = of_one ? k + 1 : k;
    sum += harmonic ? term * h : term;
    term *= y / (a * b);
    h += of_one ? 0.5 / a + 0.5 / b : 1 / a;
  }
  return sum;
}

/// I of order 0 or 1 times e^-|x|.
TILE_DEVICE double scaled_bessel_i(double x, bool of_one) {
  const double size = __builtin_fabs(x);
  double result = 0;
  if (size <= 8) {
    result = exp(-size) * modified_series(x * x / 4, of_one, false) * (of_one ? size / 2 : 1);
  } else {
    const double t = 16 / size - 1;
    const double factor = of_one ? polynomial(series::kI1, t) : polynomial(series::kI0, t);
    result = factor / __builtin_sqrt(size);
  }
  return of_one && x < 0 ? -result : result + (x != x ? x : 0);
}
TILE_DEVICE double bessel_i(double x, bool of_one) {
  // Half of the exponential on either side: I is finite beyond where e^x is.
  const double size = __builtin_fabs(x), half = exp(size / 2);
  if (size == kInfinity) return of_one ? x : size;
  return half * scaled_bessel_i(x, of_one) * half;
}

/// K of order 0 or 1 times e^x.
TILE_DEVICE double scaled_bessel_k(double x, bool of_one) {
  double result = 0;
  if (x <= 2) {
    const double y = x * x / 4, log_half = log(x / 2) + kEuler;
    const double i = modified_series(y, of_one, false), rest = modified_series(y, of_one, true);
    result = exp(x) * (of_one ? 1 / x + x / 2 * (log_half * i - rest) : rest - log_half * i);
  } else {
    const double t = 4 / x - 1;
    result = (of_one ? polynomial(series::kK1, t) : polynomial(series::kK0, t)) / __builtin_sqrt(x);
  }
  return x == 0 ? kInfinity : x < 0 ? __builtin_nan("") : result;
}
TILE_DEVICE double bessel_k(double x, bool of_one) {
  const double half = exp(-x / 2);
  return half * scaled_bessel_k(x, of_one) * half;
}

TILE_DEVICE double airy(double x) {
  const double size = __builtin_fabs(x), root = __builtin_sqrt(size), quarter = __builtin_sqrt(root);
  const double zeta = 2. / 3 * size * root, inverse = 1 / zeta;
  constexpr double kRootOfPi = 1.77245385090551602730;
  if (x > 2) {
    constexpr double kFirst = 1.88561808316412673174;  // zeta of 2
    const double half = exp(-zeta / 2), factor = polynomial(series::kAiryAbove, 2 * kFirst * inverse - 1);
    return half / (2 * kRootOfPi * quarter) * factor * half;
  }
  if (x >= -4) return polynomial(series::kAiryBetween, (x + 1) / 3);
  const double t = 512. / 9 * inverse * inverse - 1;
  const Angle angle(zeta);
  const double c = (angle.cosine + angle.sine) * polynomial(series::kAiryCosine, t);
  const double s = (angle.sine - angle.cosine) * inverse * polynomial(series::kAirySine, t);
  return 0.707106781186547524401 / (kRootOfPi * quarter) * (c + s);
}

}  // namespace wavesmith::kernels::wide
