#include "timing/memory/arrivals.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wavesmith::timing {
namespace {

TEST(MemoryArrivals, ComeInOrder) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const size_t most : {1, 2, 7, 64}) {
    Arrivals arrivals(most);
    std::multiset<double> expected;
    for (int i = 0; i < 5'000; ++i) {
      if (expected.size() == most || (!expected.empty() && random() % 3 == 0)) {
        ASSERT_EQ(arrivals.first(), *expected.begin());
        arrivals.take();
        expected.erase(expected.begin());
      } else {
        const double arrival = i + random() % 50;
        arrivals.push(arrival, random() % Arrivals::kRows);
        expected.insert(arrival);
      }
      ASSERT_EQ(arrivals.size(), expected.size());
    }
  }
}

TEST(MemoryArrivals, AllThatHaveArrivedAreDroppedOrElseTheFirst) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const size_t most : {1, 2, 7, 64}) {
    Arrivals arrivals(most);
    std::multiset<double> expected;
    for (int i = 0; i < 5'000; ++i) {
      if (expected.size() == most || (!expected.empty() && random() % 9 == 0)) {
        const double now = i + random() % 40, first = *expected.begin();
        ASSERT_EQ(arrivals.drop(now), std::max(now, first));
        expected.erase(expected.begin(), first > now ? ++expected.begin() : expected.upper_bound(now));
      } else {
        const double arrival = i + random() % 50;
        arrivals.push(arrival, random() % Arrivals::kRows);
        expected.insert(arrival);
      }
      ASSERT_EQ(arrivals.size(), expected.size());
      if (!expected.empty()) {
        ASSERT_EQ(arrivals.first(), *expected.begin());
      }
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
