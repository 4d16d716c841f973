// Products of bf16 with weights of MXFP4, against sums in double precision.
#include "kernels/gemm/packed/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr auto kWeights = WAVESMITH_KERNELS_E2M1X2, kHalf = WAVESMITH_KERNELS_BF16;
constexpr int64_t kBlock = 32;

/// Weights: columns along K of numbers, two per byte, and of each block's exponent.
struct Weights {
  int64_t n, k, stride, scale_stride, block_stride;
  Elements numbers, scales;

  Weights(int64_t n_, int64_t k_, int64_t padding, bool scales_by_rows)
      : n(n_),
        k(k_),
        stride(k_ / 2 + padding),
        scale_stride(scales_by_rows ? blocks() + 3 : 1),
        block_stride(scales_by_rows ? 1 : n_ + 1),
        numbers(kWeights, static_cast<size_t>(n_ * stride - padding)),
        scales(kWeights, static_cast<size_t>((n_ - 1) * scale_stride + (blocks() - 1) * block_stride + 1)) {}

  [[nodiscard]] int64_t blocks() const { return (k + kBlock - 1) / kBlock; }
  [[nodiscard]] unsigned char& scale(int64_t column, int64_t block) {
    return scales.bytes[static_cast<size_t>(column * scale_stride + block * block_stride)];
  }
  [[nodiscard]] double get(int64_t column, int64_t p) {
    constexpr double kSizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const unsigned byte = numbers.bytes[static_cast<size_t>(column * stride + p / 2)];
    const unsigned bits = byte >> (p % 2 * 4) & 15U;
    const unsigned exponent = scale(column, p / kBlock);
    const double of_block = exponent == 255 ? std::nan("") : std::ldexp(1, static_cast<int>(exponent) - 127);
    return (bits < 8 ? 1 : -1) * kSizes[bits % 8] * of_block;
  }
};

class Mx4Gemm : public GemmOnGpu {
 protected:
  struct Mx4Case {
    int64_t m, n, k;
    Type type_d = WAVESMITH_KERNELS_F32;
    bool scales_by_rows = true, bias = false;
    float alpha = 1, beta = 0;
    int64_t padding = 0;
    std::string tile;
    int parts = 1;
  };
  Mx4Case random_case_of(int64_t m, int64_t n, int64_t k) {
    return {.m = m,
            .n = n,
            .k = k,
            .type_d = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}),
            .scales_by_rows = between(0, 1) == 1,
            .bias = between(0, 1) == 1,
            .alpha = one_of({1.0F, -0.5F}),
            .beta = one_of({0.0F, 2.0F}),
            .padding = one_of<int64_t>({0, 4, 8})};
  }
  Weights random_weights(const Mx4Case& one) {
    Weights made(one.n, one.k, one.padding, one.scales_by_rows);
    for (unsigned char& byte : made.numbers.bytes) byte = static_cast<unsigned char>(between(0, 255));
    for (int64_t j = 0; j < one.n; ++j)
      for (int64_t block = 0; block < made.blocks(); ++block)
        made.scale(j, block) = static_cast<unsigned char>(between(118, 127));
    return made;
  }

  void check(const Mx4Case& one) {
    Weights weights = random_weights(one);
    check(one, weights);
  }
  void check(const Mx4Case& one, Weights& weights) {
    SCOPED_TRACE(std::to_string(one.m) + " x " + std::to_string(one.n) + " x " + std::to_string(one.k) +
                 " tile " + one.tile + " parts " + std::to_string(one.parts));
    const HostMatrix a = random_matrix(one.m, one.k, 1, true, one.padding, kHalf);
    HostMatrix d = random_matrix(one.m, one.n, 1, true, one.padding, one.type_d);
    const HostMatrix bias = random_matrix(1, one.n, 1, true, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_a(a.elements), on_b(weights.numbers), on_d(d.elements), on_bias(bias.elements),
        on_scales(weights.scales);
    run({.m = one.m, .n = one.n, .tile = one.tile, .parts = one.parts},
        {.m = one.m,
         .n = one.n,
         .k = one.k,
         .batches = 1,
         .alpha = one.alpha,
         .beta = one.beta,
         .a = a.on(on_a),
         .b = {on_b.data(), kWeights, 1, weights.stride, 0},
         .c = d.on(on_d),
         .d = d.on(on_d),
         .bias = one.bias ? on_bias.data() : nullptr,
         .block_scales_b = {WAVESMITH_KERNELS_SCALE_MX, on_scales.data(), 0, weights.scale_stride,
                            weights.block_stride, 0}});
    if (HasFatalFailure()) return;
    const HostMatrix before = d;
    on_d.copy_to(d.elements);
    expect_product(
        {before, d, one.bias ? &bias : nullptr, one.alpha, one.beta, one.m, one.n}, one.k,
        [&](int64_t, int64_t i, int64_t p) { return as_operand(a.get(0, i, p), kHalf); },
        [&](int64_t, int64_t j, int64_t p) { return weights.get(j, p); }, [](double) { return 0; });
  }
};

