// Losses with margins and their gradients on a GPU of each target, against double precision.
#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_loss.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_margin_description;
using Gradient = wavesmith_margin_gradient_description;

constexpr double kFactor = -0.375;

/// Rows of numbers, what they are compared with, and what a call may choose.
struct Case {
  Number type;
  int64_t rows, classes;
  bool several, squares = false, weighs = false, one_upstream = false;
  double margin = 1;
  std::vector<double> x, weights, upstream;
  std::vector<int64_t> targets;

  [[nodiscard]] double at(int64_t i, int64_t j) const { return x[static_cast<size_t>(i * classes + j)]; }
  [[nodiscard]] double weight(int64_t j) const { return weighs ? weights[static_cast<size_t>(j)] : 1; }
  [[nodiscard]] double given(int64_t i) const { return upstream[one_upstream ? 0 : static_cast<size_t>(i)]; }
  [[nodiscard]] double excess(int64_t i, int64_t t, int64_t j) const {
    const double e = margin - at(i, t) + at(i, j);
    return e > 0 ? e : 0;
  }
  /// A row's targets.
  [[nodiscard]] std::vector<int64_t> of_row(int64_t i) const {
    if (!several) return {targets[static_cast<size_t>(i)]};
    std::vector<int64_t> made;
    for (int64_t k = i * classes; k < (i + 1) * classes && targets[static_cast<size_t>(k)] >= 0; ++k)
      made.push_back(targets[static_cast<size_t>(k)]);
    return made;
  }
  [[nodiscard]] bool is_target(int64_t i, int64_t j) const {
    const auto of = of_row(i);
    return std::find(of.begin(), of.end(), j) != of.end();
  }
};

/// What a row's classes give, and the sizes of the terms.
struct Sums {
  std::vector<double> losses, slopes, sizes, slope_sizes;

  Sums(const Case& one, int64_t i)
      : losses(static_cast<size_t>(one.classes)), slopes(losses), sizes(losses), slope_sizes(losses) {
    for (const int64_t t : one.of_row(i))
      for (int64_t j = 0; j < one.classes; ++j) {
        if (one.is_target(i, j)) continue;
        const double e = one.excess(i, t, j), weight = one.weight(t) * kFactor;
        const double terms = std::abs(one.margin) + std::abs(one.at(i, t)) + std::abs(one.at(i, j));
        const double most = std::isnan(terms) ? 0 : terms;
        const double slope = weight * (one.squares ? 2 * e : e > 0 ? 1 : 0);
        const double slope_size = std::abs(weight) * (one.squares ? 2 * most : 1);
        const auto class_j = static_cast<size_t>(j), target = static_cast<size_t>(t);
        losses[class_j] += weight * (one.squares ? e * e : e);
        sizes[class_j] += std::abs(weight) * (one.squares ? most * most : most);
        slopes[class_j] += slope, slopes[target] -= slope;
        slope_sizes[class_j] += slope_size, slope_sizes[target] += slope_size;
      }
  }
};

class Margins : public OnStrides {
 protected:
  /// Elements on the GPU, of which those behind each other are one row.
  Strided array(Number type, int64_t count, const std::vector<double>& values = {}) {
    Strided made(type, {count}, {size_of(type)});
    for (size_t i = 0; i < values.size(); ++i) made.set(static_cast<int64_t>(i), values[i]);
    return made;
  }
  /// Multiples of 1/64, of which a type has as many as a row is told apart by.
  Case any_case(Number type, bool several) {
    Case one{.type = type,
             .rows = between(1, 7),
             .classes = one_of<int64_t>({1, 2, 5, 33, between(1, 90)}),
             .several = several,
             .x = {},
             .weights = {},
             .upstream = {},
             .targets = {}};
    one.squares = !several && between(0, 1) != 0, one.weighs = !several && between(0, 1) != 0;
    one.one_upstream = between(0, 1) != 0, one.margin = several ? 1 : one_of({0.5, 1.0, -0.25});
    const auto number = [&] { return static_cast<double>(between(-127, 127)) / 64; };
    for (int64_t k = 0; k < one.rows * one.classes; ++k) {
      one.x.push_back(number());
      one.targets.push_back(between(0, 3) == 0 && several ? -1 : between(0, one.classes - 1));
    }
    for (int64_t j = 0; j < one.classes; ++j) one.weights.push_back(std::abs(number()));
    for (int64_t i = 0; i < one.rows; ++i) one.upstream.push_back(number());
    return one;
  }

