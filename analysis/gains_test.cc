// What rules say that a change would gain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/rule.h"
#include "analysis/rules_testing.h"

namespace wavesmith::analysis {
namespace {

TEST(Gains, AGainEndsWhereAnotherPipeIsTheBusiest) {
  const auto with_vectors = [](int count) {
    return keep(
        "v_lshlrev_b32 v1, 7, v0\n" +
        loop("ds_read_b32 v2, v1\n" + repeated("v_max_f32 v5, v6, v7", count) + "s_waitcnt lgkmcnt(0)"));
  };
  const Finding* finding = nullptr;
  const KernelAnalysis lone = kernel_of("gfx942", with_vectors(1)),
                       busy = kernel_of("gfx942", with_vectors(32));
  // 64 cycles of LDS for a wave of each SIMD: 256.
  finding = finding_of(lone, "lds-bank-conflict");
  ASSERT_NE(finding, nullptr);
  ASSERT_TRUE(finding->gain_percent.value);
  EXPECT_GT(*finding->gain_percent.value, 85);
  finding = finding_of(busy, "lds-bank-conflict");
  ASSERT_NE(finding, nullptr);
  ASSERT_TRUE(finding->gain_percent.value);
  EXPECT_NEAR(*finding->gain_percent.value, 100.0 * (256 - 32 * 4) / 256, 2);
}

TEST(Gains, TwoWavesShareTheVectorPipesWhereASimdHasTwo) {
  const auto cycles = [](std::string_view target, std::string_view instruction) {
    return kernel_of(target, keep(loop(repeated(instruction, 32)))).loops.front().cycles.throughput;
  };
  EXPECT_EQ(cycles("gfx90a", "v_add_f32 v{1}, v{1}, v0"), 32 * 4);
  EXPECT_EQ(cycles("gfx942", "v_add_f32 v{1}, v{1}, v0"), 32 * 4 / 2) << "either pipe takes it";
  EXPECT_EQ(cycles("gfx942", "v_max_f32 v{1}, v{1}, v0"), 32 * 4) << "one takes it";
}

const Finding* occupancy_finding(const KernelAnalysis& kernel) {
  for (const Finding& finding : kernel.findings)
    if (finding.rule == "occupancy-limited-by-vgprs") return &finding;
  return nullptr;
}

// Two waves per SIMD, and three with 168 VGPRs. Waves that only wait share the time: a third is gained. What
// the memory has to give is shared too: nothing is.
TEST(Gains, AnOccupancyStepGainsWhatNeitherAPipeNorMemoryLimits) {
  const auto two_waves = with([](Resources& r) { r.vgprs_total = 256; });
  const auto loads = [](int count) {
    return keep("v_lshlrev_b32 v0, 2, v0\n" + loop(repeated("global_load_dword v{1}, v0, s[0:1]", count) +
                                                   "s_waitcnt vmcnt(0)\n" + "v_add_f32 v5, v1, v5"));
  };
  const KernelAnalysis late = kernel_of("gfx942", loads(1), two_waves);
  const Finding* finding = occupancy_finding(late);
  ASSERT_NE(finding, nullptr);
  ASSERT_TRUE(finding->gain_percent.value) << finding->gain_percent.unknown_because;
  EXPECT_NEAR(*finding->gain_percent.value, 100.0 / 3, 0.1);
  EXPECT_EQ(finding->severity, Severity::Hint);

  const KernelAnalysis bound = kernel_of("gfx942", loads(4), two_waves);
  finding = occupancy_finding(bound);
  ASSERT_NE(finding, nullptr);
  EXPECT_FALSE(finding->gain_percent.value);
  EXPECT_NE(finding->gain_percent.unknown_because.find(" 0 % where the memory behind all caches does"),
            std::string::npos)
      << finding->gain_percent.unknown_because;
  EXPECT_EQ(finding->severity, Severity::Note);

  const KernelAnalysis lds = kernel_of(
      "gfx942", keep(loop("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nv_add_f32 v5, v1, v5")), two_waves);
  finding = occupancy_finding(lds);
  ASSERT_NE(finding, nullptr);
  ASSERT_TRUE(finding->gain_percent.value) << finding->gain_percent.unknown_because;
  EXPECT_NEAR(*finding->gain_percent.value, 100.0 / 3, 0.1);

  const KernelAnalysis busy =
      kernel_of("gfx942", keep(loop(repeated("v_max_f32 v{1}, v{1}, v0", 20))), two_waves);
  finding = occupancy_finding(busy);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->gain_percent.value, 0);

