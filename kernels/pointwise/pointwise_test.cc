// Pointwise operations on a GPU of each target, against double precision.
#include "kernels/pointwise/pointwise_testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu_argument(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
double gelu_tanh(double x) { return x * sigmoid(2 * gelu_argument(x)); }
double gelu_tanh_slope(double x) {
  const double s = sigmoid(2 * gelu_argument(x));
  return s + x * s * (1 - s) * 2 * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

std::vector<Function> functions_of_one() {
  return {
      {WAVESMITH_POINTWISE_NEGATE, [](double x, double, double) { return -x; }},
      {WAVESMITH_POINTWISE_ABSOLUTE, [](double x, double, double) { return std::abs(x); }},
      {WAVESMITH_POINTWISE_RECIPROCAL, [](double x, double, double) { return 1 / x; }},
      {WAVESMITH_POINTWISE_SQRT, [](double x, double, double) { return std::sqrt(x); }},
      {WAVESMITH_POINTWISE_RECIPROCAL_ROOT, [](double x, double, double) { return 1 / std::sqrt(x); }},
      {WAVESMITH_POINTWISE_EXP, [](double x, double, double) { return std::exp(x); }},
      {WAVESMITH_POINTWISE_LOG, [](double x, double, double) { return std::log(x); }},
      {WAVESMITH_POINTWISE_SIGMOID, [](double x, double, double) { return sigmoid(x); }},
      {WAVESMITH_POINTWISE_TANH, [](double x, double, double) { return std::tanh(x); }},
      {WAVESMITH_POINTWISE_SILU, [](double x, double, double) { return x * sigmoid(x); }},
      {WAVESMITH_POINTWISE_GELU_TANH, [](double x, double, double) { return gelu_tanh(x); }, 8,
       [](double x, double, double) { return (1 + std::abs(gelu_argument(x))) * std::abs(gelu_tanh(x)); }},
      {WAVESMITH_POINTWISE_FLOOR, [](double x, double, double) { return std::floor(x); }},
      {WAVESMITH_POINTWISE_CEIL, [](double x, double, double) { return std::ceil(x); }},
      {WAVESMITH_POINTWISE_TRUNCATE, [](double x, double, double) { return std::trunc(x); }},
      {WAVESMITH_POINTWISE_ROUND, [](double x, double, double) { return std::nearbyint(x); }},
      {WAVESMITH_POINTWISE_FRACTION, [](double x, double, double) { return x - std::trunc(x); }},
      {WAVESMITH_POINTWISE_SIGN, [](double x, double, double) { return (x > 0) - (x < 0); }},
      {WAVESMITH_POINTWISE_CLAMP, [](double x, double, double) { return std::min(std::max(x, kP), kQ); }},
      {WAVESMITH_POINTWISE_LEAKY_RELU, [](double x, double, double) { return x > 0 ? x : x * kP; }},
      {WAVESMITH_POINTWISE_EXP2, [](double x, double, double) { return std::exp2(x); }},
      {WAVESMITH_POINTWISE_EXPM1, [](double x, double, double) { return std::expm1(x); }},
      {WAVESMITH_POINTWISE_LOG2, [](double x, double, double) { return std::log2(x); }},
      {WAVESMITH_POINTWISE_LOG10, [](double x, double, double) { return std::log10(x); }},
      {WAVESMITH_POINTWISE_LOG1P, [](double x, double, double) { return std::log1p(x); }},
      {WAVESMITH_POINTWISE_SIN, [](double x, double, double) { return std::sin(x); }},
      {WAVESMITH_POINTWISE_COS, [](double x, double, double) { return std::cos(x); }},
      {WAVESMITH_POINTWISE_TAN, [](double x, double, double) { return std::tan(x); }},
      {WAVESMITH_POINTWISE_ASIN, [](double x, double, double) { return std::asin(x); }},
      {WAVESMITH_POINTWISE_ACOS, [](double x, double, double) { return std::acos(x); }},
      {WAVESMITH_POINTWISE_ATAN, [](double x, double, double) { return std::atan(x); }},
      {WAVESMITH_POINTWISE_SINH, [](double x, double, double) { return std::sinh(x); }},
      {WAVESMITH_POINTWISE_COSH, [](double x, double, double) { return std::cosh(x); }},
      {WAVESMITH_POINTWISE_ASINH, [](double x, double, double) { return std::asinh(x); }},
      {WAVESMITH_POINTWISE_ACOSH, [](double x, double, double) { return std::acosh(x); }},
      {WAVESMITH_POINTWISE_ATANH, [](double x, double, double) { return std::atanh(x); }},
      {WAVESMITH_POINTWISE_ERF, [](double x, double, double) { return std::erf(x); }},
      {WAVESMITH_POINTWISE_ERFC, [](double x, double, double) { return std::erfc(x); }},
      {WAVESMITH_POINTWISE_GELU,
       [](double x, double, double) { return x / 2 * std::erfc(-x / std::sqrt(2)); }, 4,
       [](double x, double, double) { return std::abs(x / 2 * std::erfc(-x / std::sqrt(2))) * (1 + x * x); }},
      {WAVESMITH_POINTWISE_SOFTPLUS,
       [](double x, double, double) { return x * kP > kQ ? x : std::log1p(std::exp(x * kP)) / kP; }},
      {WAVESMITH_POINTWISE_ELU,
       [](double x, double, double) { return x > 0 ? kQ * x : kP * std::expm1(kR * x); }},
      {WAVESMITH_POINTWISE_LOG_SIGMOID,
       [](double x, double, double) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }}};
}