  void check(const Case& one) {
    SCOPED_TRACE(std::string(word_of(one.type)) + ", " + std::to_string(one.rows) + " rows of " +
                 std::to_string(one.classes) + (one.several ? ", several" : ""));
    const int64_t count = one.rows * one.classes;
    const bool is_wide = one.type == WAVESMITH_POINTWISE_F64;
    const double unit = is_wide ? 0x1p-50 : 0x1p-21;
    Strided x = array(one.type, count, one.x), weights = array(one.type, one.classes, one.weights),
            upstream = array(one.type, one.rows, one.upstream),
            targets = array(WAVESMITH_POINTWISE_I64, count);
    for (int64_t k = 0; k < count; ++k)
      targets.set(k, static_cast<double>(one.targets[static_cast<size_t>(k)]));
    Strided is_target = array(one.type, count), gradient = array(one.type, count),
            losses = array(is_wide ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32, count);
    const StridedOnGpu on_x(x), on_weights(weights), on_upstream(upstream), on_targets(targets),
        on_is_target(is_target), on_gradient(gradient), on_losses(losses);
    Description forward{};
    forward.rows = one.rows, forward.classes = one.classes, forward.type = one.type;
    forward.x = on_x.memory.data(), forward.targets = static_cast<const int64_t*>(on_targets.memory.data());
    forward.several = one.several, forward.power = one.squares ? 2 : 1;
    forward.margin = one.margin, forward.factor = kFactor;
    if (one.weighs) forward.weights = on_weights.memory.data();
    if (one.several) forward.is_target = on_is_target.memory.data();
    forward.losses = on_losses.memory.data();
    ASSERT_EQ(wavesmith_kernels_margin(&forward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    Gradient back{};
    back.forward = forward, back.forward.losses = nullptr;
    back.upstream = on_upstream.memory.data(), back.upstream_stride = !one.one_upstream;
    back.gradient = on_gradient.memory.data();
    ASSERT_EQ(wavesmith_kernels_margin_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_losses.read(), on_gradient.read(), on_is_target.read();
    const double rounding = is_wide                                ? 0
                            : one.type == WAVESMITH_POINTWISE_F16  ? 0x1p-11
                            : one.type == WAVESMITH_POINTWISE_BF16 ? 0x1p-8
                                                                   : 0x1p-24;
    ErrorNote note;
    for (int64_t i = 0; i < one.rows; ++i) {
      const Sums sums(one, i);
      const double terms = one.several ? 1 + static_cast<double>(one.classes) / 4 : 1;
      for (int64_t j = 0; j < one.classes; ++j) {
        const auto number = static_cast<size_t>(j);
        const int64_t element = i * one.classes + j;
        if (one.several)
          ASSERT_EQ(is_target.get(element), one.is_target(i, j)) << "row " << i << ", class " << j;
        const double allowed = unit * terms * sums.sizes[number];
        note.add(std::abs(losses.get(element) - sums.losses[number]), allowed);
        ASSERT_NEAR(losses.get(element), sums.losses[number], allowed) << "row " << i << ", class " << j;
        const double slope = sums.slopes[number] * one.given(i);
        const double size = sums.slope_sizes[number] * std::abs(one.given(i));
        const double off = unit * terms * size + rounding * std::abs(slope) + 0x1p-24;
        note.add(std::abs(gradient.get(element) - slope), off);
        ASSERT_NEAR(gradient.get(element), slope, off) << "row " << i << ", class " << j;
      }
    }
  }
};

TEST_P(Margins, AndTheirGradientsEqualDoublePrecision) {
  for (const Number type :
       {WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_BF16, WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64})
    for (const bool several : {false, true})
      for (int round = 0; round < 4; ++round) {
        check(any_case(type, several));
        if (HasFatalFailure()) return;
      }
}

TEST_P(Margins, OfNumbersThatAreNoneCountAsNothing) {
  Case one = any_case(WAVESMITH_POINTWISE_F32, false);
  one.rows = 1, one.classes = 3, one.squares = one.weighs = false, one.margin = 1;
  one.x = {0, std::nan(""), 0.5}, one.targets = {0, 0, 0}, one.upstream = {1};
  check(one);
}

INSTANTIATE_TEST_SUITE_P(On, Margins, testing::Range(0, kGpuCount), gpu_name);

TEST(MarginRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256)), targets(Elements(WAVESMITH_KERNELS_I32, 16));
  const auto at = [&](size_t number) { return static_cast<float*>(memory.data()) + number; };
  Description right{};
  right.rows = 2, right.classes = 4, right.type = WAVESMITH_POINTWISE_F32;
  right.x = at(0), right.targets = static_cast<const int64_t*>(targets.data());
  right.several = 1, right.margin = right.factor = 1, right.is_target = at(16), right.losses = at(32);
  EXPECT_EQ(wavesmith_kernels_margin(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();  // of targets that are all negative
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_margin, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "margin: rows is negative"},
       {[](Description& d) { d.classes = -1; }, kWrong, "classes is negative"},
       {[](Description& d) { d.rows = d.classes = 1 << 16; }, kNot, "2^31 elements or more"},
       {[](Description& d) { d.type = WAVESMITH_POINTWISE_I32; }, kWrong, "type is 4, neither F16"},
       {[](Description& d) { d.several = 0, d.power = 3; }, kNot, "power is 3, neither 1 nor 2"},
       {[](Description& d) { d.x = nullptr; }, kWrong, "x is null"},
       {[](Description& d) { d.targets = nullptr; }, kWrong, "targets is null"},
       {[](Description& d) { d.is_target = nullptr; }, kWrong, "is_target is null"},
       {[](Description& d) { d.losses = nullptr; }, kWrong, "losses is null"},
       {[](Description& d) { d.losses = static_cast<char*>(d.losses) + 1; }, kWrong, "losses"}});
  Gradient back{};
  back.forward = right, back.upstream = at(48), back.gradient = at(64);
  EXPECT_EQ(wavesmith_kernels_margin_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Gradient>(
      &wavesmith_kernels_margin_gradient, back,
      {{[](Gradient& d) { d.upstream_stride = 2; }, kWrong, "upstream_stride is 2, neither 1 nor 0"},
       {[](Gradient& d) { d.upstream = nullptr; }, kWrong, "margin_gradient: upstream is null"},
       {[](Gradient& d) { d.gradient = nullptr; }, kWrong, "gradient is null"}});
  Description none = right;
  none.rows = 0, none.x = nullptr;
  EXPECT_EQ(wavesmith_kernels_margin(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
