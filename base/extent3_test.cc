#include "base/extent3.h"

#include <gtest/gtest.h>

namespace wavesmith {
namespace {

TEST(Extent3, CountsXFastest) {
  constexpr Extent3 sizes{3, 4, 5};
  EXPECT_EQ(sizes.count(), 60u);
  EXPECT_EQ(sizes.number_at({1, 0, 0}), 1u);
  EXPECT_EQ(sizes.number_at({0, 1, 0}), 3u);
  EXPECT_EQ(sizes.number_at({0, 0, 1}), 12u);
  for (uint64_t number = 0; number < sizes.count(); ++number)
    EXPECT_EQ(sizes.number_at(sizes.position_of(number)), number);
}

TEST(Extent3, CountsBeyond32Bits) {
  constexpr Extent3 sizes{70'000, 70'000, 2};
  EXPECT_EQ(sizes.count(), 9'800'000'000u);
  EXPECT_EQ(sizes.position_of(sizes.count() - 1), Extent3(69'999, 69'999, 1));
  EXPECT_EQ(sizes.number_at({69'999, 69'999, 1}), sizes.count() - 1);
}

TEST(Extent3, PartialWorkgroupsCount) {
  EXPECT_EQ(workgroups_of({65, 4, 1}, {64, 4, 2}), Extent3(2, 1, 1));
  EXPECT_EQ(workgroups_of({UINT32_MAX, 1, 1}, {1024, 1, 1}), Extent3(1u << 22, 1, 1));
}

}  // namespace
}  // namespace wavesmith
