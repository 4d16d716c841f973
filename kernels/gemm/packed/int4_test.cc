// Products of halves with weights of 4 bits, against sums in double precision.
#include "kernels/gemm/packed/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr auto kWeights = WAVESMITH_KERNELS_I4X2;

/// Weights: columns along K of numbers, two per byte, and of each group's scale and zero point.
struct Weights {
  int64_t n, k, group, stride;
  Elements numbers;
  HostMatrix scales, zeros;  ///< a row per column of B

  [[nodiscard]] double number(int64_t batch, int64_t column, int64_t p) const {
    const unsigned byte = numbers.bytes[static_cast<size_t>((batch * n + column) * stride + p / 2)];
    const int bits = static_cast<int>(byte >> (p % 2 * 4) & 15U);
    return bits < 8 ? bits : bits - 16;
  }
  /// As it is meant, without any rounding.
  [[nodiscard]] double get(int64_t batch, int64_t column, int64_t p, bool with_zeros) const {
    const int64_t of = p / group;
    return scales.get(batch, column, of) *
           (number(batch, column, p) - (with_zeros ? zeros.get(batch, column, of) : 0));
  }
};

class Int4Gemm : public GemmOnGpu {
 protected:
  struct Int4Case {
    int64_t m, n, k, group = 128, batches = 1;
    Type type = WAVESMITH_KERNELS_BF16, type_scales = WAVESMITH_KERNELS_BF16, type_d = WAVESMITH_KERNELS_F32;
    bool zeros = true, scales_by_rows = true, bias = false;
    float alpha = 1, beta = 0;
    int64_t padding = 0;
    std::string tile;
    int parts = 1;
  };
  Int4Case random_int4_case(int64_t m, int64_t n, int64_t k) {
    const auto any = [&] {
      return one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    };
    return {.m = m,
            .n = n,
            .k = k,
            .group = one_of<int64_t>({32, 64, 128}),
            .batches = between(0, 5) == 0 ? 3 : 1,
            .type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}),
            .type_scales = any(),
            .type_d = any(),
            .zeros = between(0, 1) == 1,
            .scales_by_rows = between(0, 1) == 1,
            .bias = between(0, 1) == 1,
            .alpha = one_of({1.0F, -0.5F}),
            .beta = one_of({0.0F, 2.0F}),
            .padding = one_of<int64_t>({0, 4, 8})};
  }
  Weights random_weights(const Int4Case& one) {
    const int64_t groups = (one.k + one.group - 1) / one.group;
    const auto floats = [&] {
      return random_matrix(one.n, groups, one.batches, one.scales_by_rows, one.padding / 4, one.type_scales);
    };
    Weights made{one.n, one.k, one.group, one.k / 2 + one.padding, {}, floats(), floats()};
    made.numbers = Elements(kWeights, static_cast<size_t>(one.batches * one.n * made.stride - one.padding));
    for (unsigned char& byte : made.numbers.bytes) byte = static_cast<unsigned char>(between(0, 255));
    // Zero points between -2 and 2; scales that are neither very small nor 0.
    for (HostMatrix* const matrix : {&made.scales, &made.zeros})
      for (int64_t batch = 0; batch < one.batches; ++batch)
        for (int64_t i = 0; i < one.n; ++i)
          for (int64_t j = 0; j < groups; ++j)
            matrix->elements.set(matrix->at(batch, i, j), static_cast<double>(between(100, 1000)) /
                                                              (matrix == &made.zeros ? -500 : 2000));
    return made;
  }

  void check(const Int4Case& one) { check(one, random_weights(one)); }
  void check(const Int4Case& one, const Weights& weights) {
    SCOPED_TRACE(GemmOnGpu::describe({.m = one.m,
                                      .n = one.n,
                                      .k = one.k,
                                      .batches = one.batches,
                                      .type = one.type,
                                      .type_b = kWeights,
                                      .type_d = one.type_d,
                                      .alpha = one.alpha,
                                      .beta = one.beta,
                                      .padding = one.padding,
                                      .tile = one.tile,
                                      .parts = one.parts}) +
                 " group " + std::to_string(one.group) + " scales of " + std::to_string(one.type_scales) +
                 (one.zeros ? " with" : " without") + " zero points");
    const HostMatrix a = random_matrix(one.m, one.k, one.batches, true, one.padding, one.type);
    HostMatrix d = random_matrix(one.m, one.n, one.batches, true, one.padding, one.type_d);
    const HostMatrix bias = random_matrix(1, one.n, 1, true, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_a(a.elements), on_b(weights.numbers), on_d(d.elements), on_bias(bias.elements),
        on_scales(weights.scales.elements), on_zeros(weights.zeros.elements);
    run({.m = one.m, .n = one.n, .tile = one.tile, .parts = one.parts},
        {.m = one.m,
         .n = one.n,
         .k = one.k,
         .batches = one.batches,
         .alpha = one.alpha,
         .beta = one.beta,
         .a = a.on(on_a),
         .b = {on_b.data(), kWeights, 1, weights.stride, one.n * weights.stride},
         .c = d.on(on_d),
         .d = d.on(on_d),
         .bias = one.bias ? on_bias.data() : nullptr,
         .block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, on_scales.data(), one.group,
                            weights.scales.row_stride, weights.scales.column_stride,
                            weights.scales.batch_stride},
         .block_scales_type = one.type_scales,
         .zero_points_b = one.zeros ? on_zeros.data() : nullptr});
    if (HasFatalFailure()) return;
    const HostMatrix before = d;
    on_d.copy_to(d.elements);
    const double unit = epsilon_of(one.type);
    // What rounding to A's type loses of the least weights.
    const double tiny = one.type == WAVESMITH_KERNELS_BF16 ? 0 : GetParam() == 0 ? 0x1p-14 : 0x1p-25;
    expect_product(
        {before, d, one.bias ? &bias : nullptr, one.alpha, one.beta, one.m, one.n, one.batches}, one.k,
        [&](int64_t batch, int64_t i, int64_t p) { return as_operand(a.get(batch, i, p), one.type); },
        [&](int64_t batch, int64_t j, int64_t p) { return weights.get(batch, j, p, one.zeros); },
        [&](double weight) { return unit * std::abs(weight) + tiny; });
  }
};

