// Max pooling and its gradient on a GPU of each target, against a walk over all windows.
#include <array>
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_max_pool.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_max_pool_description;
using Gradient = wavesmith_max_pool_gradient_description;

bool is_float(Number type) { return type >= WAVESMITH_POINTWISE_F16 && type <= WAVESMITH_POINTWISE_F64; }

/// In the type that computes, as PyTorch places windows.
template <class C>
int64_t sampled_begin(const Description& one, size_t d, int64_t w, double sample) {
  const C a = static_cast<C>(static_cast<double>(one.sizes[d] - one.window[d]) /
                             static_cast<double>(one.places[d] - 1));
  const C s = static_cast<C>(sample);
  return static_cast<int64_t>((static_cast<C>(w) + s) * a) - static_cast<int64_t>(s * a);
}

enum class Windows { strided, random, adaptive };

class MaxPool : public OnStrides {
 protected:
  Description any_windows(Windows windows) {
    Description one{};
    one.adaptive = windows == Windows::adaptive;
    const int64_t dimensions = between(1, 3);
    for (int d = 0; d < 3; ++d) {
      one.sizes[d] = one.places[d] = one.window[d] = one.stride[d] = one.dilation[d] = 1;
      if (d >= dimensions) continue;
      if (windows == Windows::adaptive) {
        one.sizes[d] = between(1, 20), one.places[d] = between(1, 9);
      } else if (windows == Windows::random) {
        one.sizes[d] = between(1, 12), one.window[d] = between(1, one.sizes[d]);
        one.places[d] = between(d + 1 == dimensions && d > 0 ? 2 : 1, 9);
      } else {
        one.window[d] = between(1, 4), one.stride[d] = between(1, 4), one.dilation[d] = between(1, 3);
        const int64_t reach = (one.window[d] - 1) * one.dilation[d] + 1;
        one.padding[d] = between(0, one.window[d] / 2);
        one.sizes[d] = between(reach, reach + 9);
        one.places[d] = (one.sizes[d] + 2 * one.padding[d] - reach) / one.stride[d] + 1;
        // A window more, which ends behind all elements.
        if (one.places[d] * one.stride[d] < one.sizes[d] + one.padding[d] && between(0, 1) != 0)
          ++one.places[d];
      }
    }
    one.channels = between(1, 3), one.batches = between(1, 3);
    return one;
  }

