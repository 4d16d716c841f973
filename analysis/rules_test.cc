// Each rule finds what it is for and is silent where there is nothing. A rule without an example fails here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/rule.h"
#include "analysis/rules_testing.h"
#include "object/testing.h"

namespace wavesmith::analysis {
namespace {

struct Example {
  std::string_view rule, target, bad, good;
  Resources resources = {};  ///< of the bad one; the good one has the default
};

using Examples = std::vector<Example>;

/// A loop that no rule has anything to say of.
std::string_view plain() { return keep(loop("v_add_f32 v1, v1, v2")); }

Examples examples_of_waits() {
  return {
      {"full-drain-in-loop", "gfx942", keep(loop(R"(
         global_load_dword v2, v0, s[2:3]
         global_load_dword v1, v0, s[0:1]
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v2, v5
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v1, v5)")),
       keep(loop(R"(
         global_load_dword v2, v0, s[2:3]
         global_load_dword v1, v0, s[0:1]
         s_waitcnt vmcnt(1)
         v_add_f32 v5, v2, v5
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v1, v5)"))},
      {"wait-stricter-than-needed", "gfx942", keep(loop(R"(
         ds_read_b32 v1, v0
         ds_read_b32 v2, v0 offset:64
         ds_read_b32 v3, v0 offset:128
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v1, v5
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v2, v3)")),
       keep(loop(R"(
         ds_read_b32 v1, v0
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v1, v5)"))},
      // The reads have to be over before other waves write, whether their results are used or not.
      {"wait-stricter-than-needed", "gfx942", keep(loop(R"(
         ds_read_b32 v1, v0
         ds_read_b32 v2, v0 offset:64
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v1, v5
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v2, v5)")),
       keep(loop(R"(
         ds_read_b32 v1, v0
         ds_read_b32 v2, v0 offset:64
         s_waitcnt lgkmcnt(0)
         s_barrier
         v_add_f32 v5, v1, v5
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v2, v5)"))},
      // The younger one comes in time in any case.
      {"wait-stricter-than-needed", "gfx942", keep(loop(R"(
         ds_read_b32 v1, v0
         ds_read_b32 v2, v0 offset:64
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v1, v5
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v2, v5)")),
       keep(loop("ds_read_b32 v1, v0\nds_read_b32 v2, v0 offset:64\n" + repeated("v_exp_f32 v{1}, v7", 20) +
                 R"(
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v1, v5
         s_waitcnt lgkmcnt(0)
         v_add_f32 v5, v2, v5)"))},
      {"redundant-wait", "gfx942", keep(loop("s_waitcnt vmcnt(0)\nv_add_f32 v1, v1, v2")), plain()},
      {"exposed-load-latency", "gfx942", keep(loop(R"(
         global_load_dword v1, v0, s[0:1]
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v1, v5)")),
       plain()},
  };
}

Examples examples_of_occupancy_and_memory() {
  return {
      {"occupancy-limited-by-vgprs", "gfx942", plain(), plain(),
       with([](Resources& r) { r.vgprs_total = 200; })},
      {"occupancy-limited-by-sgprs", "gfx90a", plain(), plain(),
       with([](Resources& r) { r.allocated.sgprs = 112; })},
      {"occupancy-limited-by-lds", "gfx942", plain(), plain(),
       with([](Resources& r) { r.lds_bytes = 40000; })},
      {"occupancy-limited-by-workgroup", "gfx942", plain(), plain(),
       with([](Resources& r) { r.workgroup = r.max_workgroup = 768; })},
      {"spill-in-loop", "gfx942",
       keep(loop("scratch_load_dword v1, off, s32\ns_waitcnt vmcnt(0)\nv_add_f32 v1, v1, v2")), plain(),
       with([](Resources& r) { r.scratch_bytes = 64, r.vgpr_spills = 4; })},
      {"scratch-use", "gfx942", plain(), plain(), with([](Resources& r) { r.scratch_bytes = 64; })},
      {"narrow-global-loads", "gfx942", keep(loop(R"(
         global_load_dword v2, v0, s[0:1]
         global_load_dword v3, v0, s[0:1] offset:4
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v2, v3)")),
       keep(loop(R"(
         global_load_dword v2, v0, s[0:1]
         global_load_dword v3, v0, s[0:1] offset:64
         s_waitcnt vmcnt(0)
         v_add_f32 v5, v2, v3)"))},
      {"narrow-lds-reads", "gfx942", keep(loop(R"(
         ds_read_b64 v[2:3], v0
         ds_read_b64 v[4:5], v0 offset:8
         s_waitcnt lgkmcnt(0)
         v_add_f32 v6, v2, v5)")),
       keep(loop(R"(
         ds_read_b64 v[2:3], v0
         v_add_u32 v0, v0, v1
         ds_read_b64 v[4:5], v0 offset:8
         s_waitcnt lgkmcnt(0)
         v_add_f32 v6, v2, v5)"))},
  };
}

Examples examples_of_arithmetic_and_control() {
  return {
      {"low-matrix-density", "gfx942",
       keep(loop(repeated("v_exp_f32 v{1}, v1", 20) +
                 "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]")),
       keep(loop(repeated("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 40)))},
      {"dependent-matrix-chain", "gfx942",
       keep(loop(repeated("v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[2:3], 0\n"
                          "v_mfma_f32_4x4x4_16b_f16 v[12:15], v[8:9], v[2:3], 0",
                          4))),
       keep(loop(repeated("v_mfma_f32_4x4x4_16b_f16 v[8:11], v[0:1], v[2:3], 0", 8)))},
      // The resource goes from VGPRs to SGPRs for those lanes that have the same; or it is there before.
      {"waterfall-loop", "gfx942", keep(R"(
         v_mov_b32 v1, 0
         l: v_readfirstlane_b32 s4, v2
         v_readfirstlane_b32 s5, v3
         v_readfirstlane_b32 s6, v4
         v_readfirstlane_b32 s7, v5
         v_cmp_eq_u64 vcc, s[4:5], v[2:3]
         v_cmp_eq_u64 s[0:1], s[6:7], v[4:5]
         s_and_b64 s[0:1], vcc, s[0:1]
         s_and_saveexec_b64 s[0:1], s[0:1]
         buffer_load_dword v6, v1, s[4:7], 0 offen
         s_xor_b64 exec, exec, s[0:1]
         s_cbranch_execnz l
         s_endpgm)"),
       keep(loop("buffer_load_dword v6, v5, s[4:7], 0 offen\nv_readfirstlane_b32 s8, v1"))},
      {"transcendental-bound", "gfx942", keep(loop(repeated("v_exp_f32 v{1}, v1", 10))), plain()},
      {"address-arithmetic", "gfx942",
       keep(loop("v_add_f32 v1, v1, v2\n" + repeated("v_add_u32 v{1}, v{1}, v2", 10))), plain()},
      {"barrier-in-loop", "gfx942", keep(loop("s_barrier")), plain()},
      {"code-larger-than-cache", "gfx942",
       keep(".macro big\n.rept 9000\nv_add_f32 v1, 0x12345678, v2\n.endr\n.endm\n"
            "l: big\ns_cbranch_scc0 out\ns_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 0xfffee6b8\ns_addc_u32 s5, "
            "s5, -1\n"
            "s_setpc_b64 s[4:5]\nout: s_endpgm"),
       plain()},
      // What was loaded parts the lanes; a bound cuts off the last wave.
      {"divergent-branch-in-loop", "gfx942", keep(loop(R"(
         global_load_dword v1, v0, s[4:5]
         s_waitcnt vmcnt(0)
         v_cmp_gt_u32 vcc, v1, v2
         s_and_saveexec_b64 s[0:1], vcc
         s_cbranch_execz skip
         v_exp_f32 v3, v3
         v_exp_f32 v3, v3
       skip:
         s_or_b64 exec, exec, s[0:1])")),
       keep("v_lshl_add_u32 v1, s6, 8, v0\n" + loop(R"(
         v_cmp_gt_u32 vcc, s7, v1
         s_and_saveexec_b64 s[0:1], vcc
         s_cbranch_execz skip
         v_exp_f32 v3, v3
         v_exp_f32 v3, v3
       skip:
         s_or_b64 exec, exec, s[0:1])"))},
      // Both sides run, whatever parts them; a side that is short may be skipped or not.
      {"divergent-branch-in-loop", "gfx942", keep(loop(R"(
         v_perm_b32 v1, v0, v5, v6
         v_cmp_gt_u32 vcc, v1, v2
         s_and_saveexec_b64 s[0:1], vcc
         s_xor_b64 s[0:1], exec, s[0:1]
         s_cbranch_execz other
         v_exp_f32 v3, v3
         v_exp_f32 v3, v3
       other:
         s_andn2_saveexec_b64 s[0:1], s[0:1]
         s_cbranch_execz joined
         v_log_f32 v3, v3
         v_log_f32 v3, v3
       joined:
         s_or_b64 exec, exec, s[0:1])")),
       keep(loop(repeated("v_exp_f32 v{1}, v7", 40) + R"(
         v_perm_b32 v1, v0, v5, v6
         v_cmp_gt_u32 vcc, v1, v2
         s_and_saveexec_b64 s[0:1], vcc
         s_cbranch_execz skip
         v_add_f32 v3, v3, v3
       skip:
         s_or_b64 exec, exec, s[0:1])"))},
  };
}

Examples examples_of_instruction_choice() {
  return {
      {"packed-math-chance", "gfx942", keep(loop(repeated("v_fma_f32 v{1}, v1, v2, v{1}", 10))),
       keep(loop("v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[2:3]"))},
      {"dual-issue-chance", "gfx1100", keep(loop(repeated("v_add_f32 v{1}, v1, v2", 10))),
       keep(loop(repeated("v_dual_add_f32 v10, v1, v2 :: v_dual_mul_f32 v11, v4, v7", 10)))},
      {"accidental-double", "gfx942", keep(loop(R"(
         v_cvt_f64_f32 v[2:3], v1
         v_mul_f64 v[2:3], v[2:3], v[4:5]
         v_cvt_f32_f64 v1, v[2:3]
         v_add_f32 v1, v1, v6
         v_mul_f32 v1, v1, v6)")),
       keep(loop("v_mul_f64 v[2:3], v[2:3], v[4:5]"))},
      {"hazard-nops", "gfx942", keep(loop("v_add_f32 v1, v1, v2\ns_nop 7")), plain()},
      {"accumulator-moves", "gfx942", keep(loop(repeated("v_accvgpr_read_b32 v{1}, a{0}", 6))), plain()},
      {"flat-access", "gfx942",
       keep(loop("flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_f32 v4, v1, v4")),
       plain()},
      {"call-in-loop", "gfx942", keep(loop("s_swappc_b64 s[30:31], s[4:5]")), plain()},
      {"lds-bank-conflict", "gfx942",
       keep("v_lshlrev_b32 v1, 7, v0\n" +
            loop("ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v2, v3")),
       keep("v_lshlrev_b32 v1, 2, v0\n" +
            loop("ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v2, v3"))},
      // Code that was unrolled to its end has no loop.
      {"lds-bank-conflict", "gfx942",
       keep("v_lshlrev_b32 v1, 7, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v2, "
            "v3\ns_endpgm"),
       keep("v_lshlrev_b32 v1, 2, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v2, "
            "v3\ns_endpgm")},
      {"uncoalesced-access", "gfx942",
       keep("v_lshlrev_b32 v1, 6, v0\n" +
            loop("global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v2, v3")),
       keep("v_lshlrev_b32 v1, 2, v0\n" +
            loop("global_load_dword v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v2, v3"))},
      // A sum in memory; each pass looks for itself where the address moves, or others may have written.
      {"repeated-load-in-loop", "gfx942", keep(loop(R"(
         global_load_dword v1, v0, s[0:1]
         s_waitcnt vmcnt(0)
         v_add_f32 v1, v1, v2
         global_store_dword v0, v1, s[0:1])")),
       keep(loop(R"(
         global_load_dword v1, v0, s[0:1]
         s_waitcnt vmcnt(0)
         v_add_f32 v1, v1, v2
         global_store_dword v0, v1, s[0:1]
         v_add_u32 v0, 4, v0)"))},
      {"repeated-load-in-loop", "gfx942",
       keep(loop("s_load_dword s2, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_add_f32 v1, s2, v1")),
       keep(loop("global_load_dword v1, v0, s[0:1] sc1\ns_waitcnt vmcnt(0)\nv_add_f32 v2, v1, v2"))},
      {"repeated-load-in-loop", "gfx1201",
       keep(loop(repeated("global_load_b32 v{1}, v0, s[0:1] offset:4", 8))),
       keep(loop(repeated("global_load_b32 v{1}, v0, s[0:1] offset:4", 8) + "s_barrier_wait -1"))},
      {"valu-moves", "gfx942", keep(loop(repeated("v_mov_b32 v{1}, v{2}", 8))), plain()},
      // v1 / v2 as LLVM divides, and with a reciprocal from before the loop.
      {"integer-division-in-loop", "gfx942", keep(loop(R"(
         v_cvt_f32_u32 v3, v2
         v_rcp_iflag_f32 v3, v3
         v_sub_u32 v4, 0, v2
         v_mul_f32 v3, 0x4f7ffffe, v3
         v_cvt_u32_f32 v3, v3
         v_mul_lo_u32 v4, v4, v3
         v_mul_hi_u32 v4, v3, v4
         v_add_u32 v3, v3, v4
         v_mul_hi_u32 v3, v1, v3
         v_mul_lo_u32 v5, v3, v2
         v_sub_u32 v5, v1, v5)")),
       keep(
           "v_cvt_f32_u32 v3, v2\nv_rcp_iflag_f32 v3, v3\nv_mul_f32 v3, 0x4f7ffffe, v3\nv_cvt_u32_f32 v3, v3\n" +
           loop("v_mul_hi_u32 v4, v1, v3\nv_mul_lo_u32 v5, v4, v2\nv_sub_u32 v5, v1, v5"))},
  };
}

Examples examples() {
  Examples all;
  for (const auto& some : {examples_of_waits(), examples_of_occupancy_and_memory(),
                           examples_of_arithmetic_and_control(), examples_of_instruction_choice()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

bool has(const KernelAnalysis& kernel, std::string_view rule) {
  return std::any_of(kernel.findings.begin(), kernel.findings.end(),
                     [&](const Finding& finding) { return finding.rule == rule; });
}

TEST(Rules, FindWhatTheyAreForAndNothingElse) {
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.rule);
    const Resources bad = example.resources.vgprs_total ? example.resources : usual();
    EXPECT_TRUE(has(kernel_of(example.target, example.bad, bad), example.rule));
    EXPECT_FALSE(has(kernel_of(example.target, example.good, usual()), example.rule));
  }
}

TEST(Rules, EachHasAnExample) {
  std::set<std::string_view> shown;
  for (const Example& example : examples()) shown.insert(example.rule);
  for (const Rule* const rule : rules()) EXPECT_TRUE(shown.contains(rule->name)) << rule->name;
  EXPECT_EQ(shown.size(), rules().size());
}

TEST(Rules, WaitsWhoseLoadsHaveComeAreNoEvidence) {
  const KernelAnalysis kernel =
      kernel_of("gfx942", keep(loop("ds_read_b32 v1, v0\n" + repeated("v_exp_f32 v{1}, v7", 20) + R"(
      s_waitcnt lgkmcnt(0)
      v_add_f32 v5, v1, v5
      global_load_dword v2, v0, s[0:1]
      s_waitcnt vmcnt(0)
      v_add_f32 v5, v2, v5)")),
                with([](Resources& r) { r.vgprs_total = 512; }));
  const auto found = std::find_if(kernel.findings.begin(), kernel.findings.end(), [](const Finding& finding) {
    return finding.rule == "exposed-load-latency";
  });
  ASSERT_NE(found, kernel.findings.end());
  ASSERT_EQ(found->where.size(), 1);
  EXPECT_EQ(kernel.instructions[found->where[0].first].text, "s_waitcnt vmcnt(0)");
}

TEST(Rules, WhatWasLoadedBeforeTheLoopIsNoLateLoad) {
  const KernelAnalysis kernel = kernel_of("gfx942", keep("s_load_dwordx2 s[2:3], s[0:1], 0x0\n" +
                                                         loop("s_waitcnt lgkmcnt(0)\nv_add_f32 v1, v1, s2")));
  ASSERT_EQ(kernel.loops.size(), 1);
  EXPECT_EQ(kernel.loops[0].cycles.exposed, 0);
  EXPECT_EQ(finding_of(kernel, "exposed-load-latency"), nullptr);
}

TEST(Rules, ALoadWhoseAddressTheLastOneLoadedCannotBeIssuedEarlier) {
  const Finding* finding = nullptr;
  const KernelAnalysis chain = kernel_of(
      "gfx942", keep(loop("v_lshlrev_b32 v1, 2, v1\nglobal_load_dword v1, v1, s[0:1]\ns_waitcnt vmcnt(0)")));
  finding = finding_of(chain, "exposed-load-latency");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("none can be issued earlier"), std::string::npos) << finding->title;
  EXPECT_EQ(finding->experiment.find("next pass"), std::string::npos) << finding->experiment;

  // The same registers, but the address is made anew.
  const KernelAnalysis free =
      kernel_of("gfx942", keep(loop("v_add_f32 v2, v1, v2\nv_add_u32 v0, 4, v0\n"
                                    "v_mov_b32 v1, v0\nglobal_load_dword v1, v1, s[0:1]\n"
                                    "s_waitcnt vmcnt(0)")));
  finding = finding_of(free, "exposed-load-latency");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("too late"), std::string::npos) << finding->title;
}

TEST(Rules, ALoopThatWaitsForOthersIsNotToldToLoadAhead) {
  const auto asks = [](std::string_view more) {
    return keep(
        fmt::format("l: global_load_dword v1, v0, s[0:1] sc1\n{}\ns_waitcnt vmcnt(0)\n"
                    "v_cmp_eq_u32 vcc, 0, v1\ns_cbranch_vccnz l\ns_endpgm",
                    more));
  };
  const KernelAnalysis spins = kernel_of("gfx942", asks(""));
  const Finding* finding = finding_of(spins, "exposed-load-latency");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("until another wave or the host writes it"), std::string::npos)
      << finding->title;
  EXPECT_FALSE(finding->gain_percent.value);
  // It goes through memory itself: what it finds there is up to nobody else.
  const KernelAnalysis searches = kernel_of("gfx942", asks("v_add_u32 v0, 4, v0"));
  finding = finding_of(searches, "exposed-load-latency");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("too late"), std::string::npos) << finding->title;
}

TEST(Rules, RowsWhoseDistanceIsAnArgumentAreNotSideBySide) {
  const auto column_of = [](std::string_view row, std::string_view column) {
    return keep(
        fmt::format("v_and_b32 v1, 15, v0\nv_lshrrev_b32 v2, 4, v0\n"
                    "v_mad_u64_u32 v[4:5], s[6:7], s4, {}, {}\nv_lshlrev_b32 v4, 2, v4\n"
                    "global_store_dword v4, v6, s[0:1]\ns_endpgm",
                    row, column));
  };
  // 16 rows of 4 numbers; 4 rows of 16 would be two lines more.
  const KernelAnalysis across = kernel_of("gfx942", column_of("v1", "v[2:3]"));
  const Finding* const finding = finding_of(across, "uncoalesced-access");
  ASSERT_NE(finding, nullptr);
  ASSERT_FALSE(finding->evidence.empty());
  EXPECT_NE(finding->evidence[0].find("in 16 rows"), std::string::npos) << finding->evidence[0];
  ASSERT_EQ(across.accesses.size(), 1);
  EXPECT_EQ(across.accesses[0].rows, 16);
  const KernelAnalysis along = kernel_of("gfx942", column_of("v2", "v[0:1]"));
  ASSERT_EQ(along.accesses.size(), 1);
  EXPECT_EQ(along.accesses[0].rows, 4);
  // The same row for all lanes.
  const KernelAnalysis one = kernel_of("gfx942", column_of("s4", "v[0:1]"));
  EXPECT_EQ(finding_of(one, "uncoalesced-access"), nullptr);
}

TEST(Rules, ConflictsBehindABranchAreThoseOfAFullWave) {
  const std::string read = "v_lshlrev_b32 v1, 5, v0\n{}ds_read_b32 v2, v1\ns_endpgm";
  const auto with_branch = [&](std::string_view branch) {
    return kernel_of("gfx942", keep(fmt::format(fmt::runtime(read), branch)));
  };
  const KernelAnalysis plain = with_branch(""),
                       masked = with_branch("v_cmp_gt_u32 vcc, 8, v0\ns_and_saveexec_b64 s[4:5], vcc\n");
  ASSERT_EQ(plain.accesses.size(), 1);
  ASSERT_EQ(masked.accesses.size(), 1);
  EXPECT_FALSE(plain.accesses[0].masked);
  EXPECT_TRUE(masked.accesses[0].masked);
  const Finding* const of_all = finding_of(plain, "lds-bank-conflict");
  const Finding* const of_some = finding_of(masked, "lds-bank-conflict");
  ASSERT_NE(of_all, nullptr);
  ASSERT_NE(of_some, nullptr);
  EXPECT_EQ(of_all->title.find("were all lanes active"), std::string::npos) << of_all->title;
  EXPECT_NE(of_some->title.find("were all lanes active"), std::string::npos) << of_some->title;
}

// Half of the conflicts' cycles are none that the VALU would not take anyway.
TEST(Rules, LdsThatNoFileStatesIsAskedForAtLaunch) {
  const std::string_view reads = "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_endpgm";
  EXPECT_TRUE(kernel_of("gfx942", reads, usual()).resources.dynamic_lds);
  EXPECT_FALSE(
      kernel_of("gfx942", reads, with([](Resources& r) { r.lds_bytes = 256; })).resources.dynamic_lds);
  EXPECT_FALSE(kernel_of("gfx942", "ds_bpermute_b32 v1, v0, v1\ns_endpgm", usual()).resources.dynamic_lds)
      << "lanes exchange values without memory";
}

TEST(Rules, AnIntegerDivisionEndsWithItsRemainder) {
  const KernelAnalysis kernel = kernel_of("gfx942", keep(loop(R"(
      v_rcp_iflag_f32 v3, v2
      v_mul_f32 v3, 0x4f7ffffe, v3
      v_cvt_u32_f32 v3, v3
      v_mul_lo_u32 v4, v6, v3
      v_mul_hi_u32 v4, v3, v4
      v_add_u32 v3, v3, v4
      v_mul_hi_u32 v3, v1, v3
      v_mul_lo_u32 v5, v3, v2
      v_mul_lo_u32 v7, v3, v3)")));
  const Finding* const finding = finding_of(kernel, "integer-division-in-loop");
  ASSERT_NE(finding, nullptr);
  ASSERT_EQ(finding->where.size(), 1);
  EXPECT_EQ(kernel.instructions[finding->where[0].last].text, "v_mul_lo_u32 v5, v3, v2");
  // Of the pass, all but the addition and the multiplication with the quotient.
  ASSERT_TRUE(finding->gain_percent.value);
  EXPECT_NEAR(*finding->gain_percent.value, 100.0 * (4 * 16 + 16 + 2 * 4) / (5 * 16 + 16 + 3 * 4), 1);
}

TEST(Rules, SayWhatWhereWhyAndHowToFindOut) {
  for (const Example& example : examples()) {
    const Resources bad = example.resources.vgprs_total ? example.resources : usual();
    const KernelAnalysis kernel = kernel_of(example.target, example.bad, bad);
    for (const Finding& finding : kernel.findings) {
      SCOPED_TRACE(finding.rule);
      EXPECT_FALSE(finding.title.empty());
      EXPECT_FALSE(finding.evidence.empty());
      EXPECT_FALSE(finding.experiment.empty());
      ASSERT_FALSE(finding.where.empty());
      for (const Location& location : finding.where) EXPECT_LT(location.first, kernel.instructions.size());
      EXPECT_TRUE(finding.gain_percent.value || !finding.gain_percent.unknown_because.empty())
          << "a gain, or why there is none";
      if (finding.gain_percent.value) {
        EXPECT_GE(*finding.gain_percent.value, 0);
        EXPECT_LE(*finding.gain_percent.value, 100);
      }
    }
    EXPECT_TRUE(std::is_sorted(kernel.findings.begin(), kernel.findings.end(),
                               [](const Finding& a, const Finding& b) { return a.rank > b.rank; }));
  }
}

TEST(Rules, AreNamedAsTheirFiles) {
  // The build lists files; a rule's name is its file's, with hyphens.
  std::set<std::string_view> names;
  for (const Rule* const rule : rules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name << " twice";
    EXPECT_FALSE(rule->what.empty());
    EXPECT_EQ(rule->name.find('_'), std::string_view::npos);
  }
}

}  // namespace
}  // namespace wavesmith::analysis
