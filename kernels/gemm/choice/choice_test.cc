// The choice of a kernel, which needs no GPU.
#include "kernels/gemm/choice/choice.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/gemm/choice/choice_testing.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

GemmChoice choice(const wavesmith_kernels_gemm_description& gemm, const char* target, int units,
                  const char* tile = nullptr) {
  GemmChoice chosen;
  EXPECT_EQ(check_gemm(gemm), WAVESMITH_KERNELS_SUCCESS) << message();
  EXPECT_EQ(choose_gemm(gemm, target, units, tile, chosen), WAVESMITH_KERNELS_SUCCESS) << message();
  return chosen;
}

/// A product of floats of 8 bits with scales of blocks, B's of squares, and a workspace.
wavesmith_kernels_gemm_description with_block_scales(int64_t m, int64_t n, int64_t k) {
  auto gemm = product(m, n, k);
  gemm.a.type = gemm.b.type = WAVESMITH_KERNELS_E4M3_FNUZ;
  const int64_t blocks = (k + kGemmBlock - 1) / kGemmBlock;
  const auto at = [](int number) { return reinterpret_cast<void*>(uintptr_t{1} << number); };
  gemm.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, at(50), kGemmBlock, blocks, 1, 0};
  gemm.block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_SQUARE, at(51), kGemmBlock, blocks, 1, 0};
  gemm.workspace = at(40), gemm.workspace_bytes = size_t{1} << 30;
  return gemm;
}

const GemmChoice::Candidate& candidate(const GemmChoice& choice, std::string_view tile) {
  for (const GemmChoice::Candidate& one : choice.candidates)
    if (one.configuration->name == tile) return one;
  ADD_FAILURE() << "no tile " << tile;
  return choice.candidates.front();
}

TEST(GemmChoice, CountsRoundsOfWorkgroupsAndTheirSteps) {
  const GemmChoice chosen = choice(product(4096, 4096, 4096), "gfx942", 304);
  const auto& large = candidate(chosen, "256x256x32");
  EXPECT_EQ(large.workgroups, 16 * 16);
  EXPECT_EQ(large.rounds, 1);
  // Half-used lines: what the unit's way to the L2 takes is more than the matrix pipe.
  EXPECT_GE(large.cycles, 4096 / 32 * large.configuration->step_cycles + large.configuration->fixed_cycles);
  // 1024 workgroups on 304 units: at most four on a unit, in pairs.
  const auto& small = candidate(chosen, "128x128x32");
  EXPECT_EQ(small.workgroups, 32 * 32);
  EXPECT_EQ(small.rounds, 2);
  EXPECT_GE(small.cycles,
            4096 / 32 * small.configuration->step_cycles * 4 + 2 * small.configuration->fixed_cycles);
}

TEST(GemmChoice, TakesTheFewestCycles) {
  for (const int64_t size : {100, 512, 1000, 2048, 4096, 10000})
    for (const auto& [target, units] : {std::pair{"gfx90a", 104}, {"gfx950", 256}, {"gfx1201", 64}}) {
      const GemmChoice chosen = choice(product(size, size, size), target, units);
      for (const auto& other : chosen.candidates)
        EXPECT_LE(candidate(chosen, chosen.configuration->name).cycles, other.cycles)
            << target << " " << size;
    }
  EXPECT_EQ(choice(product(4096, 4096, 4096), "gfx942", 304).configuration->name, "256x224x32");
  EXPECT_EQ(choice(product(64, 64, 64), "gfx942", 304).configuration->name, "16x16x256");
}

TEST(GemmChoice, TakesNoLessThanMovingTheMatrices) {
  // One row: 4096^2 elements of 2 bytes, read at 853 bytes a cycle.
  const GemmChoice chosen = choice(product(1, 4096, 4096), "gfx90a", 104);
  for (const auto& one : chosen.candidates) EXPECT_GE(one.cycles, 4096.0 * 4096 * 2 / 853);
}

TEST(GemmChoice, LeavesFewRoundsHalfEmpty) {
  // 128 workgroups of 128 x 128 would be two rounds on an MI210, of which the second has 24.
  EXPECT_EQ(choice(product(256, 8192, 8192), "gfx90a", 104).configuration->name, "128x96x32");
  // 4,096 x 4,096 is as many tiles of 256 x 224 as an MI300X has compute units, and half as much of 128 x
  // 224.
  EXPECT_EQ(choice(product(2048, 4096, 4096), "gfx942", 304).configuration->name, "128x224x32");
}

