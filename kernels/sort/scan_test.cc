// Scans on a GPU of each target.
#include <array>
#include <limits>

#include "kernels/refusal_testing.h"
#include "kernels/sort/rows_testing.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {
namespace {

using Scan = wavesmith_scan_description;

class Scans : public OnRows {
 protected:
  void expect_scanned(wavesmith_scan_operation operation, RowsInMemory& x, Number computed_in, bool chunks) {
    RowsInMemory y = x.results(computed_in, x.length), places = x.results(WAVESMITH_POINTWISE_I64, x.length);
    const StridedOnGpu on_x(x.array), on_y(y.array), on_places(places.array);
    const bool has_places = operation == WAVESMITH_SCAN_MAXIMUM || operation == WAVESMITH_SCAN_MINIMUM;
    Scan one{};
    x.describe(one);
    one.operation = operation, one.computed_in = computed_in;
    one.x = on_x.operand(), one.y = on_y.operand();
    if (has_places) one.places = on_places.operand();
    const size_t bytes = wavesmith_kernels_scan_workspace(&one);
    EXPECT_TRUE(!chunks || bytes > 0);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, bytes));
    one.workspace = workspace.data(), one.workspace_bytes = bytes;
    ASSERT_EQ(wavesmith_kernels_scan(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read(), on_places.read();
    ErrorNote note;
    for (int64_t row = 0; row < x.rows(); ++row) expect_row(operation, x, y, places, row, note);
  }

 private:
  static void expect_row(wavesmith_scan_operation operation, const RowsInMemory& x, const RowsInMemory& y,
                         const RowsInMemory& places, int64_t row, ErrorNote& note) {
    const double epsilon = y.array.type == WAVESMITH_POINTWISE_F32   ? 0x1p-24
                           : y.array.type == WAVESMITH_POINTWISE_F64 ? 0x1p-53
                                                                     : 0;
    long double sum = operation == WAVESMITH_SCAN_PRODUCT ? 1 : 0, sizes = 0;
    double best = 0;
    int64_t place = 0;
    for (int64_t i = 0; i < x.length; ++i) {
      const double number = x.get(row, i), result = y.get(row, i);
      const auto terms = static_cast<double>(i + 1);
      const auto expect_near = [&](double expected, double allowed) {
        if (std::isnan(expected) || std::isinf(expected)) {
          ASSERT_TRUE(std::isnan(expected) ? std::isnan(result) : result == expected)
              << operation << " at " << i << " of " << x.length << ": " << result << ", not " << expected;
          return;
        }
        note.add(std::abs(result - expected), allowed);
        ASSERT_LE(std::abs(result - expected), allowed) << operation << " at " << i << " of " << x.length;
      };
      switch (operation) {
        case WAVESMITH_SCAN_SUM:
          sum += number, sizes += std::abs(number);
          expect_near(static_cast<double>(sum), epsilon * terms * static_cast<double>(sizes));
          break;
        case WAVESMITH_SCAN_PRODUCT:
          sum *= number;
          expect_near(static_cast<double>(sum), epsilon * terms * std::abs(static_cast<double>(sum)));
          break;
        case WAVESMITH_SCAN_LOG_SUM_EXP: {
          sum += std::exp(static_cast<long double>(number));
          const auto expected = static_cast<double>(std::log(sum));
          expect_near(expected, 0x1p-50 * terms * (1 + std::abs(expected)));
          break;
        }
        default: {
          const bool beyond = operation == WAVESMITH_SCAN_MAXIMUM ? number >= best : number <= best;
          if (i == 0 || std::isnan(number) || (!std::isnan(best) && beyond)) best = number, place = i;
          expect_near(best, 0x1p-60);
          ASSERT_EQ(places.get(row, i), static_cast<double>(place)) << operation << " at " << i;
        }
      }
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(Scans, RowsOfAnyShape) {
  constexpr std::array kTypes{WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_I64};
  for (size_t round = 0; round < 40; ++round) {  // each operation, type and length of a kernel's in turn
    const auto operation = static_cast<wavesmith_scan_operation>(round % 5);
    const Number type =
        operation == WAVESMITH_SCAN_LOG_SUM_EXP ? WAVESMITH_POINTWISE_F64 : kTypes[round / 5 % kTypes.size()];
    const auto length = round % 2 == 0 ? one_of<int64_t>({1, 2, 63, 64, between(1, 64)})
                                       : one_of<int64_t>({65, 1025, between(65, 1500)});
    const Number from = type == WAVESMITH_POINTWISE_I64 ? WAVESMITH_POINTWISE_I16 : WAVESMITH_POINTWISE_F32;
    RowsInMemory x = any_rows(from, length, 3000);
    if (operation == WAVESMITH_SCAN_PRODUCT)
      for (int64_t i = 0; i < x.array.count(); ++i) x.array.set(i, one_of({1.0, -1.0, 1.0}));
    if (operation == WAVESMITH_SCAN_SUM && between(0, 1) == 0)
      for (int64_t i = 0; i < x.array.count(); ++i) x.array.set(i, 100 * normal());
    expect_scanned(operation, x, type, false);
  }
}

TEST_P(Scans, LongRowsInChunks) {
  constexpr int64_t kLength = 4 * 4096 + 77;
  const auto numbers = [&](RowsInMemory& x) {
    for (int64_t i = 0; i < x.array.count(); ++i) x.array.set(i, normal());
  };
  for (const int64_t rows : {1, 2}) {
    RowsInMemory x = rows_of_shape(WAVESMITH_POINTWISE_F32, kLength, rows);
    numbers(x);
    expect_scanned(WAVESMITH_SCAN_SUM, x, WAVESMITH_POINTWISE_F32, true);
    expect_scanned(WAVESMITH_SCAN_LOG_SUM_EXP, x, WAVESMITH_POINTWISE_F64, true);
  }
  RowsInMemory x = rows_of_shape(WAVESMITH_POINTWISE_F16, kLength, 1);
  expect_scanned(WAVESMITH_SCAN_MAXIMUM, x, WAVESMITH_POINTWISE_F32, true);
  x = rows_of_shape(WAVESMITH_POINTWISE_I32, kLength, 1);
  expect_scanned(WAVESMITH_SCAN_MINIMUM, x, WAVESMITH_POINTWISE_I64, true);
}

INSTANTIATE_TEST_SUITE_P(On, Scans, testing::Range(0, kGpuCount), gpu_name);

TEST(ScanRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 4096));
  Scan right{};
  right.computed_in = WAVESMITH_POINTWISE_F32, right.dimensions = 1, right.sizes[0] = 8;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.y = right.x;
  EXPECT_EQ(wavesmith_kernels_scan(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Scan>(
      &wavesmith_kernels_scan, right,
      {{[](Scan& d) { d.operation = static_cast<wavesmith_scan_operation>(5); }, kWrong, "operation is 5"},
       {[](Scan& d) { d.computed_in = WAVESMITH_POINTWISE_F16; }, kWrong, "computed_in is 6"},
       {[](Scan& d) { d.computed_in = WAVESMITH_POINTWISE_I64; }, kNot,
        "x is of f32, and computed_in is i64"},
       {[](Scan& d) { d.operation = WAVESMITH_SCAN_LOG_SUM_EXP; }, kNot, "log_sum_exp is computed in f64"},
       {[](Scan& d) { d.places = d.x; }, kWrong, "places of maxima and minima only"},
       {[](Scan& d) { d.sizes[0] = 100000, d.x.strides[0] = d.y.strides[0] = 0; }, kWrong,
        "workspace is null"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
