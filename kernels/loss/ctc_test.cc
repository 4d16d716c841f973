// Connectionist temporal classification on a GPU of each target, against double precision.
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_ctc.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_ctc_description;
using Gradient = wavesmith_ctc_gradient_description;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -kInfinity ? larger : larger + std::log(std::exp(a - larger) + std::exp(b - larger));
}

/// A sequence with its probabilities, and what they come to.
struct Reference {
  int64_t steps;
  std::vector<int64_t> states;        ///< classes
  std::vector<double> alphas, betas;  ///< [step][state]
  double loss = 0, largest = 0;

  template <class LogProb>
  Reference(int64_t steps_, int64_t blank, const std::vector<int64_t>& labels, LogProb log_prob)
      : steps(steps_), states(2 * labels.size() + 1, blank) {
    for (size_t i = 0; i < labels.size(); ++i) states[2 * i + 1] = labels[i];
    const auto count = static_cast<int64_t>(states.size());
    alphas.assign(static_cast<size_t>(steps * count), -kInfinity), betas = alphas;
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t s = 0; s < count; ++s) {
        double before = t == 0 && s < 2 ? 0 : -kInfinity, behind = before;
        if (t > 0) before = from(alphas, t - 1, s, -1);
        const int64_t back = steps - 1 - t, last = count - 1 - s;
        behind = t == 0 && s < 2 ? 0 : t > 0 ? from(betas, back + 1, last, 1) : -kInfinity;
        alphas[place(t, s)] = before + log_prob(t, states[static_cast<size_t>(s)]);
        betas[place(back, last)] = behind + log_prob(back, states[static_cast<size_t>(last)]);
        for (const double one : {alphas[place(t, s)], log_prob(t, states[static_cast<size_t>(s)])})
          if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
      }
    if (steps == 0)
      loss = count == 1 ? 0 : kInfinity;
    else
      loss = -sum_of(alphas[place(steps - 1, count - 1)],
                     count == 1 ? -kInfinity : alphas[place(steps - 1, count - 2)]);
  }
  [[nodiscard]] size_t place(int64_t t, int64_t s) const {
    return static_cast<size_t>(t) * states.size() + static_cast<size_t>(s);
  }
  /// The logarithm of the sum of those that lead to a state.
  [[nodiscard]] double from(const std::vector<double>& all, int64_t t, int64_t s, int64_t step) const {
    const auto count = static_cast<int64_t>(states.size());
    double sum = all[place(t, s)];
    for (int64_t other = s + step, i = 0; i < 2 && other >= 0 && other < count; ++i, other += step)
      if (i == 0 || (s % 2 == 1 && states[static_cast<size_t>(s)] != states[static_cast<size_t>(other)]))
        sum = sum_of(sum, all[place(t, other)]);
    return sum;
  }
  /// The probability of having a class's label at a step, given the labels.
  [[nodiscard]] double share(int64_t t, int64_t label, double log_prob) const {
    double sum = 0;
    for (size_t s = 0; s < states.size(); ++s)
      if (states[s] == label) {
        const size_t at = place(t, static_cast<int64_t>(s));
        sum += std::exp(alphas[at] + betas[at] - log_prob + loss);
      }
    return sum;
  }
};

struct Sizes {
  int64_t times, sequences, classes, most;
};

class Ctc : public OnStrides {
 protected:
  /// What a call is given, of random numbers.
  struct Case {
    Sizes sizes;
    int64_t blank, states;
    Strided log_probs, targets, upstream;
    std::vector<int64_t> steps, labels, begins;
  };

