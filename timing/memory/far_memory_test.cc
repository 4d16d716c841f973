#include "timing/memory/far_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulate/instructions/testing.h"
#include "emulate/run/listeners.h"
#include "timing/grid/grid.h"
#include "timing/grid/unit.h"
#include "timing/memory/unit.h"

namespace wavesmith::timing {
namespace {

using emulate::KernelTest;
const FarPath kLink{.rate = 20, .latency = 5000};
MemoryParameters mi300x() { return memory_parameters(**gpus::find_gpu("mi300x")); }

/// All of memory, behind the link or written to by path of it.
std::vector<RegionHits> everywhere(const FarPath* path, const FarPath* writer = nullptr) {
  RegionHits hits;
  hits.end = UINT64_MAX;
  hits.all = 1e12;
  hits.path = path, hits.writer = writer;
  return {hits};
}

TEST(FarMemory, AnAddressIsInTheRegionThatHoldsIt) {
  const FarRegion regions[] = {
      {.begin = 100, .end = 200, .path = &kLink},
      {.begin = 300, .end = 310, .path = &kLink},
  };
  EXPECT_EQ(far_region(regions, 99), nullptr);
  EXPECT_EQ(far_region(regions, 100), &regions[0]);
  EXPECT_EQ(far_region(regions, 199), &regions[0]);
  EXPECT_EQ(far_region(regions, 200), nullptr);
  EXPECT_EQ(far_region(regions, 309), &regions[1]);
  EXPECT_EQ(far_region(regions, 310), nullptr);
  EXPECT_EQ(far_region({}, 0), nullptr);
}

TEST(FarMemory, ALoadTakesTheLinksLatencyLongerAndAStoreDoesNotWait) {
  const MemoryParameters p = mi300x();
  UnitMemory own(p, everywhere(nullptr), 1, 1e12), far(p, everywhere(&kLink), 1, 1e12);
  const double crossing = p.line / kLink.rate;
  EXPECT_NEAR(far.load(1000, 0), own.load(1000, 0) + kLink.latency + crossing, 1);
  EXPECT_EQ(far.counts().far_bytes, p.line);
  EXPECT_EQ(own.counts().far_bytes, 0);
  EXPECT_NEAR(far.store(2000, 128, 1e6), own.store(2000, 128, 1e6), 1);
  EXPECT_NEAR(far.drained(), 1e6 + crossing, 10);
}

TEST(FarMemory, LoadsAndStoresEachHaveTheLinksRateOrAShareOfIt) {
  const MemoryParameters p = mi300x();
  constexpr double kLines = 5000;
  const FarPath slow{.rate = 4, .latency = 0};
  for (const double share : {1.0, 0.25}) {
    std::vector<RegionHits> hits = everywhere(&slow);
    hits[0].read_share = hits[0].write_share = share;
    UnitMemory memory(p, hits, 1, 1e12);
    double last = 0;
    for (uint64_t i = 0; i < kLines; ++i) {
      last = std::max(last, memory.load(i, 0));
      last = std::max(last, memory.store(100'000 + i, 128, 0));
    }
    const double clocks = kLines * p.line / (slow.rate * share);
    EXPECT_NEAR(last, clocks, clocks * 0.1) << share;
    EXPECT_GE(memory.drained(), clocks);
  }
}

TEST(FarMemory, AFlagIsSeenTheLinksLatencyAfterItWasLookedFor) {
  const MemoryParameters p = mi300x();
  for (const bool flag : {false, true}) {
    GroupSteps group;
    group.waves.resize(1);
    Step step;
    step.kind = Step::Kind::Load;
    step.clocks = 4, step.count = 1, step.flag = flag;
    Step wait;
    wait.kind = Step::Kind::Wait;
    wait.memory = 0;
    group.waves[0].lines.push_back({10, 4});
    group.waves[0].steps = {step, wait};
    UnitMemory memory(p, everywhere(nullptr, &kLink), 1, 1e12);
    const UnitLoad load{{&group}, {0}, 1};
    EXPECT_NEAR(replay(load, memory).ends[0], flag ? kLink.latency : p.memory_latency, 50) << flag;
  }
}

/// Hears a kernel that waits for a flag which another workgroup sets late, and keeps what a workgroup's
/// recorder and counter were told.
struct Heard final : emulate::Listener {
  std::vector<FarRegion> regions;
  InstructionUses uses{UnitParameters{}};
  GroupSteps steps[2];
  std::vector<FarBytes> bytes[2];
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& group) override {
    const uint32_t number = group.id[0];
    std::vector<std::unique_ptr<emulate::WorkgroupListener>> listeners;
    listeners.push_back(std::make_unique<GroupRecorder>(steps[number], uses, 1'000'000, regions));
    listeners.push_back(std::make_unique<FarCounter>(regions, 128, bytes[number]));
    return emulate::together(std::move(listeners));
  }
};

TEST(FarMemory, OfAWaveThatWaitsOneReadingIsKeptHoweverLongItWaits) {
  // The first workgroup reads a flag until the second has set it, which takes as many turns as it is told.
  const char* const text = R"(
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_mov_b32 v0, 0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 2f
  1:
    s_sleep 1
    global_load_dword v1, v0, s[4:5] sc0 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s8, v1
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 1b
    s_endpgm
  2:
    s_sub_u32 s6, s6, 1
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc0 2b
    v_mov_b32 v1, 1
    global_store_dword v0, v1, s[4:5] sc0 sc1
    s_waitcnt vmcnt(0)
  )";
  uint64_t instructions[2];
  for (const int late : {0, 1}) {
    KernelTest test("gfx942", text);
    const auto begin = reinterpret_cast<uint64_t>(test.allocate(16));
    Heard heard;
    heard.regions = {{.begin = begin, .end = begin + 64, .path = &kLink}};
    test.listeners = {&heard};
    ASSERT_TRUE(test.launch(2, 64, {begin, late ? 200'000u : 1u}));
    const WaveSteps& waits = heard.steps[0].waves[0];
    instructions[late] = waits.instructions;
    EXPECT_LT(waits.instructions, 40u);
    EXPECT_EQ(waits.lines.size(), 2u);  // its arguments, the flag
    EXPECT_EQ(std::ranges::count(waits.steps, true, &Step::flag), 1);
    // What crossed the link: the flag, read once, and written once.
    ASSERT_EQ(heard.bytes[0].size(), 1u);
    ASSERT_EQ(heard.bytes[1].size(), 1u);
    EXPECT_EQ(heard.bytes[0][0].read, 4);
    EXPECT_EQ(heard.bytes[0][0].written, 0);
    EXPECT_EQ(heard.bytes[1][0].written, 4);
  }
  EXPECT_EQ(instructions[0], instructions[1]);
}

/// Doubles an array, four bytes per work-item.
struct Doubled {
  GridTime time;
  bool went_far = false;
};
Doubled doubled(GridModel& model, uint32_t workgroups, const FarPath* path, bool all) {
  KernelTest test("gfx942",
                  "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                  "s_lshl_b32 s2, s2, 8\nv_lshl_add_u32 v1, v0, 2, s2\n"
                  "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
                  "v_add_u32 v2, v2, v2\nglobal_store_dword v1, v2, s[4:5]");
  const size_t count = size_t{workgroups} * 64;
  const auto begin = reinterpret_cast<uint64_t>(test.allocate(count));
  const Region region{begin, count * 4, path};
  LaunchShape shape;
  shape.groups[0] = workgroups;
  shape.resident = 16;
  auto launch = model.launch(shape);
  if (path) launch->hear_far({{.begin = begin, .end = begin + count * 4, .path = path}}, all);
  test.listeners = {launch.get()};
  EXPECT_TRUE(test.launch(workgroups, 64, {begin}));
  return {model.finish(*launch, {&region, 1}), launch->went_far()};
}

TEST(FarMemory, AGridTakesAsLongAsItsTrafficTakesOverTheLink) {
  for (const uint32_t workgroups : {200u, 2000u}) {
    GridModel model(**gpus::find_gpu("mi300x"));
    const Doubled own = doubled(model, workgroups, nullptr, true);
    EXPECT_FALSE(own.went_far);
    EXPECT_EQ(own.time.far_bytes, 0);
    const double bytes = workgroups * 256.0;
    for (const bool all : {false, true}) {
      const Doubled far = doubled(model, workgroups, &kLink, all);
      EXPECT_TRUE(far.went_far);
      EXPECT_DOUBLE_EQ(far.time.far_bytes, 2 * bytes) << workgroups;  // in and out
      const double clocks = far.time.seconds * model.parameters().mhz * 1e6, least = bytes / kLink.rate;
      EXPECT_GE(clocks, least);
      EXPECT_LT(clocks, 1.3 * least + 2 * kLink.latency) << workgroups;
      EXPECT_GT(far.time.seconds, own.time.seconds);
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
