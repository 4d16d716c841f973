// Elementwise operations on a GPU of each target, against double precision.
#include <limits>

#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

using Operation = wavesmith_kernels_elementwise_operation;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

bool is_of_two(Operation operation) { return operation < WAVESMITH_KERNELS_ELEMENTWISE_NEGATE; }

double tanh_argument_of_gelu(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }

/// The smaller or the larger one, by the sign of zeros too.
double extreme(double a, double b, bool larger) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == b) return std::signbit(a) == larger ? b : a;
  return (a > b) == larger ? a : b;
}

/// In double precision; what is one operation of floats is rounded to a float.
double exact(Operation operation, double x, double z) {
  switch (operation) {
    case WAVESMITH_KERNELS_ELEMENTWISE_ADD:
      return static_cast<float>(x) + static_cast<float>(z);
    case WAVESMITH_KERNELS_ELEMENTWISE_SUBTRACT:
      return static_cast<float>(x) - static_cast<float>(z);
    case WAVESMITH_KERNELS_ELEMENTWISE_MULTIPLY:
      return static_cast<float>(x) * static_cast<float>(z);
    case WAVESMITH_KERNELS_ELEMENTWISE_DIVIDE:
      return static_cast<float>(x) / static_cast<float>(z);
    case WAVESMITH_KERNELS_ELEMENTWISE_MINIMUM:
      return extreme(x, z, false);
    case WAVESMITH_KERNELS_ELEMENTWISE_MAXIMUM:
      return extreme(x, z, true);
    case WAVESMITH_KERNELS_ELEMENTWISE_NEGATE:
      return -x;
    case WAVESMITH_KERNELS_ELEMENTWISE_ABSOLUTE:
      return std::abs(x);
    case WAVESMITH_KERNELS_ELEMENTWISE_EXP:
      return std::exp(x);
    case WAVESMITH_KERNELS_ELEMENTWISE_LOG:
      return std::log(x);
    case WAVESMITH_KERNELS_ELEMENTWISE_SQRT:
      return std::sqrt(static_cast<float>(x));
    case WAVESMITH_KERNELS_ELEMENTWISE_RECIPROCAL_ROOT:
      return 1 / std::sqrt(x);
    case WAVESMITH_KERNELS_ELEMENTWISE_TANH:
      return std::tanh(x);
    case WAVESMITH_KERNELS_ELEMENTWISE_SIGMOID:
      return 1 / (1 + std::exp(-x));
    case WAVESMITH_KERNELS_ELEMENTWISE_RELU:
      return extreme(x, 0, true);
    case WAVESMITH_KERNELS_ELEMENTWISE_GELU:
      return x / (1 + std::exp(-2 * tanh_argument_of_gelu(x)));
    case WAVESMITH_KERNELS_ELEMENTWISE_SILU:
      return x / (1 + std::exp(-x));
    default:
      return static_cast<float>(x) * static_cast<float>(x);
  }
}

/// The error that the C API states, of a result f; 0 where all bits are determined.
double allowed(Operation operation, double x, double f) {
  const double size = std::isfinite(f) ? std::abs(f) : 0, left_out = 0x1p-126 * std::abs(x);
  switch (operation) {
    case WAVESMITH_KERNELS_ELEMENTWISE_EXP:
      return 0x1p-22 * size + 0x1p-149;
    case WAVESMITH_KERNELS_ELEMENTWISE_LOG:
      return 0x1p-22 * size;
    case WAVESMITH_KERNELS_ELEMENTWISE_RECIPROCAL_ROOT:
      return 0x1p-23 * size;
    case WAVESMITH_KERNELS_ELEMENTWISE_TANH:
      return 0x1p-21 * size;
    case WAVESMITH_KERNELS_ELEMENTWISE_SIGMOID:
      return 0x1p-21 * size + 0x1p-126;
    case WAVESMITH_KERNELS_ELEMENTWISE_SILU:
      return 0x1p-21 * size + left_out;
    case WAVESMITH_KERNELS_ELEMENTWISE_GELU:
      return 0x1p-20 * (1 + std::abs(tanh_argument_of_gelu(x))) * size + left_out;
    default:
      return 0;
  }
}

class Elementwise : public RowsOnEachGpu {
 protected:
  enum class OfZ { All, Row, Column, Element };
  enum class Over { New, X, Z };
  struct Case {
    Operation operation;
    float alpha = 1, beta = 1;
    OfZ of_z = OfZ::All;
    Over over = Over::New;
    size_t offset = 0;
    Type type_y = WAVESMITH_KERNELS_F32;
  };

  static Operation operation(int64_t number) { return static_cast<Operation>(number); }
  Operation any_operation() { return operation(between(0, WAVESMITH_KERNELS_ELEMENTWISE_SQUARE)); }

