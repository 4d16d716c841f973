// Reductions on a GPU of each target, against double precision.
#include <limits>

#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr auto kSum = WAVESMITH_KERNELS_REDUCE_SUM, kMean = WAVESMITH_KERNELS_REDUCE_MEAN,
               kMaximum = WAVESMITH_KERNELS_REDUCE_MAXIMUM, kMinimum = WAVESMITH_KERNELS_REDUCE_MINIMUM,
               kSquares = WAVESMITH_KERNELS_REDUCE_SUM_OF_SQUARES;

/// A result in double precision, and the error that the C API states.
struct Result {
  double value, allowed;
};

Result reduced(wavesmith_kernels_reduction reduction, const HostRows& x, int64_t row) {
  const auto count = static_cast<double>(x.columns);
  double sum = 0, sizes = 0, most = -kInfinity, least = kInfinity;
  for (int64_t j = 0; j < x.columns; ++j) {
    const double value = x.get(row, j), term = reduction == kSquares ? value * value : value;
    sum += term, sizes += std::abs(term);
    most = std::isnan(value) || std::isnan(most) ? kNan : std::max(most, value);
    least = std::isnan(value) || std::isnan(least) ? kNan : std::min(least, value);
  }
  if (reduction == kMaximum) return {most, 0};
  if (reduction == kMinimum) return {least, 0};
  const double error = (count / 2048 + 20) * 0x1p-24 * sizes;
  return reduction == kMean ? Result{sum / count, error / count} : Result{sum, error};
}

class Reduce : public RowsOnEachGpu {
 protected:
  /// Reduces twice, compares with double precision, and the two with each other.
  static void check(wavesmith_kernels_reduction reduction, const HostRows& x, size_t offset, Type type_y,
                    int64_t padding) {
    HostRows y(x.rows, 1, padding, type_y), again = y;
    const OnGpu on_x(x.elements, offset), on_y(y.elements, offset), on_again(again.elements, offset);
    for (const OnGpu* place : {&on_y, &on_again}) {
      const wavesmith_kernels_reduce_description reduce{
          .rows = x.rows, .columns = x.columns, .reduction = reduction, .x = x.on(on_x), .y = y.on(*place)};
      ASSERT_EQ(wavesmith_kernels_reduce(&reduce, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
    }
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    std::vector<Result> want;
    for (int64_t i = 0; i < x.rows; ++i) want.push_back(reduced(reduction, x, i));
    Elements nearest(type_y, 1);
    expect_rows(
        y, on_y,
        [&](int64_t i, int64_t) {
          const double value = want[static_cast<size_t>(i)].value;
          nearest.set(0, value);  // beyond the type's largest number it is infinite
          return std::isinf(nearest.get(0)) ? nearest.get(0) : value;
        },
        [&](int64_t i, int64_t) { return want[static_cast<size_t>(i)].allowed; });
    on_again.copy_to(again.elements);
    EXPECT_EQ(again.elements.bytes, y.elements.bytes);
  }
};

TEST_P(Reduce, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    const int64_t columns = some_columns();
    SCOPED_TRACE("columns " + std::to_string(columns));
    const bool odd = between(0, 2) == 0;
    HostRows x = random_rows(columns < 600 ? between(1, 70) : between(1, 3), columns,
                             odd ? between(0, 9) : 8 * between(0, 2), any_type());
    if (between(0, 1) == 0)  // sums that do not cancel, and extremes beyond 0
      for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t j = 0; j < columns; ++j) x.set(i, j, (i % 2 ? 1 : -1) * (1 + std::abs(x.get(i, j))));
    check(one_of({kSum, kMean, kMaximum, kMinimum, kSquares}), x,
          static_cast<size_t>(odd ? between(0, 3) : 0), any_type(), between(0, 2));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Reduce, InfinitiesAndNanAreTheFormulas) {
  for (const int64_t columns : {40, 513, 3000})
    for (const auto reduction : {kSum, kMean, kMaximum, kMinimum, kSquares}) {
      HostRows x = random_rows(4, columns, 0, WAVESMITH_KERNELS_F32);
      x.set(0, columns - 1, kNan);
      x.set(1, 3, kInfinity);
      x.set(2, 3, -kInfinity);
      x.set(3, 0, kInfinity), x.set(3, columns - 1, -kInfinity);
      check(reduction, x, 0, WAVESMITH_KERNELS_F32, 0);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Reduce, RowsWithoutElementsHaveTheNeutralValue) {
  HostRows y(300, 1, 1, WAVESMITH_KERNELS_F32);
  for (const auto& [reduction, value] : {std::pair{kSum, 0.0},
                                         {kMean, kNan},
                                         {kMaximum, -kInfinity},
                                         {kMinimum, kInfinity},
                                         {kSquares, 0.0}}) {
    const OnGpu on_y(y.elements);
    const wavesmith_kernels_reduce_description reduce{
        .rows = 300, .columns = 0, .reduction = reduction, .x = {}, .y = y.on(on_y)};
    ASSERT_EQ(wavesmith_kernels_reduce(&reduce, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const double want = value;
    HostRows got = y;
    expect_rows(got, on_y, [&](int64_t, int64_t) { return want; }, [](int64_t, int64_t) { return 0.0; });
  }
}

INSTANTIATE_TEST_SUITE_P(On, Reduce, testing::Range(0, kGpuCount), gpu_name);

TEST(ReduceRefuses, WhatBreaksARuleAndSaysWhich) {
  using Description = wavesmith_kernels_reduce_description;
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 128));
  const wavesmith_kernels_rows rows{memory.data(), WAVESMITH_KERNELS_F32, 8};
  const wavesmith_kernels_rows results{static_cast<char*>(memory.data()) + 256, WAVESMITH_KERNELS_F32, 1};
  const Description right{.rows = 8, .columns = 8, .reduction = kSum, .x = rows, .y = results};
  EXPECT_EQ(wavesmith_kernels_reduce(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_reduce, right,
      {{[](Description& d) { d.reduction = static_cast<wavesmith_kernels_reduction>(5); }, kWrong,
        "reduce: reduction is 5, no reduction"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "reduce: x.data is null"},
       {[](Description& d) { d.y.data = nullptr, d.columns = 0; }, kWrong, "reduce: y.data is null"},
       {[](Description& d) { d.y.row_stride = 0; }, kWrong, "y.row_stride is 0, less than its 1 columns"},
       {[](Description& d) { d.y = d.x; }, kWrong, "reduce: y overlaps x"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_I8, d.columns = 0; }, kNot, "reduce: y is of i8"},
       {[](Description& d) { d.columns = -1; }, kWrong, "reduce: columns is negative"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
