// Norms and gated activations that quantise what they write: the bits that their results in f32 have when
// they are quantised.
#include "kernels/refusal_testing.h"
#include "kernels/rows/scale_testing.h"

namespace wavesmith::kernels {
namespace {

class Quantised : public RowsOnEachGpu {
 protected:
  struct Case {
    wavesmith_kernels_scaling scaling;
    Type type;
    int64_t block, padding;
    size_t offset;
    bool by_columns;
  };
  Case random_case(bool aligned) {
    return {.scaling = one_of({WAVESMITH_KERNELS_UNSCALED, WAVESMITH_KERNELS_SCALE_GIVEN,
                               WAVESMITH_KERNELS_SCALE_PER_ROW, WAVESMITH_KERNELS_SCALE_PER_BLOCK}),
            .type = one_of({WAVESMITH_KERNELS_I8, WAVESMITH_KERNELS_E4M3, WAVESMITH_KERNELS_E5M2,
                            WAVESMITH_KERNELS_E4M3_FNUZ, WAVESMITH_KERNELS_E5M2_FNUZ}),
            .block = one_of<int64_t>({32, 64, 128}),
            .padding = some_padding(aligned),
            .offset = some_offset(aligned),
            .by_columns = between(0, 1) == 1};
  }

  /// `run(y, scales)` calls the operation.
  template <class Run>
  void check(const Case& one, int64_t rows, int64_t columns, Run run) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " to " +
                 std::string(word_of(one.type)) + ", scaling " + std::to_string(one.scaling) + ", block " +
                 std::to_string(one.block) + ", padding " + std::to_string(one.padding));
    HostRows floats(rows, columns, one.padding, WAVESMITH_KERNELS_F32),
        y(rows, columns, one.padding, one.type);
    HostScales scales(one.scaling, rows, columns, one.block, one.by_columns);
    if (one.scaling == WAVESMITH_KERNELS_SCALE_GIVEN) scales.elements.set(0, 0.013F);
    const OnGpu on_floats(floats.elements, one.offset), on_y(y.elements, one.offset),
        on_scales(scales.elements);
    ASSERT_EQ(run(floats.on(on_floats), wavesmith_kernels_scales{}), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(run(y.on(on_y), scales.on(on_scales)), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_floats.copy_to(floats.elements);
    expect_quantised(y, on_y, scales, on_scales,
                     [&](int64_t i, int64_t j) { return static_cast<float>(floats.get(i, j)); });
  }
};

TEST_P(Quantised, NormsHaveTheBitsOfTheirQuantisedResults) {
  for (const auto& [columns, aligned] : lengths(10)) {
    const Case one = random_case(aligned);
    const int64_t rows = some_rows(columns);
    const HostRows x = random_rows(rows, columns, one.padding, any_type()),
                   residual = random_rows(rows, columns, one.padding, any_type()),
                   weight = random_rows(1, columns, 0, any_type()),
                   bias = random_rows(1, columns, 0, any_type());
    const bool has_residual = between(0, 1) == 1;
    const OnGpu on_x(x.elements, one.offset), on_residual(residual.elements, one.offset),
        on_sum(residual.elements, one.offset), on_weight(weight.elements), on_bias(bias.elements);
    wavesmith_kernels_norm_description norm{.rows = rows,
                                            .columns = columns,
                                            .x = x.on(on_x),
                                            .weight = between(0, 3) ? on_weight.data() : nullptr,
                                            .bias = between(0, 1) ? on_bias.data() : nullptr,
                                            .weight_type = weight.elements.type,
                                            .bias_type = bias.elements.type,
                                            .epsilon = 1e-5F,
                                            .centred = static_cast<int>(between(0, 1))};
    if (has_residual) norm.residual = residual.on(on_residual), norm.sum = residual.on(on_sum);
    check(one, rows, columns, [&](const wavesmith_kernels_rows& y, const wavesmith_kernels_scales& scales) {
      // The second time the sum goes over the residual, as models have it.
      if (has_residual && y.type != WAVESMITH_KERNELS_F32) norm.sum = norm.residual;
      norm.y = y, norm.scales = scales;
      return wavesmith_kernels_norm(&norm, nullptr);
    });
    if (HasFatalFailure()) return;
    if (!has_residual) continue;
    Elements first = residual.elements, second = residual.elements;
    on_sum.copy_to(first), on_residual.copy_to(second);
    ASSERT_EQ(first.bytes, second.bytes);
  }
}

TEST_P(Quantised, GatedActivationsHaveTheBitsOfTheirQuantisedResults) {
  const std::vector<RowLength> all = lengths(10);
  for (size_t round = 0; round < all.size(); ++round) {
    const auto& [columns, aligned] = all[round];
    Case one = random_case(aligned);
    // Kernels for rows of a length are those that look for a row's scale.
    if (round < std::size(kRowConfigurations)) one.scaling = WAVESMITH_KERNELS_SCALE_PER_ROW;
    const int64_t rows = some_rows(columns);
    const HostRows gate = random_rows(rows, columns, one.padding, any_type(), 3),
                   up = random_rows(rows, columns, one.padding, any_type());
    const OnGpu on_gate(gate.elements, one.offset), on_up(up.elements, one.offset);
    wavesmith_kernels_gate_description description{
        .rows = rows,
        .columns = columns,
        .gate = gate.on(on_gate),
        .up = between(0, 3) ? up.on(on_up) : wavesmith_kernels_rows{},
        .activation = one_of({WAVESMITH_KERNELS_NO_ACTIVATION, WAVESMITH_KERNELS_RELU, WAVESMITH_KERNELS_GELU,
                              WAVESMITH_KERNELS_SILU})};
    check(one, rows, columns, [&](const wavesmith_kernels_rows& y, const wavesmith_kernels_scales& scales) {
      description.y = y, description.scales = scales;
      return wavesmith_kernels_gate(&description, nullptr);
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Quantised, ANaNSpoilsWhatSharesItsScaleAlone) {
  HostRows x = random_rows(6, 256, 0, WAVESMITH_KERNELS_BF16);
  x.set(2, 130, std::numeric_limits<double>::quiet_NaN());
  x.set(4, 7, std::numeric_limits<double>::infinity());
  const OnGpu on_x(x.elements);
  for (const auto scaling : {WAVESMITH_KERNELS_SCALE_PER_ROW, WAVESMITH_KERNELS_SCALE_PER_BLOCK}) {
    wavesmith_kernels_gate_description gate{.rows = 6, .columns = 256, .gate = x.on(on_x)};
    check({.scaling = scaling, .type = WAVESMITH_KERNELS_I8, .block = 128}, 6, 256,
          [&](const wavesmith_kernels_rows& y, const wavesmith_kernels_scales& scales) {
            gate.y = y, gate.scales = scales;
            return wavesmith_kernels_gate(&gate, nullptr);
          });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Quantised, testing::Range(0, kGpuCount), gpu_name);

TEST(QuantisedRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1024));
  char* const at = static_cast<char*>(memory.data());
  const wavesmith_kernels_rows x{at, WAVESMITH_KERNELS_BF16, 128}, y{at + 1536, WAVESMITH_KERNELS_E4M3, 128};
  const wavesmith_kernels_scales right{WAVESMITH_KERNELS_SCALE_PER_ROW, at + 2048, 128, 1, 1};
  struct Wrong {
    void (*change)(wavesmith_kernels_rows& y, wavesmith_kernels_scales& scales);
    wavesmith_kernels_status status;
    const char* says;
  };
  using Rows = wavesmith_kernels_rows;
  using Scales = wavesmith_kernels_scales;
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  const Wrong all[] = {
      {[](Rows&, Scales& s) { s.scaling = WAVESMITH_KERNELS_SCALE_PER_MATRIX; }, kNot, "takes a second pass"},
      {[](Rows&, Scales& s) { s.scaling = WAVESMITH_KERNELS_SCALE_MX; }, kNot, "for which quantise has"},
      {[](Rows& r, Scales&) { r.type = WAVESMITH_KERNELS_F16, r.row_stride = 256; }, kInvalid,
       "which has none"},
      {[](Rows& r, Scales&) { r.type = WAVESMITH_KERNELS_E2M1X2; }, kNot, "y is of e2m1x2"},
      {[](Rows&, Scales& s) { s.data = nullptr; }, kInvalid, "scales.data is null"},
      {[](Rows&, Scales& s) { s.data = static_cast<char*>(s.data) - 4; }, kInvalid, "scales overlap y"},
  };
  for (const Wrong& wrong : all) {
    wavesmith_kernels_norm_description norm{.rows = 4, .columns = 128, .x = x, .y = y, .scales = right};
    wavesmith_kernels_gate_description gate{.rows = 4, .columns = 128, .gate = x, .y = y, .scales = right};
    wrong.change(norm.y, norm.scales), wrong.change(gate.y, gate.scales);
    expect_refused(wavesmith_kernels_norm(&norm, nullptr), wrong.status, wrong.says);
    expect_refused(wavesmith_kernels_gate(&gate, nullptr), wrong.status, wrong.says);
  }
}

}  // namespace
}  // namespace wavesmith::kernels