  /// Runs it and compares all elements: bits where they are determined.
  static void check(const Case& one, const HostRows& x, const HostRows& z) {
    const HostRows& given = one.over == Over::Z ? z : x;
    HostRows y(x.rows, x.columns, x.stride - x.columns, one.type_y);
    if (one.over != Over::New) y = given;
    const OnGpu on_x(x.elements, one.offset), on_z(z.elements, one.offset), on_y(y.elements, one.offset);
    const OnGpu& place = one.over == Over::X ? on_x : one.over == Over::Z ? on_z : on_y;
    wavesmith_kernels_elementwise_description description{.rows = x.rows,
                                                          .columns = x.columns,
                                                          .operation = one.operation,
                                                          .alpha = one.alpha,
                                                          .beta = one.beta,
                                                          .x = x.on(on_x),
                                                          .z = z.on(on_z),
                                                          .y = y.on(place),
                                                          .z_column_stride = z.columns == x.columns ? 1 : 0};
    if (one.of_z == OfZ::Column || one.of_z == OfZ::Element) description.z_column_stride = 0;
    if (one.of_z == OfZ::Row || one.of_z == OfZ::Element) description.z.row_stride = 0;
    if (!is_of_two(one.operation)) description.z = {};
    ASSERT_EQ(wavesmith_kernels_elementwise(&description, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const auto scaled_x = [&](int64_t i, int64_t j) { return one.alpha * static_cast<float>(x.get(i, j)); };
    Elements nearest(y.elements.type, 1);
    const auto result = [&](int64_t i, int64_t j) {
      const bool row = one.of_z == OfZ::Row || one.of_z == OfZ::Element,
                 column = one.of_z == OfZ::Column || one.of_z == OfZ::Element;
      const float of_z =
          is_of_two(one.operation) ? one.beta * static_cast<float>(z.get(row ? 0 : i, column ? 0 : j)) : 0;
      return exact(one.operation, scaled_x(i, j), of_z);
    };
    expect_rows(
        y, place,
        [&](int64_t i, int64_t j) {
          nearest.set(0, result(i, j));  // beyond the type's largest number it is infinite
          return std::isinf(nearest.get(0)) ? nearest.get(0) : result(i, j);
        },
        [&](int64_t i, int64_t j) { return allowed(one.operation, scaled_x(i, j), result(i, j)); });
    for (int64_t i = 0; i < y.rows; ++i)
      for (int64_t j = 0; j < y.columns; ++j) {
        if (allowed(one.operation, 1, 1) != 0 || std::isnan(result(i, j))) continue;
        nearest.set(0, result(i, j));
        ASSERT_EQ(std::memcmp(&y.elements.bytes[y.at(i, j) * nearest.bytes.size()], nearest.bytes.data(),
                              nearest.bytes.size()),
                  0)
            << y.get(i, j) << " instead of " << nearest.get(0) << " of " << x.get(i, j);
      }
  }

  /// Each operation on all pairs of these numbers.
  static void check_pairs(const std::vector<float>& numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    HostRows x(count, count, 0, WAVESMITH_KERNELS_F32), z = x;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < count; ++j) {
        x.set(i, j, numbers[static_cast<size_t>(i)]);
        z.set(i, j, numbers[static_cast<size_t>(j)]);
      }
    for (int64_t number = 0; number <= WAVESMITH_KERNELS_ELEMENTWISE_SQUARE; ++number) {
      SCOPED_TRACE("operation " + std::to_string(number));
      check({.operation = operation(number)}, x, z);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(Elementwise, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 60; ++round) {
    const int64_t rows = between(1, 70);
    const int64_t columns =
        rows > 4 ? between(1, 300) : one_of<int64_t>({1, 8, 2047, 2048, 2056, between(1, 3000)});
    const bool odd = between(0, 2) == 0;
    const int64_t padding = odd ? between(0, 9) : 8 * between(0, 2);
    Case one{.operation = any_operation(),
             .alpha = one_of({1.0F, -0.3F, 2.5F}),
             .beta = one_of({1.0F, 0.7F, -3.0F}),
             .of_z = one_of({OfZ::All, OfZ::Row, OfZ::Column, OfZ::Element}),
             .over = one_of({Over::New, Over::New, Over::X}),
             .offset = static_cast<size_t>(odd ? between(0, 3) : 0),
             .type_y = any_type()};
    SCOPED_TRACE("operation " + std::to_string(one.operation));
    const bool row = one.of_z == OfZ::Row || one.of_z == OfZ::Element,
               column = one.of_z == OfZ::Column || one.of_z == OfZ::Element;
    const HostRows z = random_rows(row ? 1 : rows, column ? 1 : columns, padding, any_type(), 3);
    if (one.of_z == OfZ::All && is_of_two(one.operation) && between(0, 1)) one.over = Over::Z;
    check(one, random_rows(rows, columns, padding, any_type(), one_of({0.1, 1.0, 10.0})), z);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Elementwise, ElementsThatFollowEachOtherAreTakenInAnyShape) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 4096 * 3}, {4096, 3}, {64, 96}}) {
    const HostRows x = random_rows(rows, columns, 0, WAVESMITH_KERNELS_BF16);
    const HostRows z = random_rows(rows, columns, 0, WAVESMITH_KERNELS_F32);
    check({.operation = WAVESMITH_KERNELS_ELEMENTWISE_SUBTRACT}, x, z);
    check({.operation = WAVESMITH_KERNELS_ELEMENTWISE_DIVIDE, .of_z = OfZ::Element}, x,
          random_rows(1, 1, 0, WAVESMITH_KERNELS_F16));
    check({.operation = WAVESMITH_KERNELS_ELEMENTWISE_ADD, .of_z = OfZ::Row}, x,
          random_rows(1, columns, 0, WAVESMITH_KERNELS_F16));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Elementwise, SpecialNumbersAreTheFormulas) {
  const float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  check_pairs({0.0F, -0.0F, 1, -1, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), largest,
               -largest, 0x1p-126F, kLeast, -kLeast, 0x1.8p-130F, 0.5F, -0.49F});
}

