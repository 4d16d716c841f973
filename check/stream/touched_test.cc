#include "check/stream/touched.h"

#include <gtest/gtest.h>

namespace wavesmith::check {
namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
constexpr uint64_t kPage = TouchedBytes::kPage;

Ranges common(const TouchedBytes& a, const TouchedBytes& b) {
  Ranges ranges;
  a.common(b, [&](uint64_t begin, uint64_t end) {
    ranges.emplace_back(begin, end);
    return end;
  });
  return ranges;
}

int64_t all_of_it(uint64_t) { return int64_t{1} << 40; }

/// What marks of `step` bytes, `bytes` long each, come to.
Touched marks(uint64_t from, uint64_t to, uint64_t step, uint32_t bytes, uint32_t site = 1) {
  TouchedPages pages;
  for (uint64_t at = from; at < to; at += step)
    pages.page(at / kPage)
        .of(Touch::Write)
        .add(static_cast<uint32_t>(at % kPage), static_cast<uint32_t>(at % kPage) + bytes, site);
  return pages.take(all_of_it);
}

TEST(TouchedBytes, WhatLiesSideBySideIsOneRange) {
  const Touched all = marks(kPage, 5 * kPage, 16, 16);
  TouchedBytes other;
  other.add(0, 100 * kPage, 7);
  EXPECT_EQ(common(all.of(Touch::Write), other), (Ranges{{kPage, 5 * kPage}}));
  EXPECT_EQ(all.of(Touch::Write).site_at(2 * kPage), 1u);
  EXPECT_LT(all.size(), 100u);
}

TEST(TouchedBytes, BytesInBetweenAreNobodys) {
  const Touched even = marks(kPage, 2 * kPage, 2, 1), odd = marks(kPage + 1, 2 * kPage, 2, 1);
  EXPECT_FALSE(even.of(Touch::Write).meets(odd.of(Touch::Write)));
  EXPECT_TRUE(even.of(Touch::Write).meets(even.of(Touch::Write)));
  TouchedBytes one;
  one.add(kPage + 1001, kPage + 1002, 1);
  EXPECT_FALSE(even.of(Touch::Write).meets(one));
  EXPECT_EQ(common(odd.of(Touch::Write), one), (Ranges{{kPage + 1001, kPage + 1002}}));
}

TEST(TouchedBytes, DwordsInBetweenAreNobodys) {
  const Touched even = marks(kPage, 9 * kPage, 8, 4), odd = marks(kPage + 4, 9 * kPage, 8, 4);
  EXPECT_FALSE(even.of(Touch::Write).meets(odd.of(Touch::Write)));
  EXPECT_EQ(common(even.of(Touch::Write), even.of(Touch::Write)).size(), 8 * kPage / 8);
}

TEST(TouchedBytes, KeepTheLeastInstructionOfABlock) {
  TouchedPages pages;
  TouchedPages::Marks& marks = pages.page(1).of(Touch::Read);
  marks.add(0, 64, 9);
  marks.add(0, 4, 5);
  marks.add(64, 128, 9);
  const Touched touched = pages.take(all_of_it);
  EXPECT_EQ(touched.of(Touch::Read).site_at(kPage), 5u);
  EXPECT_EQ(touched.of(Touch::Read).site_at(kPage + 64), 9u);
  EXPECT_EQ(touched.of(Touch::Read).site_at(kPage + 128), 0u);
}

TEST(TouchedBytes, WhatIsOfNoInterestIsLeftOut) {
  TouchedPages pages;
  pages.page(1).of(Touch::Read).add(0, 4096, 1);
  const Touched touched = pages.take([](uint64_t address) -> int64_t {
    const uint64_t at = address % kPage;
    return at < 100 ? -static_cast<int64_t>(100 - at) : at < 300 ? static_cast<int64_t>(300 - at) : -4096;
  });
  TouchedBytes all;
  all.add(0, 10 * kPage, 1);
  EXPECT_EQ(common(touched.of(Touch::Read), all), (Ranges{{kPage + 100, kPage + 300}}));
}

TEST(TouchedBytes, RangesThatAreSkippedAreNotTold) {
  TouchedBytes a, b;
  a.add(0, 10, 1);
  a.add(20, 30, 1);
  a.add(40, 50, 1);
  b.add(5, 45, 2);
  Ranges ranges;
  a.common(b, [&](uint64_t begin, uint64_t end) -> uint64_t {
    ranges.emplace_back(begin, end);
    return 42;
  });
  EXPECT_EQ(ranges, (Ranges{{5, 10}, {42, 45}}));
}

}  // namespace
}  // namespace wavesmith::check
