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
        arrivals.pop();
        expected.erase(expected.begin());
      } else {
        const double arrival = i + random() % 50;
        arrivals.push(arrival);
        expected.insert(arrival);
      }
      ASSERT_EQ(arrivals.size(), expected.size());
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
