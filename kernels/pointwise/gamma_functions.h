// The gamma function's family, and the normal distribution's, of doubles.
#pragma once

#include "kernels/pointwise/double_functions.h"

namespace wavesmith::kernels::wide {

/// sin(pi x) and cos(pi x).
struct HalfTurns {
  double sine, cosine;
  TILE_DEVICE explicit HalfTurns(double x) {
    const double whole = __builtin_rint(x);
    const bool odd = __builtin_rint(whole / 2) * 2 != whole;
    const Angle angle((x - whole) * kPi);
    sine = odd ? -angle.sine : angle.sine;
    cosine = odd ? -angle.cosine : angle.cosine;
  }
};

TILE_DEVICE bool is_whole(double x) { return __builtin_trunc(x) == x; }

/// log(Gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 of x >= 8 (DLMF 5.11.1); with 11 terms what is left
/// out is below 2^-60.
TILE_DEVICE double stirling_rest(double x) {
  constexpr double kSeries[] = {1. / 12,         -1. / 360,         1. / 1260,    -1. / 1680,
                                1. / 1188,       -691. / 360360,    1. / 156,     -3617. / 122400,
                                43867. / 244188, -174611. / 125400, 77683. / 5796};
  const double inverse = 1 / x;
  return inverse * polynomial(kSeries, inverse * inverse);
}

/// Of x > 0. Below 8 brought to 2 + t, |t| <= 1/2, whose series DLMF 5.7.3 has: the sum of (-1)^k
/// (zeta(k) - 1) t^k / k behind (1 - gamma) t.
TILE_DEVICE double log_gamma_of_positive(double x) {
  constexpr double kSeries[] = {
      0.42278433509846713,     0.32246703342411321,    -0.067352301053198102,   0.020580808427784546,
      -0.0073855510286739857,  0.0028905103307415234,  -0.0011927539117032610,  0.00050966952474304242,
      -0.00022315475845357938, 9.9457512781808531e-05, -4.4926236738133142e-05, 2.0507212775670691e-05,
      -9.4394882752683967e-06, 4.3748667899074882e-06, -2.0392157538013664e-06, 9.5514121304074194e-07,
      -4.4924691987645662e-07, 2.1207184805554666e-07, -1.0043224823968100e-07, 4.7698101693639804e-08,
      -2.2711094608943165e-08, 1.0838659214896955e-08, -5.1834750419700467e-09, 2.4836745438024783e-09,
      -1.1921401405860912e-09, 5.7313672416788620e-10};
  if (x >= 8) return (x - 0.5) * log(x) - x + 0.918938533204672741780 + stirling_rest(x);
  double product = 1, t = x - 2, rest = 0;
  TILE_KEEP_LOOP while (t > 0.5) {
    product *= t + 1;
    t -= 1;
  }
  if (t < -1.5) {
    rest = log(x);  // of two factors: x + 1 may be rounded
    t += 1;
  }
  if (t < -0.5) {
    rest += log1p(t + 1);
    t += 1;
  }
  return log(product) - rest + t * polynomial(kSeries, t);
}

TILE_DEVICE double log_gamma(double x) {
  const double size = __builtin_fabs(x);
  if (size == kInfinity) return kInfinity;
  if (x <= 0 && is_whole(x)) return kInfinity;
  const double of_size = log_gamma_of_positive(size);
  if (x != x || x > 0) return x != x ? x : of_size;
  // Gamma(x) Gamma(-x) = -pi / (x sin(pi x))
  return log(kPi / (size * __builtin_fabs(HalfTurns(x).sine))) - of_size;
}

/// DLMF 5.11.2 behind 10, the recurrence below; of negative numbers the reflection 5.5.4.
TILE_DEVICE double digamma(double x) {
  constexpr double kSeries[] = {1. / 12,  -1. / 120,     1. / 252, -1. / 240,
                                1. / 132, -691. / 32760, 1. / 12,  -3617. / 8160};
  if (x == 0) return __builtin_copysign(kInfinity, -x);
  if (x < 0 && is_whole(x)) return __builtin_nan("");
  double result = 0, y = x;
  if (x < 0) {
    const HalfTurns turns(x);
    result = -kPi * turns.cosine / turns.sine;
    y = 1 - x;
  }
  TILE_KEEP_LOOP while (y < 10) {
    result -= 1 / y;
    y += 1;
  }
  const double inverse = 1 / y, square = inverse * inverse;
  return y == kInfinity ? y : result + log(y) - 0.5 * inverse - square * polynomial(kSeries, square);
}

/// Hurwitz's zeta(s, q) of s > 1, q > 0 by the sum of Euler and Maclaurin (DLMF 25.11.5): twelve terms, and
/// the corrections by 7 Bernoulli numbers.
TILE_DEVICE double zeta_of_positive(double s, double q) {
  constexpr double kCorrections[] = {// B(2j) / (2j)!
                                     0.083333333333333333,    -0.0013888888888888889, 3.3068783068783069e-05,
                                     -8.2671957671957672e-07, 2.0876756987868099e-08, -5.2841901386874932e-10,
                                     1.3382536530684679e-11};
  double sum = 0, w = q;
  double last = power(w, -s);
  TILE_KEEP_LOOP for (int i = 0; i < 12; ++i) {
    sum += last;
    w += 1;
    last = exp(-s * log(w));
  }
  sum += last * w / (s - 1) + last / 2;
  double factor = s * last / w;
  TILE_UNROLL for (int j = 0; j < 7; ++j) {
    sum += factor * kCorrections[j];
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (w * w);
  }
  return w == kInfinity ? 0 : sum;
}

/// Of negative q = f - n, 0 < f < 1, the terms below 0 are those of two other sums.
TILE_DEVICE double zeta(double s, double q) {
  if (s == 1 || (q <= 0 && is_whole(q) && s > 1)) return kInfinity;
  if (!(s > 1) || q != q || (q <= 0 && !is_whole(s))) return __builtin_nan("");
  const double f = q - __builtin_floor(q);
  const double sign = is_whole(s / 2) ? 1 : -1;
  double sum = 0;
  TILE_KEEP_LOOP for (int part = 0; part < 3; ++part) {
    const double at = part == 0 ? (q > 0 ? q : f) : part == 1 ? 1 - f : 1 - q;
    sum += zeta_of_positive(s, at) * (part == 0 ? 1 : part == 1 ? sign : -sign);
    if (q > 0) break;
  }
  return sum;
}

/// The n-th derivative of digamma, (-1)^(n + 1) n! zeta(n + 1, x) (DLMF 25.11.12).
TILE_DEVICE double polygamma(double n, double x) {
  const double size = exp(log_gamma_of_positive(n + 1)) * zeta(n + 1, x);
  return is_whole(n / 2) ? -size : size;
}

/// P(a, x) and Q(a, x), the incomplete gamma functions over Gamma(a), of a > 200 and x near a, by
/// DLMF 8.12.3: erfc, and a sum of c(k, eta) / a^k with eta^2 / 2 = m - log(1 + m), m = (x - a) / a.
TILE_DEVICE double incomplete_near(double a, double m, bool upper) {
  // The power series of c(k, eta), by the recurrence DLMF 8.12.11; as A. R. Didonato and A. H. Morris have
  // them
  // ("Computation of the Incomplete Gamma Function Ratios", 1986).
  constexpr double kSeries[5][14] = {
      {-0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
       0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06,
       -1.85406221071516e-06, 8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09,
       1.0261809784240309e-08, -4.382036018453353e-09},
      {-0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596,
       0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06,
       -1.6120900894563446e-06, 4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08,
       1.1951628599778148e-08, -1.7543241719747647e-11},
      {0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06,
       -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05, 3.423578734096138e-08,
       1.3721957309062934e-06, -6.298992138380055e-07, 1.4280614206064242e-07, -2.0477098421990866e-10,
       -1.409252991086752e-08, 6.228974084922022e-09},
      {0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885,
       -7.561801671883977e-05, -2.396505113867297e-07, 1.1082654115347302e-05, -5.6749528269915965e-06,
       1.4230900732435883e-06, -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08,
       -1.9111168485973655e-08, 2.3928620439808118e-12},
      {-0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902, -1.4638452578843418e-06,
       6.641498215465122e-05, -3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10,
       -1.6954149536558305e-06, 8.907507532205309e-07, -2.292934834000805e-07, 2.956794137544049e-11,
       2.8865829742708783e-08, -1.4189739437803219e-08}};
  const double small = m * m * m;  // m - log(1 + m) of small m by its series
  const double rest = m * m / 2 - small * (1. / 3 - m * (1. / 4 - m * (1. / 5 - m * (1. / 6 - m / 7))));
  const double half_square = __builtin_fabs(m) < 0.01 ? rest : m - log1p(m);
  const double eta = __builtin_copysign(__builtin_sqrt(2 * half_square), m);
  double sum = 0;
  TILE_UNROLL for (int k = 4; k >= 0; --k) sum = sum / a + polynomial(kSeries[k], eta);
  const double terms = exp(-a * half_square) * sum / __builtin_sqrt(2 * kPi * a);
  const double root = eta * __builtin_sqrt(a / 2);
  return upper ? erfc(root) / 2 + terms : erfc(-root) / 2 - terms;
}

/// By the power series DLMF 8.11.4 where x < a + 1, by the continued fraction 8.9.2 elsewhere (W. J. Lentz's
/// way of computing it).
TILE_DEVICE double incomplete_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == kInfinity && x == kInfinity))
    return __builtin_nan("");
  if (a == 0 || x == kInfinity) return upper ? 0 : 1;
  if (x == 0 || a == kInfinity) return upper ? 1 : 0;
  const double m = (x - a) / a;
  if (a > 200 && __builtin_fabs(m) < 0.3) return incomplete_near(a, m, upper);
  const double size = exp(a * log(x) - x - log_gamma_of_positive(a));  // x^a e^-x / Gamma(a)
  constexpr double kEnough = 0x1p-54;
  if (x < a + 1 || x < 1) {
    double term = 1 / a, sum = term;
    TILE_KEEP_LOOP for (int n = 1; n < 2000 && term > sum * kEnough; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return upper ? 1 - size * sum : size * sum;
  }
  double b = x + 1 - a, c = 0x1p300, d = 1 / b, fraction = d;
  TILE_KEEP_LOOP for (int n = 1; n < 2000; ++n) {
    const double numerator = n * (a - n);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    d = 1 / (d == 0 ? 0x1p-300 : d);
    c = c == 0 ? 0x1p-300 : c;
    fraction *= d * c;
    if (__builtin_fabs(d * c - 1) < 0x1p-51) break;
  }
  return upper ? size * fraction : 1 - size * fraction;
}

