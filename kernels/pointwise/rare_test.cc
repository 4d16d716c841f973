// Rare operations on a GPU of each target: activations, parts of numbers, integers and complex numbers.
#include <cmath>
#include <complex>
#include <numeric>

#include "kernels/pointwise/pointwise_testing.h"

namespace wavesmith::kernels {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hard_sigmoid(double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; }
double tanh_of_softplus(double x) { return std::tanh(std::log1p(std::exp(x))); }
double shrunk(double x) { return x > kP ? x - kP : x < -kP ? x + kP : 0; }
double logit(double x) {
  const double y = std::clamp(x, kP / 8, 1 - kP / 8);
  return std::log(y / (1 - y));
}

std::vector<Function> activations() {
  const auto sizes = [](double x, double, double) { return (std::abs(x) + 3) * (1 + std::abs(x)); };
  const auto gradient = [](double x, double z, double) { return std::abs(x) * (1 + std::abs(z)); };
  Function of_logit{WAVESMITH_POINTWISE_LOGIT, [](double x, double, double) { return logit(x); }, 4, sizes};
  of_logit.p = kP / 8;
  of_logit.take = [](double& x, double&) { x = std::abs(x) / (1 + std::abs(x)); };
  return {
      of_logit,
      {WAVESMITH_POINTWISE_SINC, [](double x, double, double) { return std::sin(M_PI * x) / (M_PI * x); }, 4,
       [](double, double, double) { return 1.0; }},
      {WAVESMITH_POINTWISE_MISH, [](double x, double, double) { return x * tanh_of_softplus(x); }},
      {WAVESMITH_POINTWISE_HARD_SIGMOID, [](double x, double, double) { return hard_sigmoid(x); }, 4, sizes},
      {WAVESMITH_POINTWISE_HARD_SWISH, [](double x, double, double) { return x * hard_sigmoid(x); }, 4,
       sizes},
      {WAVESMITH_POINTWISE_HARD_SHRINK, [](double x, double, double) { return std::abs(x) <= kP ? 0 : x; }},
      {WAVESMITH_POINTWISE_SOFT_SHRINK, [](double x, double, double) { return shrunk(x); }, 4, sizes},
      {WAVESMITH_POINTWISE_PRELU, [](double x, double z, double) { return x > 0 ? x : x * z; }},
      {WAVESMITH_POINTWISE_GLU, [](double x, double z, double) { return x * sigmoid(z); }},
      {WAVESMITH_POINTWISE_MISH_BACKWARD,
       [](double x, double z, double) {
         const double t = tanh_of_softplus(z);
         return x * (t + z * sigmoid(z) * (1 - t * t));
       },
       8, gradient},
      {WAVESMITH_POINTWISE_HARD_SIGMOID_BACKWARD,
       [](double x, double z, double) { return std::abs(z) < 3 ? x / 6 : 0; }},
      {WAVESMITH_POINTWISE_HARD_SWISH_BACKWARD,
       [](double x, double z, double) { return z <= -3 ? 0
                                               : z < 3 ? x * (z / 3 + 0.5)
                                                       : x; }, 8, gradient},
      {WAVESMITH_POINTWISE_SHRINK_BACKWARD,
       [](double x, double z, double) { return std::abs(z) <= kP ? 0 : x; }},
      {WAVESMITH_POINTWISE_LOG_SIGMOID_BACKWARD, [](double x, double z, double) { return x * sigmoid(-z); },
       8},
      {WAVESMITH_POINTWISE_PRELU_WEIGHT_BACKWARD,
       [](double x, double z, double) { return z > 0 ? 0 : x * z; }},
      {WAVESMITH_POINTWISE_PRELU_BACKWARD, [](double x, double z, double w) { return z > 0 ? x : x * w; }},
      {WAVESMITH_POINTWISE_GLU_BACKWARD, [](double x, double z, double w) { return (1 - x) * x * z * w; }, 8,
       [](double x, double z, double w) { return (1 + std::abs(x)) * std::abs(x * z * w); }}};
}

/// Of d = x - z; kP is the loss's parameter, or the factor of gradients, for which it is kQ.
std::vector<Function> losses() {
  const auto size = [](double x, double z) { return std::abs(x) + std::abs(z) + 1; };
  const auto squares = [](double x, double z, double) {
    const double most = std::abs(x) + std::abs(z) + 1;
    return most * most;
  };
  static const auto kSize = size;
  const auto gradient = [](double x, double z, double w) { return std::abs(w) * kSize(x, z); };
  const auto take = [](double& x, double& z) {
    x = std::abs(x) / (1 + std::abs(x)), z = std::abs(z) / (1 + std::abs(z));
  };
  const auto entropy = [](double x, double z, double) {
    return (z - 1) * std::max(std::log1p(-x), -100.0) - z * std::max(std::log(x), -100.0);
  };
  Function of_entropy{WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY, entropy, 4};
  Function of_slope{
      WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY_BACKWARD,
      [](double x, double z, double w) { return kP * w * (x - z) / std::max((1 - x) * x, 1e-12); }, 8,
      [](double x, double z, double w) {
        return std::abs(w) * (x + z) / std::max((1 - x) * x, 1e-12) / (1 - x);
      }};
  Function of_log{WAVESMITH_POINTWISE_X_LOG1P_Z, [](double x, double z, double) { return x * std::log1p(z); },
                  8};
  of_entropy.take = of_slope.take = take;
  of_log.take = [](double&, double& z) { z = std::abs(z); };
  return {of_entropy,
          of_slope,
          of_log,
          {WAVESMITH_POINTWISE_SMOOTH_L1,
           [](double x, double z, double) {
             const double d = std::abs(x - z);
             return d < kP ? d * d / (2 * kP) : d - kP / 2;
           },
           4, squares},
          {WAVESMITH_POINTWISE_HUBER,
           [](double x, double z, double) {
             const double d = std::abs(x - z);
             return d <= kP ? d * d / 2 : kP * (d - kP / 2);
           },
           4, squares},
          {WAVESMITH_POINTWISE_SMOOTH_L1_BACKWARD,
           [](double x, double z, double w) { return kP * w * std::clamp((x - z) / kQ, -1.0, 1.0); }, 8,
           gradient},
          {WAVESMITH_POINTWISE_HUBER_BACKWARD,
           [](double x, double z, double w) { return kP * w * std::clamp(x - z, -kQ, kQ); }, 8, gradient},
          {WAVESMITH_POINTWISE_SQUARED_DIFFERENCE_BACKWARD,
           [](double x, double z, double w) { return kP * w * (x - z); }, 8, gradient}};
}

class RareOperations : public OnPointwise {
 protected:
  /// Of numbers, in a type; x, z and y are of it.
  std::vector<double> of_numbers(Pointwise operation, Number type, const std::vector<double>& of_x,
                                 const std::vector<double>& of_z = {}, double p = kP, double q = kQ,
                                 double r = 0) {
    const auto count = static_cast<int64_t>(of_x.size());
    Strided y(type, {count}, {size_of(type)}), x = y, z = y;
    for (int64_t i = 0; i < count; ++i) {
      x.set(i, of_x[static_cast<size_t>(i)]);
      z.set(i, of_z.empty() ? 0 : of_z[static_cast<size_t>(i)]);
    }
    const StridedOnGpu on_y(y), on_x(x), on_z(z);
    Description one = description(operation, type, {count});
    one.numbers[0].real = p, one.numbers[1].real = q, one.numbers[2].real = r;
    one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand();
    call(one);
    on_y.read();
    const ErrorNote note;  // of none: the caller compares all bits
    std::vector<double> result;
    for (int64_t i = 0; i < count; ++i) result.push_back(y.get(i));
    return result;
  }
};

TEST_P(RareOperations, ActivationsEqualDoublePrecision) {
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const Function& function : activations()) {
      check(function, type, 131);
      if (HasFatalFailure()) return;
    }
}