TEST(GemmChoice, SplitsKWhereTheWorkspaceHoldsThePartsAndItIsFaster) {
  auto gemm = product(16, 1024, 14336);
  EXPECT_EQ(choice(gemm, "gfx942", 304).splits, 1);
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40), gemm.workspace_bytes = size_t{1} << 30;
  const GemmChoice split = choice(gemm, "gfx942", 304);
  EXPECT_GT(split.splits, 2);
  EXPECT_EQ(14336 % split.splits, 0);
  EXPECT_EQ(split.arguments.k * split.splits, 14336);
  EXPECT_EQ(split.batches, split.splits);
  EXPECT_EQ(split.workspace_bytes, static_cast<size_t>(split.splits) * 16 * 1024 * 4);
  EXPECT_EQ(split.combine, "combine_floats");
  // Two parts fit.
  gemm.workspace_bytes = size_t{2} * 16 * 1024 * 4;
  EXPECT_EQ(choice(gemm, "gfx942", 304).splits, 2);
  --gemm.workspace_bytes;
  EXPECT_EQ(choice(gemm, "gfx942", 304).splits, 1);
  gemm.workspace_bytes = size_t{1} << 30;
  EXPECT_EQ(choice(gemm, "gfx942", 304, "64x64x64/7").splits, 7);
  GemmChoice none;
  EXPECT_EQ(choose_gemm(gemm, "gfx942", 304, "64x64x64/5", none), WAVESMITH_KERNELS_NOT_SUPPORTED)
      << "parts are of one length";
  // A GPU that is full, and a batch, whose products are enough workgroups or not.
  EXPECT_EQ(choice(
                [&] {
                  auto full = product(4096, 4096, 4096);
                  full.workspace = gemm.workspace, full.workspace_bytes = gemm.workspace_bytes;
                  return full;
                }(),
                "gfx942", 304)
                .splits,
            1);
  gemm.batches = 2;
  EXPECT_EQ(choice(gemm, "gfx942", 304).splits, 1);
}

TEST(GemmChoice, StreamsWhereTheLastRoundOfTilesLeavesUnitsWithoutWork) {
  auto gemm = product(2048, 14336, 4096);
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 50), gemm.workspace_bytes = size_t{1} << 30;
  const GemmChoice chosen = choice(gemm, "gfx942", 304);
  EXPECT_EQ(chosen.kernel, "gemm_bf16s_256x256x32_kk");
  EXPECT_EQ(chosen.combine, "combine_floats");
  EXPECT_EQ(chosen.grid.x * chosen.grid.y, 304);
  EXPECT_EQ(chosen.share.whole, 304);  // of 448 tiles, of which 144 are shared by two workgroups each
  EXPECT_EQ(chosen.share.teams, 144);
  EXPECT_EQ(chosen.workspace_bytes, size_t{288} * 256 * 256 * 4);
  EXPECT_EQ(chosen.arguments.batch_a, 64) << "from step to step";
  EXPECT_EQ(choice(gemm, "gfx942", 304, "256x256x32/stream").kernel, chosen.kernel);
  gemm.workspace_bytes = chosen.workspace_bytes - 1;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16_256x224x32_kk");
  // Parts of fewer tiles than workgroups serve dies better, with one die any run gains.
  gemm = product(256, 4096, 4096);
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 50), gemm.workspace_bytes = size_t{1} << 30;
  EXPECT_NE(choice(gemm, "gfx942", 304).splits, kStreamed);
  EXPECT_EQ(choice(gemm, "gfx90a", 104).splits, kStreamed);
  gemm.batches = 2;
  EXPECT_NE(choice(gemm, "gfx90a", 104).splits, kStreamed);
}

TEST(GemmChoice, NamesTheKernelByTypeTileLayoutAndAccess) {
  auto gemm = product(4096, 4096, 4096);
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16_256x224x32_kk");
  EXPECT_EQ(choice(gemm, "gfx942", 304, "64x64x64").kernel, "gemm_bf16_64x64x64_kk");
  gemm.b.row_stride = 4096, gemm.b.column_stride = 1;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16_256x224x32_kn");
  EXPECT_EQ(choice(product(4096, 4096, 4095), "gfx942", 304).kernel, "gemm_bf16_64x64x64_kk_elements");
  auto scaled = with_block_scales(4096, 4096, 4096);
  EXPECT_EQ(choice(scaled, "gfx942", 304).kernel, "gemm_e4m3fnuzb128_256x128x64_kk");
  scaled.block_scales_b.scaling = WAVESMITH_KERNELS_SCALE_PER_BLOCK, scaled.block_scales_b.row_stride = 1;
  EXPECT_EQ(choice(scaled, "gfx942", 304).kernel, "gemm_e4m3fnuzb1_128x128x64_kk");
}

