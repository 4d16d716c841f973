#include "timing/grid/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulate/instructions/testing.h"

namespace wavesmith::timing {
namespace {

const gpus::Gpu& mi300a() { return **gpus::find_gpu("mi300a"); }

Step compute(uint32_t clocks) {
  Step step;
  step.clocks = clocks;
  return step;
}
Step wait() {
  Step step;
  step.kind = Step::Kind::Wait;
  step.memory = 0;
  return step;
}
/// A load of one line.
void load(WaveSteps& wave, uint64_t line, Step::Kind kind = Step::Kind::Load) {
  Step step;
  step.kind = kind;
  step.clocks = 4;
  step.first = static_cast<uint32_t>(wave.lines.size());
  step.count = 1;
  wave.lines.push_back({line, 128});
  wave.steps.push_back(step);
}

ReplayTime replayed(const std::vector<GroupSteps>& groups, uint32_t resident, UnitMemory& memory) {
  UnitLoad load;
  for (const GroupSteps& group : groups) {
    load.groups.push_back(&group);
    load.arrivals.push_back(0);
  }
  load.resident = resident;
  return replay(load, memory);
}

TEST(GridUnit, WavesOfOneSimdShareIt) {
  const MemoryParameters p = memory_parameters(mi300a());
  std::vector<GroupSteps> groups(1);
  for (const size_t waves : {1, 4, 8}) {
    groups[0].waves.assign(waves, {});
    for (WaveSteps& wave : groups[0].waves) wave.steps.push_back(compute(1000));
    UnitMemory memory(p, {}, 1, 0);
    const ReplayTime time = replayed(groups, 1, memory);
    EXPECT_EQ(time.ends[0], waves == 8 ? 2000 : 1000) << waves;
    EXPECT_EQ(time.compute_clocks, 1000.0 * static_cast<double>(waves));
  }
}

TEST(GridUnit, AWaitLastsUntilTheLoadIsThere) {
  const MemoryParameters p = memory_parameters(mi300a());
  std::vector<GroupSteps> groups(1);
  groups[0].waves.resize(1);
  WaveSteps& wave = groups[0].waves[0];
  load(wave, 1);
  wave.steps.push_back(compute(40));  // meanwhile
  wave.steps.push_back(wait());
  wave.steps.push_back(compute(40));
  UnitMemory memory(p, {}, 1, 0);
  EXPECT_NEAR(replayed(groups, 1, memory).ends[0], p.memory_latency + 40, 10);
}

TEST(GridUnit, ResidentWorkgroupsHideEachOthersLatency) {
  const MemoryParameters p = memory_parameters(mi300a());
  std::vector<GroupSteps> groups(8);
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].waves.resize(1);
    load(groups[i].waves[0], i * 10);
    groups[i].waves[0].steps.push_back(wait());
  }
  UnitMemory alone(p, {}, 1, 0), together(p, {}, 1, 0);
  const auto last = [](const ReplayTime& time) { return *std::ranges::max_element(time.ends); };
  EXPECT_NEAR(last(replayed(groups, 1, alone)), 8 * p.memory_latency, 150);
  EXPECT_NEAR(last(replayed(groups, 8, together)), p.memory_latency, 150);
}

TEST(GridUnit, WavesMeetAtABarrier) {
  const MemoryParameters p = memory_parameters(mi300a());
  std::vector<GroupSteps> groups(1);
  groups[0].waves.resize(3);
  Step barrier;
  barrier.kind = Step::Kind::Barrier;
  for (uint32_t i = 0; i < 3; ++i) {
    groups[0].waves[i].steps = {compute(100 * (i + 1)), barrier, compute(50)};
  }
  UnitMemory memory(p, {}, 1, 0);
  EXPECT_EQ(replayed(groups, 1, memory).ends[0], 350);
  groups[0].waves[1].steps = {compute(500)};  // ends without arriving
  UnitMemory again(p, {}, 1, 0);
  EXPECT_EQ(replayed(groups, 1, again).ends[0], 550);
}