  Case random_case(Number type, Sizes sizes) {
    const int64_t bytes = size_of(type);
    Case made{sizes,
              between(0, sizes.classes - 1),
              2 * sizes.most + 1 + between(0, 2),
              any_strided(type, {sizes.classes, sizes.sequences, sizes.times}, false),
              Strided(one_of({WAVESMITH_POINTWISE_I32, WAVESMITH_POINTWISE_I64}), {1}, {8}),
              Strided(type, {sizes.sequences}, {one_of<int64_t>({0, bytes, 3 * bytes})}),
              {},
              {},
              {}};
    int64_t all = between(0, 2);
    for (int64_t i = 0; i < sizes.sequences; ++i) {
      made.steps.push_back(between(0, 3) == 0 ? between(0, sizes.times) : sizes.times);
      made.labels.push_back(between(0, 3) == 0 ? between(0, sizes.most) : sizes.most);
      made.begins.push_back(all), all += made.labels.back() + between(0, 1);
    }
    made.targets = Strided(made.targets.type, {all + 1}, {size_of(made.targets.type) * between(1, 2)});
    for (int64_t i = 0; i <= all; ++i)
      made.targets.set(
          i, static_cast<double>(i > 0 && between(0, 3) == 0 ? static_cast<int64_t>(made.targets.get(i - 1))
                                                             : between(0, sizes.classes - 1)));
    for (int64_t i = 0; i < made.log_probs.count() / sizes.classes; ++i) {
      std::vector<double> x(static_cast<size_t>(sizes.classes));
      double sum = 0;
      for (double& one : x) one = 2 * normal(), sum += std::exp(one);
      for (int64_t c = 0; c < sizes.classes; ++c)
        made.log_probs.set(i * sizes.classes + c, x[static_cast<size_t>(c)] - std::log(sum));
    }
    for (int64_t i = 0; i < sizes.sequences; ++i) made.upstream.set(i, normal());
    return made;
  }

  static Reference reference(const Case& one, int64_t i) {
    const auto at = static_cast<size_t>(i);
    std::vector<int64_t> labels;
    for (int64_t l = 0; l < one.labels[at]; ++l)
      labels.push_back(static_cast<int64_t>(one.targets.get(one.begins[at] + l)));
    return {one.steps[at], one.blank, labels, [&](int64_t t, int64_t c) { return log_prob(one, t, i, c); }};
  }
  static double log_prob(const Case& one, int64_t t, int64_t i, int64_t c) {
    return one.log_probs.get((t * one.sizes.sequences + i) * one.sizes.classes + c);
  }

