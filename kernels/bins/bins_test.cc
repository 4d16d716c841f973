// Points in bins on a GPU of each target, against counts on the host.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_bins.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_bins_description;

class Bins : public OnStrides {
 protected:
  static Number of_round(int round) {
    return round % 2 == 0 ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_F64;
  }
};

/// The bin of a number between edges; -1 for none.
int64_t bin_of(const Strided& edges, double number) {
  const int64_t bins = edges.count() - 1;
  for (int64_t bin = 0; bin < bins; ++bin)
    if (number >= edges.get(bin) &&
        (number < edges.get(bin + 1) || (bin == bins - 1 && number == edges.get(bins))))
      return bin;
  return -1;
}

TEST_P(Bins, HaveThePointsThatLieInThem) {
  for (int round = 0; round < 40; ++round) {
    const Number type = of_round(round);
    const int64_t bytes = size_of(type), points = one_of<int64_t>({0, 1, 700, between(1, 300)});
    const int64_t coordinates = round == 0 ? WAVESMITH_BINS_COORDINATES : between(1, 3);
    const bool weighs = between(0, 1) != 0;
    Description one{};
    one.type = type, one.coordinates = static_cast<int>(coordinates), one.points = points;
    std::vector<Strided> edges;
    std::vector<std::unique_ptr<StridedOnGpu>> on_edges;
    int64_t all = 1;
    edges.reserve(static_cast<size_t>(coordinates));
    for (int64_t c = 0; c < coordinates; ++c) {
      const int64_t bins = coordinates > 3 ? between(1, 2) : between(1, 9);
      std::vector<double> numbers;
      for (int64_t i = 0; i <= bins; ++i) numbers.push_back(static_cast<double>(between(-8, 8)) / 2);
      std::ranges::sort(numbers);
      Strided& each = edges.emplace_back(type, std::vector{bins + 1}, std::vector{bytes});
      for (int64_t i = 0; i <= bins; ++i) each.set(i, numbers[static_cast<size_t>(i)]);
      on_edges.push_back(std::make_unique<StridedOnGpu>(each));
      one.bins[c] = static_cast<int>(bins), one.edges[c] = on_edges.back()->operand().data;
      all *= bins;
    }
    Strided x = any_strided(type, {std::max<int64_t>(points, 1), coordinates}, false),
            weights = any_strided(type, {std::max<int64_t>(points, 1)}, true), sums(type, {all}, {bytes});
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, between(0, 20) == 0 ? one_of({std::nan(""), std::numeric_limits<double>::infinity(), -0.0})
                                   : static_cast<double>(between(-20, 20)) / 4);
    for (int64_t i = 0; i < weights.count(); ++i) weights.set(i, static_cast<double>(between(-9, 9)));
    for (int64_t i = 0; i < all; ++i) sums.set(i, static_cast<double>(between(0, 3)));
    Strided expected = sums;
    for (int64_t i = 0; i < points; ++i) {
      int64_t bin = 0;
      bool is_inside = true;
      for (int64_t c = 0; c < coordinates; ++c) {
        const Strided& between_edges = edges[static_cast<size_t>(c)];
        const int64_t place = bin_of(between_edges, x.get(i + c * x.sizes[0]));
        is_inside = is_inside && place >= 0;
        bin = bin * (between_edges.count() - 1) + place;
      }
      if (is_inside) expected.set(bin, expected.get(bin) + (weighs ? weights.get(i) : 1));
    }
    const StridedOnGpu on_x(x), on_weights(weights), on_sums(sums);
    one.x = on_x.operand().data, one.point_stride = x.strides[0], one.coordinate_stride = x.strides[1];
    if (weighs) one.weights = on_weights.operand().data, one.weight_stride = weights.strides[0];
    one.sums = on_sums.operand().data;
    ASSERT_EQ(wavesmith_kernels_bins(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_sums.read();
    const ErrorNote note;  // of none: all bits are compared
    ASSERT_EQ(sums.memory.bytes, expected.memory.bytes)
        << word_of(type) << ", " << points << " points of " << coordinates;
  }
}

TEST_P(Bins, EdgesLieEvenly) {
  for (int round = 0; round < 20; ++round) {
    const Number type = of_round(round);
    const bool is_float = type == WAVESMITH_POINTWISE_F32;
    const int64_t bytes = size_of(type), coordinates = between(1, WAVESMITH_BINS_COORDINATES);
    Description one{};
    one.type = type, one.coordinates = static_cast<int>(coordinates);
    std::vector<Strided> edges;
    std::vector<std::unique_ptr<StridedOnGpu>> on_edges;
    edges.reserve(static_cast<size_t>(coordinates));
    for (int64_t c = 0; c < coordinates; ++c) {
      const int64_t bins = one_of<int64_t>({1, 2, 300, between(1, 40)});
      one.bins[c] = static_cast<int>(bins), one.low[c] = normal(),
      one.high[c] = one.low[c] + std::abs(normal());
      on_edges.push_back(std::make_unique<StridedOnGpu>(
          edges.emplace_back(type, std::vector{bins + 1}, std::vector{bytes})));
      one.edges[c] = on_edges.back()->operand().data;
    }
    ASSERT_EQ(wavesmith_kernels_bin_edges(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    ErrorNote note;
    for (int64_t c = 0; c < coordinates; ++c) {
      on_edges[static_cast<size_t>(c)]->read();
      const double low = one.low[c], high = one.high[c];
      for (int64_t i = 0; i <= one.bins[c]; ++i) {
        const double exact = low + (high - low) * static_cast<double>(i) / one.bins[c];
        const double allowed = (is_float ? 0x1p-23 : 0x1p-51) * (std::abs(low) + std::abs(high));
        const double error = std::abs(edges[static_cast<size_t>(c)].get(i) - exact);
        note.add(error, allowed);
        ASSERT_LE(error, allowed) << "edge " << i << " of " << one.bins[c] << " bins";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, Bins, testing::Range(0, kGpuCount), gpu_name);

TEST(BinsRefuse, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 64);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  right.type = WAVESMITH_POINTWISE_F32, right.coordinates = 1, right.bins[0] = 4, right.points = 8;
  right.edges[0] = memory.data(), right.x = memory.data(), right.point_stride = 4;
  right.sums = static_cast<char*>(memory.data()) + 128;
  EXPECT_EQ(wavesmith_kernels_bins(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_bins, right,
      {{[](Description& d) { d.type = WAVESMITH_POINTWISE_F16; }, kNot, "type is f16, neither f32 nor f64"},
       {[](Description& d) { d.coordinates = 17; }, kWrong, "coordinates is 17, not 1 to 16"},
       {[](Description& d) { d.bins[0] = 0; }, kWrong, "bins[0] is 0"},
       {[](Description& d) { d.edges[0] = nullptr; }, kWrong, "edges[0] is null"},
       {[](Description& d) { d.points = -1; }, kWrong, "points is negative"},
       {[](Description& d) { d.x = nullptr; }, kWrong, "x is null"},
       {[](Description& d) { d.sums = nullptr; }, kWrong, "sums is null"},
       {[](Description& d) { d.weights = reinterpret_cast<const void*>(2); }, kWrong, "weights"}});
  expect_refusals<Description>(
      &wavesmith_kernels_bin_edges, right,
      {{[](Description& d) { d.type = static_cast<Number>(12); }, kWrong, "type is 12, no type"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
