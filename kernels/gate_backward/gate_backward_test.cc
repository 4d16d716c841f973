// Gradients of gated activations on a GPU of each target, against double precision.
#include "kernels/refusal_testing.h"
#include "kernels/rows/testing.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gate_backward_description;

/// The derivative of an activation in double precision.
double slope(wavesmith_kernels_activation activation, double x) {
  const double share = 1 / (1 + std::exp(-x)), root = std::sqrt(2 / M_PI);
  const double bent = std::tanh(root * (x + 0.044715 * x * x * x));
  switch (activation) {
    case WAVESMITH_KERNELS_RELU:
      return x > 0 ? 1 : 0;
    case WAVESMITH_KERNELS_GELU:
      return (1 + bent) / 2 + x / 2 * (1 - bent * bent) * root * (1 + 3 * 0.044715 * x * x);
    case WAVESMITH_KERNELS_SILU:
      return share * (1 + x * (1 - share));
    default:
      return 1;
  }
}

struct Case {
  wavesmith_kernels_activation activation = WAVESMITH_KERNELS_SILU;
  Type type_dgate = WAVESMITH_KERNELS_BF16, type_dup = WAVESMITH_KERNELS_BF16;
  size_t offset = 0;
  bool up = true, dgate = true, dup = true;
};

void check(const Case& one, const HostRows& gate, const HostRows& up, const HostRows& dy) {
  const int64_t rows = gate.rows, columns = gate.columns, padding = gate.stride - columns;
  HostRows dgate(rows, columns, padding, one.type_dgate), dup(rows, columns, padding, one.type_dup);
  const OnGpu on_gate(gate.elements, one.offset), on_up(up.elements, one.offset),
      on_dy(dy.elements, one.offset), on_dgate(dgate.elements, one.offset), on_dup(dup.elements, one.offset);
  const Description backward{.rows = rows,
                             .columns = columns,
                             .gate = gate.on(on_gate),
                             .up = one.up ? up.on(on_up) : wavesmith_kernels_rows{},
                             .dy = dy.on(on_dy),
                             .dgate = one.dgate ? dgate.on(on_dgate) : wavesmith_kernels_rows{},
                             .dup = one.dup ? dup.on(on_dup) : wavesmith_kernels_rows{},
                             .activation = one.activation};
  ASSERT_EQ(wavesmith_kernels_gate_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const auto above = [&](int64_t i, int64_t j) { return dy.get(i, j) * (one.up ? up.get(i, j) : 1); };
  if (one.dgate)
    expect_rows(
        dgate, on_dgate,
        [&](int64_t i, int64_t j) { return above(i, j) * slope(one.activation, gate.get(i, j)); },
        [&](int64_t i, int64_t j) { return 0x1p-20 * std::abs(above(i, j)); });
  if (testing::Test::HasFatalFailure() || !one.dup) return;
  expect_rows(
      dup, on_dup,
      [&](int64_t i, int64_t j) { return dy.get(i, j) * activate(one.activation, gate.get(i, j)); },
      [&](int64_t i, int64_t j) { return 0x1p-20 * std::abs(dy.get(i, j) * gate.get(i, j)) + 0x1p-120; });
}

class GateBackward : public RowsOnEachGpu {};

TEST_P(GateBackward, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    const int64_t rows = between(1, 9), columns = one_of<int64_t>({1, 7, 64, 2040, 2048, 2056, 4096, 5001});
    const auto padding = one_of<int64_t>({0, 8, 3});
    Case one{.activation = one_of({WAVESMITH_KERNELS_NO_ACTIVATION, WAVESMITH_KERNELS_RELU,
                                   WAVESMITH_KERNELS_GELU, WAVESMITH_KERNELS_SILU}),
             .type_dgate = any_type(),
             .type_dup = any_type(),
             .offset = one_of<size_t>({0, 0, 1}),
             .up = between(0, 3) > 0,
             .dgate = between(0, 5) > 0};
    one.dup = one.up && (!one.dgate || between(0, 5) > 0);
    const double size = one_of({3.0, 3.0, 30.0, 1000.0});
    check(one, random_rows(rows, columns, padding, any_type(), size),
          random_rows(rows, columns, padding, any_type()), random_rows(rows, columns, padding, any_type()));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GateBackward, WritesBothHalvesOfOneMatrixInPlace) {
  const HostRows both = random_rows(5, 2 * 96, 0, WAVESMITH_KERNELS_BF16, 2),
                 dy = random_rows(5, 96, 0, WAVESMITH_KERNELS_BF16);
  HostRows made = both;
  const OnGpu on_both(both.elements), on_dy(dy.elements);
  const wavesmith_kernels_rows gate = both.on(on_both);
  wavesmith_kernels_rows up = gate;
  up.data = static_cast<char*>(up.data) + 96 * 2;
  const Description backward{.rows = 5,
                             .columns = 96,
                             .gate = gate,
                             .up = up,
                             .dy = dy.on(on_dy),
                             .dgate = gate,
                             .dup = up,
                             .activation = WAVESMITH_KERNELS_SILU};
  ASSERT_EQ(wavesmith_kernels_gate_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  const auto silu = WAVESMITH_KERNELS_SILU;
  expect_rows(
      made, on_both,
      [&](int64_t i, int64_t j) {
        return j < 96 ? dy.get(i, j) * both.get(i, j + 96) * slope(silu, both.get(i, j))
                      : dy.get(i, j - 96) * activate(silu, both.get(i, j - 96));
      },
      [&](int64_t i, int64_t j) {
        return 0x1p-20 * std::abs(j < 96 ? dy.get(i, j) * both.get(i, j + 96)
                                         : dy.get(i, j - 96) * both.get(i, j - 96));
      });
}

INSTANTIATE_TEST_SUITE_P(On, GateBackward, testing::Range(0, kGpuCount), gpu_name);

TEST(GateBackwardRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 512));
  const auto rows = [&](int64_t first) {
    return wavesmith_kernels_rows{static_cast<char*>(memory.data()) + 4 * first, WAVESMITH_KERNELS_F32, 8};
  };
  const Description right{.rows = 8,
                          .columns = 8,
                          .gate = rows(0),
                          .up = rows(64),
                          .dy = rows(128),
                          .dgate = rows(256),
                          .dup = rows(384)};
  EXPECT_EQ(wavesmith_kernels_gate_backward(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_gate_backward, right,
      {{[](Description& d) { d.rows = -1; }, kWrong, "gate_backward: rows is negative"},
       {[](Description& d) { d.gate.data = nullptr; }, kWrong, "gate.data is null"},
       {[](Description& d) { d.dy.data = nullptr; }, kWrong, "dy.data is null"},
       {[](Description& d) { d.up.data = nullptr; }, kWrong, "dup.data is given without up"},
       {[](Description& d) { d.activation = static_cast<wavesmith_kernels_activation>(4); }, kWrong,
        "activation is 4, no activation"},
       {[](Description& d) { d.dgate.type = WAVESMITH_KERNELS_I8; }, kNot, "dgate is of i8"},
       {[](Description& d) { d.up.row_stride = 7; }, kWrong, "up.row_stride is 7"},
       {[](Description& d) { d.dup = d.dgate; }, kWrong, "dgate overlaps dup"},
       {[](Description& d) { d.dup.data = static_cast<char*>(d.dy.data) + 4; }, kWrong, "dup overlaps dy"}});
  Description none = right;
  none.rows = 0, none.gate.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_gate_backward(&none, nullptr), WAVESMITH_KERNELS_SUCCESS);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
