#include "emulate/run/dispatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/stopwatch.h"
#include "emulate/instructions/budget_testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

/// out[global id] = global id, for workgroups of 256.
constexpr std::string_view kIota = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32 v1, s3, v0
  v_lshlrev_b32 v2, 2, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[4:5]
)";

TEST(Dispatch, ALongGridTellsHowManyWorkgroupsHaveBegun) {
  KernelTest test("gfx942",
                  "s_mov_b32 s8, 0x1000\nl:\nv_add_u32 v1, v1, v1\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n"
                  "s_cbranch_scc1 l");
  std::vector<uint64_t> told;
  test.progress = [&](uint64_t begun, uint64_t workgroups, uint64_t) {
    EXPECT_EQ(workgroups, 1000u);
    told.push_back(begun);
  };
  Limits limits;
  limits.threads = 1;
  const auto done = test.launch(1000, 64, {}, limits);
  ASSERT_TRUE(done) << done.error().text();
  // 16.4 million instructions, told after each million or so.
  ASSERT_GE(told.size(), 8u);
  EXPECT_LE(told.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.front(), 200u);
  EXPECT_GE(told.back(), 800u);
  EXPECT_LE(told.back(), 1000u);
}

TEST(Dispatch, RunsEveryWorkItemOnce) {
  for (const int threads : {1, 2, 5}) {
    KernelTest test("gfx942", kIota);
    uint32_t* const out = test.allocate(1000 * 256);
    Limits limits;
    limits.threads = threads;
    const auto done = test.launch(1000, 256, {reinterpret_cast<uint64_t>(out)}, limits);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->workgroups, 1000u);
    EXPECT_EQ(done->waves, 4000u);
    EXPECT_EQ(done->instructions, 4000u * 8);
    for (uint32_t i = 0; i < 1000 * 256; ++i) ASSERT_EQ(out[i], i);
  }
}

TEST(Dispatch, Rdna4FindsTheWavesNumberInATrapRegister) {
  for (const int lanes : {32, 64}) {
    KernelTest test("gfx1201", R"(
      s_load_b64 s[4:5], s[0:1], 0x0
      v_and_b32 v0, 0x3ff, v0
      s_bfe_u32 s2, ttmp8, 0x50019
      v_lshlrev_b32 v1, 2, v0
      v_mov_b32 v2, s2
      s_wait_kmcnt 0x0
      global_store_b32 v1, v2, s[4:5]
    )",
                    lanes);
    uint32_t* const out = test.allocate(512);
    const auto done = test.launch(1, 512, {reinterpret_cast<uint64_t>(out)});
    ASSERT_TRUE(done) << done.error().text();
    for (uint32_t i = 0; i < 512; ++i) ASSERT_EQ(out[i], i / static_cast<uint32_t>(lanes)) << lanes;
  }
}

TEST(Dispatch, LanesLieInTheWorkgroupXFirst) {
  // out[x + 32 y + 1024 z] += the number of the lane in its wave, from 1.
  constexpr std::string_view body = R"(
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    v_lshl_add_u32 v1, v2, 5, v1
    v_lshl_add_u32 v1, v3, 10, v1
    v_lshlrev_b32 v1, 2, v1
    v_mbcnt_lo_u32_b32 v2, -1, 1
    v_mbcnt_hi_u32_b32 v2, -1, v2
    s_waitcnt lgkmcnt(0)
  )";
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  const auto below = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
  for (const auto& [target, lanes] : {TargetLanes{"gfx942", 64}, {"gfx1100", 64}, {"gfx1100", 32}}) {
    const bool old = target == "gfx942";
    for (int round = 0; round < 20; ++round) {
      Extent3 workgroup, grid;
      do {
        for (uint32_t& size : workgroup) size = below(32);
      } while (workgroup.count() > 1024);
      for (size_t axis = 0; axis < 3; ++axis)
        grid[axis] = round % 2 ? below(workgroup[axis]) : workgroup[axis];
      KernelTest test(
          target,
          fmt::format("{} s[4:5], s[0:1], 0x0\n{}\n{} v1, v2, s[4:5]", old ? "s_load_dwordx2" : "s_load_b64",
                      body, old ? "global_atomic_add" : "global_atomic_add_u32"),
          lanes);
      uint32_t* const out = test.allocate(32 * 32 * 32);
      const auto done = test.launch(grid, workgroup, {reinterpret_cast<uint64_t>(out)});
      ASSERT_TRUE(done) << done.error().text();
      for (uint32_t z = 0; z < 32; ++z)
        for (uint32_t y = 0; y < 32; ++y)
          for (uint32_t x = 0; x < 32; ++x) {
            const bool there = x < grid[0] && y < grid[1] && z < grid[2];
            const uint64_t lane = workgroup.number_at({x, y, z}) % static_cast<uint32_t>(lanes);
            ASSERT_EQ(out[x + 32 * y + 1024 * z], there ? lane + 1 : 0)
                << target << ", wave" << lanes << ": " << x << ", " << y << ", " << z << " of "
                << fmt::format("{} in {}", fmt::join(grid, " x "), fmt::join(workgroup, " x "));
          }
    }
  }
}

