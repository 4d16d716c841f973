// Special functions on a GPU of each target, against the standard library's of long doubles and sums of
// series.
#include <cmath>

#include "kernels/pointwise/pointwise_testing.h"

namespace wavesmith::kernels {
namespace {

using Wide = long double;

double at_least_one(double x) { return std::max(std::abs(x), 1.0); }

/// A special function as the C API states its errors: of its value, or of that and 1.
template <class Exact>
Function special(Pointwise operation, Exact exact, std::function<void(double&, double&)> take, bool of_one,
                 double p = kP) {
  const auto value = [exact](double x, double z, double) { return static_cast<double>(exact(x, z)); };
  Function made{operation, value, 1, nullptr, 0x1p12, std::move(take), p};
  if (of_one) made.terms = [value](double x, double z, double w) { return at_least_one(value(x, z, w)); };
  return made;
}

void any(double& /*x*/, double& /*z*/) {}
void positive(double& x, double& /*z*/) { x = std::abs(x) * 4 + 1e-3; }

Wide airy(Wide x) {
  const Wide size = std::abs(x), zeta = 2 * size * std::sqrt(size) / 3, third = 1 / Wide(3);
  if (x > 0) return std::sqrt(size / 3) / static_cast<Wide>(M_PIl) * std::cyl_bessel_kl(third, zeta);
  const Wide j = std::cyl_bessel_jl(third, zeta), y = std::cyl_neumannl(third, zeta);
  return std::sqrt(size) / 3 * (1.5L * j - std::sqrt(0.75L) * y);  // J of 1/3 and of -1/3
}

std::vector<Function> bessel_functions() {
  std::vector<Function> made;
  for (int n = 0; n < 2; ++n) {
    const auto of = [n](Pointwise first) { return static_cast<Pointwise>(first + n); };
    const auto signed_of = [n](Wide x, Wide value) { return n == 1 && x < 0 ? -value : value; };
    const auto i = [=](Wide x, Wide) { return signed_of(x, std::cyl_bessel_il(n, std::abs(x))); };
    const auto k = [=](Wide x, Wide) { return std::cyl_bessel_kl(n, x); };
    made.push_back(special(
        of(WAVESMITH_POINTWISE_BESSEL_J0),
        [=](Wide x, Wide) { return signed_of(x, std::cyl_bessel_jl(n, std::abs(x))); }, any, true));
    made.push_back(special(
        of(WAVESMITH_POINTWISE_BESSEL_Y0), [=](Wide x, Wide) { return std::cyl_neumannl(n, x); }, positive,
        true));
    made.push_back(special(of(WAVESMITH_POINTWISE_BESSEL_I0), i, any, false));
    made.push_back(special(of(WAVESMITH_POINTWISE_BESSEL_K0), k, positive, false));
    made.push_back(special(
        of(WAVESMITH_POINTWISE_SCALED_BESSEL_I0),
        [=](Wide x, Wide z) { return std::exp(-std::abs(x)) * i(x, z); }, any, false));
    made.push_back(special(
        of(WAVESMITH_POINTWISE_SCALED_BESSEL_K0), [=](Wide x, Wide z) { return std::exp(x) * k(x, z); },
        positive, false));
  }
  made.push_back(special(
      WAVESMITH_POINTWISE_SPHERICAL_BESSEL_J0, [](Wide x, Wide) { return std::sin(x) / x; }, any, true));
  made.push_back(special(WAVESMITH_POINTWISE_AIRY, [](Wide x, Wide) { return airy(x); }, any, true));
  return made;
}

/// The sum of (q + k)^-s, its end by the formula of Euler and Maclaurin.
Wide zeta(Wide s, Wide q) {
  Wide sum = 0;
  while (q < 60) sum += std::pow(q, -s), q += 1;
  const Wide last = std::pow(q, -s);
  return sum + last * q / (s - 1) + last / 2 + s * last / q / 12 -
         s * (s + 1) * (s + 2) * last / (q * q * q) / 720 +
         s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * last / (q * q * q * q * q) / 30240;
}
Wide digamma(Wide x) {
  Wide sum = 0;
  while (x < 60) sum -= 1 / x, x += 1;
  const Wide square = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) - square * (1 / 12.0L - square * (1 / 120.0L - square / 252));
}
Wide lower_gamma(Wide a, Wide x) {
  Wide sum = 0, term = 1;
  for (int n = 1; term > sum * 1e-22L; ++n) sum += term, term *= x / (a + n);
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a + 1));
}
/// Where a function that grows has a value.
template <class Grows>
Wide inverse(Grows function, Wide value) {
  Wide low = -40, high = 40;
  for (int i = 0; i < 90; ++i) {
    const Wide between = (low + high) / 2;
    (function(between) < value ? low : high) = between;
  }
  return low;
}
Wide normal_function(Wide x) { return std::erfc(-x * M_SQRT1_2l) / 2; }

