// Sorted rows and selected elements on a GPU of each target.
#include <limits>
#include <numeric>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/sort/rows_testing.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {
namespace {

using Sort = wavesmith_sort_description;
using Select = wavesmith_select_description;

/// The order of elements: NaN is the largest.
bool is_less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// Where the elements of a row are in order.
std::vector<int64_t> sorted_places(const RowsInMemory& rows, int64_t row, bool descending) {
  std::vector<int64_t> places(static_cast<size_t>(rows.length));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::sort(places, [&](int64_t a, int64_t b) {
    const double left = rows.get(row, a), right = rows.get(row, b);
    if (is_less(left, right)) return !descending;
    return is_less(right, left) ? descending : a < b;
  });
  return places;
}

class SortedRows : public OnRows {
 protected:
  /// Sorts, and compares the first `most` of each row.
  void expect_sorted(RowsInMemory& x, bool descending, int64_t most) {
    RowsInMemory values = x.results(x.array.type, most), places = x.results(WAVESMITH_POINTWISE_I64, most);
    const StridedOnGpu on_x(x.array), on_values(values.array), on_places(places.array);
    Sort one{};
    x.describe(one);
    one.x = on_x.operand(), one.values = on_values.operand(), one.places = on_places.operand();
    one.most = most, one.descending = descending;
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, wavesmith_kernels_sort_workspace(&one)));
    one.workspace = workspace.data(), one.workspace_bytes = wavesmith_kernels_sort_workspace(&one);
    ASSERT_EQ(wavesmith_kernels_sort(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_values.read(), on_places.read();
    const ErrorNote note;  // of none: places are compared
    for (int64_t row = 0; row < x.rows(); ++row) {
      const auto expected = sorted_places(x, row, descending);
      for (int64_t i = 0; i < most; ++i) {
        const int64_t at = expected[static_cast<size_t>(i)];
        ASSERT_EQ(places.get(row, i), static_cast<double>(at))
            << word_of(x.array.type) << ", element " << i << " of " << x.length << " of row " << row << " of "
            << x.rows();
        ASSERT_EQ(
            std::memcmp(values.bytes(row, i), x.bytes(row, at), static_cast<size_t>(size_of(x.array.type))),
            0);
      }
    }
  }
};

TEST_P(SortedRows, ShortRowsOfAnyShapeAndType) {
  for (int round = 0; round < 40; ++round) {
    const int64_t length = one_of<int64_t>({1, 2, 3, 63, 64, 65, between(1, 700)});
    RowsInMemory x = any_rows(any_real(), length, 3000);
    expect_sorted(x, between(0, 1) != 0, between(1, length));
  }
}

TEST_P(SortedRows, RowsThatTakeAWorkgroupOrMany) {
  struct Case {
    Number type;
    int64_t length, rows;
  };
  // Of each way: all of shared memory, digits of keys of each size, with one row and several.
  for (const Case& one : {Case{WAVESMITH_POINTWISE_F32, 1025, 2}, Case{WAVESMITH_POINTWISE_F64, 2048, 1},
                          Case{WAVESMITH_POINTWISE_U8, 2049, 3}, Case{WAVESMITH_POINTWISE_BF16, 5000, 2},
                          Case{WAVESMITH_POINTWISE_F32, 12345, 2}, Case{WAVESMITH_POINTWISE_I64, 6000, 1}}) {
    RowsInMemory x = rows_of_shape(one.type, one.length, one.rows);
    expect_sorted(x, between(0, 1) != 0, one.length);
  }
}

TEST_P(SortedRows, TheFirstOfLongRows) {
  for (const int64_t most : {1, 7, 64, 1000}) {
    const Number type = most == 64     ? WAVESMITH_POINTWISE_F64
                        : most == 1000 ? WAVESMITH_POINTWISE_F32
                                       : any_real();
    RowsInMemory x = any_rows(type, between(2049, 4500), 9000);
    expect_sorted(x, between(0, 1) != 0, most);
  }
}

TEST_P(SortedRows, EqualAndSortedKeys) {
  for (const int64_t length : {500, 3000}) {
    RowsInMemory equal = rows_of_shape(WAVESMITH_POINTWISE_F32, length, 2);
    for (int64_t i = 0; i < equal.array.count(); ++i) equal.array.set(i, i % 2 == 0 ? 0.0 : -0.0);
    expect_sorted(equal, true, length);
    expect_sorted(equal, false, 20);
    RowsInMemory sorted = rows_of_shape(WAVESMITH_POINTWISE_I32, length, 1);
    for (int64_t i = 0; i < length; ++i) sorted.set(0, i, static_cast<double>(i - 700));
    expect_sorted(sorted, false, length);
    expect_sorted(sorted, true, length);
  }
}

TEST_P(SortedRows, AnElementOfARank) {
  for (int round = 0; round < 30; ++round) {
    const auto operation = static_cast<wavesmith_select_operation>(round % 3);
    RowsInMemory x = any_rows(static_cast<Number>(round % 10),
                              one_of<int64_t>({1, 2, 63, 64, 65, 1025, between(1, 9000)}), 9000);
    const int64_t length = x.length;
    RowsInMemory value = x.results(x.array.type, 1), place = x.results(WAVESMITH_POINTWISE_I64, 1);
    const StridedOnGpu on_x(x.array), on_value(value.array), on_place(place.array);
    Select one{};
    x.describe(one);
    one.operation = operation, one.rank = between(0, length - 1);
    one.x = on_x.operand(), one.value = on_value.operand(), one.place = on_place.operand();
    ASSERT_EQ(wavesmith_kernels_select(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_value.read(), on_place.read();
    const ErrorNote note;
    for (int64_t row = 0; row < x.rows(); ++row) {
      const auto order = sorted_places(x, row, false);
      int64_t numbers = 0;
      for (int64_t i = 0; i < length; ++i) numbers += !std::isnan(x.get(row, i));
      int64_t rank = one.rank;
      if (operation == WAVESMITH_SELECT_MEDIAN) rank = numbers == length ? (length - 1) / 2 : numbers;
      if (operation == WAVESMITH_SELECT_NAN_MEDIAN) rank = numbers == 0 ? 0 : (numbers - 1) / 2;
      const double expected = x.get(row, order[static_cast<size_t>(rank)]);
      while (rank > 0 && !is_less(x.get(row, order[static_cast<size_t>(rank - 1)]), expected)) --rank;
      const int64_t at = order[static_cast<size_t>(rank)];
      ASSERT_EQ(place.get(row, 0), static_cast<double>(at)) << word_of(x.array.type) << " " << length;
      ASSERT_EQ(
          std::memcmp(value.bytes(row, 0), x.bytes(row, at), static_cast<size_t>(size_of(x.array.type))), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, SortedRows, testing::Range(0, kGpuCount), gpu_name);

TEST(Sort, AMillionKeys) {
  ASSERT_EQ(hipSetDevice(1), 0);
  constexpr int64_t kCount = 1000000;
  std::mt19937 random(test_seed());
  Elements keys(WAVESMITH_KERNELS_I32, kCount), places(WAVESMITH_KERNELS_I32, 2 * kCount);
  for (size_t i = 0; i < keys.count(); ++i) keys.set(i, static_cast<int32_t>(random()));
  const OnGpu on_keys(keys), on_places(places);
  Sort one{};
  one.dimensions = 1, one.sizes[0] = kCount;
  one.x.data = on_keys.data(), one.x.type = WAVESMITH_POINTWISE_I32, one.x.strides[0] = 4;
  one.places.data = on_places.data(), one.places.type = WAVESMITH_POINTWISE_I64, one.places.strides[0] = 8;
  const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, wavesmith_kernels_sort_workspace(&one)));
  one.workspace = workspace.data(), one.workspace_bytes = wavesmith_kernels_sort_workspace(&one);
  ASSERT_EQ(wavesmith_kernels_sort(&one, nullptr), WAVESMITH_KERNELS_SUCCESS) << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_places.copy_to(places);
  std::vector<int64_t> order(kCount), expected(kCount);
  std::memcpy(order.data(), places.bytes.data(), places.bytes.size());
  std::vector<int32_t> numbers(kCount);
  std::memcpy(numbers.data(), keys.bytes.data(), keys.bytes.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::sort(expected, {},
                    [&](int64_t at) { return std::pair(numbers[static_cast<size_t>(at)], at); });
  ASSERT_EQ(order, expected);
}

constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;

TEST(SortRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 4096));
  Sort right{};
  right.dimensions = 1, right.sizes[0] = 8;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.values = right.x;
  right.values.data = static_cast<char*>(memory.data()) + 512;
  EXPECT_EQ(wavesmith_kernels_sort(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  Sort empty = right;
  empty.sizes[0] = 0, empty.x.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_sort(&empty, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Sort>(
      &wavesmith_kernels_sort, right,
      {{[](Sort& d) { d.dimensions = 9; }, kWrong, "dimensions is 9"},
       {[](Sort& d) { d.along = 1; }, kWrong, "along is 1, no dimension"},
       {[](Sort& d) { d.most = 9; }, kWrong, "most is 9, and a row has 8 elements"},
       {[](Sort& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Sort& d) { d.x.type = WAVESMITH_POINTWISE_C64; }, kNot, "x is of c64"},
       {[](Sort& d) { d.values.type = WAVESMITH_POINTWISE_I32; }, kWrong, "values are of i32, and x of f32"},
       {[](Sort& d) { d.places = d.values; }, kNot, "places is of f32, not i64"},
       {[](Sort& d) { d.sizes[0] = 2049; }, kWrong, "workspace is null"}});
  Select one{};
  one.dimensions = 1, one.sizes[0] = 8, one.x = right.x, one.value = right.values;
  EXPECT_EQ(wavesmith_kernels_select(&one, nullptr), WAVESMITH_KERNELS_SUCCESS);
  expect_refusals<Select>(
      &wavesmith_kernels_select, one,
      {{[](Select& d) { d.operation = static_cast<wavesmith_select_operation>(3); }, kWrong,
        "operation is 3"},
       {[](Select& d) { d.rank = 8; }, kWrong, "rank is 8, and a row has 8 elements"},
       {[](Select& d) { d.sizes[0] = 0; }, kWrong, "rows have no elements"},
       {[](Select& d) { d.value.type = WAVESMITH_POINTWISE_F64; }, kWrong, "value is of f64, and x of f32"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
