// Weighted sums of rows on a GPU of each target, against double precision.
#include <limits>

#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_experts.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_combine_description;

class Combining : public RowsOnEachGpu {
 protected:
  struct Case {
    int64_t tokens = 1, choices = 1;
    Type type_y = WAVESMITH_KERNELS_BF16;
    size_t offset = 0;
    bool weights = true, addend = true, in_place = false, wild = false;
  };

  /// Places of x's rows, and some that are none.
  Elements any_places(int64_t count, int64_t rows) {
    Elements places(WAVESMITH_KERNELS_I32, static_cast<size_t>(count));
    for (size_t i = 0; i < places.count(); ++i) {
      const double none = one_of({-1.0, static_cast<double>(rows), 2147483647.0, -2147483648.0});
      places.set(i,
                 between(0, 6) == 0 ? none : static_cast<double>(between(0, std::max<int64_t>(rows, 1) - 1)));
    }
    return places;
  }
  /// NaN and infinities among the numbers.
  void make_wild(HostRows& matrix) {
    for (int64_t i = 0; i < matrix.rows; ++i)
      for (int64_t j = 0; j < matrix.columns; ++j)
        if (between(0, 40) == 0)
          matrix.set(i, j, one_of({std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, tiny_of(matrix.elements.type)}));
  }