std::vector<Function> functions_of_several() {
  const auto sizes = [](double x, double z, double) { return std::abs(x) + std::abs(z) + 1; };
  const auto product = [](double x, double z, double w) { return std::abs(x) + std::abs(z * w); };
  const auto slope = [](double x, double z, double) { return std::abs(x) * (1 + z * z * std::abs(z)); };
  return {
      {WAVESMITH_POINTWISE_ADD, [](double x, double z, double) { return x + kP * z; }, 4, sizes},
      {WAVESMITH_POINTWISE_MULTIPLY, [](double x, double z, double) { return x * z; }},
      {WAVESMITH_POINTWISE_DIVIDE, [](double x, double z, double) { return x / z; }},
      {WAVESMITH_POINTWISE_MAXIMUM, [](double x, double z, double) { return std::max(x, z); }},
      {WAVESMITH_POINTWISE_MINIMUM, [](double x, double z, double) { return std::min(x, z); }},
      {WAVESMITH_POINTWISE_LESS, [](double x, double z, double) { return x < z; }},
      {WAVESMITH_POINTWISE_GREATER_EQUAL, [](double x, double z, double) { return x >= z; }},
      {WAVESMITH_POINTWISE_DIVIDE_FLOOR, [](double x, double z, double) { return std::floor(x / z); }},
      {WAVESMITH_POINTWISE_FMOD, [](double x, double z, double) { return std::fmod(x, z); }},
      {WAVESMITH_POINTWISE_COPY_SIGN, [](double x, double z, double) { return std::copysign(x, z); }},
      {WAVESMITH_POINTWISE_SQUARED_DIFFERENCE, [](double x, double z, double) { return (x - z) * (x - z); }},
      {WAVESMITH_POINTWISE_THRESHOLD, [](double x, double z, double) { return x <= kP ? kQ : z; }},
      {WAVESMITH_POINTWISE_INTERPOLATE, [](double x, double z, double) { return x + kP * (z - x); }, 4,
       sizes},
      {WAVESMITH_POINTWISE_SIGMOID_BACKWARD, [](double x, double z, double) { return x * (1 - z) * z; }, 8,
       slope},
      {WAVESMITH_POINTWISE_TANH_BACKWARD, [](double x, double z, double) { return x * (1 - z * z); }, 8,
       slope},
      {WAVESMITH_POINTWISE_SILU_BACKWARD,
       [](double x, double z, double) { return x * sigmoid(z) * (1 + z * (1 - sigmoid(z))); }, 8, slope},
      {WAVESMITH_POINTWISE_GELU_TANH_BACKWARD,
       [](double x, double z, double) { return x * gelu_tanh_slope(z); }, 8, slope},
      {WAVESMITH_POINTWISE_GELU_BACKWARD,
       [](double x, double z, double) {
         return x * (std::erfc(-z / std::sqrt(2)) / 2 + z * std::exp(-z * z / 2) / std::sqrt(2 * M_PI));
       },
       8, slope},
      {WAVESMITH_POINTWISE_POWER, [](double x, double z, double) { return std::pow(x, z); }, 8},
      {WAVESMITH_POINTWISE_ATAN2, [](double x, double z, double) { return std::atan2(x, z); }, 8},
      {WAVESMITH_POINTWISE_HYPOT, [](double x, double z, double) { return std::hypot(x, z); }, 8},
      {WAVESMITH_POINTWISE_LOG_ADD_EXP,
       [](double x, double z, double) { return std::max(x, z) + std::log1p(std::exp(-std::abs(x - z))); }, 8,
       sizes},
      {WAVESMITH_POINTWISE_WHERE, [](double x, double z, double w) { return x != 0 ? z : w; }},
      {WAVESMITH_POINTWISE_ADD_PRODUCT, [](double x, double z, double w) { return x + kP * z * w; }, 4,
       product},
      {WAVESMITH_POINTWISE_ADD_QUOTIENT, [](double x, double z, double w) { return x + kP * z / w; }, 4,
       [](double x, double z, double w) { return std::abs(x) + std::abs(z / w); }},
      {WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN, [](double x, double z, double w) { return x + w * (z - x); },
       8, [](double x, double z, double w) { return (std::abs(x) + std::abs(z)) * (1 + std::abs(w)); }}};
}

