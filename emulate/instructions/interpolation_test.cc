// V_INTERP_*: a parameter's plane over the four lanes of a quad.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kRdna;

TEST(Interpolation, TakesTheParameterFromTheLanesOfTheQuad) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> values(-4, 4);
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    SCOPED_TRACE(fmt::format("{} {}", target, lanes));
    WaveTest test(target, lanes);
    const uint64_t exec = 0xa53c'96f1'0f2e'7d81u & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
    test.exec() = exec;
    for (int row = 1; row < 4; ++row)
      for (int lane = 0; lane < lanes; ++lane) test.set_f(row, lane, values(random));
    for (int row = 10; row < 14; ++row)
      for (int lane = 0; lane < lanes; ++lane) test.set_f(row, lane, 99);
    const auto done = test.run(R"(
      v_interp_p10_f32 v10, v1, v2, v3 wait_exp:7
      v_interp_p2_f32 v11, v1, v2, v3
      v_interp_p10_f32 v12, -v1, v2, -v3 clamp
    )");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const int quad = lane & ~3;
      const bool active = (exec >> lane & 1) != 0;
      const float p10 = std::fma(test.f(1, quad + 1), test.f(2, lane), test.f(3, quad));
      const float p2 = std::fma(test.f(1, quad + 2), test.f(2, lane), test.f(3, lane));
      EXPECT_EQ(test.f(10, lane), active ? p10 : 99) << lane;
      EXPECT_EQ(test.f(11, lane), active ? p2 : 99) << lane;
      EXPECT_EQ(test.f(12, lane), active ? std::fmin(std::fmax(-p10, 0.0f), 1.0f) : 99) << lane;
    }
  }
}

TEST(Interpolation, TakesHalvesToo) {
  std::mt19937 random(12);
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    SCOPED_TRACE(fmt::format("{} {}", target, lanes));
    WaveTest test(target, lanes);
    test.exec() = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
    // Small integers: every result is exact.
    const auto small = [&] { return static_cast<float>(static_cast<int>(random() % 31) - 15); };
    const auto half = [](float value) {
      return static_cast<uint32_t>(std::bit_cast<uint16_t>(static_cast<_Float16>(value)));
    };
    std::array<std::array<float, 64>, 4> low, high;
    for (int row = 1; row < 4; ++row)
      for (int lane = 0; lane < lanes; ++lane) {
        auto& in_low = low.at(static_cast<size_t>(row)).at(static_cast<size_t>(lane)) = small();
        auto& in_high = high.at(static_cast<size_t>(row)).at(static_cast<size_t>(lane)) = small();
        test.v(row, lane) = half(in_low) | half(in_high) << 16;
      }
    for (int lane = 0; lane < lanes; ++lane) test.set_f(4, lane, small()), test.v(11, lane) = 0xabcdabcd;
    const auto done = test.run(R"(
      v_interp_p10_f16_f32 v10, v1.l, v4, v3.h
      v_interp_p2_f16_f32 v11.h, v1.h, v4, v4
    )");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const auto quad = static_cast<size_t>(lane & ~3);
      EXPECT_EQ(test.f(10, lane), low[1][quad + 1] * test.f(4, lane) + high[3][quad]) << lane;
      EXPECT_EQ(test.v(11, lane), half(high[1][quad + 2] * test.f(4, lane) + test.f(4, lane)) << 16 | 0xabcdu)
          << lane;
    }
  }
}

/// `exact` toward zero, cut after `mantissa` bits below the first one, or at the smallest denormal.
long double cut(long double exact, int mantissa, int smallest) {
  if (exact == 0 || !std::isfinite(exact)) return exact;
  const int unit = std::max(std::ilogb(exact) - mantissa, smallest);
  return std::ldexp(std::trunc(std::ldexp(exact, -unit)), unit);
}

// The exact sum of random numbers fits a long double: exponents differ by 30 at the most. The wave's MODE
// rounds upward, which these instructions do not heed.
TEST(Interpolation, RoundsTowardZeroWhateverModeSays) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-2, 2);
  const auto any = [&](int least) {
    return std::ldexp(values(random), least + static_cast<int>(random() % 6));
  };
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    SCOPED_TRACE(fmt::format("{} {}", target, lanes));
    // Ordinary results, f16 denormals, and those above the greatest f16.
    for (const int least : {0, -20, 12}) {
      WaveTest test(target, lanes);
      std::array<std::array<float, 64>, 5> given{};
      for (const size_t row : {1, 3})
        for (int lane = 0; lane < lanes; ++lane) {
          const auto half = static_cast<_Float16>(any(row == 3 ? std::max(least, -8) : 0));
          given.at(row).at(static_cast<size_t>(lane)) = static_cast<float>(half);
          test.v(static_cast<int>(row), lane) = std::bit_cast<uint16_t>(half);
        }
      for (const size_t row : {2, 4})
        for (int lane = 0; lane < lanes; ++lane)
          test.set_f(static_cast<int>(row), lane, given.at(row).at(static_cast<size_t>(lane)) = any(least));
      const auto done = test.run(R"(
        s_round_mode 5
        v_interp_p10_rtz_f16_f32 v10, v1.l, v2, v3.l
        v_interp_p2_rtz_f16_f32 v11.l, v1.l, v2, v4
      )");
      ASSERT_TRUE(done) << done.error().text();
      for (size_t lane = 0; lane < static_cast<size_t>(lanes); ++lane) {
        const size_t quad = lane & ~size_t{3};
        const auto at = [&](size_t row, size_t where) {
          return static_cast<long double>(given.at(row).at(where));
        };
        const auto p10 = static_cast<float>(cut(at(1, quad + 1) * at(2, lane) + at(3, quad), 23, -149));
        const auto p2 =
            std::clamp(cut(at(1, quad + 2) * at(2, lane) + at(4, lane), 10, -24), -65504.0L, 65504.0L);
        EXPECT_EQ(test.f(10, static_cast<int>(lane)), p10) << lane;
        EXPECT_EQ(test.v(11, static_cast<int>(lane)), std::bit_cast<uint16_t>(static_cast<_Float16>(p2)))
            << lane;
      }
    }
  }
}

/// The fields of the sources have nine bits, as VOP3's; assemblers take VGPRs only.
TEST(Interpolation, TakesTheSameWeightForAllLanesFromAScalar) {
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    SCOPED_TRACE(fmt::format("{} {}", target, lanes));
    WaveTest test(target, lanes);
    test.s(2) = std::bit_cast<uint32_t>(2.5f);
    for (int lane = 0; lane < lanes; ++lane) {
      test.set_f(1, lane, static_cast<float>(lane));
      test.set_f(3, lane, static_cast<float>(100 + lane));
    }
    // v_interp_p10_f32 v10, v1, v2, v3 and v11, v1, -v2, v3 with the top bit of the second source cleared
    const auto done = test.run(".long 0xcd00000a, 0x040c0501, 0xcd00000b, 0x440c0501");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const auto first = static_cast<float>(lane & ~3);
      EXPECT_EQ(test.f(10, lane), (first + 1) * 2.5f + 100 + first) << lane;
      EXPECT_EQ(test.f(11, lane), (first + 1) * -2.5f + 100 + first) << lane;
    }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