TEST_P(RareOperations, LossesEqualDoublePrecision) {
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const Function& function : losses()) {
      check(function, type, 131);
      if (HasFatalFailure()) return;
    }
}

TEST_P(RareOperations, LossesAtTheirEnds) {
  constexpr auto kEntropy = WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY, kLog = WAVESMITH_POINTWISE_X_LOG1P_Z;
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64}) {
    EXPECT_EQ(of_numbers(kEntropy, type, {0, 1, 0, 1}, {0, 1, 1, 0}), (std::vector<double>{0, 0, 100, 100}));
    EXPECT_EQ(of_numbers(kLog, type, {0, 0, 2}, {-1, -2, -1}), (std::vector<double>{0, 0, -kInfinity}));
    // At the parameter itself, and on both sides of it.
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_SMOOTH_L1, type, {2, -2, 3, 1}, {0, 0, 0, 1}, 2),
              (std::vector<double>{1, 1, 2, 0}));
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_HUBER, type, {2, -2, 3, 1}, {0, 0, 0, 1}, 2),
              (std::vector<double>{2, 2, 4, 0}));
    for (const Pointwise each : {kEntropy, kLog, WAVESMITH_POINTWISE_SMOOTH_L1, WAVESMITH_POINTWISE_HUBER})
      for (const double number : of_numbers(each, type, {kNan, 0}, {0.5, kNan}))
        EXPECT_TRUE(std::isnan(number));
  }
}