class PointwiseOperations : public OnPointwise {};

TEST_P(PointwiseOperations, FunctionsEqualDoublePrecision) {
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const auto& functions : {functions_of_one(), functions_of_several()})
      for (const Function& function : functions) {
        check(function, type, 301);
        if (HasFatalFailure()) return;
      }
}

TEST_P(PointwiseOperations, SpecialNumbersAreTheFormulas) {
  const double numbers[] = {0.0, -0.0, 1, -1, kInfinity, -kInfinity, kNan, 88.9, -104.5, 1e-40, 700};
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const Function& function : functions_of_one()) {
      if (function.operation == WAVESMITH_POINTWISE_SIGN) continue;  // of NaN it is 0, as PyTorch's
      SCOPED_TRACE("operation " + std::to_string(function.operation) + " of " + std::string(word_of(type)));
      const bool is_angle =
          function.operation >= WAVESMITH_POINTWISE_SIN && function.operation <= WAVESMITH_POINTWISE_TAN;
      Strided x(type, {11}, {size_of(type)}), y = x;
      for (int64_t i = 0; i < 11; ++i) x.set(i, numbers[i]);
      Description one = description(function.operation, type, x.sizes);
      const StridedOnGpu on_y(y), on_x(x);
      one.y = on_y.operand(), one.inputs[0] = on_x.operand();
      call(one);
      on_y.read();
      for (int64_t i = 0; i < 11; ++i) {
        if (function.operation == WAVESMITH_POINTWISE_CLAMP && std::isnan(x.get(i))) continue;
        Strided nearest = x;
        nearest.set(i, function.exact(x.get(i), 0, 0));
        const double exact = nearest.get(i);
        if (std::isnan(exact))
          ASSERT_TRUE(std::isnan(y.get(i))) << y.get(i) << " of " << x.get(i);
        else if (std::isinf(exact))
          ASSERT_EQ(y.get(i), exact) << "of " << x.get(i);
        else if (!is_angle)
          ASSERT_NEAR(y.get(i), exact,
                      0x1p-16 * std::abs(exact) + 0x1p-126 * std::max(1.0, std::abs(x.get(i))))
              << "of " << x.get(i);
      }
    }
}

