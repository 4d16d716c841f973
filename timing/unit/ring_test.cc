#include "timing/unit/ring.h"

#include <gtest/gtest.h>

#include <deque>

namespace wavesmith::timing {
namespace {

TEST(Ring, GivesBackInTheOrderInWhichItWasGiven) {
  Ring<int> ring;
  std::deque<int> expected;
  EXPECT_TRUE(ring.empty());
  for (int i = 0; i < 1000; ++i) {  // grows, and goes round
    ring.push(i);
    expected.push_back(i);
    if (i % 3 == 2) {
      const size_t count = i % 2 ? 2 : 1;
      ring.pop(count);
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
    }
    ASSERT_EQ(ring.size(), expected.size());
    ASSERT_EQ(ring.front(), expected.front());
    ASSERT_EQ(ring.back(), expected.back());
    ASSERT_EQ(ring[ring.size() / 2], expected[expected.size() / 2]);
  }
  ring.clear();
  EXPECT_TRUE(ring.empty());
  ring.push(7);
  EXPECT_EQ(ring.front(), 7);
}

}  // namespace
}  // namespace wavesmith::timing