/// e^(x^2) erfc(x).
TILE_DEVICE double scaled_erfc(double x) {
  const double size = __builtin_fabs(x), square = x * x;
  const double rest = square < kInfinity ? __builtin_fma(x, x, -square) : 0;
  const double upper = size == kInfinity ? 0 : erfc_factor(size) / (1 + 2 * size);
  return x < 0 ? 2 * exp(square) * (1 + rest) - upper : upper;
}

/// log of the normal distribution's function.
TILE_DEVICE double log_normal(double x) {
  const double t = x * 0.707106781186547524401;
  return x < -1 ? log(scaled_erfc(-t) / 2) - x * x / 2 : log1p(-erfc(t) / 2);
}

/// The inverse of the normal distribution's function, of q + 1/2 with `tail` = 1/2 - |q|; rational functions
/// of M. J. Wichura ("Algorithm AS 241", 1988).
TILE_DEVICE double normal_quantile(double q, double tail) {
  constexpr double kNear[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                              1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                              3.3430575583588128105e4, 2.5090809287301226727e3};
  constexpr double kNearBelow[] = {1.,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
  constexpr double kFar[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kFarBelow[] = {1.,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  constexpr double kFarthest[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kFarthestBelow[] = {1.,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};
  if (__builtin_fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kNear, r) / polynomial(kNearBelow, r);
  }
  const double root = __builtin_sqrt(-log(tail));
  const double size = root <= 5 ? polynomial(kFar, root - 1.6) / polynomial(kFarBelow, root - 1.6)
                                : polynomial(kFarthest, root - 5) / polynomial(kFarthestBelow, root - 5);
  return tail < 0 || q != q ? __builtin_nan("") : __builtin_copysign(tail == 0 ? kInfinity : size, q);
}
TILE_DEVICE double inverse_normal(double x) { return normal_quantile(x - 0.5, x < 0.5 ? x : 1 - x); }
TILE_DEVICE double inverse_erf(double x) {
  return normal_quantile(x / 2, (1 - __builtin_fabs(x)) / 2) * 0.707106781186547524401;
}

}  // namespace wavesmith::kernels::wide