TEST(GemmChoice, MarksSumsOfWhichNothingBecomesInRowsOfWholeEights) {
  const auto marks = [](const wavesmith_kernels_gemm_description& gemm, const char* tile = "64x64x64") {
    return choice(gemm, "gfx942", 304, tile).arguments.only_sums != 0;
  };
  const auto gemm = product(1001, 1008, 512);
  EXPECT_TRUE(marks(gemm));
  EXPECT_FALSE(marks(product(1001, 1004, 512)));
  const auto with = [&](auto change) {
    auto changed = gemm;
    change(changed);
    return changed;
  };
  EXPECT_TRUE(marks(with([](auto& one) { one.d.row_stride += 8; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.d.row_stride += 4; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.d.data = static_cast<char*>(one.d.data) + 8; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.d.type = WAVESMITH_KERNELS_F16; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.alpha = 2; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.activation = WAVESMITH_KERNELS_RELU; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.bias = one.a.data; })));
  EXPECT_FALSE(marks(with([](auto& one) { one.scale_d = static_cast<const float*>(one.a.data); })));
  EXPECT_FALSE(marks(with([](auto& one) { one.beta = 1, one.c = one.d; })));
  // Rows behind D, of its last tile, are beyond what 32 bits count.
  EXPECT_FALSE(marks(product(int64_t{1} << 20, 2048, 512)));
  EXPECT_TRUE(marks(product((int64_t{1} << 20) - 64, 2040, 512)));
  // Parts of K are of floats, and become D later.
  EXPECT_FALSE(marks(with([](auto& one) {
                       one.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40),
                       one.workspace_bytes = size_t{1} << 30;
                     }),
                     "64x64x64/2"));
}

TEST(GemmChoice, PartsOfKAreWholeBlocks) {
  const auto gemm = with_block_scales(16, 4096, 7168);  // 56 blocks
  const GemmChoice chosen = choice(gemm, "gfx942", 304);
  EXPECT_GT(chosen.splits, 2);
  EXPECT_EQ(56 % chosen.splits, 0);
  EXPECT_EQ(chosen.arguments.block_a.batch_stride, 56 / chosen.splits);
  EXPECT_EQ(choice(with_block_scales(16, 4096, 1088), "gfx942", 304).splits, 1) << "8.5 blocks";
  GemmChoice none;
  EXPECT_EQ(choose_gemm(gemm, "gfx942", 304, "64x64x128/16", none), WAVESMITH_KERNELS_NOT_SUPPORTED);
}

TEST(GemmChoice, WeightsOf4BitsMayBeOfParts) {
  auto gemm = product(16, 4096, 4096);
  gemm.b = {gemm.b.data, WAVESMITH_KERNELS_I4X2, 1, 2048, 0};
  gemm.block_scales_b = {
      WAVESMITH_KERNELS_SCALE_PER_BLOCK, reinterpret_cast<void*>(uintptr_t{1} << 50), 128, 1, 4096, 0};
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40), gemm.workspace_bytes = size_t{1} << 30;
  const GemmChoice chosen = choice(gemm, "gfx942", 304, "16x64x64/8");
  EXPECT_EQ(chosen.kernel, "gemm_bf16xi4x2_16x64x64_kk");
  EXPECT_EQ(chosen.arguments.k, 512);
  EXPECT_EQ(chosen.arguments.batch_b * 2, 256) << "bytes, counted in elements of A";
  EXPECT_EQ(chosen.arguments.groups_b.batch_stride, 4 * 4096);
}

TEST(GemmChoice, GroupsHaveTilesForTheMostRowsOfTilesThatTheyMayTake) {
  auto gemm = product(1000, 4096, 4096);
  gemm.batches = 8, gemm.b.batch_stride = 4096 * 4096;
  gemm.group_offsets = reinterpret_cast<const int32_t*>(uintptr_t{1} << 50);
  const GemmChoice chosen = choice(gemm, "gfx942", 304, "128x128x32");
  EXPECT_EQ(chosen.kernel, "gemm_bf16g_128x128x32_kk");
  EXPECT_EQ(chosen.batches, 1);
  EXPECT_EQ(chosen.arguments.groups, 8);
  EXPECT_EQ(chosen.arguments.tiles_m, (1000 + 8 * 127) / 128);
  gemm.m = 3;
  EXPECT_EQ(choice(gemm, "gfx942", 304).arguments.tiles_m, 3) << "a row at least each";
}

