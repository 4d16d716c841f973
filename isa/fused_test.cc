// Built for the plainest host, so it is the way without an instruction that is tested here.
#include "isa/fused.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace wavesmith::isa {
namespace {

TEST(Fused, IsRoundedOnceEverywhere) {
  constexpr unsigned kSeed = 31;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 100000; ++round) {
    Pack<float> a, b, c;
    for (int i = 0; i < kPackLanes; ++i) {
      // Addends near the product's size, far below it, near its rounding errors; and anything.
      const uint32_t x = static_cast<uint32_t>(random()), y = static_cast<uint32_t>(random());
      a[i] = std::bit_cast<float>(i % 4 == 0 ? x : (x & 0x807fffffu) | (60 + x / 7 % 70) << 23);
      b[i] = std::bit_cast<float>(i % 4 == 0 ? y : (y & 0x807fffffu) | (60 + y / 7 % 70) << 23);
      const int exponent =
          std::clamp(std::ilogb(a[i] * b[i]), -1000, 1000) + static_cast<int>(random() % 120) - 90;
      c[i] = std::ldexp(1.0f + static_cast<float>(random() % 8388608) * 0x1p-23f,
                        std::clamp(exponent, -160, 127));
      if (random() % 2) c[i] = -c[i];
      if (random() % 8 == 0) c[i] = -a[i] * b[i];
      if (random() % 64 == 0) c[i] = std::bit_cast<float>(static_cast<uint32_t>(random()));
    }
    const Pack<float> got = fused(a, b, c);
    for (int i = 0; i < kPackLanes; ++i) {
      const float want = std::fma(a[i], b[i], c[i]);
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got[i]));
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(float{got[i]}), std::bit_cast<uint32_t>(want))
            << a[i] << " " << b[i] << " " << c[i] << " seed " << kSeed;
    }
  }
}

}  // namespace
}  // namespace wavesmith::isa