  void check(Case one, bool zero_infinity) {
    const Number type = one.log_probs.type;
    const auto& [times, sequences, classes, most] = one.sizes;
    const int64_t bytes = size_of(type);
    Strided losses(type, {sequences}, {bytes});
    Strided alphas(type, {one.states, times, sequences},
                   {bytes, bytes * one.states, bytes * one.states * times});
    Strided gradient = any_strided(type, {classes, sequences, times}, false);
    const StridedOnGpu log_probs(one.log_probs), targets(one.targets), upstream(one.upstream);
    const StridedOnGpu on_losses(losses), on_alphas(alphas), on_gradient(gradient);
    Strided betas = alphas;
    const StridedOnGpu on_betas(betas);
    Description ctc{};
    ctc.times = times, ctc.sequences = sequences, ctc.classes = classes, ctc.states = one.states;
    ctc.blank = one.blank, ctc.log_probs = log_probs.operand(), ctc.targets = targets.operand();
    ctc.steps = one.steps.data(), ctc.labels = one.labels.data(), ctc.begins = one.begins.data();
    ctc.losses = on_losses.operand().data, ctc.alphas = on_alphas.operand().data;
    ASSERT_EQ(wavesmith_kernels_ctc(&ctc, nullptr), WAVESMITH_KERNELS_SUCCESS) << wavesmith_kernels_message();
    const Gradient back{.forward = ctc,
                        .upstream = upstream.operand(),
                        .gradient = on_gradient.operand(),
                        .zero_infinity = zero_infinity,
                        .betas = on_betas.operand().data};
    ASSERT_EQ(wavesmith_kernels_ctc_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_losses.read(), on_alphas.read(), on_gradient.read();
    for (int64_t i = 0; i < sequences; ++i) {
      SCOPED_TRACE(testing::Message() << "sequence " << i);
      const Reference wanted = reference(one, i);
      compare_alphas(one, i, wanted, alphas, losses.get(i));
      compare_gradient(one, i, wanted, gradient, zero_infinity);
      if (HasFatalFailure()) return;
    }
  }

  static double off(const Case& one, const Reference& wanted, int64_t steps) {
    const double e = one.log_probs.type == WAVESMITH_POINTWISE_F32 ? 0x1p-20 : 0x1p-49;
    return e * static_cast<double>(steps) * (wanted.largest + 4);
  }

  static void compare_alphas(const Case& one, int64_t i, const Reference& wanted, const Strided& alphas,
                             double loss) {
    ErrorNote note;
    const auto near = [&](double given, double expected, int64_t steps) {
      if (std::isinf(expected) || std::isnan(expected)) return given == expected;
      const double allowed = off(one, wanted, steps);
      note.add(std::abs(given - expected), allowed);
      return std::abs(given - expected) <= allowed;
    };
    const auto count = static_cast<int64_t>(wanted.states.size());
    for (int64_t t = 0; t < one.sizes.times; ++t)
      for (int64_t s = 0; s < one.states; ++s) {
        const bool is_there = t < wanted.steps && s < count;
        const double expected = is_there ? wanted.alphas[wanted.place(t, s)] : -kInfinity;
        const double given = alphas.get((i * one.sizes.times + t) * one.states + s);
        ASSERT_TRUE(near(given, expected, t + 1)) << given << ", not " << expected << " at step " << t;
      }
    ASSERT_TRUE(near(loss, wanted.loss, wanted.steps + 1)) << loss << ", not " << wanted.loss;
  }

  static void compare_gradient(const Case& one, int64_t i, const Reference& wanted, const Strided& gradient,
                               bool zero_infinity) {
    ErrorNote note;
    for (int64_t t = 0; t < one.sizes.times; ++t)
      for (int64_t c = 0; c < one.sizes.classes; ++c) {
        const double given = gradient.get((t * one.sizes.sequences + i) * one.sizes.classes + c);
        if (t >= wanted.steps || (std::isinf(wanted.loss) && zero_infinity)) {
          ASSERT_EQ(given, 0);
          continue;
        }
        if (std::isinf(wanted.loss)) {
          ASSERT_TRUE(std::isnan(given));
          continue;
        }
        const double x = log_prob(one, t, i, c), share = wanted.share(t, c, x), scale = one.upstream.get(i);
        const double expected = scale * (std::exp(x) - share);
        const double allowed =
            std::abs(scale) * (std::exp(x) + share) * 4 * off(one, wanted, wanted.steps + 1) + 0x1p-120;
        note.add(std::abs(given - expected), allowed);
        ASSERT_NEAR(given, expected, allowed) << "class " << c << " at step " << t;
      }
  }
};

TEST_P(Ctc, AndItsGradientEqualDoublePrecision) {
  for (int round = 0; round < 12; ++round) {  // each type in turn
    const Number type = round % 2 == 0 ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_F64;
    const Sizes sizes{between(1, 12), one_of<int64_t>({1, 3, between(1, 5)}), one_of<int64_t>({1, 2, 5, 300}),
                      between(0, 5)};
    SCOPED_TRACE(testing::Message() << "round " << round);
    check(random_case(type, sizes), between(0, 1) != 0);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Ctc, OfMoreSequencesThanALaunchTakesAndMoreStatesThanThreads) {
  check(random_case(WAVESMITH_POINTWISE_F32, {.times = 4, .sequences = 67, .classes = 3, .most = 2}), true);
  check(random_case(WAVESMITH_POINTWISE_F64, {.times = 150, .sequences = 2, .classes = 40, .most = 140}),
        false);
}

TEST_P(Ctc, KeepsNanAndWhatCannotBe) {
  Case one = random_case(WAVESMITH_POINTWISE_F32, {.times = 3, .sequences = 2, .classes = 4, .most = 1});
  one.steps = {3, 3}, one.labels = {1, 1}, one.blank = 0;
  one.targets.set(one.begins[0], 1), one.targets.set(one.begins[1], 1);
  for (int64_t t = 0; t < 3; ++t) one.log_probs.set(t * 8 + 5, -kInfinity);  // the second sequence's label
  check(one, true);
  one.log_probs.set(8, std::nan(""));
  Strided losses(WAVESMITH_POINTWISE_F32, {2}, {4}), alphas(WAVESMITH_POINTWISE_F32, {6 * one.states}, {4});
  const StridedOnGpu log_probs(one.log_probs), targets(one.targets), on_losses(losses), on_alphas(alphas);
  Description ctc{};
  ctc.times = 3, ctc.sequences = 2, ctc.classes = 4, ctc.states = one.states;
  ctc.log_probs = log_probs.operand(), ctc.targets = targets.operand();
  ctc.steps = one.steps.data(), ctc.labels = one.labels.data(), ctc.begins = one.begins.data();
  ctc.losses = on_losses.operand().data, ctc.alphas = on_alphas.operand().data;
  ASSERT_EQ(wavesmith_kernels_ctc(&ctc, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_losses.read();
  const ErrorNote note;
  EXPECT_TRUE(std::isnan(losses.get(0)));
  EXPECT_EQ(losses.get(1), kInfinity);
}

INSTANTIATE_TEST_SUITE_P(On, Ctc, testing::Range(0, kGpuCount), gpu_name);

TEST(CtcRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements zeros(WAVESMITH_KERNELS_F32, 256);
  std::fill(zeros.bytes.begin(), zeros.bytes.end(), 0);
  const OnGpu memory(zeros);
  const auto at = [&](size_t number) { return static_cast<float*>(memory.data()) + number; };
  static constexpr int64_t kSteps[] = {2, 1}, kLabels[] = {1, 0}, kBegins[] = {0, 1}, kMany[] = {3, 0},
                           kNegative[] = {0, -1};
  Description right{};
  right.times = 2, right.sequences = 2, right.classes = 3, right.states = 3, right.blank = 2;
  right.log_probs = {at(0), WAVESMITH_POINTWISE_F32, {4, 12, 24}, {}};
  right.targets = {at(200), WAVESMITH_POINTWISE_I32, {4}, {}};
  right.steps = kSteps, right.labels = kLabels, right.begins = kBegins;
  right.losses = at(64), right.alphas = at(72);
  EXPECT_EQ(wavesmith_kernels_ctc(&right, nullptr), WAVESMITH_KERNELS_SUCCESS) << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_ctc, right,
      {{[](Description& d) { d.times = -1; }, kWrong, "ctc: times is negative"},
       {[](Description& d) { d.times = 1L << 40; }, kNot, "too many times"},
       {[](Description& d) { d.states = 0; }, kWrong, "states is 0"},
       {[](Description& d) { d.classes = 0; }, kWrong, "classes is 0"},
       {[](Description& d) { d.blank = 3; }, kWrong, "blank is 3, not 0 to 2"},
       {[](Description& d) { d.log_probs.data = nullptr; }, kWrong, "log_probs.data is null"},
       {[](Description& d) { d.log_probs.type = WAVESMITH_POINTWISE_F16; }, kNot,
        "log_probs is of f16, neither f32 nor f64"},
       {[](Description& d) { d.targets.type = WAVESMITH_POINTWISE_U8; }, kNot,
        "targets is of u8, neither i32 nor i64"},
       {[](Description& d) { d.targets.data = nullptr; }, kWrong, "targets.data is null"},
       {[](Description& d) { d.steps = nullptr; }, kWrong, "steps is null"},
       {[](Description& d) { d.steps = kMany; }, kWrong, "steps[0] is 3, not 0 to 2"},
       {[](Description& d) { d.labels = kMany; }, kWrong, "labels[0] is 3, not 0 to 1"},
       {[](Description& d) { d.begins = kNegative; }, kWrong, "begins[1] is -1, not 0"},
       {[](Description& d) { d.losses = nullptr; }, kWrong, "losses is null"},
       {[](Description& d) { d.alphas = nullptr; }, kWrong, "alphas is null"}});
  Gradient back{.forward = right,
                .upstream = {at(120), WAVESMITH_POINTWISE_F32, {4}, {}},
                .gradient = right.log_probs,
                .zero_infinity = 0,
                .betas = at(160)};
  back.gradient.data = at(128);
  EXPECT_EQ(wavesmith_kernels_ctc_gradient(&back, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Gradient>(
      &wavesmith_kernels_ctc_gradient, back,
      {{[](Gradient& d) { d.gradient.data = nullptr; }, kWrong, "ctc_gradient: gradient.data is null"},
       {[](Gradient& d) { d.gradient.type = WAVESMITH_POINTWISE_F64; }, kWrong,
        "gradient is of f64, and log_probs of f32"},
       {[](Gradient& d) { d.upstream.data = nullptr; }, kWrong, "upstream.data is null"},
       {[](Gradient& d) { d.betas = nullptr; }, kWrong, "betas is null"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
