// Steps of Adam on a GPU of each target, against double precision with the errors of each operation.
#include <limits>

#include "kernels/optimiser/lists_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_adam_description;

/// What an element becomes.
struct Stepped {
  Rounded parameter, gradient, average, squares, largest;
};

Rounded larger(const Rounded& a, const Rounded& b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error)};
}

class Adam : public OnLists {
 protected:
  struct Parameter {
    Array parameter, gradient, average, squares, largest, step;
  };
  struct Given {
    std::vector<Parameter> before;
    std::vector<wavesmith_adam_array> arrays;
    std::vector<Array> numbers;
    Description one{};
    double rate = 0, scale = 1;
    bool amsgrad = false;
  };

  Given given() {
    Given made;
    made.one.type_parameter = any_float(), made.one.type_gradient = any_float();
    made.one.type_state = any_float();
    made.rate = made.one.rate = one_of({1e-3, 0.1});
    made.one.beta1 = one_of({0.9, 0.0}), made.one.beta2 = one_of({0.999, 0.95});
    made.one.weight_decay = one_of({0.0, 0.01}), made.one.epsilon = one_of({1e-8, 0.1});
    made.one.decoupled = between(0, 1) != 0, made.one.maximise = between(0, 1) != 0;
    made.amsgrad = between(0, 1) != 0;
    return made;
  }
  /// A float in the device's memory.
  const float* number(Given& given, double value) {
    given.numbers.push_back(array(WAVESMITH_KERNELS_F32, 1, [&] { return value; }));
    return static_cast<const float*>(given.numbers.back().data());
  }
  void add(Given& given, int64_t count, double step) {
    const auto any = [&] { return normal(); };
    // Squares may be as small as a type has them: the root of what is less is as large as epsilon.
    const auto square = [&] { return std::ldexp(std::abs(normal()), static_cast<int>(between(-12, 1))); };
    choose_offset();
    Parameter made{
        array(given.one.type_parameter, count, any), array(given.one.type_gradient, count, any),
        array(given.one.type_state, count, any),     array(given.one.type_state, count, square),
        array(given.one.type_state, count, square),  array(WAVESMITH_KERNELS_F32, 1, [&] { return step; })};
    given.arrays.push_back({count, made.parameter.data(), made.gradient.data(), made.average.data(),
                            made.squares.data(), given.amsgrad ? made.largest.data() : nullptr,
                            static_cast<const float*>(made.step.data())});
    given.before.push_back(std::move(made));
  }

  static Stepped stepped(const Given& given, const Parameter& at, size_t i) {
    const Description& one = given.one;
    Stepped is;
    const double number_of_step = at.step.elements.get(0);
    const auto corrected = [&](double beta) {
      const double exact = 1 - std::pow(beta, number_of_step);
      return Rounded{exact, 0x1p-20 * exact};
    };
    const Rounded rate = Rounded::of(given.rate);
    is.gradient = {at.gradient.elements.get(i), 0};
    if (one.gradient_scale) is.gradient = is.gradient / Rounded{given.scale, 0};
    Rounded p{at.parameter.elements.get(i), 0}, slope = one.maximise ? -is.gradient : is.gradient;
    const Rounded decay = Rounded::of(one.weight_decay);
    if (one.decoupled)
      p = p - rate * decay * p;
    else
      slope = slope + decay * p;
    const auto mixed = [](double beta, double kept, const Rounded& with) {
      return Rounded::of(beta) * Rounded{kept, 0} + Rounded::of(1 - beta) * with;
    };
    is.average = mixed(one.beta1, at.average.elements.get(i), slope);
    // The rest of beta2 times the gradient comes first.
    is.squares = Rounded::of(one.beta2) * Rounded{at.squares.elements.get(i), 0} +
                 Rounded::of(1 - one.beta2) * slope * slope;
    is.largest = larger({at.largest.elements.get(i), 0}, is.squares);
    const Rounded of = given.amsgrad ? is.largest : is.squares;
    const Rounded divisor = of.root() / corrected(one.beta2).root() + Rounded::of(one.epsilon);
    is.parameter = p - rate / corrected(one.beta1) * is.average / divisor;
    return is;
  }