// Also of 6381956970095103 * 2^797, the double that is nearest to a multiple of pi / 2: its cosine by glibc
// is wrong by 14 units in the last place.
TEST_P(PointwiseOperations, AnglesOfAnySizeAreReduced) {
  const double numbers[] = {0x1p47,
                            0x1p48,
                            0x1p48 + 1,
                            -0x1p52,
                            1e16,
                            1e22,
                            -1e30,
                            3e38,
                            0x1.6ac5b262ca1ffp+849,
                            0x1.fffffffffffffp+1023};
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const Function& function : functions_of_one()) {
      if (function.operation < WAVESMITH_POINTWISE_SIN || function.operation > WAVESMITH_POINTWISE_TAN)
        continue;
      SCOPED_TRACE("operation " + std::to_string(function.operation) + " of " + std::string(word_of(type)));
      const int64_t count = type == WAVESMITH_POINTWISE_F32 ? 8 : 10;
      Strided x(type, {count}, {size_of(type)}), y = x;
      for (int64_t i = 0; i < count; ++i) x.set(i, numbers[i]);
      Description one = description(function.operation, type, x.sizes);
      const StridedOnGpu on_y(y), on_x(x);
      one.y = on_y.operand(), one.inputs[0] = on_x.operand();
      call(one);
      on_y.read();
      const double units = type == WAVESMITH_POINTWISE_F32 ? 0x1p-23 : 0x1p-48;
      for (int64_t i = 0; i < count; ++i) {
        const double exact = function.exact(x.get(i), 0, 0);
        ASSERT_NEAR(y.get(i), exact, units * std::abs(exact)) << "of " << x.get(i);
      }
    }
}

TEST_P(PointwiseOperations, AnyTypesAndStridesAreTaken) {
  for (int round = 0; round < 150; ++round) {
    const auto sizes = any_sizes(3000);
    const Pointwise operation =
        one_of({WAVESMITH_POINTWISE_COPY, WAVESMITH_POINTWISE_MULTIPLY, WAVESMITH_POINTWISE_ADD,
                WAVESMITH_POINTWISE_WHERE, WAVESMITH_POINTWISE_FILL});
    const Number computed_in =
        one_of({WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_I64});
    const auto input_type = [&] {
      return computed_in == WAVESMITH_POINTWISE_I64 ? static_cast<Number>(between(0, WAVESMITH_POINTWISE_I64))
                                                    : any_real();
    };
    Strided y = any_strided(any_real(), sizes, false);
    std::vector<Strided> inputs;
    for (int k = 0; k < 3; ++k) {
      inputs.push_back(any_strided(input_type(), sizes, true));
      for (int64_t i = 0; i < inputs.back().count(); ++i)
        inputs.back().set(i, static_cast<double>(between(0, 11)));
    }
    Description one = description(operation, computed_in, sizes);
    one.numbers[0] = {2, 0, 2};
    const StridedOnGpu on_y(y), on_x(inputs[0]), on_z(inputs[1]), on_w(inputs[2]);
    one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand(),
    one.inputs[2] = on_w.operand();
    const bool is_number = between(0, 4) == 0;
    if (is_number) one.inputs[1] = {}, one.inputs[1].number = {5, 0, 5};
    const Strided before = y;
    call(one);
    on_y.read();
    Strided expected = before;
    for (int64_t i = 0; i < y.count(); ++i) {
      const double x = inputs[0].get(i), z = is_number ? 5 : inputs[1].get(i), w = inputs[2].get(i);
      expected.set(i, operation == WAVESMITH_POINTWISE_COPY       ? x
                      : operation == WAVESMITH_POINTWISE_MULTIPLY ? x * z
                      : operation == WAVESMITH_POINTWISE_ADD      ? x + 2 * z
                      : operation == WAVESMITH_POINTWISE_WHERE    ? (x != 0 ? z : w)
                                                                  : 2);
    }
    const ErrorNote note;  // of none: all bits are compared
    ASSERT_EQ(y.memory.bytes, expected.memory.bytes)
        << "operation " << operation << " to " << word_of(y.type) << " from " << word_of(inputs[0].type);
  }
}

