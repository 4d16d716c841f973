// Norms on a GPU of each target, against double precision.
#include <limits>
#include <memory>

#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

class Norm : public RowsOnEachGpu {
 protected:
  struct Case {
    int64_t rows, columns, padding = 0;
    size_t offset = 0;  ///< elements into the allocations
    Type type_x = WAVESMITH_KERNELS_BF16, type_residual = WAVESMITH_KERNELS_BF16,
         type_sum = WAVESMITH_KERNELS_BF16, type_y = WAVESMITH_KERNELS_BF16,
         type_weight = WAVESMITH_KERNELS_F32, type_bias = WAVESMITH_KERNELS_F32;
    bool residual = false, weight = true, bias = false, centred = false, in_place = false;
    float weight_offset = 0, epsilon = 1e-5F;
  };

  Case random_case(RowLength length) {
    return {.rows = some_rows(length.columns),
            .columns = length.columns,
            .padding = some_padding(length.aligned),
            .offset = some_offset(length.aligned),
            .type_x = any_type(),
            .type_residual = any_type(),
            .type_sum = any_type(),
            .type_y = any_type(),
            .type_weight = any_type(),
            .type_bias = any_type(),
            .residual = between(0, 1) == 1,
            .weight = between(0, 3) > 0,
            .bias = between(0, 1) == 1,
            .centred = between(0, 1) == 1,
            .in_place = between(0, 3) == 0,
            .weight_offset = one_of({0.0F, 0.0F, 1.0F}),
            .epsilon = one_of({1e-5F, 0.25F})};
  }

  static std::string describe(const Case& one) {
    return "columns " + std::to_string(one.columns) + " centred " + std::to_string(one.centred) +
           " in place " + std::to_string(one.in_place) + " residual " + std::to_string(one.residual);
  }

  void check(Case one) {
    const HostRows x = random_rows(one.rows, one.columns, one.padding, one.type_x, 2);
    check(one, x);
  }

