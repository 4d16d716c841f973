// Norms of many arrays on a GPU of each target, against double precision.
#include <limits>

#include "kernels/optimiser/lists_testing.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_norms_description;
using Order = wavesmith_norm_order;

class Norms : public OnLists {
 protected:
  struct Given {
    std::vector<Array> x, norms;
    std::vector<wavesmith_norm_array> arrays;
    Description one{};
  };
  Given given(Order order, Type type, Type type_norm) {
    Given made;
    made.one.order = order, made.one.type = type, made.one.type_norm = type_norm;
    return made;
  }
  void add(Given& given, Array x) {
    given.norms.push_back(poisoned(given.one.type_norm, 1));
    given.arrays.push_back({static_cast<int64_t>(x.elements.count()), x.data(), given.norms.back().data()});
    given.x.push_back(std::move(x));
  }
  static void run(Given& given) {
    given.one.count = static_cast<int64_t>(given.arrays.size()), given.one.arrays = given.arrays.data();
    given.one.workspace_bytes = wavesmith_kernels_norms_workspace(&given.one);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, given.one.workspace_bytes));
    given.one.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_norms(&given.one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    for (Array& norm : given.norms) norm.read();
  }
  static void check(Given& given) {
    run(given);
    ErrorNote note;
    for (size_t i = 0; i < given.x.size(); ++i) {
      double sum = 0, squares = 0, largest = 0;
      const Elements& x = given.x[i].elements;
      for (size_t e = 0; e < x.count(); ++e) {
        sum += std::abs(x.get(e)), squares += x.get(e) * x.get(e);
        largest = std::max(largest, std::abs(x.get(e)));
      }
      const double elements = static_cast<double>(x.count());
      const double relative = (40 + elements / 0x1p20) * 0x1p-24, root = std::sqrt(squares);
      const Rounded exact = given.one.order == WAVESMITH_NORM_SUM    ? Rounded{sum, relative * sum}
                            : given.one.order == WAVESMITH_NORM_ROOT ? Rounded{root, relative / 2 * root}
                                                                     : Rounded{largest, 0};
      expect(given.norms[i], 0,
             given.one.order == WAVESMITH_NORM_ROOT
                 ? Rounded{exact.value, exact.error + 0x1p-74 * std::sqrt(elements)}
                 : exact,
             note);
      if (HasFatalFailure()) return;
    }
  }
};

constexpr Order kOrders[] = {WAVESMITH_NORM_SUM, WAVESMITH_NORM_ROOT, WAVESMITH_NORM_LARGEST};

TEST_P(Norms, EqualDoublePrecision) {
  for (const Order order : kOrders) {
    for (int round = 0; round < 4; ++round) {
      Given made = given(order, any_float(), any_float());
      const double size = made.one.type == WAVESMITH_KERNELS_F16 ? 1 : one_of({1.0, 0x1p-60, 0x1p20});
      if (size > 1) made.one.type_norm = WAVESMITH_KERNELS_F32;
      for (int64_t i = between(1, 5); i > 0; --i) {
        choose_offset();
        const int64_t count = made.one.type_norm == WAVESMITH_KERNELS_F16 ? between(0, 300) : any_count();
        add(made, array(made.one.type, count, [&] { return size * normal(); }));
      }
      check(made);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Norms, OfMoreArraysThanALaunchTakes) {
  Given made = given(WAVESMITH_NORM_ROOT, WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F32);
  for (int i = 0; i < ArrayList<NormEntry>::kMost + 3; ++i)
    add(made, array(made.one.type, between(0, 5), [&] { return normal(); }));
  check(made);
}

TEST_P(Norms, OfManyPartsAndOfNone) {
  Given made = given(WAVESMITH_NORM_SUM, WAVESMITH_KERNELS_BF16, WAVESMITH_KERNELS_F32);
  add(made, array(made.one.type, 0, [] { return 0.0; }));
  add(made, array(made.one.type, 270 * kListChunk + 7, [&] { return between(-2, 2) * 0.5; }));
  add(made, array(made.one.type, 0, [] { return 0.0; }));
  check(made);
}

TEST_P(Norms, KeepNanAndInfinity) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kNan = std::numeric_limits<double>::quiet_NaN();
  for (const Order order : kOrders) {
    Given made = given(order, WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F32);
    for (const double special : {kInfinity, -kInfinity, kNan, 1e30}) {
      int number = 0;
      add(made, array(made.one.type, 77, [&] { return number++ == 33 ? special : 1.0; }));
    }
    run(made);
    const ErrorNote note;
    EXPECT_EQ(made.norms[0].elements.get(0), kInfinity);
    EXPECT_EQ(made.norms[1].elements.get(0), kInfinity);
    EXPECT_TRUE(std::isnan(made.norms[2].elements.get(0)));
    EXPECT_EQ(std::isinf(made.norms[3].elements.get(0)), order == WAVESMITH_NORM_ROOT);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Norms, testing::Range(0, kGpuCount), gpu_name);

TEST(NormsRefuse, WhatBreaksARuleAndSayWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 64));
  static wavesmith_norm_array arrays[1], changed[1];
  const auto at = [&](size_t byte) { return static_cast<char*>(memory.data()) + byte; };
  arrays[0] = {.elements = 8, .x = at(0), .norm = at(64)};
  Description right{};
  right.order = WAVESMITH_NORM_ROOT, right.count = 1, right.arrays = arrays;
  right.workspace = at(128), right.workspace_bytes = 128;
  EXPECT_EQ(wavesmith_kernels_norms_workspace(&right), 4U);
  EXPECT_EQ(wavesmith_kernels_norms(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  static const auto change = [](Description& d) -> wavesmith_norm_array& {
    changed[0] = arrays[0];
    d.arrays = changed;
    return changed[0];
  };
  expect_refusals<Description>(
      &wavesmith_kernels_norms, right,
      {{[](Description& d) { d.order = static_cast<Order>(3); }, kWrong, "norms: order is 3, no order"},
       {[](Description& d) { d.count = -1; }, kWrong, "count is negative"},
       {[](Description& d) { d.arrays = nullptr; }, kWrong, "arrays is null"},
       {[](Description& d) { d.type = WAVESMITH_KERNELS_E4M3; }, kNot, "type is e4m3, not f32, f16 or bf16"},
       {[](Description& d) { d.type_norm = WAVESMITH_KERNELS_I8; }, kNot, "type_norm is i8"},
       {[](Description& d) { change(d).x = nullptr; }, kWrong, "arrays[0].x is null"},
       {[](Description& d) { change(d).norm = nullptr; }, kWrong, "arrays[0].norm is null"},
       {[](Description& d) { change(d).elements = 17; }, kWrong, "arrays[0].norm overlaps x"},
       {[](Description& d) { d.workspace = nullptr; }, kWrong, "workspace is null, and 4 bytes are needed"},
       {[](Description& d) { d.workspace_bytes = 3; }, kWrong, "workspace_bytes is 3"}});
  Description wrong = right;
  wrong.count = -1;
  EXPECT_EQ(wavesmith_kernels_norms_workspace(&wrong), 0U);
  EXPECT_EQ(wavesmith_kernels_norms_workspace(nullptr), 0U);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
