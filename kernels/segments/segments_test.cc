// Segments and their gradients on a GPU of each target, against double precision.
#include <array>
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_segments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_segments_description;
using Gradient = wavesmith_segments_gradient_description;

/// What one segment of one column comes to, and its elements' gradients for an upstream one.
struct Expected {
  double value, size;
  std::vector<double> gradients;

  Expected(const Description& one, const std::vector<double>& x, double y, double upstream)
      : value(start(one)), size(std::abs(value)), gradients(x.size()) {
    const auto operation = one.operation;
    const auto count = static_cast<double>(x.size());
    for (const double each : x) {
      if (operation == WAVESMITH_SEGMENTS_MAXIMUM)
        value = std::isnan(each) ? each : value < each ? each : value;
      else if (operation == WAVESMITH_SEGMENTS_MINIMUM)
        value = std::isnan(each) ? each : each < value ? each : value;
      else
        value = operation == WAVESMITH_SEGMENTS_PRODUCT ? value * each : value + each;
      size = operation == WAVESMITH_SEGMENTS_PRODUCT ? size * std::abs(each) : size + std::abs(each);
    }
    if (operation == WAVESMITH_SEGMENTS_MEAN && !x.empty()) value /= count;
    if (operation == WAVESMITH_SEGMENTS_MEAN && x.empty() && !one.has_initial) value = std::nan("");
    double taken = 0;
    for (const double each : x) taken += std::isnan(each) || each == y;
    for (size_t i = 0; i < x.size(); ++i) {
      double others = start(one);
      for (size_t k = 0; k < x.size(); ++k) others *= k == i ? 1 : x[k];
      gradients[i] = operation == WAVESMITH_SEGMENTS_SUM       ? upstream
                     : operation == WAVESMITH_SEGMENTS_MEAN    ? upstream / count
                     : operation == WAVESMITH_SEGMENTS_PRODUCT ? upstream * others
                     : !std::isnan(x[i]) && x[i] != y          ? 0
                     : upstream > 0                            ? upstream / taken
                                                               : upstream;
    }
  }

 private:
  static double start(const Description& one) {
    if (one.has_initial) return one.initial;
    const double infinity = std::numeric_limits<double>::infinity();
    if (one.operation == WAVESMITH_SEGMENTS_MAXIMUM) return -infinity;
    if (one.operation == WAVESMITH_SEGMENTS_MINIMUM) return infinity;
    return one.operation == WAVESMITH_SEGMENTS_PRODUCT ? 1 : 0;
  }
};