TEST_P(RareOperations, PartsOfNumbersAreExact) {
  const std::vector<double> x{0, 1, -0.75, 6.5, -100, 0x1p-120, 1.5, -2.5, kInfinity, 3};
  const std::vector<double> z{1, 0, -2, 7, -7, 1, 1.5, kInfinity, 0, -kInfinity};
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64}) {
    const bool is_float = type == WAVESMITH_POINTWISE_F32;
    const auto mantissa = of_numbers(WAVESMITH_POINTWISE_MANTISSA, type, x);
    const auto exponent = of_numbers(WAVESMITH_POINTWISE_EXPONENT, type, x);
    const auto next = of_numbers(WAVESMITH_POINTWISE_NEXT_AFTER, type, x, z);
    const auto step = of_numbers(WAVESMITH_POINTWISE_HEAVISIDE, type, x, z);
    const auto angle = of_numbers(WAVESMITH_POINTWISE_ANGLE, type, x);
    for (size_t i = 0; i < x.size(); ++i) {
      SCOPED_TRACE(std::to_string(x[i]) + " and " + std::to_string(z[i]));
      int power = 0;
      const double part = std::frexp(x[i], &power);
      EXPECT_EQ(mantissa[i], part);
      EXPECT_EQ(exponent[i], std::isinf(x[i]) ? 0 : power);
      const float next_float = std::nextafter(static_cast<float>(x[i]), static_cast<float>(z[i]));
      EXPECT_EQ(next[i], is_float ? static_cast<double>(next_float) : std::nextafter(x[i], z[i]));
      EXPECT_EQ(step[i], x[i] == 0 ? z[i] : x[i] > 0);
      EXPECT_EQ(angle[i], x[i] >= 0 ? 0 : is_float ? static_cast<double>(static_cast<float>(M_PI)) : M_PI);
    }
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_ROUND_MULTIPLE, type, {0.25, 0.375, -1.6, 7}, {}, 4, 0),
              (std::vector<double>{0.25, 0.5, -1.5, 7}));
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_ROUND_MULTIPLE, type, {5, 15, -16, 1e30}, {}, 10, 1)[1], 20);
  }
}

TEST_P(RareOperations, CloseNumbers) {
  const double nan = std::nan("");
  const std::vector<double> x{1, 1, 1, 0, nan, nan, kInfinity, kInfinity, 5, -kInfinity, -2, 0x1p-140};
  const std::vector<double> z{1.25, 1.375, 1.5, 0.125, nan, 1, kInfinity, -kInfinity, kInfinity, 3, 2, 0};
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64}) {
    std::vector<double> expected{1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    // 0.3125 = 0.125 + 0.15 * 1.25, nearly, and 0.375 more than 0.33125.
    expected[1] = 0;
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_IS_CLOSE, type, x, z, 0.125, 0.15), expected);
    expected[4] = 1;
    EXPECT_EQ(of_numbers(WAVESMITH_POINTWISE_IS_CLOSE, type, x, z, 0.125, 0.15, 1), expected);
  }
}

