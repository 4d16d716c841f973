// Products of floats of 8 bits with scales of blocks of 128, against sums in double precision.
#include "kernels/gemm/choice/block_scales.h"
#include "kernels/gemm/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr int64_t kBlock = kGemmBlock;
constexpr auto kPerBlock = WAVESMITH_KERNELS_SCALE_PER_BLOCK, kPerSquare = WAVESMITH_KERNELS_SCALE_PER_SQUARE;

int64_t blocks_of(int64_t count) { return (count + kBlock - 1) / kBlock; }

/// Scales of rows of A, or of columns of B.
struct BlockScales {
  HostMatrix scales;
  wavesmith_kernels_scaling scaling;

  [[nodiscard]] double of(int64_t batch, int64_t line, int64_t k) const {
    return scales.get(batch, scaling == kPerSquare ? line / kBlock : line, k / kBlock);
  }
  [[nodiscard]] wavesmith_kernels_scales on(const OnGpu& gpu) const {
    return {scaling, gpu.data(), kBlock, scales.row_stride, scales.column_stride, scales.batch_stride};
  }
};

class BlockGemm : public GemmOnGpu {
 protected:
  struct BlockCase {
    int64_t m, n, k, batches = 1;
    std::pair<Type, Type> types;
    wavesmith_kernels_scaling scaling_a = kPerBlock, scaling_b = kPerSquare;
    Type type_d = WAVESMITH_KERNELS_F32;
    bool d_by_rows = true;
    std::string tile;
    int64_t padding = 0;
    size_t offset = 0;
    float alpha = 1, beta = 0;
    bool bias = false;
    int parts = 1;
  };

  /// The pairs of types that the GPU has kernels of floats of 8 bits for.
  static std::vector<std::pair<Type, Type>> small_pairs() {
    std::vector<std::pair<Type, Type>> all;
    for (const auto& pair : pairs())
      if (is_ocp(pair.first) || is_fnuz(pair.first)) all.push_back(pair);
    return all;
  }
  BlockCase random_block_case(int64_t m, int64_t n, int64_t k) {
    const auto all = small_pairs();
    BlockCase one{.m = m, .n = n, .k = k};
    one.types = all[static_cast<size_t>(between(0, static_cast<int64_t>(all.size()) - 1))];
    one.batches = between(0, 5) == 0 ? 3 : 1;
    one.scaling_a = one_of({kPerBlock, kPerSquare}), one.scaling_b = one_of({kPerBlock, kPerSquare});
    one.type_d = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.d_by_rows = between(0, 3) != 0;
    one.padding = one_of<int64_t>({0, 4, 5}), one.offset = one_of<size_t>({0, 0, 1, 16});
    one.alpha = one_of({1.0F, -0.5F}), one.beta = one_of({0.0F, 2.0F});
    one.bias = between(0, 1) == 1;
    return one;
  }
  BlockScales random_scales(int64_t lines, const BlockCase& one, wavesmith_kernels_scaling scaling,
                            bool side_by_side) {
    const bool by_columns = side_by_side || between(0, 1) == 1;
    BlockScales made{matrix(scaling == kPerSquare ? blocks_of(lines) : lines, blocks_of(one.k), one.batches,
                            !by_columns, between(0, 2), WAVESMITH_KERNELS_F32),
                     scaling};
    for (int64_t batch = 0; batch < one.batches; ++batch)
      for (int64_t i = 0; i < made.scales.rows; ++i)
        for (int64_t j = 0; j < made.scales.columns; ++j)
          made.scales.elements.set(made.scales.at(batch, i, j), std::exp2(normal()));
    return made;
  }

