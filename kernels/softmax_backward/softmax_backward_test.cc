// Softmax's gradient on a GPU of each target, against double precision.
#include <limits>

#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_softmax_backward_description;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-24;

class SoftmaxBackward : public RowsOnEachGpu {
 protected:
  /// Rows of weights, or of their logarithms.
  HostRows weights(int64_t rows, int64_t columns, int64_t padding, Type type, bool logarithm) {
    HostRows y(rows, columns, padding, type);
    for (int64_t i = 0; i < rows; ++i) {
      std::vector<double> powers;
      double sum = 0;
      for (int64_t j = 0; j < columns; ++j) powers.push_back(std::exp(2 * normal())), sum += powers.back();
      for (int64_t j = 0; j < columns; ++j) {
        const double weight = powers[static_cast<size_t>(j)] / sum;
        y.set(i, j, logarithm ? std::log(weight) : weight);
      }
    }
    return y;
  }

  enum class Place { Own, OverY, OverDy };
  struct Case {
    size_t offset = 0;
    Type type_dx = WAVESMITH_KERNELS_F32;
    float scale = 1;
    bool logarithm = false;
    Place place = Place::Own;
  };

  static void check(const Case& one, const HostRows& y, const HostRows& dy) {
    SCOPED_TRACE(std::to_string(y.rows) + " x " + std::to_string(y.columns));
    HostRows dx = one.place == Place::OverY ? y
                  : one.place == Place::OverDy
                      ? dy
                      : HostRows(y.rows, y.columns, y.stride - y.columns, one.type_dx);
    const OnGpu on_y(y.elements, one.offset), on_dy(dy.elements, one.offset), on_dx(dx.elements, one.offset);
    const OnGpu& place = one.place == Place::OverY ? on_y : one.place == Place::OverDy ? on_dy : on_dx;
    const Description backward{.rows = y.rows,
                               .columns = y.columns,
                               .y = y.on(on_y),
                               .dy = dy.on(on_dy),
                               .dx = dx.on(place),
                               .scale = one.scale,
                               .logarithm = one.logarithm};
    ASSERT_EQ(wavesmith_kernels_softmax_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    std::vector<double> sums(static_cast<size_t>(y.rows), 0), sizes = sums;
    for (int64_t i = 0; i < y.rows; ++i)
      for (int64_t j = 0; j < y.columns; ++j) {
        const double term = dy.get(i, j) * (one.logarithm ? 1 : y.get(i, j));
        sums[static_cast<size_t>(i)] += term, sizes[static_cast<size_t>(i)] += std::abs(term);
      }
    const double k = static_cast<double>(y.columns) / 2048 + 16, scale = std::abs(one.scale);
    expect_rows(
        dx, place,
        [&](int64_t i, int64_t j) {
          const double sum = sums[static_cast<size_t>(i)], above = dy.get(i, j), of = y.get(i, j);
          return one.scale * (one.logarithm ? above - std::exp(of) * sum : of * (above - sum));
        },
        [&](int64_t i, int64_t j) {
          const double sum = sums[static_cast<size_t>(i)], size = sizes[static_cast<size_t>(i)];
          const double above = dy.get(i, j), of = y.get(i, j);
          if (!one.logarithm)
            return scale * std::abs(of) * (k * kUnit * size + 4 * kUnit * std::abs(above - sum));
          const double power = std::isinf(of) ? 0 : std::exp(of) * (k + 2 * std::abs(of) + 6) * kUnit;
          return scale * ((power + 0x1p-126) * size + 2 * kUnit * std::abs(above));
        });
  }

  void check_random(RowLength length, Type type_y, Type type_dy, Case one) {
    const int64_t rows = some_rows(length.columns), padding = some_padding(length.aligned);
    one.offset = some_offset(length.aligned);
    one.logarithm = between(0, 1) == 1, one.scale = one_of({1.0F, 0.125F, -3.0F});
    check(one, weights(rows, length.columns, padding, type_y, one.logarithm),
          random_rows(rows, length.columns, padding, type_dy));
  }
};

TEST_P(SoftmaxBackward, RowsOfAllKindsEqualDoublePrecision) {
  for (const RowLength length : lengths(12)) {
    Case one;
    const Type type = any_type();
    one.type_dx = any_type_but(type), one.place = Place::Own;
    check_random(length, type, any_type(), one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(SoftmaxBackward, RowsOfOneTypeEqualDoublePrecision) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const RowLength length : each_known_length())
      for (const int64_t less : {0, 8}) {
        Case one;
        one.type_dx = type, one.place = one_of({Place::Own, Place::OverY, Place::OverDy});
        check_random({length.columns - less, true}, type, type, one);
        if (HasFatalFailure()) return;
      }
}

TEST_P(SoftmaxBackward, InfinitiesAndNanAreTheFormulas) {
  for (const bool logarithm : {false, true})
    for (const Type type : {WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_BF16}) {
      HostRows y = weights(5, 40, 0, type, logarithm), dy = random_rows(5, 40, 0, type);
      y.set(0, 3, std::numeric_limits<double>::quiet_NaN());
      dy.set(1, 39, kInfinity);
      dy.set(2, 0, std::numeric_limits<double>::quiet_NaN());
      y.set(3, 7, logarithm ? -kInfinity : 0);
      Case one;
      one.type_dx = type, one.logarithm = logarithm;
      check(one, y, dy);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(On, SoftmaxBackward, testing::Range(0, kGpuCount), gpu_name);

TEST(SoftmaxBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{static_cast<char*>(memory.data()) + 4 * first, WAVESMITH_KERNELS_F32, 8};
  };
  const Description right{.rows = 8, .columns = 8, .y = rows(0), .dy = rows(64), .dx = rows(128), .scale = 1};
  EXPECT_EQ(wavesmith_kernels_softmax_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_softmax_backward, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "softmax_backward: rows is negative"},
       {[](Description& d) { d.y.data = nullptr; }, kWrong, "y.data is null"},
       {[](Description& d) { d.dy.data = nullptr; }, kWrong, "dy.data is null"},
       {[](Description& d) { d.dx.data = nullptr; }, kWrong, "dx.data is null"},
       {[](Description& d) { d.y.type = WAVESMITH_KERNELS_E4M3; }, kNot, "y is of e4m3"},
       {[](Description& d) { d.dy.row_stride = 7; }, kWrong, "dy.row_stride is 7"},
       {[](Description& d) { d.dx.data = static_cast<char*>(d.y.data) + 4; }, kWrong, "dx overlaps y"},
       {[](Description& d) { d.dx = d.dy, d.dx.type = WAVESMITH_KERNELS_F16; }, kWrong, "dx overlaps dy"}});
  Description none = right;
  none.columns = 0, none.y.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_softmax_backward(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
