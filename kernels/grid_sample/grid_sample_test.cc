// Sampling and its gradients on a GPU of each target, against double precision.
#include <array>
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_grid_sample.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_grid_sample_description;
using Gradient = wavesmith_grid_sample_gradient_description;

/// A neighbour along one dimension.
struct Tap {
  int64_t index;  ///< -1 outside
  double weight, slope;
};

double cubic(double x) {
  constexpr double kA = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA : 0;
}

/// Where a padding takes a place from: walked there, a reflection at a time.
double padded(double at, int64_t size, int padding, bool aligned) {
  if (padding == WAVESMITH_GRID_SAMPLE_ZEROS) return at;
  const double last = static_cast<double>(size - 1), low = aligned ? 0 : -0.5,
               high = aligned ? last : last + 0.5;
  if (padding == WAVESMITH_GRID_SAMPLE_REFLECTION && high == low) return 0;
  if (padding == WAVESMITH_GRID_SAMPLE_REFLECTION)
    while (at < low || at > high) at = at < low ? 2 * low - at : 2 * high - at;
  return std::clamp(at, 0.0, last);
}

std::vector<Tap> taps_of(double number, int64_t size, const Description& one) {
  const auto all = static_cast<double>(size);
  const auto place = [&](double g) {
    return one.aligned ? (g + 1) / 2 * (all - 1) : ((g + 1) * all - 1) / 2;
  };
  const auto index = [&](double at) {
    return at >= 0 && at <= all - 1 ? static_cast<int64_t>(at) : int64_t{-1};
  };
  double at = place(number);
  if (!std::isfinite(at)) at = -100;
  const double scale = one.aligned ? (all - 1) / 2 : all / 2;
  if (one.mode == WAVESMITH_GRID_SAMPLE_CUBIC) {
    std::vector<Tap> taps;
    const double low = std::floor(at);
    for (int step = -1; step <= 2; ++step) {
      const double away = at - low - step, h = 1e-6;
      taps.push_back({index(padded(low + step, size, one.padding, one.aligned)), cubic(away),
                      (cubic(away + h) - cubic(away - h)) / (2 * h) * scale});
    }
    return taps;
  }
  const double inside = padded(at, size, one.padding, one.aligned);
  if (one.mode == WAVESMITH_GRID_SAMPLE_NEAREST) return {{index(std::nearbyint(inside)), 1, 0}};
  const double h = 1e-7, low = std::floor(inside), above = inside - low;
  const double moves =
      (padded(at + h, size, one.padding, one.aligned) - padded(at - h, size, one.padding, one.aligned)) /
      (2 * h) * scale;
  return {{index(low), 1 - above, -moves}, {index(low + 1), above, moves}};
}

class GridSample : public OnStrides {
 protected:
  /// Numbers whose places are as far from where slopes change as rounding could take them.
  double any_number(int64_t size, const Description& one) {
    for (;;) {
      const double number = static_cast<double>(between(-2600, 2600)) / 1024;
      const auto all = static_cast<double>(size);
      const double at = one.aligned ? (number + 1) / 2 * (all - 1) : ((number + 1) * all - 1) / 2;
      if (std::abs(at * 2 - std::nearbyint(at * 2)) > 0.02 || size == 1) return number;
    }
  }

