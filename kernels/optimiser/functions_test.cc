// Functions of many arrays on a GPU of each target, against double precision.
#include "kernels/optimiser/lists_testing.h"
#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_list_description;

/// What it is, and in how many roundings of which size it is computed.
struct Function {
  Pointwise operation;
  double (*exact)(double x, double z, double w, double p);
  double (*size)(double x, double z, double w, double p) = nullptr;  ///< the result's, if null
  int roundings = 1;
};

double sizes(double x, double z, double w, double p) { return std::abs(x) + std::abs(p * z * w); }

const Function kFunctions[] = {
    {WAVESMITH_POINTWISE_FILL, [](double, double, double, double p) { return p; }, nullptr, 0},
    {WAVESMITH_POINTWISE_COPY, [](double x, double, double, double) { return x; }, nullptr, 0},
    {WAVESMITH_POINTWISE_NEGATE, [](double x, double, double, double) { return -x; }, nullptr, 0},
    {WAVESMITH_POINTWISE_ABSOLUTE, [](double x, double, double, double) { return std::abs(x); }, nullptr, 0},
    {WAVESMITH_POINTWISE_SIGN, [](double x, double, double, double) { return double((x > 0) - (x < 0)); }},
    {WAVESMITH_POINTWISE_RECIPROCAL, [](double x, double, double, double) { return 1 / x; }},
    {WAVESMITH_POINTWISE_SQRT, [](double x, double, double, double) { return std::sqrt(x); }},
    {WAVESMITH_POINTWISE_RECIPROCAL_ROOT, [](double x, double, double, double) { return 1 / std::sqrt(x); },
     nullptr, 8},
    {WAVESMITH_POINTWISE_FLOOR, [](double x, double, double, double) { return std::floor(x); }, nullptr, 0},
    {WAVESMITH_POINTWISE_CEIL, [](double x, double, double, double) { return std::ceil(x); }, nullptr, 0},
    {WAVESMITH_POINTWISE_TRUNCATE, [](double x, double, double, double) { return std::trunc(x); }, nullptr,
     0},
    {WAVESMITH_POINTWISE_ROUND, [](double x, double, double, double) { return std::nearbyint(x); }, nullptr,
     0},
    {WAVESMITH_POINTWISE_FRACTION, [](double x, double, double, double) { return x - std::trunc(x); }},
    {WAVESMITH_POINTWISE_ADD, [](double x, double z, double, double p) { return x + p * z; },
     [](double x, double z, double, double p) { return sizes(x, z, 1, p); }, 2},
    {WAVESMITH_POINTWISE_MULTIPLY, [](double x, double z, double, double) { return x * z; }},
    {WAVESMITH_POINTWISE_MAXIMUM, [](double x, double z, double, double) { return std::max(x, z); }, nullptr,
     0},
    {WAVESMITH_POINTWISE_MINIMUM, [](double x, double z, double, double) { return std::min(x, z); }, nullptr,
     0},
    {WAVESMITH_POINTWISE_DIVIDE, [](double x, double z, double, double) { return x / z; }},
    {WAVESMITH_POINTWISE_INTERPOLATE, [](double x, double z, double, double p) { return x + p * (z - x); },
     [](double x, double z, double, double p) { return (std::abs(x) + std::abs(z)) * (1 + std::abs(p)); }, 4},
    {WAVESMITH_POINTWISE_ADD_PRODUCT, [](double x, double z, double w, double p) { return x + p * z * w; },
     sizes, 3},
    {WAVESMITH_POINTWISE_ADD_QUOTIENT, [](double x, double z, double w, double p) { return x + p * (z / w); },
     [](double x, double z, double w, double p) { return sizes(x, z, 1 / w, p); }, 3},
    {WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN,
     [](double x, double z, double w, double) { return x + w * (z - x); },
     [](double x, double z, double w, double) { return (std::abs(x) + std::abs(z)) * (1 + std::abs(w)); },
     4}};

