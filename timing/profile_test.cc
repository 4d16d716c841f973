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

TEST(Sample, GroupsAreOfTheGridAndTakenOnce) {
  for (const Extent3 extent : {Extent3{17, 1, 1}, Extent3{1, 1, 1000}, Extent3{5, 7, 11}}) {
    const Sample sample = sample_of(extent);
    const std::set<uint64_t> once(sample.spread.begin(), sample.spread.end());
    EXPECT_EQ(once.size(), sample.spread.size());
    EXPECT_LT(*once.rbegin(), extent.count());
  }
}

}  // namespace
}  // namespace wavesmith::timing
