#include "check/register_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace wavesmith::check {
namespace {

/// Few words and many, beside the plain way.
TEST(RegisterWords, MeetWhatHasOneOfThem) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  size_t met = 0;
  for (int round = 0; round < 2000; ++round) {
    RegisterWords words;
    std::array<bool, isa::reg::kCount> has{};
    for (uint32_t i = below(8); i > 0; --i) {
      const auto count = static_cast<uint16_t>(1 + below(32));
      const auto first = static_cast<uint16_t>(below(isa::reg::kCount - count));
      words.add({first, count});
      std::fill_n(has.begin() + first, count, true);
    }
    std::array<uint64_t, RegisterWords::kWords> others{};
    bool wanted = false;
    for (uint32_t i = below(6); i > 0; --i) {
      const uint32_t r = below(isa::reg::kCount);
      others[r / 64] |= uint64_t{1} << r % 64;
      wanted |= has[r];
    }
    ASSERT_EQ(words.meet(others), wanted);
    met += wanted;
  }
  EXPECT_GT(met, 0u);
}

}  // namespace
}  // namespace wavesmith::check