  void check(Description one, Number type, bool random) {
    const int64_t planes = one.channels * one.batches;
    const std::vector<int64_t> sizes{one.sizes[0], one.sizes[1], one.sizes[2], one.channels, one.batches};
    const std::vector<int64_t> places{one.places[0], one.places[1], one.places[2], one.channels, one.batches};
    Strided x = any_strided(type, sizes, false), y = any_strided(type, places, false);
    Strided place = any_strided(WAVESMITH_POINTWISE_I64, places, false);
    Strided samples =
        any_strided(random ? type : WAVESMITH_POINTWISE_F32, {3, one.channels, one.batches}, false);
    // Few numbers, so that several are the largest; some are none.
    for (int64_t i = 0; i < x.count(); ++i)
      x.set(i, is_float(type) && between(0, 20) == 0 ? std::nan("") : static_cast<double>(between(0, 9)));
    if (!is_float(type) && type != WAVESMITH_POINTWISE_U8 && type != WAVESMITH_POINTWISE_BOOL)
      for (int64_t i = 0; i < x.count(); ++i) x.set(i, x.get(i) - 20);
    for (int64_t i = 0; i < samples.count(); ++i) samples.set(i, static_cast<double>(between(0, 127)) / 128);
    const StridedOnGpu on_x(x), on_y(y), on_place(place), on_samples(samples);
    one.x = on_x.operand(), one.y = on_y.operand(), one.place = on_place.operand();
    if (random) one.samples = on_samples.operand();
    ASSERT_EQ(wavesmith_kernels_max_pool(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read(), on_place.read();
    ErrorNote note;
    int64_t number = 0;
    for (int64_t plane = 0; plane < planes; ++plane)
      for (int64_t w2 = 0; w2 < one.places[2]; ++w2)
        for (int64_t w1 = 0; w1 < one.places[1]; ++w1)
          for (int64_t w0 = 0; w0 < one.places[0]; ++w0, ++number) {
            const auto [value, at] = largest(one, x, samples, plane, {w0, w1, w2});
            ASSERT_EQ(place.get(number), static_cast<double>(at)) << "window " << number;
            if (std::isnan(value))
              ASSERT_TRUE(std::isnan(y.get(number)));
            else
              ASSERT_EQ(y.get(number), value) << "window " << number;
            note.add(0, 1);
          }
    if (is_float(type)) check_gradient(one, type, random, sizes, places, place, on_place);
  }

  /// The largest element that a window sees, and where it is.
  static std::pair<double, int64_t> largest(const Description& one, const Strided& x, const Strided& samples,
                                            int64_t plane, std::array<int64_t, 3> window) {
    std::array<std::vector<int64_t>, 3> seen;
    for (size_t d = 0; d < 3; ++d) {
      if (one.adaptive != 0) {
        const int64_t size = one.sizes[d], count = one.places[d];
        for (int64_t i = window[d] * size / count; i * count < (window[d] + 1) * size; ++i)
          seen[d].push_back(i);
        continue;
      }
      int64_t begin = window[d] * one.stride[d] - one.padding[d], step = one.dilation[d];
      if (one.samples.data) {
        const double sample = samples.get(plane * 3 + static_cast<int64_t>(d));
        step = 1;
        begin = window[d] == one.places[d] - 1      ? one.sizes[d] - one.window[d]
                : x.type == WAVESMITH_POINTWISE_F64 ? sampled_begin<double>(one, d, window[d], sample)
                                                    : sampled_begin<float>(one, d, window[d], sample);
      }
      for (int64_t i = 0; i < one.window[d]; ++i)
        if (begin + i * step >= 0 && begin + i * step < one.sizes[d]) seen[d].push_back(begin + i * step);
    }
    double value = -std::numeric_limits<double>::infinity();
    int64_t place = -1;
    for (const int64_t k : seen[2])
      for (const int64_t j : seen[1])
        for (const int64_t i : seen[0]) {
          const int64_t at = (k * one.sizes[1] + j) * one.sizes[0] + i;
          const double here = x.get(plane * one.sizes[0] * one.sizes[1] * one.sizes[2] + at);
          if (here > value || std::isnan(here) || place < 0) value = here, place = at;
        }
    return {value, place};
  }

  void check_gradient(Description one, Number type, bool random, const std::vector<int64_t>& sizes,
                      const std::vector<int64_t>& places, const Strided& place,
                      const StridedOnGpu& on_place) {
    Strided x = any_strided(type, sizes, false), upstream = any_strided(type, places, false);
    for (int64_t i = 0; i < upstream.count(); ++i) upstream.set(i, static_cast<double>(between(-8, 8)));
    const StridedOnGpu on_x(x), on_upstream(upstream);
    one.x = on_x.operand(), one.y = on_upstream.operand(), one.place = on_place.operand(), one.samples = {};
    const Gradient gradient{.forward = one, .random = random};
    ASSERT_EQ(wavesmith_kernels_max_pool_gradient(&gradient, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_x.read();
    const int64_t plane = one.sizes[0] * one.sizes[1] * one.sizes[2];
    const int64_t windows = one.places[0] * one.places[1] * one.places[2];
    std::vector<double> sums(static_cast<size_t>(x.count()));
    for (int64_t i = 0; i < upstream.count(); ++i)
      sums[static_cast<size_t>(i / windows * plane + static_cast<int64_t>(place.get(i)))] += upstream.get(i);
    for (int64_t i = 0; i < x.count(); ++i)  // the numbers are whole ones, and few
      ASSERT_EQ(x.get(i),
                x.type == WAVESMITH_POINTWISE_BF16
                    ? static_cast<double>(decode<kBf16>(encode<kBf16>(sums[static_cast<size_t>(i)])))
                    : sums[static_cast<size_t>(i)])
          << "element " << i;
  }
};

TEST_P(MaxPool, AndItsGradientFindWhatIsLargest) {
  constexpr std::array kTypes{WAVESMITH_POINTWISE_F32,  WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_F16,
                              WAVESMITH_POINTWISE_BF16, WAVESMITH_POINTWISE_I64, WAVESMITH_POINTWISE_I32,
                              WAVESMITH_POINTWISE_I16,  WAVESMITH_POINTWISE_I8,  WAVESMITH_POINTWISE_U8};
  for (size_t round = 0; round < 4 * kTypes.size(); ++round) {
    const Number type = kTypes[round % kTypes.size()];
    const size_t turn = round / kTypes.size();
    const bool random = is_float(type) && turn == 1;
    SCOPED_TRACE(testing::Message() << "round " << round << (random ? ", at samples" : ""));
    check(any_windows(random      ? Windows::random
                      : turn == 2 ? Windows::adaptive
                                  : Windows::strided),
          type, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(MaxPool, OfWindowsAtOnePlaceAndOfThoseThatSeeNothing) {
  Description one{};
  for (int d = 0; d < 3; ++d)
    one.sizes[d] = one.places[d] = one.window[d] = one.stride[d] = one.dilation[d] = 1;
  one.channels = one.batches = 1;
  one.sizes[0] = one.window[0] = 5, one.places[0] = 7;
  check(one, WAVESMITH_POINTWISE_F32, true);  // all windows see all
  one.sizes[0] = 2, one.window[0] = 2, one.dilation[0] = 3, one.padding[0] = 1, one.places[0] = 3;
  Strided x(WAVESMITH_POINTWISE_F32, {2, 1, 1, 1, 1}, {4, 8, 8, 8, 8});
  Strided y(WAVESMITH_POINTWISE_F32, {3, 1, 1, 1, 1}, {4, 12, 12, 12, 12});
  Strided place(WAVESMITH_POINTWISE_I64, {3, 1, 1, 1, 1}, {8, 24, 24, 24, 24});
  x.set(0, -1), x.set(1, -2);
  const StridedOnGpu on_x(x), on_y(y), on_place(place);
  one.x = on_x.operand(), one.y = on_y.operand(), one.place = on_place.operand();
  ASSERT_EQ(wavesmith_kernels_max_pool(&one, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_y.read(), on_place.read();
  const ErrorNote note;  // of none
  EXPECT_EQ(y.get(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(place.get(0), 2);
  EXPECT_EQ(y.get(1), -1);
  EXPECT_EQ(y.get(2), -2);
}

TEST_P(MaxPool, OfAdaptiveWindowsAtLargeSizes) {
  Description one{};
  for (int d = 0; d < 3; ++d) one.sizes[d] = one.places[d] = 1;
  one.channels = one.batches = one.adaptive = 1;
  one.sizes[0] = 30011, one.places[0] = 127;
  check(one, WAVESMITH_POINTWISE_F32, false);
  one.sizes[0] = 113, one.places[0] = 3001;  // more windows than elements
  check(one, WAVESMITH_POINTWISE_F32, false);
}

INSTANTIATE_TEST_SUITE_P(On, MaxPool, testing::Range(0, kGpuCount), gpu_name);

TEST(MaxPoolRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 64);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  for (int d = 0; d < 3; ++d)
    right.sizes[d] = right.places[d] = right.window[d] = right.stride[d] = right.dilation[d] = 1;
  right.channels = right.batches = 1;
  right.x = {memory.data(), WAVESMITH_POINTWISE_F32, {4}, {}};
  right.y = right.x, right.place = {static_cast<char*>(memory.data()) + 8, WAVESMITH_POINTWISE_I64, {8}, {}};
  right.y.data = static_cast<char*>(memory.data()) + 4;
  EXPECT_EQ(wavesmith_kernels_max_pool(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_max_pool, right,
      {{[](Description& d) { d.sizes[1] = 0; }, kWrong, "sizes[1] is 0"},
       {[](Description& d) { d.stride[2] = 0; }, kWrong, "stride[2] is 0"},
       {[](Description& d) { d.padding[0] = -1; }, kWrong, "padding[0] is -1"},
       {[](Description& d) { d.window[0] = d.dilation[0] = 1 << 20; }, kNot, "windows reach 2^29 elements"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_C64; }, kNot, "no real numbers"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_F16; }, kWrong, "y is of f16, not of f32"},
       {[](Description& d) { d.place.data = nullptr; }, kWrong, "place.data is null"},
       {[](Description& d) { d.samples = d.x, d.adaptive = 1; }, kWrong,
        "adaptive windows are not at samples"},
       {[](Description& d) { d.sizes[0] = d.places[0] = 1 << 26, d.adaptive = 1; }, kNot,
        "places by elements are more than 2^50"},
       {[](Description& d) { d.samples = d.x, d.window[0] = 2; }, kWrong,
        "window[0] is larger than the size"},
       {[](Description& d) { d.x.type = d.y.type = WAVESMITH_POINTWISE_I32, d.samples = d.x; }, kNot,
        "windows at samples are of floats"}});
  const Gradient whole{.forward = right, .random = 0};
  expect_refusals<Gradient>(
      &wavesmith_kernels_max_pool_gradient, whole,
      {{[](Gradient& g) { g.forward.x.type = g.forward.y.type = WAVESMITH_POINTWISE_I32; }, kNot,
        "a gradient is of floats"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