TEST_P(PointwiseOperations, IntegersWrapAndDivideAsPythons) {
  const std::vector<int64_t> numbers{0, 1, -1, 7, -7, 3, -3, INT64_MAX, INT64_MIN, 63, 64};
  const auto count = static_cast<int64_t>(numbers.size());
  Strided x(WAVESMITH_POINTWISE_I64, {count, count}, {8, 8 * count}), z = x, y = x;
  for (int64_t i = 0; i < count * count; ++i) {
    std::memcpy(&x.memory.bytes[x.at(i)], &numbers[static_cast<size_t>(i % count)], 8);
    std::memcpy(&z.memory.bytes[z.at(i)], &numbers[static_cast<size_t>(i / count)], 8);
  }
  for (const Pointwise operation :
       {WAVESMITH_POINTWISE_MULTIPLY, WAVESMITH_POINTWISE_DIVIDE_FLOOR, WAVESMITH_POINTWISE_REMAINDER,
        WAVESMITH_POINTWISE_SHIFT_LEFT, WAVESMITH_POINTWISE_BITWISE_XOR, WAVESMITH_POINTWISE_LESS}) {
    Description one = description(operation, WAVESMITH_POINTWISE_I64, x.sizes);
    const StridedOnGpu on_y(y), on_x(x), on_z(z);
    one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand();
    call(one);
    on_y.read();
    const ErrorNote note;  // of none: all bits are compared
    for (int64_t i = 0; i < count * count; ++i) {
      const int64_t a = numbers[static_cast<size_t>(i % count)], b = numbers[static_cast<size_t>(i / count)];
      const bool divides =
          operation == WAVESMITH_POINTWISE_DIVIDE_FLOOR || operation == WAVESMITH_POINTWISE_REMAINDER;
      if (divides && (b == 0 || (a == INT64_MIN && b == -1))) continue;
      const int64_t lower = divides && a % b != 0 && (a % b < 0) != (b < 0);
      int64_t result = 0, expected = 0;
      std::memcpy(&result, &y.memory.bytes[y.at(i)], 8);
      if (operation == WAVESMITH_POINTWISE_MULTIPLY)
        expected = static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      else if (operation == WAVESMITH_POINTWISE_DIVIDE_FLOOR)
        expected = a / b - lower;
      else if (operation == WAVESMITH_POINTWISE_REMAINDER)
        expected = a % b + (lower != 0 ? b : 0);
      else if (operation == WAVESMITH_POINTWISE_SHIFT_LEFT)
        expected = b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
      else
        expected = operation == WAVESMITH_POINTWISE_LESS ? a < b : a ^ b;
      ASSERT_EQ(result, expected) << "operation " << operation << " of " << a << " and " << b;
    }
  }
}