  void check(Description one, Number type) {
    std::vector<int64_t> sizes(one.sizes, one.sizes + one.dimensions);
    if (one.dimensions == 2) sizes.push_back(1);
    sizes.insert(sizes.end(), {one.channels, one.batches});
    const Number computed = type == WAVESMITH_POINTWISE_F64 ? type : WAVESMITH_POINTWISE_F32;
    Strided x = any_strided(type, sizes, false), x_gradient = any_strided(computed, sizes, false);
    Strided grid = any_strided(type, {one.dimensions, one.places, one.batches}, false), grid_gradient = grid;
    Strided y = any_strided(type, {one.places, one.channels, one.batches}, false), upstream = y;
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, normal()), x_gradient.set(i, 0);
    for (int64_t i = 0; i < grid.count(); ++i)
      grid.set(i, type == WAVESMITH_POINTWISE_BF16 ? static_cast<double>(between(-10, 10)) / 8 + 1. / 32
                                                   : any_number(one.sizes[i % one.dimensions], one));
    for (int64_t i = 0; i < y.count(); ++i) upstream.set(i, normal());
    const StridedOnGpu on_x(x), on_grid(grid), on_y(y), on_upstream(upstream), on_x_gradient(x_gradient),
        on_grid_gradient(grid_gradient);
    one.x = on_x.operand(), one.grid = on_grid.operand(), one.y = on_y.operand();
    ASSERT_EQ(wavesmith_kernels_grid_sample(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const Gradient back{.forward = one,
                        .upstream = on_upstream.operand(),
                        .x_gradient = on_x_gradient.operand(),
                        .grid_gradient = on_grid_gradient.operand()};
    ASSERT_EQ(wavesmith_kernels_grid_sample_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read(), on_x_gradient.read(), on_grid_gradient.read();
    compare(one, x, grid, upstream, y, x_gradient, grid_gradient);
  }

  static void compare(const Description& one, const Strided& x, const Strided& grid, const Strided& upstream,
                      const Strided& y, const Strided& x_gradient, const Strided& grid_gradient) {
    std::vector<double> of_x(static_cast<size_t>(x.count()));
    std::vector<double> of_grid(static_cast<size_t>(grid.count())), of_y(static_cast<size_t>(y.count()));
    const int64_t layers = one.dimensions == 3 ? one.sizes[2] : 1;
    for (int64_t place = 0; place < one.batches * one.places; ++place) {
      const int64_t n = place / one.places, p = place % one.places;
      std::array<std::vector<Tap>, 3> taps{{{}, {}, {{0, 1, 0}}}};
      for (int64_t d = 0; d < one.dimensions; ++d)
        taps[static_cast<size_t>(d)] = taps_of(grid.get(place * one.dimensions + d), one.sizes[d], one);
      for (const Tap& k : taps[2])
        for (const Tap& i : taps[1])
          for (const Tap& j : taps[0]) {
            if (k.index < 0 || i.index < 0 || j.index < 0) continue;
            for (int64_t c = 0; c < one.channels; ++c) {
              const int64_t nc = n * one.channels + c,
                            at = ((nc * layers + k.index) * one.sizes[1] + i.index) * one.sizes[0] + j.index;
              const double value = x.get(at), given = upstream.get(nc * one.places + p);
              of_y[static_cast<size_t>(nc * one.places + p)] += value * k.weight * i.weight * j.weight;
              of_x[static_cast<size_t>(at)] += given * k.weight * i.weight * j.weight;
              const std::array slopes{k.weight * i.weight * j.slope, k.weight * i.slope * j.weight,
                                      k.slope * i.weight * j.weight};
              for (int64_t d = 0; d < one.dimensions; ++d)
                of_grid[static_cast<size_t>(place * one.dimensions + d)] +=
                    value * given * slopes[static_cast<size_t>(d)];
            }
          }
    }
    ErrorNote note;
    const auto near = [&](const Strided& result, const std::vector<double>& wanted, double off) {
      const double e = result.type == WAVESMITH_POINTWISE_F16    ? 0x1p-10
                       : result.type == WAVESMITH_POINTWISE_BF16 ? 0x1p-7
                                                                 : 0;
      for (int64_t i = 0; i < result.count(); ++i) {
        const double value = wanted[static_cast<size_t>(i)], allowed = off + e * (1 + std::abs(value));
        note.add(std::abs(result.get(i) - value), allowed);
        ASSERT_NEAR(result.get(i), value, allowed) << "result " << i;
      }
    };
    // The reference's slopes are differences.
    near(y, of_y, 2e-5), near(x_gradient, of_x, 1e-4), near(grid_gradient, of_grid, 2e-3);
  }
};

TEST_P(GridSample, AndItsGradientsEqualDoublePrecision) {
  constexpr std::array kTypes{WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_F16,
                              WAVESMITH_POINTWISE_BF16};
  for (size_t round = 0; round < 36; ++round) {  // each kernel, mode and padding in turn
    Description one{};
    one.mode = static_cast<wavesmith_grid_sample_mode>(round % 3);
    one.padding = static_cast<wavesmith_grid_sample_padding>(round / 3 % 3);
    one.aligned = static_cast<int32_t>(between(0, 1));
    one.dimensions = one.mode == WAVESMITH_GRID_SAMPLE_CUBIC ? 2 : static_cast<int32_t>(between(2, 3));
    for (int d = 0; d < one.dimensions; ++d) one.sizes[d] = between(d == 0 ? 1 : 2, 6);
    one.batches = between(1, 3), one.channels = between(1, 4);
    one.places = one_of<int64_t>({1, 7, between(1, 300)});
    SCOPED_TRACE(testing::Message() << "round " << round << ", aligned " << one.aligned);
    check(one, kTypes[round / 9]);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GridSample, OfWhatIsNoPlaceAndWithoutAGradientOfX) {
  Strided x(WAVESMITH_POINTWISE_F32, {2, 2, 1, 1, 1}, {4, 8, 16, 16, 16});
  Strided grid(WAVESMITH_POINTWISE_F32, {2, 3, 1}, {4, 8, 24}), grid_gradient = grid;
  Strided y(WAVESMITH_POINTWISE_F32, {3, 1, 1}, {4, 12, 12});
  for (int64_t i = 0; i < 4; ++i) x.set(i, static_cast<double>(i + 1));
  const double infinity = std::numeric_limits<double>::infinity();
  const double numbers[] = {std::nan(""), 0, infinity, 0, 0, -infinity};
  for (int64_t i = 0; i < 6; ++i) grid.set(i, numbers[i]);
  const StridedOnGpu on_x(x), on_grid(grid), on_y(y), on_gradient(grid_gradient);
  Description one{};
  one.dimensions = 2, one.sizes[0] = one.sizes[1] = 2, one.batches = one.channels = 1, one.places = 3;
  one.x = on_x.operand(), one.grid = on_grid.operand(), one.y = on_y.operand();
  ASSERT_EQ(wavesmith_kernels_grid_sample(&one, nullptr), WAVESMITH_KERNELS_SUCCESS);
  const Gradient back{
      .forward = one, .upstream = on_y.operand(), .x_gradient = {}, .grid_gradient = on_gradient.operand()};
  ASSERT_EQ(wavesmith_kernels_grid_sample_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_y.read(), on_gradient.read();
  const ErrorNote note;  // of none
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(y.get(i), 0);
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(grid_gradient.get(i), 0);
}

INSTANTIATE_TEST_SUITE_P(On, GridSample, testing::Range(0, kGpuCount), gpu_name);

TEST(GridSampleRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 64);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  right.dimensions = 2, right.sizes[0] = right.sizes[1] = 2;
  right.batches = right.channels = right.places = 1;
  right.x = {memory.data(), WAVESMITH_POINTWISE_F32, {4, 8}, {}};
  right.grid = right.y = right.x;
  right.y.data = static_cast<char*>(memory.data()) + 64;
  EXPECT_EQ(wavesmith_kernels_grid_sample(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_grid_sample, right,
      {{[](Description& d) { d.mode = static_cast<wavesmith_grid_sample_mode>(3); }, kWrong, "mode is 3"},
       {[](Description& d) { d.padding = static_cast<wavesmith_grid_sample_padding>(3); }, kWrong,
        "padding is 3"},
       {[](Description& d) { d.dimensions = 4; }, kWrong, "dimensions is 4, neither 2 nor 3"},
       {[](Description& d) { d.sizes[1] = 0; }, kWrong, "sizes[1] is less than 1"},
       {[](Description& d) { d.dimensions = 3, d.sizes[2] = 1, d.mode = WAVESMITH_GRID_SAMPLE_CUBIC; }, kNot,
        "cubic samples have 2 dimensions"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_I32; }, kNot, "x is of i32, no float"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.grid.type = WAVESMITH_POINTWISE_F16; }, kWrong, "grid is of f16, not of f32"},
       {[](Description& d) { d.y.data = nullptr; }, kWrong, "y.data is null"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