TEST_P(RareOperations, DivisorsAndMultiplesOfIntegers) {
  std::vector<double> x, z;
  for (int i = 0; i < 100; ++i) {
    x.push_back(static_cast<double>(between(-1000, 1000)));
    z.push_back(static_cast<double>(i < 10 ? 0 : between(-1000, 1000)));
  }
  for (const Number type : {WAVESMITH_POINTWISE_I64, WAVESMITH_POINTWISE_I32}) {
    Strided y(type, {100}, {size_of(type)}), on_x = y, on_z = y;
    for (int64_t i = 0; i < 100; ++i)
      on_x.set(i, x[static_cast<size_t>(i)]), on_z.set(i, z[static_cast<size_t>(i)]);
    for (const Pointwise operation :
         {WAVESMITH_POINTWISE_GCD, WAVESMITH_POINTWISE_LCM, WAVESMITH_POINTWISE_HEAVISIDE}) {
      const StridedOnGpu of_y(y), of_x(on_x), of_z(on_z);
      Description one = description(operation, WAVESMITH_POINTWISE_I64, {100});
      one.y = of_y.operand(), one.inputs[0] = of_x.operand(), one.inputs[1] = of_z.operand();
      call(one);
      of_y.read();
      const ErrorNote note;  // of none: all bits are compared
      for (int64_t i = 0; i < 100; ++i) {
        const auto a = static_cast<int64_t>(on_x.get(i)), b = static_cast<int64_t>(on_z.get(i));
        const int64_t expected = operation == WAVESMITH_POINTWISE_GCD   ? std::gcd(a, b)
                                 : operation == WAVESMITH_POINTWISE_LCM ? std::lcm(a, b)
                                 : a == 0                               ? b
                                                                        : a > 0;
        ASSERT_EQ(y.get(i), static_cast<double>(expected)) << a << " and " << b;
      }
    }
  }
}

TEST_P(RareOperations, ComplexNumbers) {
  using Pair = std::complex<double>;
  struct Case {
    Pointwise operation;
    Pair (*exact)(Pair, Pair);
    bool of_parts = false;  // its inputs are real
  };
  const auto sigmoid_of = [](Pair x) { return 1.0 / (1.0 + std::exp(-x)); };
  static const auto kSigmoid = sigmoid_of;
  const std::vector<Case> cases{
      {WAVESMITH_POINTWISE_SIGN, [](Pair x, Pair) { return x / std::abs(x); }},
      {WAVESMITH_POINTWISE_SILU, [](Pair x, Pair) { return x * kSigmoid(x); }},
      {WAVESMITH_POINTWISE_SILU_BACKWARD,
       [](Pair x, Pair z) {
         const Pair s = kSigmoid(z);
         return x * std::conj(s * (1.0 + z * (1.0 - s)));
       }},
      {WAVESMITH_POINTWISE_ANGLE, [](Pair x, Pair) { return Pair(std::arg(x)); }},
      {WAVESMITH_POINTWISE_CONJUGATE, [](Pair x, Pair) { return std::conj(x); }},
      {WAVESMITH_POINTWISE_COMPLEX, [](Pair x, Pair z) { return Pair(x.real(), z.real()); }, true},
      {WAVESMITH_POINTWISE_POLAR,
       [](Pair x, Pair z) { return x.real() * Pair(std::cos(z.real()), std::sin(z.real())); }, true}};
  constexpr int64_t kCount = 53;
  for (const auto [type, part] : {std::pair{WAVESMITH_POINTWISE_C64, WAVESMITH_POINTWISE_F32},
                                  {WAVESMITH_POINTWISE_C128, WAVESMITH_POINTWISE_F64}}) {
    const int64_t bytes = size_of(part);
    Strided x(part, {2, kCount}, {bytes, 2 * bytes}), z = x, y = x;  // both parts, of each number
    for (int64_t i = 0; i < 2 * kCount; ++i) x.set(i, normal() * 2), z.set(i, normal() * 2);
    for (const Case& each : cases) {
      SCOPED_TRACE("operation " + std::to_string(each.operation) + " in " + std::string(word_of(type)));
      Description one = description(each.operation, type, {kCount});
      const StridedOnGpu on_y(y), on_x(x), on_z(z);
      one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand();
      for (auto* operand : {&one.y, &one.inputs[0], &one.inputs[1]}) operand->strides[0] = 2 * bytes;
      one.y.type = type;
      if (!each.of_parts) one.inputs[0].type = one.inputs[1].type = type;
      call(one);
      on_y.read();
      ErrorNote note;
      for (int64_t i = 0; i < kCount; ++i) {
        const Pair of_x(x.get(2 * i), x.get(2 * i + 1)), of_z(z.get(2 * i), z.get(2 * i + 1));
        const Pair exact = each.exact(of_x, of_z);
        const double allowed = (part == WAVESMITH_POINTWISE_F32 ? 0x1p-21 : 0x1p-44) * (std::abs(exact) + 1);
        const double error = std::abs(exact - Pair(y.get(2 * i), y.get(2 * i + 1)));
        note.add(error, allowed);
        ASSERT_LE(error, allowed) << "of " << of_x << " and " << of_z;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, RareOperations, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
