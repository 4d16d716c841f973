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

constexpr auto kEachRow = WAVESMITH_KERNELS_REDUCE_EACH_ROW,
               kEachColumn = WAVESMITH_KERNELS_REDUCE_EACH_COLUMN, kAll = WAVESMITH_KERNELS_REDUCE_ALL;

/// A result in double precision, and the error that the C API states.
struct Result {
  double value, allowed;
};

/// Elements of x that one result is of: from a row and column on, so many rows and columns.
struct Range {
  int64_t row, column, rows, columns;
};

/// What result `number` is of.
Range range_of(wavesmith_kernels_reduced over, const HostRows& x, int64_t number) {
  if (over == kEachRow) return {number, 0, 1, x.columns};
  if (over == kEachColumn) return {0, number, x.rows, 1};
  return {0, 0, x.rows, x.columns};
}

/// The roundings that the C API states.
double roundings(wavesmith_kernels_reduced over, const HostRows& x) {
  const auto rows = static_cast<double>(x.rows), columns = static_cast<double>(x.columns);
  return over == kEachRow ? columns / 2048 + 20 : rows * columns * 0x1p-20 + rows / 256 + 100;
}

Result reduced(wavesmith_kernels_reduction reduction, wavesmith_kernels_reduced over, const HostRows& x,
               int64_t number) {
  const Range range = range_of(over, x, number);
  const auto count = static_cast<double>(range.rows * range.columns);
  double sum = 0, sizes = 0, most = -kInfinity, least = kInfinity;
  for (int64_t i = range.row; i < range.row + range.rows; ++i)
    for (int64_t j = range.column; j < range.column + range.columns; ++j) {
      const double value = x.get(i, j), term = reduction == kSquares ? value * value : value;
      sum += term, sizes += std::abs(term);
      most = std::isnan(value) || std::isnan(most) ? kNan : std::max(most, value);
      least = std::isnan(value) || std::isnan(least) ? kNan : std::min(least, value);
    }
  if (reduction == kMaximum) return {most, 0};
  if (reduction == kMinimum) return {least, 0};
  const double error = roundings(over, x) * 0x1p-24 * sizes;
  return reduction == kMean ? Result{sum / count, error / count} : Result{sum, error};
}

