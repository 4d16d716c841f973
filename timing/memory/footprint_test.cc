#include "timing/memory/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace wavesmith::timing {
namespace {

GroupSteps touching(std::initializer_list<std::pair<uint64_t, uint64_t>> ranges) {
  GroupSteps group;
  group.waves.resize(1);
  group.waves[0].instructions = group.waves[0].recorded = 10;
  for (const auto& [first, count] : ranges)
    for (uint64_t i = 0; i < count; ++i) group.waves[0].lines.push_back({first + i, 128});
  return group;
}

constexpr uint32_t kLine = 128;

TEST(MemoryFootprint, OfAStreamIsEveryLineOnce) {
  // Workgroup n touches lines 8 n to 8 n + 7.
  const Region region{0, 128 * 8000};
  const GroupSteps base = touching({{0, 8}}), next = touching({{8, 8}});
  const GroupSteps* const samples[] = {&base};
  const Neighbours neighbours{{&next}};
  const auto found = footprints({&region, 1}, samples, base, neighbours, kLine, 32768);
  ASSERT_EQ(found.size(), 1u);
  const Extent3 groups{1000, 1, 1};
  EXPECT_EQ(found[0].lines_of(1, groups), 8);
  EXPECT_EQ(found[0].lines_of(100, groups), 800);
  EXPECT_EQ(found[0].lines_of(1000, groups), 8000);
  EXPECT_EQ(found[0].lines_wanted(groups), 8000);
  // 256 lines a piece: 100 workgroups touch a little more than three.
  EXPECT_NEAR(found[0].grains_of(100, groups), 3.1, 0.1);
}

TEST(MemoryFootprint, SharingFollowsTheAxes) {
  // A matrix product: rows are shared along x, columns along y.
  const Region regions[] = {{0, 128 * 1000}, {128 * 1000, 128 * 1000}};
  const GroupSteps base = touching({{0, 10}, {1000, 10}}), right = touching({{0, 10}, {1010, 10}}),
                   below = touching({{10, 10}, {1000, 10}});
  const GroupSteps* const samples[] = {&base};
  const Neighbours neighbours{{&right, &below}};
  const auto found = footprints(regions, samples, base, neighbours, kLine, 32768);
  ASSERT_EQ(found.size(), 2u);
  const Extent3 groups{100, 100, 1};
  EXPECT_EQ(found[0].lines_of(100, groups), 10);       // a row of workgroups: one row
  EXPECT_EQ(found[1].lines_of(100, groups), 1000);     // all columns
  EXPECT_EQ(found[0].lines_of(10'000, groups), 1000);  // no more than there is
}

/// Counted one by one: workgroup (x, y) touches row y of one matrix, column x of the other, a place of its
/// own of the third.
TEST(MemoryFootprint, OfOneDieIsWhatItsWorkgroupsTouch) {
  Footprint rows, columns, own;
  for (Footprint* each : {&rows, &columns, &own}) each->lines = 10, each->all_lines = 1e9;
  rows.shared[0] = 1, columns.shared[1] = 1;
  for (const uint32_t wide : {5u, 12u, 24u, 64u})
    for (const uint32_t dies : {1u, 4u, 8u})
      for (const uint32_t count : {1u, 7u, 38u}) {
        const Extent3 groups{wide, 40, 1};
        std::set<uint32_t> x, y;
        uint32_t heard = 0;
        for (uint32_t i = 0; i < count && i * dies < wide * 40; ++i, ++heard)
          x.insert(i * dies % wide), y.insert(i * dies / wide);
        EXPECT_EQ(rows.lines_of_every(dies, count, groups), 10.0 * static_cast<double>(y.size()))
            << wide << " " << dies << " " << count;
        EXPECT_EQ(columns.lines_of_every(dies, count, groups), 10.0 * static_cast<double>(x.size()))
            << wide << " " << dies << " " << count;
        EXPECT_EQ(own.lines_of_every(dies, count, groups),
                  10.0 * std::min<double>(count, static_cast<double>(x.size() * y.size())));
      }
}

/// Work is dealt so that a die's workgroups, 8 apart, share their lines, and those in between do not.
TEST(MemoryFootprint, OfOneDieFollowsWhatItsNextWorkgroupTouches) {
  const Region region{0, 128 * 8000};
  const GroupSteps base = touching({{0, 10}}), next = touching({{100, 10}}), on_die = touching({{2, 10}});
  const GroupSteps* const samples[] = {&base};
  const Extent3 groups{800, 1, 1};
  const auto plain = footprints({&region, 1}, samples, base, {{&next}}, kLine, 32768);
  EXPECT_EQ(plain[0].lines_of_every(8, 11, groups), 110);
  const auto dealt = footprints({&region, 1}, samples, base, {{&next}, &on_die}, kLine, 32768);
  EXPECT_NEAR(dealt[0].lines_of_every(8, 11, groups), 30, 1e-9);  // two new lines each
  EXPECT_EQ(dealt[0].lines_of(11, groups), 110);
}

TEST(MemoryFootprint, NeighboursLieInTheGrid) {
  const Extent3 groups{10, 3, 1};
  EXPECT_EQ(neighbour(5, 0, 1, groups), 6U);
  EXPECT_EQ(neighbour(9, 0, 1, groups), 8U);
  EXPECT_EQ(neighbour(11, 0, 8, groups), 19U);
  EXPECT_EQ(neighbour(19, 0, 8, groups), 11U);
  EXPECT_EQ(neighbour(15, 0, 8, groups), std::nullopt);
  EXPECT_EQ(neighbour(5, 1, 1, groups), 15U);
  EXPECT_EQ(neighbour(25, 1, 1, groups), 15U);
  EXPECT_EQ(neighbour(5, 2, 1, groups), std::nullopt);
}

TEST(MemoryFootprint, TellsAlongWhichAxisLinesAreTouchedAgain) {
  Footprint one;
  one.lines = 10, one.all_lines = 1e9;
  const Extent3 groups{20, 50, 4};
  one.shared[0] = 1;
  EXPECT_NEAR(one.again(groups).share[0], 0.95, 1e-9);
  EXPECT_NEAR(one.again(groups).share[1] + one.again(groups).share[2], 0, 1e-9);
  one.shared[0] = 0, one.shared[1] = 1;
  EXPECT_NEAR(one.again(groups).share[1], 0.98, 1e-9);
  one.shared[0] = one.shared[2] = 1;
  const Footprint::Again all = one.again(groups);  // one block of lines for the whole grid
  EXPECT_NEAR(all.share[0] + all.share[1] + all.share[2], 1 - 1.0 / (20 * 50 * 4), 1e-9);
}

TEST(MemoryFootprint, WhereNeighboursTakeOtherPartsOfALineTheGridWantsMoreOfThem) {
  // Workgroup n takes 16 bytes of each of 4 rows, which lie 8 lines apart: 8 workgroups along x fill a line.
  const auto of = [](uint64_t row, uint64_t first_byte) {
    GroupSteps group = touching({});
    for (uint64_t i = 0; i < 4; ++i)
      group.waves[0].lines.push_back(
          {(row + i) * 8 + first_byte / kLine, 16, parts_of(first_byte % kLine, 16, kLine)});
    return group;
  };
  const Region region{0, 128 * 8000};
  const GroupSteps base = of(0, 0), right = of(0, 16), below = of(4, 0);
  const GroupSteps* const samples[] = {&base};
  const Neighbours neighbours{{&right, &below}};
  const auto found = footprints({&region, 1}, samples, base, neighbours, kLine, 32768);
  ASSERT_EQ(found.size(), 1u);
  const Extent3 groups{64, 100, 1};
  EXPECT_EQ(found[0].lines_of(1, groups), 4);
  EXPECT_NEAR(found[0].lines_wanted(groups), 400 * 8, 400);
}

TEST(MemoryFootprint, OfAWorkgroupRecordedInPartIsScaled) {
  const Region region{0, 128 * 100'000};
  GroupSteps base = touching({{0, 50}});
  base.waves[0].instructions = 40;
  const GroupSteps* const samples[] = {&base};
  EXPECT_EQ(footprints({&region, 1}, samples, base, {}, kLine, 32768)[0].lines, 200);
}

/// Bytes that loops go through, and the same byte by byte.
TEST(MemoryFootprint, WhatLoopsSweepIsCountedLikeAccesses) {
  const uint64_t seed = std::random_device()();
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t end) { return random() % end; };
  const Region regions[] = {{1000, 60'000}, {61'000, 100'000}, {300'000, 50'000}};
  for (int round = 0; round < 50; ++round) {
    GroupSteps swept[3], listed[3];
    for (int i = 0; i < 3; ++i) {
      swept[i] = touching({{below(40) + 10, below(20)}});
      listed[i] = swept[i];
      for (uint64_t count = below(6); count != 0; --count) {
        const Sweep sweep{.address = 150'000 + below(50'000),
                          .bytes = static_cast<uint32_t>(1 + below(300)),
                          .step = static_cast<int64_t>(below(801)) - 400,
                          .times = 1 + below(150)};
        swept[i].waves[0].sweeps.push_back(sweep);
        for (uint64_t time = 0; time < sweep.times; ++time)
          for (uint32_t byte = 0; byte < sweep.bytes; ++byte) {
            const uint64_t at = sweep.address + time * static_cast<uint64_t>(sweep.step) + byte;
            listed[i].waves[0].lines.push_back({at / kLine, 1, parts_of(at % kLine, 1, kLine)});
          }
      }
    }
    const auto of = [&](const GroupSteps(&groups)[3]) {
      const GroupSteps* const samples[] = {&groups[0], &groups[2]};
      return footprints(regions, samples, groups[0], {{&groups[1]}, &groups[2]}, kLine, 4096);
    };
    const auto some = of(swept), all = of(listed);
    ASSERT_EQ(some.size(), all.size()) << seed;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(some[i].region.begin, all[i].region.begin) << seed;
      EXPECT_EQ(some[i].lines, all[i].lines) << seed;
      EXPECT_EQ(some[i].grains, all[i].grains) << seed;
      EXPECT_EQ(some[i].shared[0], all[i].shared[0]) << seed;
      EXPECT_EQ(some[i].parts_shared[0], all[i].parts_shared[0]) << seed;
      EXPECT_EQ(some[i].grains_shared[0], all[i].grains_shared[0]) << seed;
      EXPECT_EQ(some[i].shared_on_die, all[i].shared_on_die) << seed;
    }
  }
}

TEST(MemoryFootprint, PrivateMemoryIsOfThoseThatAreResident) {
  constexpr uint64_t kPrivate = (uint64_t{1} << 60) / kLine;
  const GroupSteps none = touching({{0, 50}}),
                   some = touching({{0, 50}, {kPrivate, 20}, {kPrivate + 10, 20}});
  const GroupSteps* const samples[] = {&none, &some};
  EXPECT_EQ(private_bytes(samples, 8, kLine), 15 * 8 * kLine);
  EXPECT_EQ(private_bytes({}, 8, kLine), 0);
}

TEST(MemoryFootprint, MemoryOutsideOfAllRegionsIsLeftOut) {
  const Region region{128 * 10, 128 * 2};
  const GroupSteps base = touching({{0, 5}, {50, 5}});
  const GroupSteps* const samples[] = {&base};
  EXPECT_TRUE(footprints({&region, 1}, samples, base, {}, kLine, 32768).empty());
  EXPECT_TRUE(footprints({}, samples, base, {}, kLine, 32768).empty());
}

}  // namespace
}  // namespace wavesmith::timing
