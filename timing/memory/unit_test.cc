#include "timing/memory/unit.h"

#include <gtest/gtest.h>

namespace wavesmith::timing {
namespace {

MemoryParameters mi300a() { return memory_parameters(**gpus::find_gpu("mi300a")); }

/// One region of all of memory, found where `l2` and `cache` say.
std::vector<RegionHits> everywhere(double l2, double cache, double walk = 0) {
  RegionHits hits;
  hits.end = UINT64_MAX;
  hits.l2 = l2, hits.infinity_cache = cache, hits.walk = walk;
  hits.all = 1e12;
  return {hits};
}

TEST(MemoryUnit, ALoadTakesTheLatencyOfTheLevelThatHasIt) {
  const MemoryParameters p = mi300a();
  EXPECT_EQ(p.l1_latency, 120);
  EXPECT_EQ(p.memory_latency, 813);
  const struct {
    double l2, cache, latency;
  } cases[] = {{1, 0, p.l2_latency}, {0, 1, p.infinity_cache_latency}, {0, 0, p.memory_latency}};
  for (const auto& one : cases) {
    UnitMemory memory(p, everywhere(one.l2, one.cache), 1, 1e12);
    EXPECT_NEAR(memory.load(1000, 50), 50 + one.latency, 1) << one.latency;
    // Under way, then there.
    EXPECT_NEAR(memory.load(1000, 60), 50 + one.latency, 1);
    EXPECT_NEAR(memory.load(1000, 5000), 5000 + p.l1_latency, 1);
  }
}

TEST(MemoryUnit, WhatIsAskedForAgainIsInTheL2UnlessMuchCameBetween) {
  const MemoryParameters p = mi300a();
  const auto again = [&p](uint64_t lines, double die_bytes) {
    UnitMemory memory(p, everywhere(0, 0), p.units, die_bytes);
    for (uint64_t i = 0; i < lines; ++i) memory.load(i, 0);
    const double before = memory.counts().l2_hits;
    for (uint64_t i = 0; i < lines; ++i) memory.load(i, 1e9);
    return (memory.counts().l2_hits - before) / static_cast<double>(lines);
  };
  EXPECT_GT(again(400, 1e12), 0.95);            // 51 kB of each of 38 units
  EXPECT_LT(again(2000, 1e12), 0.01);           // 256 kB of each of them
  EXPECT_GT(again(2000, 0.4 * 4194304), 0.85);  // the same ones
}

TEST(MemoryUnit, AnL2IsLeftWithWhatItKeepsOfEachLine) {
  constexpr double kL2 = 4 << 20;
  for (const double touched : {0.01, 0.5, 0.6, 0.75, 1.0, 6.0}) {
    constexpr int kSteps = 10'000;
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += l2_keeps((i + 0.5) / kSteps * touched * kL2, kL2) / kSteps;
    EXPECT_NEAR(l2_left(touched * kL2, kL2), sum, 1e-4) << touched;
  }
  EXPECT_EQ(l2_left(1e6, 0), 0);
}

TEST(MemoryUnit, WhatOthersBringInAtTheSameTimeIsThereThoughMuchCameBetween) {
  const MemoryParameters p = mi300a();
  for (const double near : {0.0, 0.25, 0.9})
    for (const double kept : {0.0, 0.5, 1.0}) {
      std::vector<RegionHits> hits = everywhere(0, 0);
      hits[0].near = near, hits[0].again = kept;
      UnitMemory memory(p, hits, p.units, 1e12);
      constexpr uint64_t kLines = 5000;
      for (uint64_t i = 0; i < kLines; ++i) memory.load(i, 0);
      const MemoryCounts before = memory.counts();
      for (uint64_t i = 0; i < kLines; ++i) memory.load(i, 1e9);
      EXPECT_NEAR(memory.counts().l2_hits - before.l2_hits, near * kLines, 0.002 * kLines);
      EXPECT_NEAR(memory.counts().infinity_cache_hits - before.infinity_cache_hits,
                  (1 - near) * kept * kLines, 0.002 * kLines);
    }
}

/// carlushuang/gcnasm, bandwidth_memread on an MI308X: 4330 GB/s read, 3330 copied.
TEST(MemoryUnit, ReadingAloneIsFasterThanCopying) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi308x");
  const MemoryParameters p = memory_parameters(gpu);
  const auto rate = [&](bool copies) {
    UnitMemory memory(p, everywhere(0, 0), p.units, 1e12);
    constexpr uint64_t kLines = 20'000;
    for (uint64_t i = 0; i < kLines; ++i)
      if (copies && i % 2)
        memory.store(1'000'000 + i, p.line, 0);
      else
        memory.load(i, 0);
    return kLines * p.line / memory.drained() * p.units * p.mhz * 1e6;
  };
  EXPECT_NEAR(rate(false), 4330e9, 50e9);
  EXPECT_NEAR(rate(true), 3330e9, 50e9);
}

TEST(MemoryUnit, StreamsAtTheUnitsShareOfTheBandwidth) {
  const MemoryParameters p = mi300a();
  for (const double cache : {0.0, 1.0}) {
    UnitMemory memory(p, everywhere(0, cache), p.units, 1e12);
    constexpr int kLines = 20'000;
    double last = 0;
    for (uint64_t i = 0; i < kLines; ++i) last = memory.load(i, 0);
    const double rate = kLines * p.line / last * p.units;
    EXPECT_NEAR(rate, cache == 1 ? p.infinity_cache_rate : p.memory_rate, rate * 0.03);
    EXPECT_GE(memory.drained(), last - p.memory_latency - p.infinity_cache_latency);
  }
}

TEST(MemoryUnit, FewUnitsAreBoundByTheLinesThatTheyWaitFor) {
  const MemoryParameters p = mi300a();
  UnitMemory memory(p, everywhere(1, 1), 1, 1e12);
  double last = 0;
  for (uint64_t i = 0; i < 5000; ++i) last = memory.load(i, 0);
  // What units that miss their L1 get from the L2 was measured: 43 bytes per clock.
  EXPECT_NEAR(5000 * p.line / last, 43, 2);
}

/// As thread traces of an MI350X show: while every place of the L1 is a line's that is under way, not even a
/// hit goes on.
TEST(MemoryUnit, WhereTheL1IsFullOfLinesUnderWayNothingGoesOn) {
  const MemoryParameters p = mi300a();
  ASSERT_EQ(p.in_order_lines, 256u);
  const auto hit_behind = [&p](uint64_t lines, bool in_order) {
    UnitMemory memory(p, everywhere(0, 0), 1, 1e12, in_order);
    memory.load(0, 0);
    for (uint64_t i = 1; i <= lines; ++i) {
      memory.load(i, 5000);
      if (i == 100) memory.load(0, 5000);  // so that it is not the one that makes room
    }
    const double hit = memory.load(0, 5001), store = memory.store(1'000'000, 128, 5001);
    EXPECT_GE(store, hit - p.l1_latency + p.store_latency);
    return hit - 5001;
  };
  EXPECT_EQ(hit_behind(255, true), p.l1_latency);  // one place is the hit's
  EXPECT_EQ(hit_behind(257, true), p.memory_latency - 1 + p.l1_latency);
  EXPECT_EQ(hit_behind(255, false), p.l1_latency);
  EXPECT_EQ(memory_parameters(**gpus::find_gpu("rx9070xt")).in_order_lines, 0u);
}

TEST(MemoryUnit, SixteenAccessesWaitInFrontOfAFullL1) {
  const MemoryParameters p = mi300a();
  for (const bool in_order : {true, false}) {
    UnitMemory memory(p, everywhere(0, 0), 1, 1e12, in_order);
    double admits = 0;
    const auto access = [&](uint64_t line) { memory.load(line, 0), admits = memory.admits(); };
    for (uint64_t line = 0; line < p.in_order_lines; ++line) access(line);
    EXPECT_EQ(admits, 0);
    for (uint64_t line = 0; line < 16; ++line) access(1000 + line);
    EXPECT_EQ(admits, 0);
    access(2000);
    EXPECT_EQ(admits, in_order ? p.memory_latency : 0);
  }
}

TEST(MemoryUnit, StoresAreAcknowledgedAndCounted) {
  const MemoryParameters p = mi300a();
  UnitMemory memory(p, everywhere(1, 1), 1, 1e12);
  memory.load(5, 0);
  EXPECT_NEAR(memory.store(5, 128, 1000), 1000 + p.store_latency, 4);
  // The L1 has it no more.
  EXPECT_NEAR(memory.load(5, 9000), 9000 + p.l2_latency, 4);
  memory.store(6, 128, 10000);
  memory.store(6, 128, 10000);
  EXPECT_EQ(memory.counts().stores, 3u);
  EXPECT_EQ(memory.written(0.5), 4);  // lines 5 and 6, of half of the grid
}

TEST(MemoryUnit, TranslationsAreFetchedAtTheirPace) {
  const MemoryParameters p = mi300a();
  UnitMemory none(p, everywhere(0, 0), p.units, 1e12), all(p, everywhere(0, 0, 1), p.units, 1e12);
  double without = 0, with = 0;
  for (uint64_t i = 0; i < 3000; ++i) without = none.load(i, 0), with = all.load(i, 0, true);
  EXPECT_GT(with, 2 * without);
  EXPECT_NEAR(with, 3000 * p.units / p.walk_rate, with * 0.05);
  EXPECT_EQ(all.counts().walks, 3000);
  EXPECT_FALSE(all.scattered(std::vector<LineUse>{{1, 4}, {2, 4}}));
  EXPECT_TRUE(all.scattered(std::vector<LineUse>{{1, 4}, {100'000, 4}}));
}

TEST(MemoryUnit, EveryGpuHasParametersAndSaysWhatIsAssumed) {
  for (const gpus::Gpu* gpu : gpus::gpus()) {
    const MemoryParameters p = memory_parameters(*gpu);
    EXPECT_GT(p.l1_latency, 0) << gpu->id;
    EXPECT_GT(p.l2_latency, p.l1_latency) << gpu->id;
    EXPECT_GT(p.memory_rate, 0) << gpu->id;
    EXPECT_GE(p.infinity_cache_rate, 0.99 * p.memory_rate) << gpu->id;
    EXPECT_GT(p.workgroup_clocks, 1) << gpu->id;
    EXPECT_GE(p.misses, 1u) << gpu->id;
    EXPECT_GT(p.l1_bytes, 0u) << gpu->id;
  }
  EXPECT_FALSE(memory_parameters(**gpus::find_gpu("rx9070xt")).assumed.empty());
}

}  // namespace
}  // namespace wavesmith::timing
