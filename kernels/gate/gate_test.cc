// Gated activations on a GPU of each target, against double precision.
#include "kernels/rows/testing.h"

namespace wavesmith::kernels {
namespace {

class Gate : public RowsOnEachGpu {};

TEST_P(Gate, RowsOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    const int64_t rows = between(1, 9), columns = one_of<int64_t>({1, 7, 64, 2040, 2048, 2056, 4096, 5001});
    const auto padding = one_of<int64_t>({0, 8, 3});
    const auto offset = one_of<size_t>({0, 0, 1});
    const auto activation = one_of({WAVESMITH_KERNELS_NO_ACTIVATION, WAVESMITH_KERNELS_RELU,
                                    WAVESMITH_KERNELS_GELU, WAVESMITH_KERNELS_SILU});
    const HostRows gate = random_rows(rows, columns, padding, any_type(), 3),
                   up = random_rows(rows, columns, padding, any_type());
    const bool has_up = between(0, 3) > 0;
    HostRows y(rows, columns, padding, any_type());
    const OnGpu on_gate(gate.elements, offset), on_up(up.elements, offset), on_y(y.elements, offset);
    const wavesmith_kernels_gate_description description{
        .rows = rows,
        .columns = columns,
        .gate = gate.on(on_gate),
        .up = has_up ? up.on(on_up) : wavesmith_kernels_rows{},
        .y = y.on(on_y),
        .activation = activation};
    ASSERT_EQ(wavesmith_kernels_gate(&description, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    expect_rows(
        y, on_y,
        [&](int64_t i, int64_t j) {
          return activate(activation, gate.get(i, j)) * (has_up ? up.get(i, j) : 1);
        },
        [&](int64_t i, int64_t j) {
          return 0x1p-20 * (std::abs(gate.get(i, j)) + 0x1p-100) * (has_up ? std::abs(up.get(i, j)) : 1);
        });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gate, TakesBothHalvesOfOneMatrix) {
  const HostRows both = random_rows(5, 2 * 96, 0, WAVESMITH_KERNELS_BF16);
  HostRows y(5, 96, 0, WAVESMITH_KERNELS_BF16);
  const OnGpu on_both(both.elements), on_y(y.elements);
  wavesmith_kernels_rows up = both.on(on_both);
  up.data = static_cast<char*>(up.data) + 96 * 2;
  const wavesmith_kernels_gate_description description{.rows = 5,
                                                       .columns = 96,
                                                       .gate = both.on(on_both),
                                                       .up = up,
                                                       .y = y.on(on_y),
                                                       .activation = WAVESMITH_KERNELS_SILU};
  ASSERT_EQ(wavesmith_kernels_gate(&description, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  expect_rows(
      y, on_y,
      [&](int64_t i, int64_t j) {
        return activate(WAVESMITH_KERNELS_SILU, both.get(i, j)) * both.get(i, j + 96);
      },
      [&](int64_t i, int64_t j) { return 0x1p-20 * std::abs(both.get(i, j) * both.get(i, j + 96)); });
}

INSTANTIATE_TEST_SUITE_P(On, Gate, testing::Range(0, kGpuCount), gpu_name);

TEST(GateRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 64));
  const wavesmith_kernels_rows rows{memory.data(), WAVESMITH_KERNELS_F32, 8};
  wavesmith_kernels_gate_description gate{.rows = 8, .columns = 8, .gate = rows, .y = rows};
  EXPECT_EQ(wavesmith_kernels_gate(&gate, nullptr), WAVESMITH_KERNELS_SUCCESS);
  gate.activation = static_cast<wavesmith_kernels_activation>(4);
  EXPECT_EQ(wavesmith_kernels_gate(&gate, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  EXPECT_STREQ(wavesmith_kernels_message(), "gate: activation is 4, no activation");
  gate.gate.data = nullptr;
  EXPECT_EQ(wavesmith_kernels_gate(&gate, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  EXPECT_STREQ(wavesmith_kernels_message(), "gate: gate.data is null");
  EXPECT_EQ(wavesmith_kernels_gate(nullptr, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
