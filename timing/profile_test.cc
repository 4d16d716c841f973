#include "timing/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace wavesmith::timing {
namespace {

Sample sample_of(const Extent3& extent) {
  return choose_sample(**gpus::find_gpu("mi300x"), {.extent = extent, .waves = 4, .resident = 2});
}

// Masked attention: how much a workgroup does grows with its position along the first axis.
TEST(Sample, WhatIsSpreadSaysHowMuchAGridDoesWhoseWorkGrowsAlongItsFirstAxis) {
  for (const Extent3 extent : {Extent3{32, 32, 4}, Extent3{8, 32, 16}, Extent3{4, 32, 32}, Extent3{64, 64, 1},
                               Extent3{128, 64, 1}, Extent3{16, 64, 16}, Extent3{8, 16, 16}}) {
    double sum = 0;
    const Sample sample = sample_of(extent);
    for (const uint64_t group : sample.spread) sum += extent.position_of(group)[0] + 1;
    const double mean = sum / static_cast<double>(sample.spread.size());
    EXPECT_NEAR(mean / ((extent[0] + 1) * 0.5), 1, 0.1)
        << extent[0] << " x " << extent[1] << " x " << extent[2];
  }
}

TEST(Sample, SmallGridsAreTakenWhole) {
  for (const uint32_t count : {1U, 2U, 7U, 8U}) {
    const Sample sample = sample_of({count, 1, 1});
    EXPECT_EQ(sample.spread.size(), count);
    EXPECT_TRUE(sample.whole);
  }
}

TEST(Sample, NoMoreWorkgroupsMeetThanTheGridHasForAUnit) {
  const auto meeting = [](uint32_t count) {
    return GridShape{.extent = {count, 1, 1}, .waves = 4, .resident = 3}.meeting(256);
  };
  EXPECT_EQ(meeting(1), 1U);
  EXPECT_EQ(meeting(256), 1U);
  EXPECT_EQ(meeting(320), 2U);
  EXPECT_EQ(meeting(513), 3U);
  EXPECT_EQ(meeting(100'000), 3U);
}

TEST(Sample, GroupsAreOfTheGridAndTakenOnce) {
  for (const Extent3 extent : {Extent3{17, 1, 1}, Extent3{1, 1, 1000}, Extent3{5, 7, 11}}) {
    const Sample sample = sample_of(extent);
    const std::set<uint64_t> once(sample.spread.begin(), sample.spread.end());
    EXPECT_EQ(once.size(), sample.spread.size());
    EXPECT_LT(*once.rbegin(), extent.count());
  }
}

// Causal attention: the work grows with the tile, which is any of the number's digits where heads are dealt
// to dies.
TEST(Sample, WhatIsSpreadEvenlyFindsTheMeanWhicheverDigitOfTheNumberSaysHowMuchIsDone) {
  for (const uint64_t total : {1024, 4096, 3072, 4864, 1000, 65536})
    for (const uint64_t tiles : {8, 16, 32, 64})
      for (const uint64_t dies : {1, 8}) {
        const auto work = [&](uint64_t number) {
          const uint64_t dealt = number % dies * ((total + dies - 1) / dies) + number / dies;
          return static_cast<double>(dealt % tiles + 1);
        };
        double all = 0, some = 0;
        for (uint64_t number = 0; number < total; ++number) all += work(number);
        const std::vector<uint64_t> groups = spread_evenly(total, 256);
        for (const uint64_t number : groups) some += work(number);
        EXPECT_NEAR(some / static_cast<double>(groups.size()) / (all / static_cast<double>(total)), 1, 0.05)
            << total << " workgroups, " << tiles << " tiles, " << dies << " dies";
      }
}

TEST(Sample, WhatIsSpreadEvenlyIsOfTheGridAndTakenOnce) {
  for (const uint64_t total : {1, 2, 63, 64, 65, 1000}) {
    const std::vector<uint64_t> groups = spread_evenly(total, 64);
    const std::set<uint64_t> once(groups.begin(), groups.end());
    EXPECT_EQ(once.size(), groups.size());
    EXPECT_GE(4 * once.size(), 3 * std::min<uint64_t>(total, 64));
    EXPECT_LT(*once.rbegin(), total);
  }
}

}  // namespace
}  // namespace wavesmith::timing