  void check(Case one, const HostRows& x) {
    if (one.in_place) one.type_y = one.type_x, one.type_sum = one.type_residual;
    HostRows residual = random_rows(one.rows, one.columns, one.padding, one.type_residual);
    HostRows y(one.rows, one.columns, one.padding, one.type_y),
        sum(one.rows, one.columns, one.padding, one.type_sum);
    const HostRows weight = random_rows(1, one.columns, 0, one.type_weight),
                   bias = random_rows(1, one.columns, 0, one.type_bias);
    const OnGpu on_x(x.elements, one.offset), on_residual(residual.elements, one.offset),
        on_y(y.elements, one.offset), on_sum(sum.elements, one.offset),
        on_weight(weight.elements, one.offset), on_bias(bias.elements, one.offset);
    const OnGpu& y_place = one.in_place ? on_x : on_y;
    const OnGpu& sum_place = one.in_place ? on_residual : on_sum;
    const wavesmith_kernels_norm_description norm{
        .rows = one.rows,
        .columns = one.columns,
        .x = x.on(on_x),
        .y = y.on(y_place),
        .residual = one.residual ? residual.on(on_residual) : wavesmith_kernels_rows{},
        .sum = one.residual ? sum.on(sum_place) : wavesmith_kernels_rows{},
        .weight = one.weight ? on_weight.data() : nullptr,
        .bias = one.bias ? on_bias.data() : nullptr,
        .weight_type = one.type_weight,
        .bias_type = one.type_bias,
        .weight_offset = one.weight_offset,
        .epsilon = one.epsilon,
        .centred = one.centred};
    ASSERT_EQ(wavesmith_kernels_norm(&norm, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    if (one.in_place) y.elements = x.elements, sum.elements = residual.elements;

    // What is normalised, as the GPU rounded it.
    HostRows rounded = x;
    if (one.residual) {
      expect_rows(
          sum, sum_place, [&](int64_t i, int64_t j) { return x.get(i, j) + residual.get(i, j); },
          [&](int64_t i, int64_t j) { return 0x1p-24 * std::abs(x.get(i, j) + residual.get(i, j)); });
      if (HasFatalFailure()) return;
      rounded = sum;
    }
    struct Row {
      double mean = 0, factor = 0, error = 0;
    };
    std::vector<Row> rows(static_cast<size_t>(one.rows));
    for (int64_t i = 0; i < one.rows; ++i) {
      double total = 0, size = 0, squares = 0;
      const auto n = static_cast<double>(one.columns);
      for (int64_t j = 0; j < one.columns; ++j)
        total += rounded.get(i, j), size += std::abs(rounded.get(i, j));
      Row& row = rows[static_cast<size_t>(i)];
      if (one.centred) row.mean = total / n, row.error = (n + 2) * 0x1p-24 * size / n;
      for (int64_t j = 0; j < one.columns; ++j) squares += std::pow(rounded.get(i, j) - row.mean, 2);
      row.factor = 1 / std::sqrt(squares / n + one.epsilon);
    }
    expect_rows(
        y, y_place,
        [&](int64_t i, int64_t j) {
          const Row& row = rows[static_cast<size_t>(i)];
          double value = (rounded.get(i, j) - row.mean) * row.factor;
          if (one.weight) value *= weight.get(0, j) + one.weight_offset;
          if (one.bias) value += bias.get(0, j);
          return value;
        },
        [&](int64_t i, int64_t j) {
          const Row& row = rows[static_cast<size_t>(i)];
          const double w = one.weight ? std::abs(weight.get(0, j) + one.weight_offset) : 1;
          const double normal = std::abs(rounded.get(i, j) - row.mean) * row.factor;
          // The factor's relative error is half that of the mean square: a sum of n squares of differences.
          const double relative =
              (static_cast<double>(one.columns) + 16) * 0x1p-24 + 2 * row.error * row.factor;
          return w * (normal * relative + row.error * row.factor) + 0x1p-22 * (w * normal) +
                 (one.bias ? 0x1p-22 * std::abs(bias.get(0, j)) : 0);
        });
  }
};

TEST_P(Norm, RowsOfAllKindsEqualDoublePrecision) {
  for (const RowLength length : lengths(20)) {
    Case one = random_case(length);
    one.type_y = any_type_but(one.type_x), one.in_place = false;
    SCOPED_TRACE(describe(one));
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Norm, RowsOfAnyTypesAndInPlaceEqualDoublePrecision) {
  for (int round = 0; round < 20; ++round) {
    const Case one = random_case({some_columns(), between(0, 2) > 0});
    SCOPED_TRACE(describe(one));
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Norm, RowsOfOneTypeEqualDoublePrecision) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const RowLength length : each_known_length())
      for (const int64_t less : {0, 8}) {
        Case one = random_case({length.columns - less, true});
        one.type_x = one.type_residual = one.type_sum = one.type_y = one.type_weight = one.type_bias = type;
        SCOPED_TRACE(describe(one));
        check(one);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Norm, AnOddElementSpoilsItsRowAlone) {
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const bool centred : {false, true}) {
      HostRows x = random_rows(20, 100, 0, WAVESMITH_KERNELS_F16);
      x.set(7, 99, odd);
      check({.rows = 20, .columns = 100, .type_x = WAVESMITH_KERNELS_F16, .centred = centred}, x);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Norm, TwoRunsGiveTheSameBits) {
  const HostRows x = random_rows(3, 5000, 0, WAVESMITH_KERNELS_F16);
  std::vector<unsigned char> first;
  for (int run = 0; run < 2; ++run) {
    HostRows y(3, 5000, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_x(x.elements), on_y(y.elements);
    const wavesmith_kernels_norm_description norm{
        .rows = 3, .columns = 5000, .x = x.on(on_x), .y = y.on(on_y), .centred = 1};
    ASSERT_EQ(wavesmith_kernels_norm(&norm, nullptr), WAVESMITH_KERNELS_SUCCESS);
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.copy_to(y.elements);
    if (run == 0) first = y.elements.bytes;
    EXPECT_EQ(first, y.elements.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Norm, testing::Range(0, kGpuCount), gpu_name);

TEST(NormRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_BF16, 4096));
  char* const at = static_cast<char*>(memory.data());
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{at + 2 * first, WAVESMITH_KERNELS_BF16, 16};
  };
  using N = wavesmith_kernels_norm_description;
  const N right{.rows = 4,
                .columns = 16,
                .x = rows(0),
                .y = rows(64),
                .residual = rows(128),
                .sum = rows(192),
                .weight = at + 1024,
                .weight_type = WAVESMITH_KERNELS_BF16,
                .epsilon = 1e-5F};
  ASSERT_EQ(wavesmith_kernels_norm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const Refusal<N> all[] = {
      {[](N& n) { n.rows = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "rows is negative"},
      {[](N& n) { n.columns = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "columns is negative"},
      {[](N& n) { n.columns = int64_t{1} << 25; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "columns is too large"},
      {[](N& n) { n.x.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "x.data is null"},
      {[](N& n) { n.y.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y.data is null"},
      {[](N& n) { n.sum.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "sum.data is null"},
      {[](N& n) { n.residual.data = nullptr; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "without a residual"},
      {[](N& n) { n.x.type = static_cast<Type>(77); }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "x.type is 77"},
      {[](N& n) { n.x.row_stride = 15; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "x.row_stride is 15"},
      {[](N& n) { n.y.row_stride = int64_t{1} << 30; }, WAVESMITH_KERNELS_NOT_SUPPORTED, "y has a stride of"},
      {[](N& n) { n.x.data = static_cast<char*>(n.x.data) + 1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "x.data is not aligned"},
      {[](N& n) { n.weight = static_cast<const char*>(n.weight) + 1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "weight is not aligned"},
      {[](N& n) { n.weight_type = static_cast<Type>(-1); }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "weight_type"},
      {[](N& n) { n.y.data = static_cast<char*>(n.x.data) + 32; }, WAVESMITH_KERNELS_INVALID_ARGUMENT,
       "y overlaps x"},
      {[](N& n) { n.y = n.sum; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "sum overlaps y"},
      {[](N& n) { n.epsilon = -1; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "epsilon"},
      {[](N& n) { n.weight = n.y.data; }, WAVESMITH_KERNELS_INVALID_ARGUMENT, "y overlaps weight"},
      {[](N& n) { n.bias = n.sum.data, n.bias_type = WAVESMITH_KERNELS_F32; },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "sum overlaps bias"},
      {[](N& n) {
         n.y.type = WAVESMITH_KERNELS_I8;
         n.scales = {.scaling = WAVESMITH_KERNELS_SCALE_PER_ROW,
                     .data = const_cast<void*>(n.weight),
                     .row_stride = 1};
       },
       WAVESMITH_KERNELS_INVALID_ARGUMENT, "scales overlaps weight"},
  };
  expect_refusals(wavesmith_kernels_norm, right, all);
}

}  // namespace
}  // namespace wavesmith::kernels