class OfSegments : public OnStrides {
 protected:
  void check(wavesmith_segments_operation operation, Number type, Number bounds, bool by_lengths) {
    Description one{};
    one.operation = operation, one.has_initial = static_cast<int32_t>(between(0, 1)), one.initial = 1.5;
    one.outer = between(1, 3), one.segments = between(1, 5),
    one.inner = one_of<int64_t>({1, 3, between(1, 90)});
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < one.outer * one.segments; ++i) lengths.push_back(between(0, 4));
    const auto length = [&](int64_t o, int64_t s) {
      return lengths[static_cast<size_t>(o * one.segments + s)];
    };
    for (int64_t o = 0; o < one.outer; ++o) {
      int64_t sum = 0;
      for (int64_t s = 0; s < one.segments; ++s) sum += length(o, s);
      one.length = std::max(one.length, sum + 1);
    }
    Strided x = any_strided(type, {one.inner, one.length, one.outer}, false), gradient = x;
    Strided y = any_strided(type, {one.inner, one.segments, one.outer}, false), upstream = y;
    Strided ends = any_strided(bounds, {one.segments, one.outer}, false), begins = ends;
    constexpr double kUntouched = 77;
    for (int64_t i = 0; i < x.count(); ++i) {
      x.set(i, between(0, 30) == 0 ? std::nan("") : static_cast<double>(between(-3, 3)) / 2);
      gradient.set(i, kUntouched);
    }
    for (int64_t i = 0; i < y.count(); ++i) upstream.set(i, static_cast<double>(between(-4, 4)) / 2);
    for (int64_t o = 0; o < one.outer; ++o) {
      int64_t end = 0;
      for (int64_t s = 0; s < one.segments; ++s) {
        begins.set(o * one.segments + s, static_cast<double>(by_lengths ? length(o, s) : end));
        ends.set(o * one.segments + s, static_cast<double>(end += length(o, s)));
      }
    }
    const StridedOnGpu on_x(x), on_y(y), on_ends(ends), on_begins(begins), on_upstream(upstream),
        on_gradient(gradient);
    one.x = on_x.operand(), one.y = on_y.operand(), one.ends = on_ends.operand();
    (by_lengths ? one.lengths : one.begins) = on_begins.operand();
    ASSERT_EQ(wavesmith_kernels_segments(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const Gradient back{.forward = one, .upstream = on_upstream.operand(), .gradient = on_gradient.operand()};
    ASSERT_EQ(wavesmith_kernels_segments_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_y.read(), on_gradient.read();
    const double unit = type == WAVESMITH_POINTWISE_F64    ? 0x1p-50
                        : type == WAVESMITH_POINTWISE_F16  ? 0x1p-9
                        : type == WAVESMITH_POINTWISE_BF16 ? 0x1p-6
                                                           : 0x1p-20;
    ErrorNote note;
    const auto near = [&](double got, double wanted, double size) {
      if (std::isnan(wanted) || std::isinf(wanted))
        return std::isnan(wanted) ? std::isnan(got) : got == wanted;
      note.add(std::abs(got - wanted), unit * (1 + size));
      return std::abs(got - wanted) <= unit * (1 + size);
    };
    for (int64_t o = 0; o < one.outer; ++o)
      for (int64_t i = 0; i < one.inner; ++i) {
        int64_t begin = 0;
        for (int64_t s = 0; s < one.segments; begin += length(o, s++)) {
          const int64_t result = (o * one.segments + s) * one.inner + i;
          std::vector<double> of;
          for (int64_t j = 0; j < length(o, s); ++j)
            of.push_back(x.get((o * one.length + begin + j) * one.inner + i));
          const Expected expected(one, of, y.get(result), upstream.get(result));
          ASSERT_TRUE(near(y.get(result), expected.value, expected.size))
              << y.get(result) << " for " << expected.value << " in segment " << s;
          for (int64_t j = 0; j < length(o, s); ++j) {
            const double got = gradient.get((o * one.length + begin + j) * one.inner + i);
            const double wanted = expected.gradients[static_cast<size_t>(j)];
            ASSERT_TRUE(near(got, wanted, std::abs(wanted)))
                << got << " for " << wanted << " in segment " << s;
          }
        }
        for (int64_t j = begin; j < one.length; ++j)
          ASSERT_EQ(gradient.get((o * one.length + j) * one.inner + i), kUntouched);
      }
  }
};

TEST_P(OfSegments, AndTheirGradientsEqualDoublePrecision) {
  constexpr std::array kTypes{WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_F16,
                              WAVESMITH_POINTWISE_BF16};
  for (int round = 0; round < 40; ++round) {
    const auto operation = static_cast<wavesmith_segments_operation>(round % 5);
    SCOPED_TRACE(testing::Message() << "round " << round << ", operation " << operation);
    check(operation, kTypes[static_cast<size_t>(round / 5 % 4)],
          round % 2 == 0 ? WAVESMITH_POINTWISE_I64 : WAVESMITH_POINTWISE_I32, round >= 20);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, OfSegments, testing::Range(0, kGpuCount), gpu_name);

TEST(SegmentsRefuse, WhatBreaksARuleAndSayWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 64);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  Description right{};
  right.outer = right.segments = right.length = right.inner = 1;
  right.x = {memory.data(), WAVESMITH_POINTWISE_F32, {4, 4, 4}, {}};
  right.y = right.x, right.y.data = static_cast<char*>(memory.data()) + 64;
  right.ends = right.lengths = {memory.data(), WAVESMITH_POINTWISE_I64, {8, 8}, {}};
  EXPECT_EQ(wavesmith_kernels_segments(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_segments, right,
      {{[](Description& d) { d.operation = static_cast<wavesmith_segments_operation>(5); }, kWrong,
        "operation is 5, no operation"},
       {[](Description& d) { d.outer = -1; }, kWrong, "sizes[2] is negative"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_I32; }, kNot, "y is of i32, no float"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_F16; }, kWrong, "x is of f16, not of f32"},
       {[](Description& d) { d.ends.data = nullptr; }, kWrong, "ends.data is null"},
       {[](Description& d) { d.lengths.data = nullptr; }, kWrong, "lengths.data is null"},
       {[](Description& d) { d.begins = d.x; }, kNot, "begins is of f32, neither i32 nor i64"}});
  const Gradient whole{.forward = right, .upstream = right.x, .gradient = right.y};
  expect_refusals<Gradient>(
      &wavesmith_kernels_segments_gradient, whole,
      {{[](Gradient& g) { g.upstream.data = nullptr; }, kWrong, "upstream.data is null"},
       {[](Gradient& g) { g.gradient.type = WAVESMITH_POINTWISE_F64; }, kWrong,
        "gradient is of f64, not of f32"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