TEST_P(Mx4Gemm, SmallOnesEqualSumsInDoublePrecision) {
  for (int round = 0; round < 20; ++round) {
    check(random_case_of(between(1, 140), between(1, 140), 8 * between(1, 60)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Mx4Gemm, EveryKernelEqualsSumsInDoublePrecision) {
  size_t index = 0;
  while (const char* const tile = wavesmith_kernels_gemm_tile(kHalf, kWeights, index)) {
    const int64_t rows = std::atoi(tile), columns = std::atoi(std::strchr(tile, 'x') + 1);
    Mx4Case one = random_case_of(rows + between(-1, 3), columns + between(-1, 3), 8 * between(20, 50));
    one.tile = tile;
    check(one);
    one.parts = 3, one.k = 3 * 256;
    check(one);
    if (HasFatalFailure()) return;
    ++index;
  }
  EXPECT_GE(index, 2U);
}

/// A single one of A: D is a weight of each column, bit by bit, also of the largest and the least scales.
TEST_P(Mx4Gemm, NumbersAreThoseOfTheFormat) {
  Mx4Case one{.m = 1, .n = 64, .k = 64};
  Weights weights = random_weights(one);
  for (int64_t j = 0; j < one.n; ++j) {
    const auto bits = static_cast<unsigned>(j % 16);
    weights.numbers.bytes[static_cast<size_t>(j * weights.stride)] =
        static_cast<unsigned char>(bits | (15 - bits) << 4);
    // The least of which all numbers are normal in bf16, the largest of which none is infinite.
    constexpr unsigned char kScales[] = {2, 60, 127, 251};
    weights.scale(j, 0) = kScales[j / 16];
  }
  for (const int64_t p : {0, 1}) {
    HostMatrix a = matrix(1, one.k, 1, true, 0, kHalf), d = matrix(1, one.n, 1, true, 0, one.type_d);
    for (int64_t i = 0; i < one.k; ++i) a.elements.set(a.at(0, 0, i), i == p ? 1 : 0);
    const OnGpu on_a(a.elements), on_b(weights.numbers), on_d(d.elements), on_scales(weights.scales);
    run({.m = 1, .n = one.n}, {.m = 1,
                               .n = one.n,
                               .k = one.k,
                               .batches = 1,
                               .alpha = 1,
                               .a = a.on(on_a),
                               .b = {on_b.data(), kWeights, 1, weights.stride, 0},
                               .d = d.on(on_d),
                               .block_scales_b = {WAVESMITH_KERNELS_SCALE_MX, on_scales.data(), 0,
                                                  weights.scale_stride, weights.block_stride, 0}});
    on_d.copy_to(d.elements);
    for (int64_t j = 0; j < one.n; ++j) EXPECT_EQ(d.get(0, 0, j), weights.get(j, p)) << j;
  }
}

TEST_P(Mx4Gemm, AScaleThatIsNanSpoilsItsColumnAndNoOther) {
  const Mx4Case one = random_case_of(20, 150, 392);
  Weights weights = random_weights(one);
  weights.scale(140, 1) = 255;
  check(one, weights);
}

INSTANTIATE_TEST_SUITE_P(On, Mx4Gemm, testing::Range(0, kGpuCount), gpu_name);

TEST(Mx4GemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 14));
  char* const at = static_cast<char*>(memory.data());
  using G = wavesmith_kernels_gemm_description;
  const G right{
      .m = 8,
      .n = 8,
      .k = 64,
      .batches = 1,
      .alpha = 1,
      .a = {at, kHalf, 64, 1, 0},
      .b = {at + 4096, kWeights, 1, 32, 0},
      .d = {at + 8192, kHalf, 8, 1, 0},
      .block_scales_b = {WAVESMITH_KERNELS_SCALE_MX, at + 16384, 0, 2, 1, 0},
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<G>(
      wavesmith_kernels_gemm, right,
      {{[](G& g) { g.a.type = WAVESMITH_KERNELS_F16; }, kNot, "a is of f16 and b of e2m1x2"},
       {[](G& g) { g.k = 60; }, kNot, "k is 60, with b of e2m1x2 no multiple of 8"},
       {[](G& g) { g.d.row_stride = 1, g.d.column_stride = 8; }, kNot, "d lies by columns"},
       {[](G& g) { g.pointer_arrays = 1; }, kNot, "pointer_arrays with b of e2m1x2"},
       {[](G& g) { g.block_scales_b.scaling = WAVESMITH_KERNELS_SCALE_PER_BLOCK; }, kNot,
        "block_scales_b.scaling is 4: b of e2m1x2 has MX's scales"},
       {[](G& g) { g.block_scales_b.data = nullptr; }, kInvalid, "block_scales_b.data is null"},
       {[](G& g) { g.zero_points_b = g.a.data; }, kNot, "zero_points_b is for b of i4x2"},
       {[](G& g) { g.d.data = g.block_scales_b.data; }, kInvalid, "d overlaps block_scales_b"}});
}

}  // namespace
}  // namespace wavesmith::kernels