  gpus::Gpu silent = *usual_gpu("gfx942");
  silent.l2_cycles = silent.memory_cycles = std::nullopt;
  const KernelAnalysis unpublished = kernel_of("gfx942", loads(1), two_waves, silent);
  finding = occupancy_finding(unpublished);
  ASSERT_NE(finding, nullptr);
  EXPECT_FALSE(finding->gain_percent.value);
  EXPECT_NE(finding->gain_percent.unknown_because.find("is unpublished"), std::string::npos);
}

TEST(Gains, WhatComputesOnResultsOfMatrixInstructionsIsNoPartOfTheirGain) {
  const auto density = [](std::string_view from) {
    const KernelAnalysis kernel = kernel_of(
        "gfx942", keep(loop("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 0\n" + repeated(from, 20))));
    const Finding* const finding = finding_of(kernel, "low-matrix-density");
    return finding ? finding->gain_percent.value.value_or(-1) : -1;
  };
  EXPECT_EQ(density("v_exp_f32 v8, v8"), 0) << "as a softmax does";
  EXPECT_GT(density("v_exp_f32 v5, v4"), 50) << "a larger tile has no more of these";
}

/// Matrix instructions, of which each waits for the one before, behind a load of the lanes' rows.
std::string_view one_chain(std::string_view beside) {
  return keep("v_mul_lo_u32 v60, v0, s4\n" +
              loop("buffer_load_dwordx4 v[4:7], v60, s[8:11], 0 offen\n" +
                   repeated("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 4) +
                   std::string(beside)));
}

TEST(Gains, DenserMatrixWorkGainsNothingWhereL2HasToGiveWhatALoopLoads) {
  const auto gain = [](std::string_view target, std::string_view beside) {
    const KernelAnalysis kernel = kernel_of(target, one_chain(beside), usual());
    EXPECT_GT(kernel.loops.front().cycles.served, 0) << "of rows whose distance is an argument";
    const Finding* const finding = finding_of(kernel, "low-matrix-density");
    return finding ? finding->gain_percent.value.value_or(-1) : -1;
  };
  // A wave of each SIMD loads 1 KiB in a pass: 95 cycles at 43 bytes a clock and unit, 186 at 22.
  const std::string much = repeated("v_max_f32 v{1}, v12, v13", 40);
  EXPECT_NEAR(gain("gfx942", much), 100 * (160 - 95) / 160.0, 1);
  EXPECT_EQ(gain("gfx950", much), 0);
}

TEST(Gains, WhatStandsBehindAConditionIsNoPartOfEachPass) {
  const auto density = [](std::string_view condition) {
    const std::string rescale = repeated("v_max_f32 v{1}, v12, v13", 40);
    const KernelAnalysis kernel =
        kernel_of("gfx942", one_chain(std::string(condition) + "\n" + rescale + "rest:"), usual());
    const Finding* const finding = finding_of(kernel, "low-matrix-density");
    EXPECT_NE(finding, nullptr);
    return finding ? *finding : Finding{};
  };
  EXPECT_GT(density("").gain_percent.value.value_or(0), 30);
  const Finding conditional = density("v_cmp_lt_f32 vcc, v12, v13\ns_cbranch_vccz rest");
  EXPECT_FALSE(conditional.gain_percent.value);
  EXPECT_NE(conditional.gain_percent.unknown_because.find("behind conditions"), std::string::npos)
      << conditional.gain_percent.unknown_because;
  EXPECT_EQ(conditional.severity, Severity::Note) << "without it the loop is dense";
}

TEST(Gains, WhereMemoryServesTheLoopWhatItTakesIsTheLeast) {
  const std::string_view text = keep("v_lshlrev_b32 v1, 4, v0\n" + loop(R"(
      global_load_dwordx4 v[4:7], v1, s[0:1]
      v_add_u32 v1, 0x4000, v1
      s_waitcnt vmcnt(0))" + std::string("\n") + repeated("v_exp_f32 v{1}, v2", 20)));
  const auto gain = [&](ServedBy by) {
    Options options;
    options.served_by = by;
    const KernelAnalysis kernel = kernel_of("gfx942", text, usual(), *usual_gpu("gfx942"), options);
    EXPECT_EQ(kernel.loops.front().cycles.served,
              by == ServedBy::L2 ? kernel.loops.front().cycles.l2 : kernel.loops.front().cycles.memory);
    const Finding* const finding = finding_of(kernel, "transcendental-bound");
    return finding ? finding->gain_percent.value.value_or(-1) : -1;
  };
  EXPECT_GT(gain(ServedBy::L2), 40);
  EXPECT_EQ(gain(ServedBy::Memory), 0);
}

TEST(Gains, WhatMemoryTakesIsBytesOverItsRate) {
  // 64 lanes side by side load 16 bytes each; all of them the same 4; and store 4 each.
  const KernelAnalysis kernel = kernel_of(
      "gfx942", keep("v_lshlrev_b32 v1, 4, v0\nv_lshlrev_b32 v2, 2, v0\nv_mov_b32 v3, 0\n" + loop(R"(
      global_load_dwordx4 v[4:7], v1, s[0:1]
      global_load_dword v8, v3, s[2:3]
      global_store_dword v2, v9, s[4:5])")),
      usual());
  ASSERT_EQ(kernel.loops.size(), 1);
  const Cycles& cycles = kernel.loops[0].cycles;
  EXPECT_EQ(cycles.load_bytes, 1024 + 4);
  EXPECT_EQ(cycles.store_bytes, 256);
  // An MI300X: 304 compute units of 4 SIMDs at 2.1 GHz; 4.0 TB/s from memory and 27.5 TB/s from L2 measured.
  EXPECT_NEAR(cycles.memory, 1284.0 * 304 * 4 * 2.1e9 / 4.0e12, 1);
  EXPECT_NEAR(cycles.l2, 1284.0 * 304 * 4 * 2.1e9 / 27.5e12, 1);
  EXPECT_EQ(cycles.l2, cycles.served);
}

}  // namespace
}  // namespace wavesmith::analysis