std::vector<Function> gamma_functions() {
  const auto near_each_other = [](double& x, double& z) {
    x = std::abs(x) * 40 + 0.01;
    z = x * std::exp(z / 8);
  };
  std::vector<Function> made{
      special(
          WAVESMITH_POINTWISE_LOG_GAMMA, [](Wide x, Wide) { return std::lgamma(x); }, any, true),
      special(
          WAVESMITH_POINTWISE_DIGAMMA, [](Wide x, Wide) { return digamma(x); }, any, true),
      special(
          WAVESMITH_POINTWISE_ERFCX, [](Wide x, Wide) { return std::exp(x * x) * std::erfc(x); },
          [](double& x, double&) { x = std::max(x, -9.0); }, false),
      special(
          WAVESMITH_POINTWISE_ERF_INVERSE,
          [](Wide x, Wide) { return inverse([](Wide y) { return std::erf(y); }, x); },
          [](double& x, double&) { x /= 1 + std::abs(x); }, false),
      special(
          WAVESMITH_POINTWISE_LOG_NORMAL,
          [](Wide x, Wide) {
            return x < 0 ? std::log(normal_function(x)) : std::log1p(-normal_function(-x));
          },
          any, false),
      special(
          WAVESMITH_POINTWISE_NORMAL_INVERSE, [](Wide x, Wide) { return inverse(normal_function, x); },
          [](double& x, double&) { x = std::abs(x) / (1 + std::abs(x)); }, true),
      special(
          WAVESMITH_POINTWISE_ZETA, zeta,
          [](double& x, double& z) { x = 1.01 + std::abs(x), z = std::abs(z) + 0.1; }, false),
      special(WAVESMITH_POINTWISE_INCOMPLETE_GAMMA, lower_gamma, near_each_other, true),
      special(
          WAVESMITH_POINTWISE_UPPER_INCOMPLETE_GAMMA, [](Wide a, Wide x) { return 1 - lower_gamma(a, x); },
          near_each_other, true)};
  for (const int n : {1, 2, 5})
    made.push_back(special(
        WAVESMITH_POINTWISE_POLYGAMMA,
        [n](Wide x, Wide) {
          const Wide size = std::tgamma(Wide(n + 1)) * zeta(n + 1, x);
          return n % 2 == 0 ? -size : size;
        },
        [](double& x, double&) { x += x < 0 ? -0.1 : 0.1; }, true, n));
  return made;
}

/// p(k + 1) = (a(k) p(k) - b(k) p(k - 1)), p(0) = 1.
template <class A, class B>
Wide recurrence(Wide first, Wide degree, A a, B b) {
  Wide before = 1, p = first;
  if (degree == 0) return 1;
  for (int i = 1; static_cast<Wide>(i) < degree; ++i) {
    const auto k = static_cast<Wide>(i);
    const Wide next = a(k) * p - b(k) * before;
    before = p, p = next;
  }
  return p;
}

std::vector<Function> orthogonal_polynomials() {
  const auto take = [](double& x, double& z) { x /= 16, z = std::trunc(std::abs(z) * 5); };
  const auto one = [](Wide) { return Wide(1); };
  std::vector<Function> made;
  for (int kind = 0; kind < 4; ++kind) {
    const auto chebyshev = [=](Wide x, Wide n) {
      const Wide first[] = {x, 2 * x, 2 * x - 1, 2 * x + 1};
      return recurrence(first[kind], n, [x](Wide) { return 2 * x; }, one);
    };
    made.push_back(
        special(static_cast<Pointwise>(WAVESMITH_POINTWISE_CHEBYSHEV_T + kind), chebyshev, take, true));
    made.push_back(special(
        static_cast<Pointwise>(WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_T + kind),
        [=](Wide x, Wide n) { return chebyshev(2 * x - 1, n); }, take, true));
  }
  made.push_back(special(
      WAVESMITH_POINTWISE_LEGENDRE,
      [](Wide x, Wide n) {
        return recurrence(
            x, n, [x](Wide k) { return (2 * k + 1) * x / (k + 1); }, [](Wide k) { return k / (k + 1); });
      },
      take, true));
  made.push_back(special(
      WAVESMITH_POINTWISE_LAGUERRE,
      [](Wide x, Wide n) {
        return recurrence(
            1 - x, n, [x](Wide k) { return (2 * k + 1 - x) / (k + 1); }, [](Wide k) { return k / (k + 1); });
      },
      take, true));
  const auto limited = [](Wide n, Wide value) { return n > 15 ? static_cast<Wide>(kNan) : value; };
  made.push_back(special(
      WAVESMITH_POINTWISE_HERMITE_H,
      [=](Wide x, Wide n) { return limited(n, std::hermitel(static_cast<unsigned>(n), x)); }, take, true,
      15));
  made.push_back(special(
      WAVESMITH_POINTWISE_HERMITE_HE,
      [=](Wide x, Wide n) {
        return limited(n, recurrence(x, n, [x](Wide) { return x; }, [](Wide k) { return k; }));
      },
      take, true, 15));
  for (Function& function : made) {  // the recurrences' terms are larger than their sums
    const auto value = function.exact;
    function.terms = [value](double x, double z, double w) { return 16 * at_least_one(value(x, z, w)); };
  }
  return made;
}

class SpecialFunctions : public OnPointwise {};