TEST(GridLaunch, RecordsFewOfManyAndAllOfOne) {
  const GridModel model(mi300a());
  for (const uint32_t count : {1u, 3u, 228u, 1000u, 1000000u}) {
    LaunchShape shape;
    shape.groups[0] = count;
    shape.waves = 4;
    shape.resident = 8;
    const auto numbers = model.launch(shape)->recorded();
    EXPECT_GE(numbers.size(), std::min<size_t>(count, 2)) << count;
    EXPECT_LE(numbers.size(), 2u * 8 + 2 + 3) << count;
    EXPECT_EQ(std::set<uint64_t>(numbers.begin(), numbers.end()).size(), numbers.size());
    for (const uint64_t number : numbers) EXPECT_LT(number, count);
  }
}

/// Plays a launch whose workgroups all stream `lines` lines each, in and out.
GridTime stream(GridModel& model, uint64_t workgroups, uint64_t lines) {
  LaunchShape shape;
  shape.groups[0] = static_cast<uint32_t>(workgroups);
  shape.waves = 1;
  shape.resident = 16;
  auto launch = model.launch(shape);
  const uint64_t bytes = workgroups * lines * 128;
  const Region regions[] = {{0, bytes}, {bytes, bytes}};
  launch->play([&](uint64_t number, GroupSteps& group) {
    group.waves.resize(1);
    WaveSteps& wave = group.waves[0];
    wave.instructions = wave.recorded = 3 * lines;
    for (uint64_t i = 0; i < lines; ++i) load(wave, number * lines + i);
    wave.steps.push_back(wait());
    for (uint64_t i = 0; i < lines; ++i) load(wave, bytes / 128 + number * lines + i, Step::Kind::Store);
  });
  return model.finish(*launch, regions);
}

double streamed(GridModel& model, uint64_t workgroups, uint64_t lines) {
  return stream(model, workgroups, lines).seconds;
}