TEST_P(Int4Gemm, SmallOnesEqualSumsInDoublePrecision) {
  for (int round = 0; round < 30; ++round) {
    check(random_int4_case(between(1, 140), between(1, 140), 8 * between(1, 60)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Int4Gemm, EveryKernelEqualsSumsInDoublePrecision) {
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}) {
    size_t index = 0;
    while (const char* const tile = wavesmith_kernels_gemm_tile(type, kWeights, index)) {
      const int64_t rows = std::atoi(tile), columns = std::atoi(std::strchr(tile, 'x') + 1);
      Int4Case one = random_int4_case(rows + between(-1, 3), columns + between(-1, 3), 8 * between(20, 50));
      one.type = type, one.tile = tile, one.batches = 1;
      check(one);
      one.parts = 3, one.k = 3 * 256;
      check(one);
      if (HasFatalFailure()) return;
      ++index;
    }
    EXPECT_GE(index, 2U);
  }
}

/// Weights that their type holds exactly, and a single one of A: D is the weights, bit by bit.
TEST_P(Int4Gemm, NumbersAreMinusEightToSeven) {
  Int4Case one{.m = 1, .n = 16, .k = 64, .group = 32, .type_scales = WAVESMITH_KERNELS_F32};
  Weights weights = random_weights(one);
  for (int64_t j = 0; j < one.n; ++j) {
    weights.numbers.bytes[static_cast<size_t>(j * weights.stride)] =
        static_cast<unsigned char>(j | (15 - j) << 4);
    weights.scales.elements.set(weights.scales.at(0, j, 0), 0.25);
    weights.zeros.elements.set(weights.zeros.at(0, j, 0), static_cast<double>(j) - 4);
  }
  for (const int64_t p : {0, 1}) {
    HostMatrix a = matrix(1, one.k, 1, true, 0, one.type), d = matrix(1, one.n, 1, true, 0, one.type_d);
    for (int64_t i = 0; i < one.k; ++i) a.elements.set(a.at(0, 0, i), i == p ? 1 : 0);
    const OnGpu on_a(a.elements), on_b(weights.numbers), on_d(d.elements), on_scales(weights.scales.elements),
        on_zeros(weights.zeros.elements);
    run({.m = 1, .n = one.n},
        {.m = 1,
         .n = one.n,
         .k = one.k,
         .batches = 1,
         .alpha = 1,
         .a = a.on(on_a),
         .b = {on_b.data(), kWeights, 1, weights.stride, 0},
         .d = d.on(on_d),
         .block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, on_scales.data(), one.group,
                            weights.scales.row_stride, weights.scales.column_stride, 0},
         .block_scales_type = one.type_scales,
         .zero_points_b = on_zeros.data()});
    on_d.copy_to(d.elements);
    for (int64_t j = 0; j < one.n; ++j) {
      const int64_t bits = p == 0 ? j : 15 - j, number = bits < 8 ? bits : bits - 16;
      EXPECT_EQ(d.get(0, 0, j), 0.25 * static_cast<double>(number - (j - 4))) << j;
    }
  }
}