TEST_P(Elementwise, FunctionsKeepTheirBoundsOverTheirWholeRange) {
  std::vector<float> numbers;
  for (int i = 0; i < 40; ++i)
    numbers.push_back(static_cast<float>(std::ldexp(normal(), static_cast<int>(between(-140, 8)))));
  for (int i = 0; i < 20; ++i) numbers.push_back(static_cast<float>(1 + 1e-4 * normal()));
  for (const float number : {88.7F, 88.73F, 89.5F, -87.5F, -95.0F, -103.9F, -104.5F, 9.0F, -20.0F, 1000.0F})
    numbers.push_back(number);
  check_pairs(numbers);
}

INSTANTIATE_TEST_SUITE_P(On, Elementwise, testing::Range(0, kGpuCount), gpu_name);

TEST(ElementwiseRefuses, WhatBreaksARuleAndSaysWhich) {
  using Description = wavesmith_kernels_elementwise_description;
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  const wavesmith_kernels_rows rows{memory.data(), WAVESMITH_KERNELS_F32, 8};
  const wavesmith_kernels_rows others{static_cast<char*>(memory.data()) + 512, WAVESMITH_KERNELS_F32, 8};
  const Description right{.rows = 8,
                          .columns = 8,
                          .operation = WAVESMITH_KERNELS_ELEMENTWISE_ADD,
                          .alpha = 1,
                          .beta = 1,
                          .x = rows,
                          .z = others,
                          .y = rows,
                          .z_column_stride = 1};
  EXPECT_EQ(wavesmith_kernels_elementwise(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_elementwise, right,
      {{[](Description& d) { d.operation = static_cast<Operation>(18); }, kWrong,
        "elementwise: operation is 18, no operation"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "elementwise: x.data is null"},
       {[](Description& d) { d.z.data = nullptr; }, kWrong, "z.data is null, and the operation is of two"},
       {[](Description& d) { d.z_column_stride = 2; }, kWrong, "z_column_stride is 2, neither 1 nor 0"},
       {[](Description& d) { d.z.row_stride = 7; }, kWrong, "z.row_stride is 7, less than its 8 columns"},
       {[](Description& d) { d.y = d.z, d.z.row_stride = 0; }, kWrong, "y overlaps z"},
       {[](Description& d) { d.y = d.z, d.z_column_stride = 0; }, kWrong, "y overlaps z"},
       {[](Description& d) { d.y.data = static_cast<char*>(d.y.data) + 4; }, kWrong, "y overlaps x"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_F16; }, kWrong, "y overlaps x"},
       {[](Description& d) { d.z.type = WAVESMITH_KERNELS_I8; }, kNot, "z is of i8"},
       {[](Description& d) { d.rows = -1; }, kWrong, "rows is negative"}});
  Description empty = right;
  empty.rows = 0, empty.x.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_elementwise(&empty, nullptr), WAVESMITH_KERNELS_SUCCESS);
  Description of_one = right;
  of_one.operation = WAVESMITH_KERNELS_ELEMENTWISE_NEGATE, of_one.z = {}, of_one.z_column_stride = 5;
  EXPECT_EQ(wavesmith_kernels_elementwise(&of_one, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