  void check(const BlockCase& one) {
    BlockScales of_a = random_scales(one.m, one, one.scaling_a, !one.d_by_rows);
    BlockScales of_b = random_scales(one.n, one, one.scaling_b, one.d_by_rows);
    check(one, of_a, of_b);
  }
  void check(const BlockCase& one, const BlockScales& of_a, const BlockScales& of_b) {
    SCOPED_TRACE(describe(one));
    const HostMatrix a = random_matrix(one.m, one.k, one.batches, true, one.padding, one.types.first);
    const HostMatrix b = random_matrix(one.k, one.n, one.batches, false, one.padding, one.types.second);
    HostMatrix d = random_matrix(one.m, one.n, one.batches, one.d_by_rows, one.padding, one.type_d);
    const HostMatrix bias = random_matrix(1, one.n, 1, true, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_a(a.elements, one.offset), on_b(b.elements, one.offset), on_d(d.elements),
        on_bias(bias.elements), scales_a(of_a.scales.elements), scales_b(of_b.scales.elements);
    wavesmith_kernels_gemm_description gemm{.m = one.m,
                                            .n = one.n,
                                            .k = one.k,
                                            .batches = one.batches,
                                            .alpha = one.alpha,
                                            .beta = one.beta,
                                            .a = a.on(on_a),
                                            .b = b.on(on_b),
                                            .c = d.on(on_d),
                                            .d = d.on(on_d),
                                            .bias = one.bias ? on_bias.data() : nullptr,
                                            .block_scales_a = of_a.on(scales_a),
                                            .block_scales_b = of_b.on(scales_b)};
    run({.m = one.m, .n = one.n, .tile = one.tile, .parts = one.parts}, gemm);
    if (HasFatalFailure()) return;
    const HostMatrix before = d;
    on_d.copy_to(d.elements);
    ErrorNote note;
    for (int64_t batch = 0; batch < one.batches; ++batch)
      for (int64_t i = 0; i < one.m; ++i)
        for (int64_t j = 0; j < one.n; ++j) {
          double sum = 0, size = 0;
          for (int64_t p = 0; p < one.k; ++p) {
            const double product = a.get(batch, i, p) * b.get(batch, p, j) *
                                   static_cast<float>(of_a.of(batch, i, p) * of_b.of(batch, j, p));
            sum += product, size += std::abs(product);
          }
          double value = one.alpha * sum;
          if (one.beta != 0) value += one.beta * before.get(batch, i, j);
          if (one.bias) value += bias.get(0, 0, j);
          const int64_t roundings = std::min(one.k, kBlock) + one.k / kBlock + 4;
          const double error = static_cast<double>(roundings) * 0x1p-24 * size * std::abs(one.alpha) +
                               0x1p-21 * (std::abs(value) + 1);
          const double got = d.get(batch, i, j), allowed = rounded_error(one.type_d, value, error);
          note.add(std::abs(got - value), allowed);
          if (std::isnan(value))
            ASSERT_TRUE(std::isnan(got)) << i << ", " << j << ": " << got;
          else
            ASSERT_LE(std::abs(got - value), allowed)
                << batch << ", " << i << ", " << j << ": " << got << " instead of " << value;
        }
  }
  static std::string describe(const BlockCase& one) {
    return GemmOnGpu::describe({.m = one.m,
                                .n = one.n,
                                .k = one.k,
                                .batches = one.batches,
                                .type = one.types.first,
                                .type_b = one.types.second,
                                .type_d = one.type_d,
                                .d_by_rows = one.d_by_rows,
                                .alpha = one.alpha,
                                .beta = one.beta,
                                .padding = one.padding,
                                .offset = one.offset,
                                .tile = one.tile,
                                .parts = one.parts}) +
           " scalings " + std::to_string(one.scaling_a) + " and " + std::to_string(one.scaling_b);
  }
};

TEST_P(BlockGemm, SmallOnesEqualSumsInDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    check(random_block_case(between(1, 150), between(1, 150),
                            one_of<int64_t>({1, 127, 128, 129, 200, 256, 300, 515})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(BlockGemm, EveryKernelEqualsSumsInDoublePrecision) {
  const std::string_view target = kTargets[GetParam()];
  int count = 0;
  for (const GemmConfiguration& row : gemm_configurations())
    for (const auto& types : small_pairs())
      for (const auto scaling : {kPerBlock, kPerSquare}) {
        const std::string word =
            types_word(types.first, types.second) + (scaling == kPerSquare ? "b128" : "b1");
        if (row.target != target || !row.has(word)) continue;
        ++count;
        const int64_t deep = row.pieces ? 16 : 4;
        BlockCase one = random_block_case(row.rows + between(-1, 5), row.columns + between(-1, 5),
                                          deep * between(400 / deep, 500 / deep));
        one.types = types, one.scaling_a = one_of({kPerBlock, kPerSquare}), one.scaling_b = scaling;
        one.tile = row.name, one.d_by_rows = true, one.offset = 0, one.padding = deep, one.batches = 1;
        check(one);
        if (row.elements) one.offset = 1, check(one);
        one.offset = 0, one.parts = 2, one.k = 2 * kBlock * between(1, 3);
        if (one.k / 2 >= 2 * row.depth) check(one);
        if (HasFatalFailure()) return;
      }
  EXPECT_GE(count, 8);
}

TEST_P(BlockGemm, AScaleThatIsNanSpoilsItsLinesAndNoOther) {
  BlockCase one = random_block_case(140, 150, 400);
  one.d_by_rows = true, one.scaling_a = kPerBlock, one.scaling_b = kPerSquare, one.batches = 1;
  BlockScales of_a = random_scales(one.m, one, one.scaling_a, false),
              of_b = random_scales(one.n, one, one.scaling_b, true);
  of_a.scales.elements.set(of_a.scales.at(0, 7, 3), std::numeric_limits<double>::quiet_NaN());
  of_a.scales.elements.set(of_a.scales.at(0, 139, 0), std::numeric_limits<double>::quiet_NaN());
  of_b.scales.elements.set(of_b.scales.at(0, 1, 1), std::numeric_limits<double>::quiet_NaN());
  of_b.scales.elements.set(of_b.scales.at(0, 0, 2), 0);
  check(one, of_a, of_b);
}

TEST(BlockGemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(2), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 15));
  char* const at = static_cast<char*>(memory.data());
  const auto type = WAVESMITH_KERNELS_E4M3;
  const wavesmith_kernels_gemm_description right{
      .m = 8,
      .n = 8,
      .k = 256,
      .batches = 1,
      .alpha = 1,
      .a = {at, type, 256, 1, 0},
      .b = {at + 4096, type, 1, 256, 0},
      .d = {at + 8192, WAVESMITH_KERNELS_F32, 8, 1, 0},
      .block_scales_a = {kPerBlock, at + 16384, kBlock, 2, 1, 0},
      .block_scales_b = {kPerSquare, at + 20480, kBlock, 2, 1, 0},
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  const char* name = nullptr;
  ASSERT_EQ(wavesmith_kernels_gemm_check(&right, &name), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_STREQ(name, "gemm_e4m3b128_64x64x128_kk");
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.block_scales_b.scaling = WAVESMITH_KERNELS_UNSCALED; }, kNot,
       "block_scales_b.scaling is 0"},
      {[](G& g) { g.block_scales_a.scaling = WAVESMITH_KERNELS_UNSCALED; }, kNot,
       "block_scales_a.scaling is 0"},
      {[](G& g) { g.block_scales_a.scaling = WAVESMITH_KERNELS_SCALE_MX; }, kNot,
       "block_scales_a.scaling is 5"},
      {[](G& g) { g.block_scales_b.block = 64; }, kNot, "block_scales_b.block is 64"},
      {[](G& g) { g.block_scales_b.data = nullptr; }, kInvalid, "block_scales_b.data is null"},
      {[](G& g) { g.block_scales_a.data = static_cast<char*>(g.block_scales_a.data) + 2; }, kInvalid,
       "block_scales_a.data is not aligned"},
      {[](G& g) { g.block_scales_a.row_stride = -1; }, kInvalid, "block_scales_a.row_stride is -1"},
      {[](G& g) { g.block_scales_a.row_stride = 1 << 23; }, kNot, "block_scales_a.row_stride is 8388608"},
      {[](G& g) { g.block_scales_b.scaling = kPerBlock; }, kNot, "block_scales_b.row_stride is 2, not 1"},
      {[](G& g) { g.d.row_stride = 1, g.d.column_stride = 8; }, kNot,
       "block_scales_a.row_stride is 2, not 1"},
      {[](G& g) { g.d.data = g.block_scales_b.data; }, kInvalid, "d overlaps block_scales_b"},
      {[](G& g) { g.workspace = g.block_scales_a.data, g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps block_scales_a"},
      {[](G& g) { g.workspace = g.block_scales_b.data, g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps block_scales_b"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_I8; }, kNot, "block scales are for"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_E5M2_FNUZ; }, kNot,
       "no kernel for a and b of e5m2fnuz with scales of blocks for gfx950"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

INSTANTIATE_TEST_SUITE_P(On, BlockGemm, testing::Values(1, 2, 5), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