class Reduce : public RowsOnEachGpu {
 protected:
  /// Reduces twice, compares with double precision, and the two with each other.
  static void check(wavesmith_kernels_reduction reduction, const HostRows& x, size_t offset, Type type_y,
                    int64_t padding, wavesmith_kernels_reduced over = kEachRow) {
    HostRows y(over == kEachRow ? x.rows : 1, over == kEachColumn ? x.columns : 1, padding, type_y),
        again = y;
    const OnGpu on_x(x.elements, offset), on_y(y.elements, offset), on_again(again.elements, offset);
    for (const OnGpu* place : {&on_y, &on_again}) {
      wavesmith_kernels_reduce_description reduce{.rows = x.rows,
                                                  .columns = x.columns,
                                                  .reduction = reduction,
                                                  .x = x.on(on_x),
                                                  .y = y.on(*place),
                                                  .over = over};
      ASSERT_EQ(wavesmith_kernels_reduce_workspace(&reduce, &reduce.workspace_bytes),
                WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, reduce.workspace_bytes / 4));
      reduce.workspace = workspace.data();
      ASSERT_EQ(wavesmith_kernels_reduce(&reduce, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(hipDeviceSynchronize(), 0);
    }
    std::vector<Result> want;
    for (int64_t i = 0; i < y.rows * y.columns; ++i) want.push_back(reduced(reduction, over, x, i));
    Elements nearest(type_y, 1);
    expect_rows(
        y, on_y,
        [&](int64_t i, int64_t j) {
          const double value = want[static_cast<size_t>(i + j)].value;
          nearest.set(0, value);  // beyond the type's largest number it is infinite
          return std::isinf(nearest.get(0)) ? nearest.get(0) : value;
        },
        [&](int64_t i, int64_t j) { return want[static_cast<size_t>(i + j)].allowed; });
    on_again.copy_to(again.elements);
    EXPECT_EQ(again.elements.bytes, y.elements.bytes);
  }

  /// A matrix whose sums cancel, or do not and whose extremes are beyond 0.
  HostRows some_matrix(int64_t rows, int64_t columns, bool aligned) {
    HostRows x = random_rows(rows, columns, some_padding(aligned), any_type());
    if (between(0, 1) == 0)
      for (int64_t i = 0; i < x.rows; ++i)
        for (int64_t j = 0; j < columns; ++j) x.set(i, j, (i % 2 ? 1 : -1) * (1 + std::abs(x.get(i, j))));
    return x;
  }
};

TEST_P(Reduce, RowsOfAllKindsEqualDoublePrecision) {
  for (const auto& [columns, aligned] : lengths(20)) {
    SCOPED_TRACE("columns " + std::to_string(columns));
    check(one_of({kSum, kMean, kMaximum, kMinimum, kSquares}),
          some_matrix(some_rows(columns), columns, aligned), some_offset(aligned), any_type(), between(0, 2));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Reduce, ColumnsAndAllOfMatricesEqualDoublePrecision) {
  // One workgroup and several, along rows, columns and both; rows that are fewer than a workgroup takes.
  const std::pair<int64_t, int64_t> sizes[] = {{1, 1},    {3, 7},    {300, 8},   {5000, 3}, {2, 5000},
                                               {63, 136}, {65, 256}, {700, 260}, {17, 2056}};
  for (const auto& [rows, columns] : sizes)
    for (const auto over : {kEachColumn, kAll}) {
      const bool aligned = columns % 8 == 0 && between(0, 1) == 0;
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      check(one_of({kSum, kMean, kMaximum, kMinimum, kSquares}), some_matrix(rows, columns, aligned),
            some_offset(aligned), any_type(), between(0, 2), over);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Reduce, InfinitiesAndNanAreTheFormulas) {
  for (const int64_t columns : {40, 513, 3000})
    for (const auto reduction : {kSum, kMean, kMaximum, kMinimum, kSquares})
      for (const auto over : {kEachRow, kEachColumn, kAll}) {
        HostRows x = random_rows(4, columns, 0, WAVESMITH_KERNELS_F32);
        x.set(0, columns - 1, kNan);
        x.set(1, 3, kInfinity);
        x.set(2, 3, -kInfinity);
        x.set(3, 0, kInfinity), x.set(3, columns - 1, -kInfinity);
        check(reduction, x, 0, WAVESMITH_KERNELS_F32, 0, over);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Reduce, WhatHasNoElementsHasTheNeutralValue) {
  struct Empty {
    wavesmith_kernels_reduced over;
    int64_t rows, columns;
  };
  for (const Empty& one : {Empty{kEachRow, 300, 0}, {kEachColumn, 0, 300}, {kAll, 0, 5}, {kAll, 5, 0}})
    for (const auto& [reduction, value] : {std::pair{kSum, 0.0},
                                           {kMean, kNan},
                                           {kMaximum, -kInfinity},
                                           {kMinimum, kInfinity},
                                           {kSquares, 0.0}}) {
      HostRows y(one.over == kEachRow ? one.rows : 1, one.over == kEachColumn ? one.columns : 1, 1,
                 WAVESMITH_KERNELS_F32);
      const OnGpu on_y(y.elements);
      const wavesmith_kernels_reduce_description reduce{.rows = one.rows,
                                                        .columns = one.columns,
                                                        .reduction = reduction,
                                                        .x = {nullptr, WAVESMITH_KERNELS_F32, 1L << 50},
                                                        .y = y.on(on_y),
                                                        .over = one.over};
      ASSERT_EQ(wavesmith_kernels_reduce(&reduce, nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(hipDeviceSynchronize(), 0);
      const double want = value;
      expect_rows(y, on_y, [&](int64_t, int64_t) { return want; }, [](int64_t, int64_t) { return 0.0; });
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
       {[](Description& d) { d.over = static_cast<wavesmith_kernels_reduced>(3); }, kWrong,
        "reduce: over is 3, neither each row, each column nor all"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "reduce: x.data is null"},
       {[](Description& d) { d.y.data = nullptr, d.columns = 0; }, kWrong, "reduce: y.data is null"},
       {[](Description& d) { d.y.row_stride = 0; }, kWrong, "y.row_stride is 0, less than its 1 columns"},
       {[](Description& d) { d.y = d.x; }, kWrong, "reduce: y overlaps x"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_I8, d.columns = 0; }, kNot, "reduce: y is of i8"},
       {[](Description& d) { d.columns = -1; }, kWrong, "reduce: columns is negative"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

TEST(ReduceRefuses, AWorkspaceThatIsTooSmallOrInTheWay) {
  using Description = wavesmith_kernels_reduce_description;
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 2001 * 16));
  const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, 1024));
  Description right{.rows = 2000,
                    .columns = 16,
                    .reduction = kSum,
                    .x = {memory.data(), WAVESMITH_KERNELS_F32, 16},
                    .y = {static_cast<char*>(memory.data()) + 2000 * 64, WAVESMITH_KERNELS_F32, 16},
                    .over = kEachColumn,
                    .workspace = workspace.data()};
  size_t bytes = 0;
  ASSERT_EQ(wavesmith_kernels_reduce_workspace(&right, &bytes), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_GT(bytes, 0U);
  right.workspace_bytes = bytes;
  EXPECT_EQ(wavesmith_kernels_reduce(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<Description>(
      &wavesmith_kernels_reduce, right,
      {{[](Description& d) { d.workspace = nullptr; }, kWrong, "reduce: workspace is null, and "},
       {[](Description& d) { --d.workspace_bytes; }, kWrong, "reduce: workspace_bytes is "},
       {[](Description& d) { d.workspace = static_cast<char*>(d.workspace) + 4; }, kWrong,
        "reduce: workspace is not aligned to 16 bytes"},
       {[](Description& d) { d.workspace = d.x.data; }, kWrong, "reduce: workspace overlaps x"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
