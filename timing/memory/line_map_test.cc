#include "timing/memory/line_map.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace wavesmith::timing {
namespace {

TEST(LineMap, HoldsWhatAnUnorderedMapHolds) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  LineMap<uint32_t> map(4);
  std::unordered_map<uint64_t, uint32_t> expected;
  for (uint32_t i = 0; i < 200'000; ++i) {
    // Few keys, so that they come again; in strides, as lines do.
    const uint64_t line = random() % 500 * (i % 3 ? 1 : 4096) + (i % 7 ? 0 : uint64_t{1} << 60);
    switch (random() % 3) {
      case 0: {
        const auto [value, added] = map.insert(line, i);
        const auto [there, is_new] = expected.try_emplace(line, i);
        ASSERT_EQ(added, is_new);
        ASSERT_EQ(*value, there->second);
        break;
      }
      case 1:
        map.erase(line);
        expected.erase(line);
        break;
      default: {
        const uint32_t* const value = map.find(line);
        const auto there = expected.find(line);
        ASSERT_EQ(value != nullptr, there != expected.end());
        if (value) {
          ASSERT_EQ(*value, there->second);
        }
      }
    }
    ASSERT_EQ(map.size(), expected.size());
  }
}

}  // namespace
}  // namespace wavesmith::timing