TEST_P(SpecialFunctions, EqualHigherPrecision) {
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const auto& functions : {bessel_functions(), gamma_functions(), orthogonal_polynomials()})
      for (const Function& function : functions) {
        check(function, type, 77);
        if (HasFatalFailure()) return;
      }
}

TEST_P(SpecialFunctions, LimitsArePyTorchs) {
  struct Limit {
    Pointwise operation;
    double x, z, value;
  };
  const std::vector<Limit> limits{
      {WAVESMITH_POINTWISE_BESSEL_J0, 0, 0, 1},
      {WAVESMITH_POINTWISE_BESSEL_Y0, 0, 0, -kInfinity},
      {WAVESMITH_POINTWISE_BESSEL_Y1, -1, 0, kNan},
      {WAVESMITH_POINTWISE_BESSEL_I0, -kInfinity, 0, kInfinity},
      {WAVESMITH_POINTWISE_BESSEL_I1, -kInfinity, 0, -kInfinity},
      {WAVESMITH_POINTWISE_BESSEL_K0, 0, 0, kInfinity},
      {WAVESMITH_POINTWISE_BESSEL_K1, kInfinity, 0, 0},
      {WAVESMITH_POINTWISE_SCALED_BESSEL_I0, kInfinity, 0, 0},
      {WAVESMITH_POINTWISE_SCALED_BESSEL_K1, kNan, 0, kNan},
      {WAVESMITH_POINTWISE_SPHERICAL_BESSEL_J0, -kInfinity, 0, 0},
      {WAVESMITH_POINTWISE_AIRY, kInfinity, 0, 0},
      {WAVESMITH_POINTWISE_LOG_GAMMA, -kInfinity, 0, kInfinity},
      {WAVESMITH_POINTWISE_LOG_GAMMA, -3, 0, kInfinity},
      {WAVESMITH_POINTWISE_LOG_GAMMA, 2, 0, 0},
      {WAVESMITH_POINTWISE_DIGAMMA, -0.0, 0, kInfinity},
      {WAVESMITH_POINTWISE_DIGAMMA, -2, 0, kNan},
      {WAVESMITH_POINTWISE_ERFCX, -kInfinity, 0, kInfinity},
      {WAVESMITH_POINTWISE_ERFCX, kInfinity, 0, 0},
      {WAVESMITH_POINTWISE_ERF_INVERSE, -1, 0, -kInfinity},
      {WAVESMITH_POINTWISE_ERF_INVERSE, 1.5, 0, kNan},
      {WAVESMITH_POINTWISE_LOG_NORMAL, -kInfinity, 0, -kInfinity},
      {WAVESMITH_POINTWISE_NORMAL_INVERSE, 1, 0, kInfinity},
      {WAVESMITH_POINTWISE_NORMAL_INVERSE, -0.5, 0, kNan},
      {WAVESMITH_POINTWISE_ZETA, 1, 3, kInfinity},
      {WAVESMITH_POINTWISE_ZETA, 0.5, 3, kNan},
      {WAVESMITH_POINTWISE_ZETA, 2, -1, kInfinity},
      {WAVESMITH_POINTWISE_ZETA, 2.5, -1.5, kNan},
      {WAVESMITH_POINTWISE_INCOMPLETE_GAMMA, 0, 0, kNan},
      {WAVESMITH_POINTWISE_INCOMPLETE_GAMMA, 2, kInfinity, 1},
      {WAVESMITH_POINTWISE_UPPER_INCOMPLETE_GAMMA, kInfinity, 3, 1},
      {WAVESMITH_POINTWISE_INCOMPLETE_GAMMA, -1, 3, kNan},
      {WAVESMITH_POINTWISE_CHEBYSHEV_T, 5, -1, 0},
      {WAVESMITH_POINTWISE_CHEBYSHEV_U, -1, 9, -10},
      {WAVESMITH_POINTWISE_CHEBYSHEV_V, -1, 20, 41},
      {WAVESMITH_POINTWISE_CHEBYSHEV_W, 1, 20, 41},
      {WAVESMITH_POINTWISE_LEGENDRE, -1, 30, 1},
      {WAVESMITH_POINTWISE_LAGUERRE, 0, 7.5, 1},
      {WAVESMITH_POINTWISE_HERMITE_H, 1, kNan, 0},
  };
  for (const Limit& limit : limits) {
    SCOPED_TRACE("operation " + std::to_string(limit.operation) + " of " + std::to_string(limit.x));
    Strided y(WAVESMITH_POINTWISE_F32, {1}, {4}), x = y, z = y;
    x.set(0, limit.x), z.set(0, limit.z);
    const StridedOnGpu on_y(y), on_x(x), on_z(z);
    Description one = description(limit.operation, WAVESMITH_POINTWISE_F32, {1});
    one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand();
    call(one);
    on_y.read();
    const ErrorNote note;  // of none: limits are exact
    if (std::isnan(limit.value))
      ASSERT_TRUE(std::isnan(y.get(0))) << y.get(0);
    else
      ASSERT_EQ(y.get(0), limit.value);
  }
}

INSTANTIATE_TEST_SUITE_P(On, SpecialFunctions, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
