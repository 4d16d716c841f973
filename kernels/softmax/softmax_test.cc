// Softmax on a GPU of each target, against double precision.
#include <algorithm>
#include <limits>

#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

class Softmax : public RowsOnEachGpu {
 protected:
  void check(HostRows x, size_t offset, Type type_y, float scale, bool logarithm, bool in_place) {
    HostRows y(x.rows, x.columns, x.stride - x.columns, in_place ? x.elements.type : type_y);
    const OnGpu on_x(x.elements, offset), on_y(y.elements, offset);
    const OnGpu& place = in_place ? on_x : on_y;
    const wavesmith_kernels_softmax_description softmax{.rows = x.rows,
                                                        .columns = x.columns,
                                                        .x = x.on(on_x),
                                                        .y = y.on(place),
                                                        .scale = scale,
                                                        .logarithm = logarithm};
    ASSERT_EQ(wavesmith_kernels_softmax(&softmax, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    std::vector<double> most(static_cast<size_t>(x.rows), -std::numeric_limits<double>::infinity()),
        total(most.size(), 0);
    for (int64_t i = 0; i < x.rows; ++i) {
      const auto row = static_cast<size_t>(i);
      for (int64_t j = 0; j < x.columns; ++j) most[row] = std::fmax(most[row], scale * x.get(i, j));
      for (int64_t j = 0; j < x.columns; ++j) total[row] += std::exp(scale * x.get(i, j) - most[row]);
    }
    if (in_place) y.elements = x.elements;
    const HostRows given = x;
    const auto difference = [&](int64_t i, int64_t j) {
      return scale * given.get(i, j) - most[static_cast<size_t>(i)];
    };
    const auto expected = [&](int64_t i, int64_t j) {
      const double sum = total[static_cast<size_t>(i)];
      return logarithm ? difference(i, j) - std::log(sum) : std::exp(difference(i, j)) / sum;
    };
    expect_rows(y, place, expected, [&](int64_t i, int64_t j) {
      // The exponent's error is that of its rounded difference (the products are exact, as scales are powers
      // of two), the sum's grows with its length.
      const double size = std::isfinite(difference(i, j)) ? -difference(i, j) : 0;
      const double relative = (static_cast<double>(given.columns) + 16) * 0x1p-24 + 4 * 0x1p-24 * (size + 40);
      return logarithm ? relative + 4 * 0x1p-24 * std::abs(expected(i, j)) : relative * expected(i, j);
    });
  }

  void check_random(RowLength length, Type type_x, Type type_y, bool in_place) {
    SCOPED_TRACE("columns " + std::to_string(length.columns));
    check(random_rows(some_rows(length.columns), length.columns, some_padding(length.aligned), type_x,
                      one_of({1.0, 10.0})),
          some_offset(length.aligned), type_y, one_of({1.0F, 0.125F, -1.0F}), between(0, 1) == 1, in_place);
  }
};

TEST_P(Softmax, RowsOfAllKindsEqualDoublePrecision) {
  for (const RowLength length : lengths(20)) {
    const Type type = any_type();
    check_random(length, type, any_type_but(type), false);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Softmax, RowsOfOneTypeEqualDoublePrecision) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const RowLength length : each_known_length())
      for (const int64_t less : {0, 8}) {
        check_random({length.columns - less, true}, type, type, less == 0);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Softmax, InfinitiesAndNanAreTheFormulas) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const bool logarithm : {false, true})
    for (const Type type : {WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_BF16}) {
      HostRows x = random_rows(6, 40, 0, type);
      for (int64_t j = 0; j < 40; ++j) x.set(0, j, -kInfinity);
      for (int64_t j = 1; j < 40; ++j) x.set(1, j, -kInfinity);
      x.set(2, 39, kInfinity);
      x.set(3, 0, std::numeric_limits<double>::quiet_NaN());
      for (int64_t j = 0; j < 40; ++j) x.set(4, j, 3e38 - 8e36 * static_cast<double>(j));
      check(x, 0, type, 1, logarithm, false);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(On, Softmax, testing::Range(0, kGpuCount), gpu_name);

TEST(SoftmaxRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 64));
  const wavesmith_kernels_rows rows{memory.data(), WAVESMITH_KERNELS_F32, 8};
  wavesmith_kernels_softmax_description softmax{.rows = 8, .columns = 8, .x = rows, .y = rows, .scale = 1};
  EXPECT_EQ(wavesmith_kernels_softmax(&softmax, nullptr), WAVESMITH_KERNELS_SUCCESS);
  softmax.y.type = WAVESMITH_KERNELS_F16;
  EXPECT_EQ(wavesmith_kernels_softmax(&softmax, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  EXPECT_STREQ(wavesmith_kernels_message(), "softmax: y overlaps x");
  softmax.x.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_softmax(&softmax, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  EXPECT_STREQ(wavesmith_kernels_message(), "softmax: x.data is null");
  softmax.rows = 0;
  EXPECT_EQ(wavesmith_kernels_softmax(&softmax, nullptr), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(wavesmith_kernels_softmax(nullptr, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