TEST(Dispatch, LastWorkgroupOfARaggedGridIsSmaller) {
  KernelTest test("gfx942", R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    s_waitcnt lgkmcnt(0)
    global_atomic_add v1, v2, s[4:5]
  )");
  uint32_t* const out = test.allocate(1);
  const auto done = test.launch(3, 100, {reinterpret_cast<uint64_t>(out)});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(*out, 300u);
  EXPECT_EQ(done->waves, 6u);
}

TEST(Dispatch, EndlessKernelEndsWithItsBudget) {
  KernelTest test("gfx942", "loop: s_branch loop");
  Limits limits;
  limits.instructions = 2'000'000;
  expect_out_of_budget(test.launch(2, 64, {}, limits), "s_branch");
  Limits time;
  time.seconds = 0.05;
  expect_out_of_budget(test.launch(2, 64, {}, time), "s_branch");
}

TEST(Dispatch, SleepingForeverEndsWithItsTime) {
  KernelTest test("gfx942", "loop: s_sleep 1\ns_branch loop");
  Limits limits;
  limits.seconds = 0.05;
  expect_out_of_budget(test.launch(1, 64, {}, limits));
}

TEST(Dispatch, FaultNamesKernelWorkgroupAndInstruction) {
  KernelTest test("gfx1100", R"(
    s_cmp_eq_u32 s2, 2
    s_cbranch_scc0 end
    image_load v[0:3], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D
  end:
  )",
                  32);
  const auto done = test.launch(5, 32, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Unsupported);
  for (const char* part : {"kernel 'test'", "workgroup (2, 0, 0)", "entry + 0x8", "image_load"})
    EXPECT_NE(done.error().text().find(part), std::string::npos) << done.error().text();
}

TEST(Dispatch, EmptyGridIsRefused) {
  KernelTest test("gfx942", "s_nop 0");
  const auto done = test.launch(0, 64, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::BadInput);
}

TEST(Dispatch, TheLargestGridOfAnEmptyKernelIsDone) {
  // 2^31 - 1 workgroups: minutes, were they begun one by one.
  KernelTest kernel("gfx942", "");
  const Stopwatch watch;
  const auto done = kernel.launch(0x7fffffff, 1, {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->workgroups, 0x7fffffffu);
  EXPECT_EQ(done->waves, 0x7fffffffu);
  EXPECT_EQ(done->instructions, 0x7fffffffu);
  EXPECT_LT(watch.seconds(), 10);
}

TEST(Dispatch, ABranchOutOfTheCodeIsAnError) {
  KernelTest kernel("gfx942", "s_branch 0x7000\ns_endpgm");
  const auto done = kernel.launch(1, 64, {});
  ASSERT_FALSE(done);
  EXPECT_FALSE(done.error().text().empty());
}

}  // namespace
}  // namespace wavesmith::emulate