TEST(GemmChoice, WeightsBeyondTheLastCacheAreReadByOneRowOfTilesOfAGroupIfThereIsSuchATile) {
  auto gemm = product(128, 4096, 14336);
  gemm.batches = 8, gemm.b.batch_stride = 14336 * 4096;
  gemm.group_offsets = reinterpret_cast<const int32_t*>(uintptr_t{1} << 50);
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16g_16x64x256_kk");
  gemm.m = 256;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16g_64x64x64_kk");
  gemm.gated = 1, gemm.b.batch_stride = 2 * 14336 * 4096;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16ggated_64x64x64_kk");
}

TEST(GemmChoice, GatedProductsHaveTwoColumnsOfBForEachOfD) {
  auto gemm = product(2048, 14336, 4096);
  gemm.b.batch_stride = 0, gemm.gated = 1, gemm.scale_b_per_column = 1;
  const GemmChoice chosen = choice(gemm, "gfx942", 304);
  EXPECT_EQ(chosen.kernel, "gemm_bf16gated_256x256x32_kk");
  EXPECT_EQ(chosen.arguments.n, 14336);
  EXPECT_EQ(chosen.arguments.columns_of_scale_b, 28672);
  EXPECT_EQ(chosen.arguments.tiles_n, 14336 / 128);
  gemm.m = 16;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16gated_16x16x256_kk");
  EXPECT_EQ(choice(gemm, "gfx950", 256).kernel, "gemm_bf16gated_16x16x256_kk");
  // Halves that begin at an odd element of a row of B are read element by element.
  gemm.n = 513, gemm.d.row_stride = 513, gemm.b.row_stride = 1026, gemm.b.column_stride = 1;
  EXPECT_EQ(choice(gemm, "gfx942", 304).kernel, "gemm_bf16gated_64x64x64_kn_elements");
}

TEST(GemmChoice, PartsOfAGatedProductAreGatedLast) {
  auto gemm = product(16, 513, 14336);
  gemm.gated = 1;
  gemm.workspace = reinterpret_cast<void*>(uintptr_t{1} << 40), gemm.workspace_bytes = size_t{1} << 30;
  const GemmChoice chosen = choice(gemm, "gfx942", 304);
  ASSERT_GT(chosen.splits, 1);
  EXPECT_EQ(chosen.combine, "combine_gated_floats");
  EXPECT_EQ(chosen.kernel.find("gated"), chosen.kernel.npos) << chosen.kernel;
  EXPECT_EQ(chosen.arguments.n, 1026);
  EXPECT_EQ(chosen.combined.gemm.n, 513);
  // The last eight of the second half end with a row: 513 + 520 columns, in whole eights.
  EXPECT_EQ(chosen.combined.stride_parts, 1040);
  GemmChoice none;
  gemm.a.type = gemm.b.type = WAVESMITH_KERNELS_F32;
  EXPECT_EQ(choose_gemm(gemm, "gfx942", 304, nullptr, none), WAVESMITH_KERNELS_NOT_SUPPORTED)
      << "with parts as without";
}

TEST(GemmChoice, TakesSmallTilesForFewRows) {
  EXPECT_EQ(choice(product(16, 4096, 4096), "gfx942", 304).kernel, "gemm_bf16_16x16x256_kk");
  EXPECT_EQ(choice(product(64, 4096, 4096), "gfx942", 304).kernel, "gemm_bf16_32x32x512_kk");
  EXPECT_EQ(choice(product(256, 4096, 4096), "gfx942", 304).kernel, "gemm_bf16_64x64x512_kk");
  // Of K that is no whole pieces.
  EXPECT_EQ(choice(product(16, 4096, 4098), "gfx942", 304).kernel, "gemm_bf16_64x64x64_kk");
}

TEST(GemmChoice, CountsWholeLinesOfOperandsThatDoNotLieAlongK) {
  auto gemm = product(4096, 4096, 4096);
  EXPECT_EQ(choice(gemm, "gfx950", 256).kernel, "gemm_bf16_256x256x64_kk");
  gemm.b.row_stride = 4096, gemm.b.column_stride = 1;
  EXPECT_EQ(choice(gemm, "gfx950", 256).kernel, "gemm_bf16_256x256x32_kn");
}

TEST(GemmChoice, RefusesTilesAndTargetsThatThereAreNot) {
  GemmChoice chosen;
  const auto gemm = product(64, 64, 64);
  EXPECT_EQ(choose_gemm(gemm, "gfx942", 304, "1x2x3", chosen), WAVESMITH_KERNELS_NOT_SUPPORTED);
  EXPECT_EQ(std::string(message()),
            "gemm: there is no kernel with a tile 1x2x3 for a and b of bf16 for gfx942");
  EXPECT_EQ(choose_gemm(gemm, "gfx803", 64, nullptr, chosen), WAVESMITH_KERNELS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace wavesmith::kernels