TEST_P(PointwiseOperations, ComplexNumbers) {
  constexpr int64_t kCount = 77;
  for (const auto [type, bytes] : {std::pair{WAVESMITH_POINTWISE_C64, 4}, {WAVESMITH_POINTWISE_C128, 8}}) {
    const Number part = bytes == 4 ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_F64;
    // Both parts as the first dimension of real arrays.
    Strided x(part, {2, kCount}, {bytes, 2 * bytes}), z = x, y = x;
    for (int64_t i = 0; i < 2 * kCount; ++i) x.set(i, normal()), z.set(i, normal());
    for (const Pointwise operation : {WAVESMITH_POINTWISE_MULTIPLY, WAVESMITH_POINTWISE_DIVIDE}) {
      Description one = description(operation, type, {kCount});
      const StridedOnGpu on_y(y), on_x(x), on_z(z);
      one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand();
      for (auto* operand : {&one.y, &one.inputs[0], &one.inputs[1]})
        operand->type = type, operand->strides[0] = 2 * bytes;
      call(one);
      on_y.read();
      ErrorNote note;
      for (int64_t i = 0; i < kCount; ++i) {
        const double a = x.get(2 * i), b = x.get(2 * i + 1), c = z.get(2 * i), d = z.get(2 * i + 1);
        const bool divides = operation == WAVESMITH_POINTWISE_DIVIDE;
        const double size = divides ? c * c + d * d : 1, sign = divides ? -1 : 1;
        const double real = (a * c - sign * b * d) / size, imaginary = (b * c + sign * a * d) / size;
        const double of_real = 1e-5 * (std::abs(a * c) + std::abs(b * d)) / size;
        const double of_imaginary = 1e-5 * (std::abs(b * c) + std::abs(a * d)) / size;
        note.add(std::abs(y.get(2 * i) - real), of_real);
        note.add(std::abs(y.get(2 * i + 1) - imaginary), of_imaginary);
        ASSERT_NEAR(y.get(2 * i), real, of_real);
        ASSERT_NEAR(y.get(2 * i + 1), imaginary, of_imaginary);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, PointwiseOperations, testing::Range(0, kGpuCount), gpu_name);

TEST(PointwiseRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  Description right{};
  right.operation = WAVESMITH_POINTWISE_ADD, right.computed_in = WAVESMITH_POINTWISE_F32;
  right.dimensions = 1, right.sizes[0] = 8, right.numbers[0].real = 1;
  right.y.data = memory.data(), right.y.type = WAVESMITH_POINTWISE_F32, right.y.strides[0] = 4;
  right.inputs[0] = right.inputs[1] = right.y;
  EXPECT_EQ(wavesmith_kernels_pointwise(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_pointwise, right,
      {{[](Description& d) { d.operation = static_cast<Pointwise>(171); }, kWrong,
        "operation is 171, no operation"},
       {[](Description& d) { d.computed_in = WAVESMITH_POINTWISE_F16; }, kWrong, "computed_in is 6"},
       {[](Description& d) { d.operation = WAVESMITH_POINTWISE_BITWISE_AND; }, kNot,
        "is not computed in f32"},
       {[](Description& d) { d.operation = WAVESMITH_POINTWISE_GCD; }, kNot, "149 is not computed in f32"},
       {[](Description& d) { d.operation = WAVESMITH_POINTWISE_POLAR; }, kNot, "152 is not computed in f32"},
       {[](Description& d) {
          d.operation = WAVESMITH_POINTWISE_BESSEL_J0, d.computed_in = WAVESMITH_POINTWISE_I64;
        },
        kNot, "97 is not computed in i64"},
       {[](Description& d) { d.dimensions = 9; }, kWrong, "dimensions is 9, not 0 to 8"},
       {[](Description& d) { d.sizes[0] = -1; }, kWrong, "sizes[0] is negative"},
       {[](Description& d) { d.sizes[0] = 1L << 31, d.y.strides[0] = 0; }, kNot, "2^31 elements"},
       {[](Description& d) { d.y.data = nullptr; }, kWrong, "y.data is null"},
       {[](Description& d) { d.inputs[1].type = static_cast<Number>(12); }, kWrong,
        "inputs[1].type is 12, no type"},
       {[](Description& d) { d.inputs[0].type = WAVESMITH_POINTWISE_C64; }, kNot, "inputs[0] is of c64"},
       {[](Description& d) { d.inputs[0].strides[0] = 1L << 30; }, kNot, "inputs[0] spans 2^31 bytes"},
       {[](Description& d) { d.y.data = static_cast<char*>(d.y.data) + 2; }, kWrong,
        "y.data is not aligned"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
