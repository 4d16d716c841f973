#include "timing/grid/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "emulate/instructions/testing.h"
#include "emulate/run/listeners.h"
#include "timing/grid/grid.h"
#include "timing/grid/unit.h"
#include "timing/memory/footprint.h"

namespace wavesmith::timing {
namespace {

const gpus::Gpu& mi300a() { return **gpus::find_gpu("mi300a"); }

/// Records each workgroup with loops folded, and as it is.
struct Recorded final : emulate::Listener {
  uint64_t most = 1'000'000;
  InstructionUses uses{{.target = isa::find_target("gfx942")}};
  GroupSteps folded, whole;
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView&) override {
    std::vector<std::unique_ptr<emulate::WorkgroupListener>> listeners;
    listeners.push_back(
        std::make_unique<GroupRecorder>(folded, uses, most, std::span<const FarRegion>(), true));
    listeners.push_back(std::make_unique<GroupRecorder>(whole, uses, most));
    return emulate::together(std::move(listeners));
  }
};

/// A workgroup of four waves. v1 begins `lane` bytes further in each work-item; s6 counts to 0, s10 is
/// `step`.
struct Walk {
  uint32_t count = 0, lane = 0, step = 0;
  double off = 0.02;  ///< share of the time by which a fold may be wrong
};
Region run(const Walk& walk, const std::string& loop, emulate::Listener& listener,
           std::unique_ptr<emulate::KernelTest>& test) {
  const std::string before =
      "s_load_dwordx8 s[4:11], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mul_lo_u32 v1, v0, s8\n"
      "v_mov_b32 v3, 0\nv_mov_b32 v4, 0\n1:\n";
  test = std::make_unique<emulate::KernelTest>("gfx942", before + loop, 64, 1024);
  const size_t bytes = size_t{256} * std::max(4u, walk.lane) + size_t{walk.count + 1} * walk.step + 64;
  uint32_t* const data = test->allocate(bytes / 4);
  test->listeners = {&listener};
  const auto begin = reinterpret_cast<uint64_t>(data);
  const auto done = test->launch(1, 256, {begin, walk.count, walk.lane, walk.step});
  EXPECT_TRUE(done) << done.error().text();
  return {begin, bytes};
}

constexpr const char* kNext =
    "v_add_u32 v1, s10, v1\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 1b\n";

ReplayTime replayed(const GroupSteps& group, UnitMemory& memory) {
  const UnitLoad load{{&group}, {0}, 1};
  return replay(load, memory);
}

size_t steps_of(const GroupSteps& group) {
  size_t sum = 0;
  for (const WaveSteps& wave : group.waves) sum += wave.steps.size();
  return sum;
}

TEST(GridLoop, AFoldedLoopTellsWhatAllOfItDoes) {
  const std::string load = "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n",
                    sum = "v_add_f32 v3, v3, v2\n",
                    matrix = "v_mfma_f32_16x16x16_f16 v[8:11], v[12:13], v[12:13], v[8:11]\n";
  // One leaves in the middle, and the last iteration of another has one lane less.
  const std::string leaves =
      "s_sub_u32 s6, s6, 1\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 2f\nv_add_u32 v1, s10, v1\n"
      "s_branch 1b\n2:\nglobal_store_dword v4, v3, s[4:5]\n";
  const std::string fewer = "s_cmp_lg_u32 s6, 2\ns_cselect_b64 exec, -1, 1\n";
  const MemoryParameters p = memory_parameters(mi300a());
  for (const Walk walk : {Walk{500, 4096, 4}, Walk{777, 4, 2048}, Walk{300, 48, 12288},
                          // As many lines as the L1 has: which of them stay in it hangs on little.
                          Walk{300, 1536, 48, 0.06}, Walk{301, 16, 0}})
    for (const std::string& loop :
         {load + sum + kNext, load + load + leaves, load + matrix + kNext, fewer + load + kNext}) {
      Recorded recorded;
      std::unique_ptr<emulate::KernelTest> test;
      const Region region = run(walk, loop, recorded, test);
      const std::string what = loop + std::to_string(walk.lane) + " " + std::to_string(walk.step);
      EXPECT_LT(steps_of(recorded.folded) * 2, steps_of(recorded.whole)) << what;
      ASSERT_EQ(recorded.folded.waves.size(), 4u);
      const GroupSteps* const groups[] = {&recorded.folded, &recorded.whole};
      Footprint found[2];
      for (int i = 0; i < 2; ++i) {
        const auto touched = footprints({&region, 1}, {groups + i, 1}, *groups[i], {}, p.line, 4096);
        ASSERT_EQ(touched.size(), 1u) << what;
        found[i] = touched[0];
      }
      EXPECT_EQ(found[0].lines, found[1].lines) << what;
      EXPECT_EQ(found[0].grains, found[1].grains) << what;
      for (size_t i = 0; i < 4; ++i) {
        const WaveSteps &wave = recorded.folded.waves[i], &whole = recorded.whole.waves[i];
        EXPECT_EQ(wave.instructions, whole.instructions) << what;
        EXPECT_EQ(wave.recorded, whole.recorded) << what;
        EXPECT_EQ(wave.work.matrix_f16, whole.work.matrix_f16) << what;
      }
      UnitMemory memory(p, {}, 1, 1e12), other(p, {}, 1, 1e12);
      const ReplayTime few = replayed(recorded.folded, memory), all = replayed(recorded.whole, other);
      EXPECT_NEAR(few.ends[0], all.ends[0], walk.off * all.ends[0]) << what;
      EXPECT_NEAR(few.compute_clocks, all.compute_clocks, 1e-9) << what;
      EXPECT_NEAR(few.address_clocks, all.address_clocks, 1e-9 * all.address_clocks) << what;
    }
}

TEST(GridLoop, WhatIsKeptOfAWaveIsNoMoreThanWithoutFolds) {
  Recorded recorded;
  recorded.most = 1000;
  std::unique_ptr<emulate::KernelTest> test;
  const std::string loop = "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n";
  run({5000, 4, 512}, loop + kNext, recorded, test);
  for (const WaveSteps& wave : recorded.folded.waves) {
    EXPECT_EQ(wave.instructions, recorded.whole.waves[0].instructions);
    EXPECT_LE(wave.recorded, 1000u);
    EXPECT_GT(wave.recorded, 990u);  // whole iterations
    EXPECT_EQ(wave.folds.size(), 1u);
  }
}

TEST(GridLoop, WhatDoesNotRepeatIsRecorded) {
  const std::string load = "global_load_dword v2, v1, s[4:5]\n", wait = "s_waitcnt vmcnt(0)\n";
  for (const std::string& loop : {
           load + wait + "s_barrier\n" + kNext,                          // waves that wait for one another
           load + wait + "global_store_dword v1, v3, s[4:5]\n" + kNext,  // new lines are written
           load + kNext,                                                 // runs ahead of memory
           load + wait + "v_mul_u32_u24 v1, v1, 5\nv_and_b32 v1, 0xffc, v1\n" + kNext,  // here and there
           load + wait + "s_and_b32 s12, s6, 7\ns_cmp_eq_u32 s12, 0\ns_cbranch_scc0 3f\n" + load +
               "s_nop 0\n3:\n" + wait + kNext,  // not always the same
       }) {
    Recorded recorded;
    std::unique_ptr<emulate::KernelTest> test;
    run({300, 4, 1024}, loop, recorded, test);
    ASSERT_EQ(recorded.folded.waves.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(recorded.folded.waves[i].folds.empty()) << loop;
      EXPECT_EQ(recorded.folded.waves[i].steps.size(), recorded.whole.waves[i].steps.size()) << loop;
      EXPECT_EQ(recorded.folded.waves[i].lines.size(), recorded.whole.waves[i].lines.size()) << loop;
    }
  }
}

TEST(GridLoop, WavesThatMeetBehindALoopWaitForTheSlowest) {
  const MemoryParameters p = memory_parameters(mi300a());
  Step compute, barrier;
  compute.clocks = 10;
  barrier.kind = Step::Kind::Barrier;
  GroupSteps group;
  group.waves.resize(2);
  for (WaveSteps& wave : group.waves) {
    wave.steps = {compute, compute, compute, barrier, compute};
    wave.folds = {{.from = 0, .to = 1, .apart = 1, .at = 2, .times = 100}};
  }
  group.waves[1].folds[0].times = 300;
  UnitMemory memory(p, {}, 1, 0);
  const ReplayTime time = replayed(group, memory);
  EXPECT_EQ(time.ends[0], 30 + 3000 + 10);
  EXPECT_EQ(time.folded[0], 3000);
  EXPECT_EQ(time.compute_clocks, 80 + 4000);
}

TEST(GridLoop, LoopsOfAGridThatFillsTheGpuAreNotFolded) {
  const GridModel model(mi300a());
  emulate::KernelTest test("gfx942",
                           "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_movk_i32 s6, 200\nv_mov_b32 v1, 0\n"
                           "s_waitcnt lgkmcnt(0)\n1:\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
                           "s_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 1b");
  const uint32_t units = model.parameters().units;
  for (const uint32_t groups : {units, units + 1}) {
    LaunchShape shape;
    shape.groups[0] = groups;
    const auto launch = model.launch(shape);
    test.listeners = {launch.get()};
    ASSERT_TRUE(test.launch(groups, 64, {reinterpret_cast<uint64_t>(test.allocate(64))}));
    launch->play([&](uint64_t, const GroupSteps& group) {
      EXPECT_EQ(group.waves.at(0).folds.size(), groups == units ? 1u : 0u) << groups;
    });
  }
}

}  // namespace
}  // namespace wavesmith::timing