  static void run(Given& given) {
    given.one.count = static_cast<int64_t>(given.arrays.size()), given.one.arrays = given.arrays.data();
    ASSERT_EQ(wavesmith_kernels_adam(&given.one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }
  /// An array as it is on the GPU; what it was on the host stays.
  static Array after(const Array& array) {
    Array made{array.elements, nullptr};
    array.memory->copy_to(made.elements);
    return made;
  }
  static void check(Given& given) {
    run(given);
    ErrorNote note;
    for (const Parameter& one : given.before) {
      const Array parameter = after(one.parameter), gradient = after(one.gradient),
                  average = after(one.average), squares = after(one.squares), largest = after(one.largest);
      for (size_t i = 0; i < parameter.elements.count(); ++i) {
        const Stepped is = stepped(given, one, i);
        expect(parameter, i, is.parameter, note);
        expect(gradient, i, is.gradient, note);
        expect(average, i, is.average, note);
        expect(squares, i, is.squares, note);
        expect(largest, i, given.amsgrad ? is.largest : Rounded{one.largest.elements.get(i), 0}, note);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(Adam, StepsEqualDoublePrecision) {
  for (int round = 0; round < 12; ++round) {
    Given made = given();
    if (between(0, 1)) made.one.rate = -1, made.one.rate_at = number(made, made.rate);
    if (between(0, 1)) made.one.gradient_scale = number(made, made.scale = 1024);
    if (between(0, 1)) made.one.found_infinity = number(made, 0);
    for (int64_t i = between(1, 4); i > 0; --i)
      add(made, any_count(), one_of<double>({1, 2, 7, 1000, 123456}));
    check(made);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Adam, OfMoreArraysThanALaunchTakes) {
  Given made = given();
  for (int i = 0; i < ArrayList<AdamEntry>::kMost + 3; ++i) add(made, between(0, 9), 1 + i);
  check(made);
}

TEST_P(Adam, DoesNothingWhereAGradientWasInfinite) {
  Given made = given();
  made.one.gradient_scale = number(made, 2), made.one.found_infinity = number(made, 1);
  add(made, 300, 1);
  run(made);
  const ErrorNote note;
  const Parameter& one = made.before[0];
  for (const Array* array : {&one.parameter, &one.gradient, &one.average, &one.squares, &one.largest})
    EXPECT_EQ(after(*array).elements.bytes, array->elements.bytes);
}

TEST_P(Adam, KeepsNanAndLeavesOthersAlone) {
  Given made = given();
  add(made, 40, 3);
  Elements& gradient = made.before[0].gradient.elements;
  gradient.set(5, std::numeric_limits<double>::quiet_NaN());
  gradient.set(6, std::numeric_limits<double>::infinity());
  ASSERT_EQ(hipMemcpy(made.before[0].gradient.data(), gradient.bytes.data(), gradient.bytes.size(), 1), 0);
  run(made);
  const ErrorNote note;
  const Array parameter = after(made.before[0].parameter);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(std::isnan(parameter.elements.get(i)), i == 5 || i == 6) << i;
}

INSTANTIATE_TEST_SUITE_P(On, Adam, testing::Range(0, kGpuCount), gpu_name);

TEST(AdamRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 128));
  static wavesmith_adam_array arrays[1], changed[1];
  const auto at = [&](size_t byte) { return static_cast<char*>(memory.data()) + byte; };
  arrays[0] = {8, at(0), at(64), at(128), at(192), nullptr, reinterpret_cast<const float*>(at(256))};
  Description right{};
  right.count = 1, right.arrays = arrays, right.beta1 = 0.9, right.beta2 = 0.99;
  EXPECT_EQ(wavesmith_kernels_adam(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  static const auto change = [](Description& d) -> wavesmith_adam_array& {
    changed[0] = arrays[0];
    d.arrays = changed;
    return changed[0];
  };
  expect_refusals<Description>(
      &wavesmith_kernels_adam, right,
      {{[](Description& d) { d.count = -1; }, kWrong, "adam: count is negative"},
       {[](Description& d) { d.arrays = nullptr; }, kWrong, "arrays is null"},
       {[](Description& d) { d.type_state = WAVESMITH_KERNELS_I32; }, kNot, "type_state is i32"},
       {[](Description& d) { d.type_gradient = static_cast<Type>(-1); }, kWrong, "type_gradient is -1"},
       {[](Description& d) { d.beta1 = 1; }, kWrong, "beta1 is 1.000000, not in [0, 1)"},
       {[](Description& d) { d.beta2 = std::nan(""); }, kWrong, "beta2 is"},
       {[](Description& d) { d.rate_at = reinterpret_cast<const float*>(2); }, kWrong,
        "rate_at is not aligned to 4 bytes"},
       {[](Description& d) { change(d).elements = -1; }, kWrong, "arrays[0].elements is negative"},
       {[](Description& d) { change(d).parameter = nullptr; }, kWrong, "arrays[0].parameter is null"},
       {[](Description& d) { change(d).step = nullptr; }, kWrong, "arrays[0].step is null"},
       {[](Description& d) { change(d).gradient = changed[0].parameter; }, kWrong,
        "arrays[0].parameter overlaps gradient"},
       {[](Description& d) { change(d).largest_average = changed[0].average; }, kWrong,
        "arrays[0].average overlaps largest_average"},
       {[](Description& d) { change(d).average = static_cast<char*>(changed[0].average) + 2; }, kWrong,
        "arrays[0].average is not aligned to 4 bytes"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
