// Barriers that are wrong, beside the same kernels put right.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "check/testing.h"

namespace wavesmith::check {
namespace {

struct Case {
  const char* name;
  const char* target;
  int lanes;
  uint32_t threads;
  const char* wrong;
  const char* right;
  const char* rule;
  uint64_t most_instructions = 0;
};

// v0 holds the thread's number; waves of 64 or 32.
constexpr const char* kFirstWaveReturns =
    "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc0 done\ns_barrier\ndone:\n";
constexpr const char* kAllReach =
    "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc0 meet\nv_mov_b32 v1, 0\nmeet:\ns_barrier\n";
constexpr const char* kInBranch64 =
    "v_cmp_gt_u32 vcc, 16, v0\ns_and_saveexec_b64 s[8:9], vcc\ns_barrier\ns_or_b64 exec, exec, s[8:9]\n";
constexpr const char* kBehindBranch64 =
    "v_cmp_gt_u32 vcc, 16, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v1, 0\ns_or_b64 exec, exec, s[8:9]\n"
    "s_barrier\n";
constexpr const char* kInBranch32 =
    "v_cmp_gt_u32 vcc_lo, 16, v0\ns_and_saveexec_b32 s8, vcc_lo\ns_barrier\ns_or_b32 exec_lo, exec_lo, s8\n";
constexpr const char* kBehindBranch32 =
    "v_cmp_gt_u32 vcc_lo, 16, v0\ns_and_saveexec_b32 s8, vcc_lo\nv_mov_b32 v1, 0\n"
    "s_or_b32 exec_lo, exec_lo, s8\ns_barrier\n";
constexpr const char* kInBranchSplit =
    "v_cmp_gt_u32 vcc_lo, 16, v0\ns_and_saveexec_b32 s8, vcc_lo\ns_barrier_signal -1\ns_barrier_wait 0xffff\n"
    "s_or_b32 exec_lo, exec_lo, s8\n";
constexpr const char* kBehindBranchSplit =
    "v_cmp_gt_u32 vcc_lo, 16, v0\ns_and_saveexec_b32 s8, vcc_lo\nv_mov_b32 v1, 0\n"
    "s_or_b32 exec_lo, exec_lo, s8\ns_barrier_signal -1\ns_barrier_wait 0xffff\n";
/// The first wave meets the others once less often.
constexpr const char* kOnceLess =
    "v_readfirstlane_b32 s8, v0\ns_barrier\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc0 done\ns_barrier\ndone:\n";
constexpr const char* kAsOften = "v_readfirstlane_b32 s8, v0\ns_barrier\ns_cmp_lg_u32 s8, 0\ns_barrier\n";
/// The waves go round a loop as often as their number says.
constexpr const char* kLoopByWave =
    "v_readfirstlane_b32 s8, v0\nloop:\ns_barrier\ns_sub_u32 s8, s8, 64\ns_cmp_ge_i32 s8, 0\n"
    "s_cbranch_scc1 loop\n";
constexpr const char* kLoopTogether =
    "s_mov_b32 s8, 128\nloop:\ns_barrier\ns_sub_u32 s8, s8, 64\ns_cmp_ge_i32 s8, 0\ns_cbranch_scc1 loop\n";
/// Wave 1 waits for a word of LDS that nobody writes.
constexpr const char* kNobodyWrites =
    "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc0 meet\nv_mov_b32 v1, 0\nlook:\n"
    "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v2\ns_cmp_eq_u32 s9, 0\n"
    "s_cbranch_scc1 look\nmeet:\ns_barrier\n";
constexpr const char* kWaveZeroWrites =
    "v_readfirstlane_b32 s8, v0\nv_mov_b32 v1, 0\nv_mov_b32 v3, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc0 write\n"
    "look:\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v2\ns_cmp_eq_u32 s9, 0\n"
    "s_cbranch_scc1 look\ns_branch meet\nwrite:\nds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\nmeet:\ns_barrier\n";

const Case kCases[] = {
    {"WaveReturnsBeforeBarrier", "gfx942", 64, 128, kFirstWaveReturns, kAllReach, "barrier-without-all"},
    {"WaveReturnsBeforeBarrierOnRdna", "gfx1100", 32, 64, kFirstWaveReturns, kAllReach,
     "barrier-without-all"},
    {"BarrierInBranch", "gfx90a", 64, 128, kInBranch64, kBehindBranch64, "divergent-barrier"},
    {"BarrierInBranchOfWave64OnRdna", "gfx1151", 64, 128, kInBranch64, kBehindBranch64, "divergent-barrier"},
    {"BarrierInBranchOfWave32", "gfx1100", 32, 64, kInBranch32, kBehindBranch32, "divergent-barrier"},
    {"SplitBarrierInBranch", "gfx1201", 32, 64, kInBranchSplit, kBehindBranchSplit, "divergent-barrier"},
    {"OneBarrierLess", "gfx950", 64, 256, kOnceLess, kAsOften, "barrier-without-all"},
    {"OneBarrierLessOfWave32", "gfx1100", 32, 128, kOnceLess, kAsOften, "barrier-without-all"},
    {"LoopsOfUnequalLength", "gfx942", 64, 192, kLoopByWave, kLoopTogether, "barrier-without-all"},
    {"SignalledTwice", "gfx1201", 32, 32, "s_barrier_signal -1\ns_barrier_signal -1\ns_barrier_wait 0xffff\n",
     "s_barrier_signal -1\ns_barrier_wait 0xffff\ns_barrier_signal -1\ns_barrier_wait 0xffff\n",
     "signalled-twice"},
    {"SignalWithoutWait", "gfx1201", 64, 64, "s_barrier_signal -1\nv_mov_b32 v1, 0\n",
     "s_barrier_signal -1\nv_mov_b32 v1, 0\ns_barrier_wait 0xffff\n", "signal-without-wait"},
    {"NobodyWritesTheFlag", "gfx942", 64, 128, kNobodyWrites, kWaveZeroWrites, "no-progress", 100'000},
    {"NobodyWritesTheFlagOnRdna", "gfx1100", 32, 64, kNobodyWrites, kWaveZeroWrites, "no-progress", 100'000},
};

class SyncCases : public testing::TestWithParam<Case> {};

TEST_P(SyncCases, FaultIsFoundAndItsTwinIsNot) {
  const Case& one = GetParam();
  for (const bool wrong : {true, false}) {
    CheckedKernel kernel("sync", one.target, wrong ? one.wrong : one.right, one.lanes, 256);
    kernel.most_instructions = one.most_instructions;
    (void)kernel.launch(3, one.threads, {});
    std::vector<std::string> rules;
    for (const Finding& finding : kernel.findings())
      if (finding.severity != Severity::Hint) rules.push_back(finding.rule);
    EXPECT_EQ(rules, wrong ? std::vector<std::string>{one.rule} : std::vector<std::string>{});
  }
}

INSTANTIATE_TEST_SUITE_P(All, SyncCases, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Sync, DeadlockSaysWhoWaitsWhere) {
  CheckedKernel kernel("sync", "gfx1201",
                       "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 second\n"
                       "s_barrier_signal -1\ns_barrier_wait 0xffff\ns_endpgm\n"
                       "second:\ns_barrier_wait 0xffff\n",
                       32);
  const auto done = kernel.launch(1, 64, {});
  ASSERT_FALSE(done);
  const auto findings = kernel.findings();
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.push_back(finding.rule);
  ASSERT_EQ(rules, (std::vector<std::string>{"deadlock", "wait-without-signal"}));
  EXPECT_EQ(findings[0].parties.size(), 2u);
}

TEST(Sync, FindsTheSameWithAnyNumberOfThreads) {
  std::vector<Finding> first;
  for (const int threads : {1, 2, 5}) {
    CheckedKernel kernel("sync", "gfx942", kFirstWaveReturns);
    ASSERT_TRUE(kernel.launch(40, 128, {}, threads));
    if (first.empty()) first = kernel.findings();
    EXPECT_EQ(kernel.findings(), first);
  }
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].count, 40u);
  EXPECT_EQ(first[0].parties[0].workgroup, (Extent3{0, 0, 0}));
}

TEST(Sync, WavesThatMeetAtDifferentBarriersAreAHint) {
  CheckedKernel kernel("sync", "gfx942",
                       "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 other\n"
                       "s_barrier\ns_branch end\nother:\ns_barrier\nend:\n");
  ASSERT_TRUE(kernel.launch(1, 128, {}));
  const auto findings = kernel.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "different-barriers");
  EXPECT_EQ(findings[0].severity, Severity::Hint);
}

}  // namespace
}  // namespace wavesmith::check
