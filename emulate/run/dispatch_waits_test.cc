// Waves and workgroups that wait for each other: at barriers, through LDS, through memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/stopwatch.h"
#include "emulate/instructions/budget_testing.h"
#include "emulate/instructions/testing.h"
#include "emulate/run/dispatch.h"

namespace wavesmith::emulate {
namespace {

/// Every workgroup (one wave) adds 1 to a counter and waits until all have: what a grid barrier does.
constexpr std::string_view kGridBarrier = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v2, s[4:5]
wait:
  global_load_dword v3, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_lt_u32 s8, s6
  s_cbranch_scc1 wait
)";

/// A wait for other workgroups whose waves meet at a barrier in every round.
std::string wait_with_barriers(std::string_view barrier) {
  return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_cmp_eq_u32 vcc, 0, v0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1
  s_waitcnt lgkmcnt(0)
  s_and_saveexec_b64 s[10:11], vcc
  global_atomic_add v1, v2, s[4:5]
  s_mov_b64 exec, s[10:11]
wait:
  {}
  global_load_dword v3, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_lt_u32 s8, s6
  s_cbranch_scc1 wait
)",
                     barrier);
}

TEST(DispatchWaits, ResidentWorkgroupsWaitForEachOther) {
  for (const int threads : {1, 2}) {
    KernelTest test("gfx942", kGridBarrier);
    uint32_t* const counter = test.allocate(1);
    Limits limits;
    limits.threads = threads;
    limits.seconds = 60;
    const auto done = test.launch(600, 64, {reinterpret_cast<uint64_t>(counter), 600}, limits);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(*counter, 600u);
  }
}

TEST(DispatchWaits, ResidentWorkgroupsWaitForEachOtherFromBarrierToBarrier) {
  for (const int threads : {1, 2}) {
    KernelTest test("gfx942", wait_with_barriers("s_barrier"));
    uint32_t* const counter = test.allocate(1);
    Limits limits;
    limits.threads = threads;
    limits.seconds = 60;
    const auto done = test.launch(100, 256, {reinterpret_cast<uint64_t>(counter), 100}, limits);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(*counter, 100u);
  }
}

TEST(DispatchWaits, EndlessMeetingsAtABarrierEndWithTheirBudget) {
  KernelTest test("gfx942", wait_with_barriers("s_barrier"));
  uint32_t* const counter = test.allocate(1);
  Limits limits;
  limits.instructions = 3'000'000;
  expect_out_of_budget(test.launch(1, 256, {reinterpret_cast<uint64_t>(counter), 2}, limits));
}

/// Workgroups that wait for time to pass do it side by side, as on a GPU that holds them all.
TEST(DispatchWaits, WorkgroupsWaitForTimeTogether) {
  KernelTest test("gfx942", R"(
    s_memrealtime s[4:5]
    s_waitcnt lgkmcnt(0)
    s_add_u32 s6, s4, 10000000
    s_addc_u32 s7, s5, 0
  wait:
    s_memrealtime s[4:5]
    s_waitcnt lgkmcnt(0)
    s_sub_u32 s8, s4, s6
    s_subb_u32 s9, s5, s7
    s_cmp_lt_i32 s9, 0
    s_cbranch_scc1 wait
  )");
  Limits limits;
  limits.threads = 1;
  const Stopwatch watch;
  const auto done = test.launch(200, 64, {}, limits);
  const double passed = watch.seconds();
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_GE(passed, 0.1);   // 10 million ticks of 100 MHz
  EXPECT_LT(passed, 10.0);  // one after another they would take 20 s
}

TEST(DispatchWaits, MoreWaitingWorkgroupsThanTheGpuHoldsRunOutOfTheirBudget) {
  KernelTest test("gfx942", kGridBarrier);
  test.most_resident = 8;
  uint32_t* const counter = test.allocate(1);
  Limits limits;
  limits.instructions = 3'000'000;
  expect_out_of_budget(test.launch(64, 64, {reinterpret_cast<uint64_t>(counter), 64}, limits));
}

/// Wave 0 of a workgroup spins on LDS until wave 3 has written: waves of a workgroup take turns.
TEST(DispatchWaits, WavesOfAWorkgroupWaitForEachOtherThroughLds) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_mov_b32 v1, 0
    v_readfirstlane_b32 s6, v0
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc1 wait
    s_cmp_eq_u32 s6, 192
    s_cbranch_scc0 end
    v_mov_b32 v2, 77
    ds_write_b32 v1, v2
    s_branch end
  wait:
    ds_read_b32 v3, v1
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s7, v3
    s_cmp_eq_u32 s7, 77
    s_cbranch_scc0 wait
    global_store_dword v1, v3, s[4:5]
  end:
  )",
                  64, 1024);
  uint32_t* const out = test.allocate(1);
  const auto done = test.launch(1, 256, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(*out, 77u);
}

/// Each wave writes its number to LDS; after the barrier every wave reads its neighbour's.
TEST(DispatchWaits, BarrierSeparatesWritesFromReads) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v2, 0x3c0, v0
    v_lshlrev_b32 v2, 2, v2
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[4:5]
  )",
                  64, 4096);
  uint32_t* const out = test.allocate(1024);
  const auto done = test.launch(1, 1024, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(out[i], i ^ 0x3c0u);
}