  void check(const Case& one, HostRows x, int64_t padding) {
    SCOPED_TRACE(testing::Message() << one.tokens << " tokens of " << x.columns << " columns, " << one.choices
                                    << " choices of " << x.rows << " rows of type " << x.elements.type);
    const int64_t columns = x.columns;
    HostRows weights = random_rows(one.tokens, std::max<int64_t>(one.choices, 1), 0, WAVESMITH_KERNELS_F32);
    HostRows addend = random_rows(one.tokens, columns, padding, one.in_place ? one.type_y : any_type());
    if (one.wild) make_wild(x), make_wild(weights), make_wild(addend);
    const Elements places = any_places(one.tokens * one.choices, x.rows);
    HostRows y = one.in_place ? addend : HostRows(one.tokens, columns, padding, one.type_y);
    const OnGpu on_x(x.elements, one.offset), on_addend(addend.elements, one.offset),
        on_y(y.elements, one.offset), on_places(places), on_weights(weights.elements);
    Description d{};
    d.tokens = one.tokens, d.columns = columns, d.choices = one.choices, d.rows = x.rows;
    d.x = x.on(on_x), d.y = one.in_place ? y.on(on_addend) : y.on(on_y);
    if (one.addend) d.addend = addend.on(on_addend);
    d.places = static_cast<const int32_t*>(on_places.data());
    if (one.weights) d.weights = static_cast<const float*>(on_weights.data());
    ASSERT_EQ(wavesmith_kernels_combine(&d, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    const auto sum = [&](int64_t t, int64_t column, bool sizes) {
      const double also = one.addend ? addend.get(t, column) : 0;
      double all = sizes ? std::abs(also) : also;
      for (int64_t j = 0; j < one.choices; ++j) {
        const double place = places.get(static_cast<size_t>(t * one.choices + j));
        if (place < 0 || place >= static_cast<double>(x.rows)) continue;
        const double term =
            (one.weights ? weights.get(t, j) : 1) * x.get(static_cast<int64_t>(place), column);
        all += sizes ? std::abs(term) : term;
      }
      return all;
    };
    expect_rows(
        y, one.in_place ? on_addend : on_y, [&](int64_t i, int64_t j) { return sum(i, j, false); },
        [&](int64_t i, int64_t j) {
          return static_cast<double>(one.choices + 2) * 0x1p-24 * sum(i, j, true);
        });
  }
};

TEST_P(Combining, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    const int64_t columns = one_of<int64_t>({1, 7, 64, 512, 2040, 2048, 2056, 4096, 5001, 7168});
    const auto padding = one_of<int64_t>({0, 8, 3});
    Case one{.tokens = between(1, 6),
             .choices = one_of<int64_t>({1, 2, 3, 4, 6, 8, 8, 9, 16, 17, 20}),
             .type_y = any_type(),
             .offset = one_of<size_t>({0, 0, 0, 1}),
             .weights = between(0, 3) > 0,
             .addend = between(0, 1) > 0,
             .in_place = between(0, 4) == 0,
             .wild = between(0, 2) == 0};
    one.addend = one.addend || one.in_place;
    check(one, random_rows(between(1, 30), columns, padding, any_type()), padding);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Combining, EachAlignedTypeWithEachNumberOfChoices) {
  for (const Type type : {WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (int64_t choices = 0; choices <= 17; ++choices) {
      check({.tokens = 3, .choices = choices, .type_y = type, .addend = choices % 2 == 0},
            random_rows(9, 264, 0, type), 0);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Combining, OfNoRowsLeavesTheAddendOrNothing) {
  const HostRows x(0, 40, 0, WAVESMITH_KERNELS_BF16);
  check({.tokens = 2, .choices = 3}, x, 0);
  check({.tokens = 2, .choices = 3, .addend = false}, x, 0);
}

/// Rows of which the last ones begin more than 4 GiB behind the first.
TEST_P(Combining, RowsMayLieFarApart) {
  constexpr int64_t kColumns = 16, kStride = int64_t{1} << 24, kRows = 66, kFirst = 1, kLast = kRows - 1;
  void* memory = nullptr;
  ASSERT_EQ(hipMalloc(&memory, static_cast<size_t>((kLast * kStride + kColumns) * 4)), 0);
  const HostRows near = random_rows(2, kColumns, 0, WAVESMITH_KERNELS_F32);
  auto* const x = static_cast<float*>(memory);
  for (int64_t i = 0; i < 2; ++i)
    ASSERT_EQ(hipMemcpy(x + (i == 0 ? kFirst : kLast) * kStride, &near.elements.bytes[near.at(i, 0) * 4],
                        kColumns * 4, 1),
              0);
  Elements places(WAVESMITH_KERNELS_I32, 2);
  places.set(0, kLast), places.set(1, kFirst);
  HostRows y(1, kColumns, 0, WAVESMITH_KERNELS_F32);
  const OnGpu on_places(places), on_y(y.elements);
  for (const int64_t columns : {kColumns, kColumns - 1}) {  // aligned, and by elements
    y = HostRows(1, columns, 0, WAVESMITH_KERNELS_F32);
    Description d{};
    d.tokens = 1, d.columns = columns, d.choices = 2, d.rows = kRows;
    d.x = {x, WAVESMITH_KERNELS_F32, kStride}, d.y = y.on(on_y);
    d.places = static_cast<const int32_t*>(on_places.data());
    ASSERT_EQ(wavesmith_kernels_combine(&d, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    expect_rows(
        y, on_y, [&](int64_t, int64_t j) { return near.get(1, j) + near.get(0, j); },
        [&](int64_t, int64_t) { return 0.0; });
  }
  hipFree(memory);
}

INSTANTIATE_TEST_SUITE_P(On, Combining, testing::Range(0, kGpuCount), gpu_name);

TEST(CombiningRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 512);
  for (size_t i = 0; i < 512; ++i) zeros.set(i, 0);
  const OnGpu memory(zeros);
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{static_cast<char*>(memory.data()) + 4 * first, WAVESMITH_KERNELS_F32, 8};
  };
  const Description right{.tokens = 4,
                          .columns = 8,
                          .choices = 2,
                          .rows = 8,
                          .x = rows(0),
                          .addend = rows(64),
                          .y = rows(128),
                          .places = static_cast<const int32_t*>(rows(256).data),
                          .weights = static_cast<const float*>(rows(320).data)};
  EXPECT_EQ(wavesmith_kernels_combine(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_combine, right,
      {{[](Description& d) { d.tokens = -1; }, kWrong, "combine: tokens is negative"},
       {[](Description& d) { d.rows = -1; }, kWrong, "rows is negative"},
       {[](Description& d) { d.columns = -1; }, kWrong, "columns is negative"},
       {[](Description& d) { d.choices = -1; }, kWrong, "choices is negative"},
       {[](Description& d) { d.choices = int64_t{1} << 31; }, kNot, "choices is too large"},
       {[](Description& d) {
          d.tokens = 1 << 22, d.columns = d.x.row_stride = d.y.row_stride = 1 << 14;
          d.addend.data = nullptr;
        },
        kNot, "more elements than a grid covers"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.y.data = nullptr; }, kWrong, "y.data is null"},
       {[](Description& d) { d.places = nullptr; }, kWrong, "places is null"},
       {[](Description& d) { d.x.type = WAVESMITH_KERNELS_I8; }, kNot, "x is of i8"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_E4M3; }, kNot, "y is of e4m3"},
       {[](Description& d) { d.addend.type = WAVESMITH_KERNELS_I32; }, kNot, "addend is of i32"},
       {[](Description& d) { d.x.row_stride = 7; }, kWrong, "x.row_stride is 7"},
       {[](Description& d) { d.y = d.x; }, kWrong, "y overlaps x"},
       {[](Description& d) { d.y.data = static_cast<char*>(d.addend.data) + 4; }, kWrong,
        "y overlaps addend"},
       {[](Description& d) { d.y.data = const_cast<int32_t*>(d.places); }, kWrong, "y overlaps places"},
       {[](Description& d) { d.y.data = const_cast<float*>(d.weights); }, kWrong, "y overlaps weights"},
       {[](Description& d) { d.weights = reinterpret_cast<const float*>(static_cast<char*>(d.x.data) + 2); },
        kWrong, "weights is not aligned to 4 bytes"}});
  Description none = right;
  none.tokens = 0, none.places = nullptr;
  EXPECT_EQ(wavesmith_kernels_combine(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  none.tokens = 4, none.rows = 0, none.x.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_combine(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
