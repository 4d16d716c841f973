// Functions of doubles, by power series and reductions of their arguments that keep the error within a few
// units in the last place. Functions of floats that are rarely needed are these, rounded.
#pragma once

#include "tile/arch/device.h"
#include "tile/math.h"

namespace wavesmith::kernels::wide {

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kLogOf2 = 0.693147180559945309417, kLogOf2Rest = 2.319046813846299558e-17;

/// The sum of coefficients[i] * x^i.
template <int kCount>
TILE_DEVICE double polynomial(const double (&coefficients)[kCount], double x) {
  double sum = coefficients[kCount - 1];
  TILE_UNROLL for (int i = kCount - 2; i >= 0; --i) sum = __builtin_fma(sum, x, coefficients[i]);
  return sum;
}

/// e^x - 1 - x of |x| < 0.36, as a power series whose next term is below 2^-56 of x.
TILE_DEVICE double exp_tail(double x) {
  constexpr double kSeries[] = {1. / 2,         1. / 6,          1. / 24,         1. / 120,     1. / 720,
                                1. / 5040,      1. / 40320,      1. / 362880,     1. / 3628800, 1. / 39916800,
                                1. / 479001600, 1. / 6227020800, 1. / 87178291200};
  return x * x * polynomial(kSeries, x);
}

/// With n the nearest integer to x * log2(e): 2^n * e^(x - n ln 2).
TILE_DEVICE double exp(double x) {
  const double n = __builtin_rint(x * 1.44269504088896340736);
  const double rest = __builtin_fma(n, -kLogOf2Rest, __builtin_fma(n, -kLogOf2, x));
  const double power = __builtin_ldexp(1 + (rest + exp_tail(rest)), static_cast<int>(n));
  return x > 710 ? kInfinity : x < -746 ? 0 : power;
}

TILE_DEVICE double expm1(double x) { return __builtin_fabs(x) < 0.35 ? x + exp_tail(x) : exp(x) - 1; }

/// With x = 2^n m and s = (m - 1) / (m + 1): n ln 2 + 2 atanh(s).
TILE_DEVICE double log(double x) {
  constexpr double kSeries[] = {1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11,
                                1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21};
  double m = __builtin_amdgcn_frexp_mant(x);
  int n = __builtin_amdgcn_frexp_exp(x);
  const bool small = m < 0.70710678118654752;
  m = small ? m * 2 : m;
  n = small ? n - 1 : n;
  const double f = m - 1, s = f / (2 + f), square = s * s;
  const double half = 0.5 * f * f;  // 2 atanh(s) is f - f^2 / 2 + s (f^2 / 2 + 2 s^2 * series)
  const double tail = s * (half + 2 * square * polynomial(kSeries, square));
  const double result = __builtin_fma(n, kLogOf2, f - (half - (tail + n * kLogOf2Rest)));
  return x == 0 ? -kInfinity : x == kInfinity || x != x ? x : x < 0 ? __builtin_nan("") : result;
}

TILE_DEVICE double log1p(double x) {
  const double sum = 1 + x;
  const double result = log(sum) + (x - (sum - 1)) / sum;
  return sum == 1 || x == kInfinity ? x : sum == 0 ? -kInfinity : result;
}

/// Sine and cosine of an angle.
struct Angle {
  double sine, cosine;

  /// Of |x| < 2^48, or infinity: x = k pi / 2 + rest, |rest| <= pi / 4; pi / 2 in three parts.
  TILE_DEVICE explicit Angle(double x) {
    const double k = __builtin_rint(x * 0.636619772367581343076);
    double rest = __builtin_fma(k, -1.5707963267948966, x);
    rest = __builtin_fma(k, -6.123233995736766e-17, rest);
    rest = __builtin_fma(k, 1.4973849048591833e-33, rest);
    *this = Angle(rest, static_cast<int>(static_cast<long>(k) & 3));
    if (__builtin_fabs(x) == kInfinity) sine = cosine = __builtin_nan("");
  }
  /// Of quarters pi / 2 + rest.
  TILE_DEVICE Angle(double rest, int quarters) {
    constexpr double kSine[] = {-1. / 6,        1. / 120,        -1. / 5040,          1. / 362880,
                                -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000};
    constexpr double kCosine[] = {-1. / 2,
                                  1. / 24,
                                  -1. / 720,
                                  1. / 40320,
                                  -1. / 3628800,
                                  1. / 479001600,
                                  -1. / 87178291200,
                                  1. / 20922789888000,
                                  -1. / 6402373705728000};
    const double square = rest * rest;
    const double s = __builtin_fma(rest * square, polynomial(kSine, square), rest);
    const double c = __builtin_fma(square, polynomial(kCosine, square), 1.0);
    const bool swapped = (quarters & 1) != 0;
    sine = swapped ? c : s;
    cosine = swapped ? s : c;
    sine = (quarters & 2) != 0 ? -sine : sine;
    cosine = quarters == 1 || quarters == 2 ? -cosine : cosine;
  }
};

/// Halved twice by atan(x) = 2 atan(x / (1 + sqrt(1 + x^2))), behind which a power series serves.
TILE_DEVICE double atan(double x) {
  constexpr double kSeries[] = {-1. / 3,  1. / 5,  -1. / 7,  1. / 9,  -1. / 11, 1. / 13,
                                -1. / 15, 1. / 17, -1. / 19, 1. / 21, -1. / 23};
  const double size = __builtin_fabs(x);
  const bool inverted = size > 1;
  double y = inverted ? 1 / size : size;
  TILE_UNROLL for (int i = 0; i < 2; ++i) y = y / (1 + __builtin_sqrt(__builtin_fma(y, y, 1.0)));
  const double square = y * y;
  const double quarter = __builtin_fma(y * square, polynomial(kSeries, square), y);
  const double result = inverted ? kPi / 2 - (4 * quarter - 6.123233995736766e-17) : 4 * quarter;
  return __builtin_copysign(result, x);
}

/// The angle of the point (x, y).
TILE_DEVICE double atan2(double y, double x) {
  const double size_y = __builtin_fabs(y), size_x = __builtin_fabs(x);
  const double larger = __builtin_fmax(size_x, size_y), smaller = __builtin_fmin(size_x, size_y);
  const double ratio = larger == 0 ? 0 : size_x == size_y ? 1 : smaller / larger;
  double angle = atan(ratio);
  angle = size_y > size_x ? kPi / 2 - (angle - 6.123233995736766e-17) : angle;
  angle = __builtin_copysign(1.0, x) < 0 ? kPi - (angle - 1.2246467991473532e-16) : angle;
  return x != x || y != y ? x + y : __builtin_copysign(angle, y);
}

TILE_DEVICE double asin(double x) { return atan2(x, __builtin_sqrt((1 - x) * (1 + x))); }
TILE_DEVICE double acos(double x) { return 2 * atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x)); }