/// The first wave tells 7 to all by way of LDS, and after the barrier, having read it too, writes 9 over it.
/// Only a second barrier would make that safe, yet waves that go on side by side have read 7 long before.
TEST(DispatchWaits, FirstWaveDoesNotOverwriteWhatOthersReadAfterABarrier) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    v_readfirstlane_b32 s6, v0
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 meet
    v_mov_b32 v4, 7
    ds_write_b32 v2, v4
    s_waitcnt lgkmcnt(0)
  meet:
    s_barrier
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 write
    v_mov_b32 v4, 9
    ds_write_b32 v2, v4
  write:
    global_store_dword v1, v3, s[4:5]
  )",
                  64, 4);
  uint32_t* const out = test.allocate(1024);
  const auto done = test.launch(1, 1024, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(out[i], 7u);
}

/// The same with split barriers. After the first one the last wave goes on first, so that it is the first
/// wave whose signal completes the second one: it may not go on at once.
TEST(DispatchWaits, FirstWaveDoesNotOverwriteWhatOthersReadAfterASplitBarrier) {
  KernelTest test("gfx1201", R"(
    s_load_b64 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    v_readfirstlane_b32 s6, v0
    s_wait_kmcnt 0x0
    s_barrier_signal -1
    s_barrier_wait -1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 meet
    v_mov_b32 v4, 7
    ds_store_b32 v2, v4
    s_wait_dscnt 0x0
  meet:
    s_barrier_signal -1
    s_barrier_wait -1
    ds_load_b32 v3, v2
    s_wait_dscnt 0x0
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 write
    v_mov_b32 v4, 9
    ds_store_b32 v2, v4
  write:
    global_store_b32 v1, v3, s[4:5]
  )",
                  32, 4);
  uint32_t* const out = test.allocate(1024);
  const auto done = test.launch(1, 1024, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(out[i], 7u);
}

/// The first workgroup waits for the second one's word; in the second one wave 0 waits for the first one's
/// answer, and wave 1, by way of LDS, for wave 0: it only seems to compute. One host thread has to serve both
/// workgroups.
TEST(DispatchWaits, WaitingThroughLdsForAWaveThatWaitsForAnotherWorkgroup) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    v_readfirstlane_b32 s6, v0
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 second
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc0 end
  first_waits:
    global_load_dword v3, v1, s[4:5] sc0 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s7, v3
    s_cmp_eq_u32 s7, 1
    s_cbranch_scc0 first_waits
    global_store_dword v1, v2, s[4:5] offset:4 sc0 sc1
    s_branch end
  second:
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc0 through_lds
    global_store_dword v1, v2, s[4:5] sc0 sc1
  second_waits:
    global_load_dword v3, v1, s[4:5] offset:4 sc0 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s7, v3
    s_cmp_eq_u32 s7, 1
    s_cbranch_scc0 second_waits
    ds_write_b32 v1, v2
    s_branch end
  through_lds:
    ds_read_b32 v3, v1
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s7, v3
    s_cmp_eq_u32 s7, 1
    s_cbranch_scc0 through_lds
    global_store_dword v1, v2, s[4:5] offset:8
  end:
  )",
                  64, 64);
  uint32_t* const out = test.allocate(3);
  Limits limits;
  limits.threads = 1;
  limits.seconds = 60;
  const auto done = test.launch(2, 128, {reinterpret_cast<uint64_t>(out)}, limits);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(out[2], 1u);
}

/// The first wave reads what the second one told, right behind the barrier; the second one, which has nothing
/// to do there, tells more some thirty instructions on. On a GPU both leave the barrier at once.
TEST(DispatchWaits, AWaveWithNothingToDoDoesNotOverwriteWhatAnotherReadsAtOnce) {
  KernelTest test("gfx1100", R"(
    s_load_b64 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v4, 7
    ds_store_b32 v1, v4
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_cmp_gt_u32 vcc_lo, 32, v0
    s_and_saveexec_b32 s6, vcc_lo
    s_cbranch_execz more
    ds_load_b32 v3, v1 offset:128
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v3, s[4:5]
  more:
    s_mov_b32 exec_lo, -1
    s_movk_i32 s6, 10
  compute:
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 compute
    v_mov_b32 v4, 9
    ds_store_b32 v1, v4
  )",
                  32, 256);
  uint32_t* const out = test.allocate(32);
  const auto done = test.launch(1, 64, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(out[i], 7u) << i;
}

/// Every wave tells 7, sums up what all have told after the barrier, computes for a while and tells 9 in the
/// next step, with no barrier between reading and overwriting. No order of waves makes that safe, only that
/// they go on nearly side by side.
TEST(DispatchWaits, WavesReadWhatAllToldBeforeOneOfThemTellsMore) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_lshrrev_b32 v2, 6, v0
    v_lshlrev_b32 v2, 2, v2
    v_mov_b32 v4, 7
    ds_write_b32 v2, v4
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mov_b32 v3, 0
    ds_read_b128 v[4:7], v3
    s_waitcnt lgkmcnt(0)
    v_add_u32 v8, v4, v5
    v_add_u32 v8, v8, v6
    v_add_u32 v8, v8, v7
    s_movk_i32 s6, 0x64
  compute:
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 compute
    v_mov_b32 v4, 9
    ds_write_b32 v2, v4
    global_store_dword v1, v8, s[4:5]
  )",
                  64, 16);
  uint32_t* const out = test.allocate(256);
  const auto done = test.launch(1, 256, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(out[i], 28u) << i;
}

}  // namespace
}  // namespace wavesmith::emulate