TEST(GridModel, StreamsThatTheInfinityCacheHoldsRunAtItsPaceLargerOnesAtMemorys) {
  GridModel model(mi300a());
  const MemoryParameters& p = model.parameters();
  const auto rate = [&](uint64_t workgroups) {
    streamed(model, workgroups, 32);  // warms up
    const double seconds = streamed(model, workgroups, 32);
    return static_cast<double>(2 * workgroups * 32 * 128) / seconds / (p.mhz * 1e6);
  };
  EXPECT_NEAR(rate(10'000), p.infinity_cache_rate, p.infinity_cache_rate * 0.1);  // 82 MB
  EXPECT_NEAR(rate(100'000), p.memory_rate, p.memory_rate * 0.1);                 // 820 MB
}

/// A matrix product of many rows of workgroups, whose results alone are larger than the Infinity Cache.
TEST(GridModel, TheInfinityCacheHasWhatTheRowOfWorkgroupsBeforeBroughtInIfTheRowFits) {
  const GridModel model(mi300a());
  const double line = model.parameters().line;
  const auto columns_cached = [&](uint32_t wide) {
    LaunchShape shape;
    shape.groups[0] = wide, shape.groups[1] = 384;
    std::vector<Footprint> touched(3);
    uint64_t begin = 0;
    for (Footprint& each : touched) {
      each.region = {begin, uint64_t{1} << 40};
      begin += uint64_t{1} << 40;
      each.all_lines = 1e12, each.all_grains = 1e10;
      each.lines = 1500, each.grains = 1;
    }
    touched[0].shared[0] = touched[0].parts_shared[0] = 1;  // rows
    touched[1].shared[1] = touched[1].parts_shared[1] =
        1;                   // columns: those of the whole matrix between one use and the next
    touched[2].lines = 300;  // results
    const GridModel::Found found = model.find(shape, touched);
    EXPECT_GT(found.bytes, 1.5 * static_cast<double>(model.parameters().infinity_cache_bytes));
    EXPECT_GT(found.hits[0].near, 0.9);  // a row is shared by those that run together
    EXPECT_NEAR(found.hits[1].again, found.hits[1].infinity_cache, 0.02);
    return found.hits[1].again;
  };
  EXPECT_EQ(columns_cached(uint32_t(100e6 / (1500 * line))), 1);   // 100 MB of columns
  EXPECT_EQ(columns_cached(uint32_t(1000e6 / (1500 * line))), 0);  // 1 GB
}

TEST(GridModel, WhatItLeavesToBeWrittenBackIsWhatTheL2sKept) {
  GridModel model(mi300a());
  const double l2s = static_cast<double>(model.parameters().l2_bytes) * model.parameters().xcds;
  EXPECT_NEAR(stream(model, 1000, 32).dirty, 1000 * 32 * 128, 0.05 * 1000 * 32 * 128);  // of 8 MB
  // Half of the lines that are left of 82 MB, or of 820, were written.
  for (const uint64_t workgroups : {10'000, 100'000})
    EXPECT_NEAR(stream(model, workgroups, 32).dirty, 0.625 * l2s / 2, 0.02 * l2s) << workgroups;
}

TEST(GridModel, ManySmallWorkgroupsWaitForTheDispatcher) {
  GridModel model(mi300a());
  const MemoryParameters& p = model.parameters();
  const double seconds = streamed(model, 200'000, 1);
  EXPECT_NEAR(seconds * p.mhz * 1e6, 200'000 * p.workgroup_clocks / p.xcds, 3000);
}

/// Like streamed(), through repeats(): says whether it had to be heard, too.
struct Asked {
  double seconds = 0;
  bool heard = true;
};
Asked asked(GridModel& model, uint64_t key, uint64_t workgroups, uint64_t instructions, uint64_t first = 0) {
  LaunchShape shape;
  shape.groups[0] = static_cast<uint32_t>(workgroups);
  shape.resident = 16;
  auto launch = model.launch(shape);
  const Region regions[] = {{first << 40, workgroups * 32 * 128}};
  Asked result;
  result.heard = !model.repeats(*launch, key, regions);
  if (result.heard)
    launch->play([&](uint64_t number, GroupSteps& group) {
      group.waves.resize(1);
      for (uint64_t i = 0; i < 32; ++i) load(group.waves[0], (first << 40) / 128 + number * 32 + i);
      group.waves[0].steps.push_back(wait());
      group.waves[0].instructions = group.waves[0].recorded = 33;
    });
  result.seconds = model.finish(*launch, regions, instructions).seconds;
  return result;
}

TEST(GridModel, ALaunchThatRepeatsIsNotHeardAgainAndTakesAsLong) {
  GridModel model(mi300a());
  GridModel always(mi300a());
  for (int i = 0; i < 8; ++i) {
    const Asked one = asked(model, 7, 5000, 1000);
    const Asked other = asked(always, 100 + i, 5000, 1000);  // another key each time
    EXPECT_EQ(one.heard, i < 2) << i;
    EXPECT_TRUE(other.heard);
    EXPECT_EQ(one.seconds, other.seconds) << i;
  }
  // What came between has emptied the caches.
  for (GridModel* each : {&model, &always}) asked(*each, 50, 500'000, 1, 1);
  const Asked one = asked(model, 7, 5000, 1000);
  EXPECT_TRUE(one.heard);
  EXPECT_EQ(one.seconds, asked(always, 200, 5000, 1000).seconds);
}

TEST(GridModel, ALaunchThatDoesOtherWorkThanBeforeIsHeardFromThenOn) {
  GridModel model(mi300a());
  for (int i = 0; i < 4; ++i) asked(model, 7, 5000, 1000);
  const double before = asked(model, 7, 5000, 1000).seconds;
  const Asked more = asked(model, 7, 5000, 3000);
  EXPECT_FALSE(more.heard);
  EXPECT_DOUBLE_EQ(more.seconds, 3 * before);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(asked(model, 7, 5000, 1000).heard) << i;
}

TEST(GridModel, MoreWorkNeverTakesLessTime) {
  GridModel model(mi300a());
  double before = 0;
  for (uint64_t workgroups = 1; workgroups < 300'000; workgroups = workgroups * 3 / 2 + 1) {
    streamed(model, workgroups, 8);
    const double now = streamed(model, workgroups, 8);
    EXPECT_GE(now, before * 0.97) << workgroups;
    before = now;
  }
}

TEST(GridModel, AKernelIsHeardAsItRuns) {
  GridModel model(mi300a());
  LaunchShape shape;
  shape.groups[0] = 600;
  auto launch = model.launch(shape);
  emulate::KernelTest test("gfx942",
                           "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                           "s_lshl_b32 s2, s2, 8\nv_lshl_add_u32 v1, v0, 2, s2\n"
                           "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
                           "v_add_u32 v2, v2, v2\nglobal_store_dword v1, v2, s[4:5]");
  constexpr size_t kCount = 600 * 64;
  uint32_t* const data = test.allocate(kCount);
  for (size_t i = 0; i < kCount; ++i) data[i] = static_cast<uint32_t>(i);
  test.listeners = {launch.get()};
  const auto done = test.launch(600, 64, {reinterpret_cast<uint64_t>(data)});
  ASSERT_TRUE(done) << done.error().text();
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(data[i], 2 * i);
  const Region region{reinterpret_cast<uint64_t>(data), kCount * 4};
  const GridTime cold = model.finish(*launch, {&region, 1});
  const MemoryParameters& p = model.parameters();
  EXPECT_EQ(cold.groups, 600);
  EXPECT_NEAR(cold.footprint, kCount * 4, kCount * 0.4);
  EXPECT_NEAR(cold.dirty, kCount * 4, kCount * 0.4);
  const double least = p.memory_latency / (p.mhz * 1e6);
  EXPECT_GT(cold.seconds, least);
  EXPECT_LT(cold.seconds, 6 * least);
  EXPECT_GT(cold.compute, 0);
  for (const double share : {cold.compute, cold.address, cold.lds})
    EXPECT_LT(share, 0.5);  // it waits for memory
}

TEST(GridTrace, SaysWhatAWaveDid) {
  const GridModel model(mi300a());
  std::vector<GroupSteps> seen;
  auto launch = model.launch({});
  emulate::KernelTest test("gfx942",
                           "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                           "v_lshlrev_b32 v1, 2, v0\nv_lshlrev_b32 v2, 7, v0\n"
                           "global_load_dword v3, v1, s[4:5]\nglobal_load_dword v4, v2, s[4:5]\n"
                           "s_waitcnt vmcnt(0)\nv_rcp_f32 v5, v3\ns_barrier\nds_write_b32 v1, v3\n"
                           "global_store_dwordx4 v2, v[4:7], s[4:5]",
                           64, 1024);
  uint32_t* const data = test.allocate(64 * 64);
  test.listeners = {launch.get()};
  ASSERT_TRUE(test.launch(1, 64, {reinterpret_cast<uint64_t>(data)}));
  launch->play([&](uint64_t, GroupSteps& group) { seen.push_back(group); });
  ASSERT_EQ(seen.size(), 1u);
  ASSERT_EQ(seen[0].waves.size(), 1u);
  const WaveSteps& wave = seen[0].waves[0];
  EXPECT_EQ(wave.instructions, 12u);
  std::vector<Step::Kind> kinds;
  for (const Step& step : wave.steps) kinds.push_back(step.kind);
  using Kind = Step::Kind;
  EXPECT_EQ(kinds,
            (std::vector<Kind>{Kind::Scalar, Kind::Wait, Kind::Compute, Kind::Load, Kind::Load, Kind::Wait,
                               Kind::Compute, Kind::Barrier, Kind::Lds, Kind::Store, Kind::Compute}));
  EXPECT_EQ(wave.steps[2].clocks, 8u);   // two of four
  EXPECT_EQ(wave.steps[6].clocks, 16u);  // a transcendental
  EXPECT_EQ(wave.steps[3].count, 2u);    // 256 bytes
  EXPECT_EQ(wave.steps[3].clocks, 4u);
  EXPECT_EQ(wave.steps[4].count, 64u);  // a line each
  EXPECT_EQ(wave.steps[4].clocks, 64u);
  EXPECT_EQ(wave.steps[9].clocks, 64u);
  EXPECT_EQ(wave.steps[5].memory, 0);
  EXPECT_EQ(wave.steps[5].local, Step::kAny);
}

}  // namespace
}  // namespace wavesmith::timing
