#include "timing/memory/recency.h"

#include <gtest/gtest.h>

#include <list>
#include <random>
#include <unordered_map>

namespace wavesmith::timing {
namespace {

/// Beside a list, the most recent line first.
TEST(Recency, TheLeastRecentlyUsedLineGoes) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const size_t lines : {size_t{1}, size_t{2}, size_t{7}, size_t{64}}) {
    Recency<uint32_t> cache(lines);
    std::unordered_map<uint32_t, uint32_t> places;
    std::list<std::pair<uint32_t, double>> expected;
    for (int i = 0; i < 20'000; ++i) {
      const auto line = static_cast<uint32_t>(1 + random() % (2 * lines + 1));
      const auto known = std::ranges::find(expected, line, &std::pair<uint32_t, double>::first);
      ASSERT_EQ(places.contains(line), known != expected.end());
      if (known == expected.end()) {
        uint32_t gone = 0;
        places[line] = cache.insert(line, i, [&](uint32_t number) { gone = number; });
        if (expected.size() == lines) {
          ASSERT_EQ(gone, expected.back().first);
          places.erase(gone);
          expected.pop_back();
        } else {
          ASSERT_EQ(gone, 0u);
        }
        expected.emplace_front(line, i);
        continue;
      }
      ASSERT_EQ(cache.ready(places[line]), known->second);
      if (random() % 4 == 0) {
        cache.remove(places[line]);
        places.erase(line);
        expected.erase(known);
      } else {
        cache.touch(places[line]);
        expected.splice(expected.begin(), expected, known);
      }
    }
  }
}

}  // namespace
}  // namespace wavesmith::timing
