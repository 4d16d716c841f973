#include "runtime/memory/reach.h"

#include <gtest/gtest.h>

namespace wavesmith::runtime {
namespace {

constexpr size_t kMost = ~size_t{0};

TEST(Reach, IsFromTheFirstByteToTheLast) {
  EXPECT_EQ(reach(7, 1, 1, 100, 1000), 7u);
  EXPECT_EQ(reach(7, 3, 1, 100, 1000), 207u);
  EXPECT_EQ(reach(7, 3, 5, 100, 1000), 4207u);
  EXPECT_EQ(reach(7, 1, 1, kMost, kMost), 7u);
}

TEST(Reach, IsNothingWhereNoMemoryIsSoLarge) {
  EXPECT_FALSE(reach(1, kMost, 1, 16, 16));
  EXPECT_FALSE(reach(1, kMost / 16 + 2, 1, 16, 16));
  EXPECT_FALSE(reach(1, 2, kMost, 16, 16));
  EXPECT_FALSE(reach(kMost, 2, 1, 1, 1));
  EXPECT_EQ(saturated_product(3, 5), 15u);
  EXPECT_EQ(saturated_product(kMost, 2), kMost);
}

}  // namespace
}  // namespace wavesmith::runtime
