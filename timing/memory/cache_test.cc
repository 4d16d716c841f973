#include "timing/memory/cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace wavesmith::timing {
namespace {

TEST(MemoryCache, OfOneSetIsTheListOfTheLinesUsedLast) {
  constexpr uint32_t kLines = 16;
  Cache cache(kLines * 128, 128);
  std::list<uint64_t> recent;
  std::mt19937 random(7);
  int hits = 0, misses = 0;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t line = random() % 24;
    const bool expected = std::ranges::find(recent, line) != recent.end();
    const bool got = cache.find(line) != nullptr;
    ASSERT_EQ(got, expected) << i;
    (got ? hits : misses)++;
    if (!got) cache.insert(line, i);
    recent.remove(line);
    recent.push_front(line);
    if (recent.size() > kLines) recent.pop_back();
  }
  EXPECT_GT(hits, 5000);
  EXPECT_GT(misses, 3000);
}

TEST(MemoryCache, KeepsWhatFitsWhateverTheStrideAndNothingOfALineMore) {
  for (const uint64_t stride : {1, 2, 8, 64, 2048})
    for (const uint64_t lines : {256, 257}) {
      Cache cache(32768, 128);
      int hits = 0;
      for (int round = 0; round < 2; ++round)
        for (uint64_t i = 0; i < lines; ++i) {
          if (cache.find(i * stride))
            ++hits;
          else
            cache.insert(i * stride, 0);
        }
      EXPECT_EQ(hits, lines == 256 ? 256 : 0) << "stride " << stride;
    }
}

TEST(MemoryCache, KnowsWhenDataArrive) {
  Cache cache(1024, 128);
  cache.insert(5, 17.5);
  ASSERT_NE(cache.find(5), nullptr);
  EXPECT_EQ(*cache.find(5), 17.5);
  cache.insert(5, 20);
  EXPECT_EQ(*cache.find(5), 20);
}

TEST(MemoryCache, ForgetsWhatIsEvicted) {
  Cache cache(1024, 128);
  cache.insert(3, 0);
  ASSERT_NE(cache.find(3), nullptr);
  cache.evict(3);
  EXPECT_EQ(cache.find(3), nullptr);
  cache.evict(4);  // is not there
}

TEST(MemoryCache, OfNothingHasOneLine) {
  Cache cache(0, 128);
  EXPECT_EQ(cache.lines(), 1u);
  cache.insert(1, 0);
  cache.insert(2, 0);
  EXPECT_EQ(cache.find(1), nullptr);
}

}  // namespace
}  // namespace wavesmith::timing