class FunctionsOfLists : public OnLists {
 protected:
  /// Of arrays of these counts: inputs may be one element, a number, or y itself.
  void check(const Function& function, const std::vector<int64_t>& counts) {
    SCOPED_TRACE("operation " + std::to_string(function.operation));
    enum class Is { Array, Single, Number, Y };
    const int inputs = inputs_of(function.operation);
    Description one{};
    one.operation = function.operation, one.type_y = any_float();
    Is is[WAVESMITH_LIST_INPUTS]{};
    for (int k = 0; k < inputs; ++k) {
      is[k] = one_of({Is::Array, Is::Array, Is::Single, Is::Number, Is::Y});
      one.types[k] = is[k] == Is::Y ? one.type_y : any_float(), one.single[k] = is[k] == Is::Single;
    }
    std::vector<wavesmith_list_array> arrays;
    std::vector<Array> results;
    std::vector<std::vector<Array>> given(counts.size());
    // The roots' argument is positive, and no divisor is near 0.
    const auto number = [&] { return one_of({1.0, inputs == 1 ? 1.0 : -1.0}) * (0.25 + std::abs(normal())); };
    for (size_t i = 0; i < counts.size(); ++i) {
      choose_offset();
      const bool reads_y = is[0] == Is::Y || is[1] == Is::Y || is[2] == Is::Y;
      results.push_back(reads_y ? array(one.type_y, counts[i], number) : poisoned(one.type_y, counts[i]));
      wavesmith_list_array made{};
      made.elements = counts[i], made.y = results.back().data();
      made.p = static_cast<float>(normal()), made.number = static_cast<float>(number());
      for (int k = 0; k < inputs; ++k) {
        given[i].push_back(is[k] == Is::Y ? Array{results.back().elements, nullptr}
                                          : array(one.types[k], is[k] == Is::Single ? 1 : counts[i], number));
        made.inputs[k] = is[k] == Is::Number ? nullptr : is[k] == Is::Y ? made.y : given[i].back().data();
      }
      arrays.push_back(made);
    }
    one.count = static_cast<int64_t>(arrays.size()), one.arrays = arrays.data();
    ASSERT_EQ(wavesmith_kernels_list(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    ErrorNote note;
    for (size_t i = 0; i < counts.size(); ++i) {
      results[i].read();
      for (size_t e = 0; e < results[i].elements.count(); ++e) {
        double v[WAVESMITH_LIST_INPUTS] = {};
        for (size_t k = 0; k < given[i].size(); ++k)
          v[k] = is[k] == Is::Number   ? arrays[i].number
                 : is[k] == Is::Single ? given[i][k].elements.get(0)
                                       : given[i][k].elements.get(e);
        const double p = arrays[i].p, exact = function.exact(v[0], v[1], v[2], p);
        const double size = function.size ? function.size(v[0], v[1], v[2], p) : std::abs(exact);
        const double off = function.roundings * 0x1p-24 * size;
        expect(results[i], e, {exact, off}, note);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(FunctionsOfLists, EqualDoublePrecision) {
  for (const Function& function : kFunctions) {
    std::vector<int64_t> counts;
    for (int64_t i = between(1, 5); i > 0; --i) counts.push_back(any_count());
    check(function, counts);
    if (HasFatalFailure()) return;
  }
}

TEST_P(FunctionsOfLists, MoreArraysThanALaunchTakes) {
  std::vector<int64_t> counts(ArrayList<ListEntry>::kMost * 2 + 5);
  for (int64_t& count : counts) count = between(0, 9);
  counts[3] = kListChunk + 3;
  check(kFunctions[13], counts);
}

INSTANTIATE_TEST_SUITE_P(On, FunctionsOfLists, testing::Range(0, kGpuCount), gpu_name);

TEST(FunctionsOfListsRefuse, WhatBreaksARuleAndSayWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 64));
  static wavesmith_list_array arrays[2], changed[2];
  const auto at = [&](size_t byte) { return static_cast<char*>(memory.data()) + byte; };
  arrays[0] = {.elements = 0, .y = nullptr, .inputs = {}, .p = 1, .number = 1};
  arrays[1] = {.elements = 8, .y = at(0), .inputs = {at(0), at(64)}, .p = 1, .number = 1};
  Description right{};
  right.operation = WAVESMITH_POINTWISE_ADD, right.count = 2, right.arrays = arrays;
  EXPECT_EQ(wavesmith_kernels_list(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  static const auto change = [](Description& d) -> wavesmith_list_array& {
    changed[0] = arrays[0], changed[1] = arrays[1];
    d.arrays = changed;
    return changed[1];
  };
  expect_refusals<Description>(
      &wavesmith_kernels_list, right,
      {{[](Description& d) { d.operation = WAVESMITH_POINTWISE_TANH; }, kNot,
        "list: operation is 17, not one for lists"},
       {[](Description& d) { d.count = -1; }, kWrong, "count is negative"},
       {[](Description& d) { d.arrays = nullptr; }, kWrong, "arrays is null"},
       {[](Description& d) { d.type_y = WAVESMITH_KERNELS_I32; }, kNot,
        "type_y is i32, not f32, f16 or bf16"},
       {[](Description& d) { d.types[1] = static_cast<Type>(99); }, kWrong, "types[1] is 99, no type"},
       {[](Description& d) { change(d).elements = -1; }, kWrong, "arrays[1].elements is negative"},
       {[](Description& d) { change(d).elements = int64_t{1} << 36; }, kNot, "2^36 elements or more"},
       {[](Description& d) { change(d).y = nullptr; }, kWrong, "arrays[1].y is null"},
       {[](Description& d) { change(d).inputs[1] = static_cast<char*>(changed[1].y) + 30; }, kWrong,
        "arrays[1].inputs[1] is not aligned to 4 bytes"},
       {[](Description& d) { change(d).inputs[1] = static_cast<char*>(changed[1].y) + 4; }, kWrong,
        "arrays[1].y overlaps inputs[1]"},
       {[](Description& d) { d.types[0] = WAVESMITH_KERNELS_F16; }, kWrong, "arrays[1].y overlaps inputs[0]"},
       {[](Description& d) { d.single[0] = 1; }, kWrong, "arrays[1].y overlaps inputs[0]"}});
  Description none = right;
  none.count = 0, none.arrays = nullptr;
  EXPECT_EQ(wavesmith_kernels_list(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