TILE_DEVICE double tanh(double x) {
  const double size = __builtin_fabs(x), power = expm1(2 * size);
  return __builtin_copysign(size > 22 ? 1 : power / (power + 2), x);
}
TILE_DEVICE double sinh(double x) {
  const double size = __builtin_fabs(x), power = expm1(size), half = exp(size / 2);
  return __builtin_copysign(size > 700 ? half / 2 * half : (power + power / (power + 1)) / 2, x);
}
TILE_DEVICE double cosh(double x) {
  const double half = exp(__builtin_fabs(x) / 2), power = half * half;
  return power == kInfinity ? half / 2 * half : (power + 1 / power) / 2;
}
TILE_DEVICE double asinh(double x) {
  const double size = __builtin_fabs(x), square = size * size;
  const double result =
      size > 0x1p60 ? log(size) + kLogOf2 : log1p(size + square / (1 + __builtin_sqrt(square + 1)));
  return __builtin_copysign(result, x);
}
TILE_DEVICE double acosh(double x) {
  const double t = x - 1;
  return x > 0x1p60 ? log(x) + kLogOf2 : log1p(t + __builtin_sqrt(2 * t + t * t));
}
TILE_DEVICE double atanh(double x) {
  const double size = __builtin_fabs(x);
  return __builtin_copysign(0.5 * log1p(2 * size / (1 - size)), x);
}

/// P(t) of x >= 0, whose erfc is e^(-x^2) P(t) / (1 + 2x) with t = (x - 3.75) / (x + 3.75), a mapping of M.
/// M. Shepherd and J. G. Laframboise ("Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x", 1981). P
/// interpolates at Chebyshev's nodes, computed with 60 digits: within 3.1e-16.
TILE_DEVICE double erfc_factor(double x) {
  constexpr double kSeries[] = {
      1.2375126308378275,     -0.14024059858554522,    0.0035854154854663067,   0.08227673848999159,
      -0.10880393014193915,   0.09230432116435616,     -0.058693398584491845,   0.028362277371370044,
      -0.00974657962081509,   0.0017556261692276722,   0.00029371408777227685,  -0.0002901553656394713,
      5.164737123871838e-05,  2.238759272534769e-05,   -1.143961526007595e-05,  -9.79297529099823e-07,
      1.7438577411359181e-06, -5.0816911811698186e-08, -2.4996538037405243e-07, 1.8778501156468795e-08,
      3.256499083798513e-08,  -1.952790162974837e-09,  -2.7293941332533855e-09};
  return polynomial(kSeries, (x - 3.75) / (x + 3.75));
}
TILE_DEVICE double erfc_of_positive(double x) {
  const double square = x * x, rest = __builtin_fma(x, x, -square);
  const double power = exp(-square) * (1 - rest);
  return x > 28 ? 0 : power * erfc_factor(x) / (1 + 2 * x);
}
TILE_DEVICE double erfc(double x) {
  const double upper = erfc_of_positive(__builtin_fabs(x));
  return x < 0 ? 2 - upper : upper;
}
/// Below 1/2 by its power series, whose next term is below 2^-55.
TILE_DEVICE double erf(double x) {
  constexpr double kSeries[] = {1.,        -1. / 3,     1. / 10,     -1. / 42,      1. / 216,     -1. / 1320,
                                1. / 9360, -1. / 75600, 1. / 685440, -1. / 6894720, 1. / 76204800};
  const double size = __builtin_fabs(x);
  const double near = 1.12837916709551257390 * x * polynomial(kSeries, x * x);
  return size < 0.5 ? near : __builtin_copysign(1 - erfc_of_positive(size), x);
}

/// x^y by e^(y log x): its relative error grows with |y log x|.
TILE_DEVICE double power(double x, double y) {
  const double size = __builtin_fabs(x);
  const bool whole = __builtin_trunc(y) == y;
  const bool odd = whole && __builtin_fabs(y) < 0x1p53 && (static_cast<long>(y) & 1) != 0;
  double result = exp(y * log(size));
  if (x == 0) result = y < 0 ? kInfinity : 0;
  if (size == 1 && __builtin_fabs(y) == kInfinity) result = 1;
  if (x < 0 && !whole && __builtin_fabs(y) != kInfinity)
    result = size == kInfinity ? result : __builtin_nan("");
  result = odd ? __builtin_copysign(result, x) : result;
  return y == 0 || x == 1 ? 1 : result;
}

}  // namespace wavesmith::kernels::wide
