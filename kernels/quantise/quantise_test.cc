// Quantising and dequantising on a GPU of each target, bit by bit.
#include "kernels/refusal_testing.h"
#include "kernels/rows/scale_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr auto kUnscaled = WAVESMITH_KERNELS_UNSCALED, kGiven = WAVESMITH_KERNELS_SCALE_GIVEN,
               kPerMatrix = WAVESMITH_KERNELS_SCALE_PER_MATRIX, kPerRow = WAVESMITH_KERNELS_SCALE_PER_ROW,
               kPerBlock = WAVESMITH_KERNELS_SCALE_PER_BLOCK, kMx = WAVESMITH_KERNELS_SCALE_MX;

class Quantise : public RowsOnEachGpu {
 protected:
  struct Case {
    wavesmith_kernels_scaling scaling;
    Type type;
    int64_t block = 32, padding = 0;
    size_t offset = 0;
    bool by_columns = false;
    float given = 0.37F;
  };

  /// Quantises x, compares all bits, and dequantises to a type.
  void check(const Case& one, const HostRows& x, Type type_back = WAVESMITH_KERNELS_F32) {
    const int64_t columns = elements_of(one.type, x.columns);
    HostRows y(x.rows, columns, one.padding, one.type);
    HostScales scales(one.scaling, x.rows, x.columns, one.block, one.by_columns);
    if (one.scaling == kGiven) scales.elements.set(0, one.given);
    const OnGpu on_x(x.elements, one.offset), on_y(y.elements, one.offset), on_scales(scales.elements);
    const wavesmith_kernels_quantise_description quantise{.rows = x.rows,
                                                          .columns = x.columns,
                                                          .x = x.on(on_x),
                                                          .y = y.on(on_y),
                                                          .scales = scales.on(on_scales)};
    ASSERT_EQ(wavesmith_kernels_quantise(&quantise, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    expect_quantised(y, on_y, scales, on_scales,
                     [&](int64_t i, int64_t j) { return static_cast<float>(x.get(i, j)); });
    if (HasFatalFailure()) return;

    HostRows back(x.rows, x.columns, one.padding, type_back);
    const OnGpu on_back(back.elements, one.offset);
    const wavesmith_kernels_dequantise_description dequantise{.rows = x.rows,
                                                              .columns = x.columns,
                                                              .x = quantise.y,
                                                              .y = back.on(on_back),
                                                              .scales = quantise.scales};
    ASSERT_EQ(wavesmith_kernels_dequantise(&dequantise, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    Elements exact(type_back, 1);
    expect_rows(
        back, on_back,
        [&](int64_t i, int64_t j) {
          const bool two = one.type == WAVESMITH_KERNELS_E2M1X2;
          uint8_t bits = y.elements.bytes[y.at(i, two ? j / 2 : j)];
          if (two) bits = static_cast<uint8_t>(j % 2 == 0 ? bits & 15 : bits >> 4);
          exact.set(0, static_cast<float>(number_of(one.type, bits)) * scales.scale(i, j));
          return exact.get(0);
        },
        [](int64_t, int64_t) { return 0; });
  }

  Type type_for(wavesmith_kernels_scaling scaling) {
    if (scaling == kMx)
      return one_of({WAVESMITH_KERNELS_E4M3, WAVESMITH_KERNELS_E5M2, WAVESMITH_KERNELS_E2M1X2});
    return one_of({WAVESMITH_KERNELS_I8, WAVESMITH_KERNELS_E4M3, WAVESMITH_KERNELS_E5M2,
                   WAVESMITH_KERNELS_E4M3_FNUZ, WAVESMITH_KERNELS_E5M2_FNUZ});
  }
  Case random_case() {
    const bool odd = between(0, 2) == 0;
    const auto scaling = one_of({kUnscaled, kGiven, kPerMatrix, kPerRow, kPerBlock, kMx});
    return {.scaling = scaling,
            .type = type_for(scaling),
            .block = scaling == kMx ? 32 : one_of<int64_t>({32, 64, 128}),
            .padding = odd ? between(0, 9) : 8 * between(0, 2),
            .offset = static_cast<size_t>(odd ? between(0, 3) : 0),
            .by_columns = between(0, 1) == 1,
            .given = one_of({0.37F, 1.0F, 0x1p-9F, 3.0F})};
  }
  static std::string describe(const Case& one, const HostRows& x) {
    return std::to_string(x.rows) + " x " + std::to_string(x.columns) + " of " +
           std::string(word_of(x.elements.type)) + " to " + std::string(word_of(one.type)) + ", scaling " +
           std::to_string(one.scaling) + ", block " + std::to_string(one.block) + ", padding " +
           std::to_string(one.padding) + ", offset " + std::to_string(one.offset);
  }
};

TEST_P(Quantise, RowsOfAllKindsHaveTheRightBits) {
  for (int round = 0; round < 60; ++round) {
    const Case one = random_case();
    const int64_t columns =
        between(0, 2) ? some_columns() : one_of<int64_t>({31, 32, 33, 127, 129, 131, 257});
    const HostRows x = random_rows(columns < 600 ? between(1, 70) : between(1, 3), columns, one.padding,
                                   any_type(), one_of({1.0, 1e-3, 300.0}));
    SCOPED_TRACE(describe(one, x));
    check(one, x, any_type());
    if (HasFatalFailure()) return;
  }
}

TEST_P(Quantise, RowsOfEachLengthHaveTheRightBits) {
  for (const auto& [columns, aligned] : each_length()) {
    const HostRows x = random_rows(some_rows(columns), columns, some_padding(aligned), any_type());
    const Case one{.scaling = kPerRow,
                   .type = type_for(kPerRow),
                   .padding = some_padding(aligned),
                   .offset = aligned ? size_t{0} : size_t{1}};
    SCOPED_TRACE(describe(one, x));
    check(one, x, any_type());
    if (HasFatalFailure()) return;
  }
}

/// Every encoding's neighbourhood: halfway cases and one step beside them.
TEST_P(Quantise, RoundsToTheNearestAndTiesToEven) {
  for (const Type type : {WAVESMITH_KERNELS_I8, WAVESMITH_KERNELS_E4M3, WAVESMITH_KERNELS_E5M2,
                          WAVESMITH_KERNELS_E4M3_FNUZ, WAVESMITH_KERNELS_E5M2_FNUZ}) {
    std::vector<float> values;
    for (int code = 0; code < 127; ++code) {
      const auto low = static_cast<float>(number_of(type, static_cast<uint8_t>(code))),
                 high = static_cast<float>(number_of(type, static_cast<uint8_t>(code + 1)));
      if (!std::isfinite(low)) continue;
      const float half = std::isfinite(high) ? low + (high - low) / 2 : low * 1.1F;
      for (const float value : {low, std::nextafter(half, 0.0F), half, std::nextafter(half, 1e9F)})
        values.push_back(value), values.push_back(-value);
    }
    HostRows x(1, static_cast<int64_t>(values.size()), 0, WAVESMITH_KERNELS_F32);
    for (size_t i = 0; i < values.size(); ++i) x.set(0, static_cast<int64_t>(i), values[i]);
    SCOPED_TRACE(word_of(type));
    check({.scaling = kUnscaled, .type = type}, x);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Quantise, OddNumbersDoWhatIsDocumented) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                        kInfinity,
                        -kInfinity,
                        std::numeric_limits<float>::max(),
                        0x1p-149,
                        -0x1p-149,
                        0x1p-126,
                        -0.0,
                        449,
                        57345};
  for (const auto scaling : {kUnscaled, kGiven, kPerMatrix, kPerRow, kPerBlock, kMx})
    for (const double value : odd) {
      HostRows x = random_rows(5, 160, 0, WAVESMITH_KERNELS_F32);
      for (int64_t j = 0; j < x.columns; ++j) x.set(2, j, 0);  // a row of zeros
      for (int64_t j = 64; j < 128; ++j) x.set(3, j, value);   // nothing else in a block
      x.set(1, 77, value);
      const Case one{.scaling = scaling, .type = type_for(scaling)};
      SCOPED_TRACE(describe(one, x) + ", value " + std::to_string(value));
      check(one, x);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Quantise, NothingIsWrittenWhereThereIsNothing) {
  for (const auto scaling : {kUnscaled, kPerMatrix, kPerRow, kPerBlock, kMx}) {
    const wavesmith_kernels_quantise_description none{
        .rows = 0, .columns = 8, .scales = {.scaling = scaling}};
    EXPECT_EQ(wavesmith_kernels_quantise(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
    EXPECT_EQ(wavesmith_kernels_dequantise(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  }
}

/// Sizes at which the scale of the whole matrix is found by few and by many workgroups.
TEST_P(Quantise, AMatrixHasOneScale) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 1}, {1031, 130}, {3, 70001}}) {
    HostRows x = random_rows(rows, columns, 0, WAVESMITH_KERNELS_BF16);
    x.set(rows - 1, columns - 1, -77);
    check({.scaling = kPerMatrix, .type = WAVESMITH_KERNELS_E4M3}, x);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Quantise, testing::Range(0, kGpuCount), gpu_name);

TEST(QuantiseRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 4096)), scales(Elements(WAVESMITH_KERNELS_F32, 64));
  char* const at = static_cast<char*>(memory.data());
  using Q = wavesmith_kernels_quantise_description;
  const Q right{.rows = 4,
                .columns = 256,
                .x = {at, WAVESMITH_KERNELS_BF16, 256},
                .y = {at + 4096, WAVESMITH_KERNELS_E4M3, 256},
                .scales = {kPerBlock, scales.data(), 128, 2, 1}};
  ASSERT_EQ(wavesmith_kernels_quantise(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Refusal<Q> all[] = {
      {[](Q& q) { q.rows = -1; }, kInvalid, "quantise: rows is negative"},
      {[](Q& q) { q.x.data = nullptr; }, kInvalid, "x.data is null"},
      {[](Q& q) { q.y.data = nullptr; }, kInvalid, "y.data is null"},
      {[](Q& q) { q.x.type = WAVESMITH_KERNELS_I8; }, kNot, "x is of i8: there are kernels for f32"},
      {[](Q& q) { q.y.type = WAVESMITH_KERNELS_F16; }, kNot, "y is of f16: there are kernels for i8"},
      {[](Q& q) { q.y.type = static_cast<Type>(77); }, kInvalid, "y.type is 77"},
      {[](Q& q) { q.y.row_stride = 255; }, kInvalid, "y.row_stride is 255"},
      {[](Q& q) { q.y.data = static_cast<char*>(q.x.data) + 2047; }, kInvalid, "y overlaps x"},
      {[](Q& q) { q.y.type = WAVESMITH_KERNELS_E2M1X2; }, kNot, "kernels with MX's scales"},
      {[](Q& q) { q.scales.scaling = kMx, q.y.type = WAVESMITH_KERNELS_E4M3_FNUZ; }, kNot,
       "e4m3fnuz: MX has"},
      {[](Q& q) {
         q.rows = 1 << 22, q.columns = 1 << 24, q.x.row_stride = q.y.row_stride = 1 << 24;
         q.x.data = reinterpret_cast<void*>(1L << 60), q.y.data = reinterpret_cast<void*>(1L << 61),
         q.scales.scaling = kPerMatrix;
       },
       kNot, "more elements than a grid covers"},
      {[](Q& q) { q.scales.scaling = static_cast<wavesmith_kernels_scaling>(7); }, kInvalid, "scaling is 7"},
      {[](Q& q) { q.scales.scaling = WAVESMITH_KERNELS_SCALE_PER_SQUARE; }, kNot, "per square"},
      {[](Q& q) { q.scales.data = nullptr; }, kInvalid, "scales.data is null"},
      {[](Q& q) { q.scales.data = static_cast<char*>(q.scales.data) + 2; }, kInvalid, "is not aligned"},
      {[](Q& q) { q.scales.block = 100; }, kNot, "scales.block is 100"},
      {[](Q& q) { q.scales.row_stride = 0; }, kInvalid, "scales.row_stride is 0"},
      {[](Q& q) { q.scales.row_stride = 1; }, kInvalid, "scales.row_stride and scales.column_stride"},
      {[](Q& q) { q.scales.column_stride = -1; }, kInvalid, "scales.column_stride is -1"},
      {[](Q& q) { q.scales.column_stride = int64_t{1} << 40; }, kNot, "scales.column_stride is"},
      {[](Q& q) { q.scales.data = q.x.data; }, kInvalid, "scales overlap x"},
      {[](Q& q) { q.scales.data = static_cast<char*>(q.y.data) + 1020; }, kInvalid, "scales overlap y"},
  };
  expect_refusals(wavesmith_kernels_quantise, right, all);
  EXPECT_EQ(wavesmith_kernels_dequantise(nullptr, nullptr), kInvalid);
  EXPECT_EQ(wavesmith_kernels_dequantise(&right, nullptr), kNot);
  EXPECT_STREQ(wavesmith_kernels_message(),
               "dequantise: x is of bf16: there are kernels for i8, floats of 8 bits and e2m1x2");
}

}  // namespace
}  // namespace wavesmith::kernels