TEST_P(Int4Gemm, AScaleThatIsNanSpoilsItsColumnAndNoOther) {
  Int4Case one = random_int4_case(20, 150, 392);
  one.batches = 1;
  Weights weights = random_weights(one);
  weights.scales.elements.set(weights.scales.at(0, 140, 1), std::numeric_limits<double>::quiet_NaN());
  weights.scales.elements.set(weights.scales.at(0, 3, 0), 0);
  check(one, weights);
}

TEST(Int4GemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 14));
  char* const at = static_cast<char*>(memory.data());
  const auto type = WAVESMITH_KERNELS_BF16;
  const wavesmith_kernels_gemm_description right{
      .m = 8,
      .n = 8,
      .k = 64,
      .batches = 1,
      .alpha = 1,
      .a = {at, type, 64, 1, 0},
      .b = {at + 4096, kWeights, 1, 32, 0},
      .d = {at + 8192, type, 8, 1, 0},
      .block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, at + 16384, 32, 2, 1, 0},
      .block_scales_type = type,
      .zero_points_b = at + 20480,
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.a.type = WAVESMITH_KERNELS_F32; }, kNot, "a is of f32 and b of i4x2"},
      {[](G& g) { g.a.type = kWeights; }, kNot, "there are no kernels for a and b of i4x2"},
      {[](G& g) { g.k = 60; }, kNot, "k is 60, with b of i4x2 no multiple of 8"},
      {[](G& g) { g.d.row_stride = 1, g.d.column_stride = 8; }, kNot, "d lies by columns"},
      {[](G& g) { g.pointer_arrays = 1; }, kNot, "pointer_arrays with b of i4x2"},
      {[](G& g) { g.block_scales_b.scaling = WAVESMITH_KERNELS_UNSCALED; }, kNot,
       "block_scales_b.scaling is 0"},
      {[](G& g) { g.block_scales_a.scaling = WAVESMITH_KERNELS_SCALE_PER_BLOCK; }, kNot,
       "block_scales_a.scaling is 4"},
      {[](G& g) { g.block_scales_b.block = 16; }, kNot, "block_scales_b.block is 16"},
      {[](G& g) { g.block_scales_b.data = nullptr; }, kInvalid, "block_scales_b.data is null"},
      {[](G& g) { g.block_scales_b.row_stride = -2; }, kInvalid, "block_scales_b.row_stride is -2"},
      {[](G& g) { g.block_scales_b.column_stride = 1 << 23; }, kNot,
       "block_scales_b.column_stride is 8388608"},
      {[](G& g) { g.block_scales_type = static_cast<Type>(44); }, kInvalid,
       "block_scales_type is no element type"},
      {[](G& g) { g.block_scales_type = WAVESMITH_KERNELS_I8; }, kNot, "block_scales_type is i8"},
      {[](G& g) { g.zero_points_b = static_cast<const char*>(g.zero_points_b) + 1; }, kInvalid,
       "zero_points_b"},
      {[](G& g) { g.d.data = g.block_scales_b.data; }, kInvalid, "d overlaps block_scales_b"},
      {[](G& g) { g.d.data = const_cast<void*>(g.zero_points_b); }, kInvalid, "d overlaps zero_points_b"},
      {[](G& g) { g.workspace = g.block_scales_b.data, g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps block_scales_b"},
      {[](G& g) { g.workspace = const_cast<void*>(g.zero_points_b), g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps zero_points_b"},
      {[](G& g) { g.b.row_stride = 8, g.b.column_stride = 1; }, kNot, "want K together"},
      {[](G& g) { g.b.column_stride = 33; }, kNot, "not aligned to 4 bytes"},
      {[](G& g) { g.b.type = g.a.type, g.b.column_stride = 64, g.block_scales_b = {}; }, kNot,
       "zero_points_b is for b of i4x2"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

INSTANTIATE_TEST_SUITE_P(On, Int4Gemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
