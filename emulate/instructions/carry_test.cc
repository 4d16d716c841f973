// Additions and subtractions with a carry, and what clamp makes of them, against 64-bit arithmetic.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kRdna;

constexpr uint64_t kSeed = 7;

struct Operation {
  std::string cdna, rdna;
  bool takes_carry;
  /// The exact result, carry included.
  int64_t (*exact)(int64_t a, int64_t b, int64_t carry);
};

const std::array kOperations{
    Operation{"v_add_co_u32_e64", "v_add_co_u32", false, [](int64_t a, int64_t b, int64_t) { return a + b; }},
    Operation{"v_sub_co_u32_e64", "v_sub_co_u32", false, [](int64_t a, int64_t b, int64_t) { return a - b; }},
    Operation{"v_subrev_co_u32_e64", "v_subrev_co_u32", false,
              [](int64_t a, int64_t b, int64_t) { return b - a; }},
    Operation{"v_addc_co_u32_e64", "v_add_co_ci_u32_e64", true,
              [](int64_t a, int64_t b, int64_t carry) { return a + b + carry; }},
    Operation{"v_subb_co_u32_e64", "v_sub_co_ci_u32_e64", true,
              [](int64_t a, int64_t b, int64_t carry) { return a - b - carry; }},
    Operation{"v_subbrev_co_u32_e64", "v_subrev_co_ci_u32_e64", true,
              [](int64_t a, int64_t b, int64_t carry) { return b - a - carry; }},
};

uint32_t random_value(std::mt19937_64& random) {
  constexpr std::array<uint32_t, 6> kEdges{0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  return random() % 2 ? kEdges[random() % kEdges.size()] : static_cast<uint32_t>(random());
}

TEST(Carry, SumsAndDifferencesWrapOrClampAndTellTheirCarry) {
  std::mt19937_64 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (const Operation& operation : kOperations)
      for (const bool clamp : {false, true}) {
        const std::string mask = lanes == 64 ? "s[4:5]" : "s4", in = lanes == 64 ? "s[6:7]" : "s6";
        const std::string text = fmt::format(
            "{} v0, {}, v1, v2{}{}", isa::find_target(target)->is(kRdna) ? operation.rdna : operation.cdna,
            mask, operation.takes_carry ? ", " + in : "", clamp ? " clamp" : "");
        SCOPED_TRACE(fmt::format("{} {}: {} (seed {})", target, lanes, text, kSeed));
        WaveTest test(target, lanes);
        const uint64_t every = lanes == 64 ? ~uint64_t{0} : 0xffffffffu, exec = random() & every;
        test.exec() = exec;
        test.s64(6) = random();
        for (int lane = 0; lane < lanes; ++lane) {
          test.v(0, lane) = 12345;
          test.v(1, lane) = random_value(random);
          test.v(2, lane) = random_value(random);
        }
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        uint64_t carries = 0;
        for (int lane = 0; lane < lanes; ++lane) {
          if (!(exec >> lane & 1)) {
            EXPECT_EQ(test.v(0, lane), 12345u) << lane;
            continue;
          }
          const int64_t exact = operation.exact(test.v(1, lane), test.v(2, lane), test.s64(6) >> lane & 1);
          if (exact < 0 || exact > 0xffffffff) carries |= uint64_t{1} << lane;
          EXPECT_EQ(test.v(0, lane),
                    static_cast<uint32_t>(clamp ? std::clamp<int64_t>(exact, 0, 0xffffffff) : exact))
              << "lane " << lane << ": " << test.v(1, lane) << ", " << test.v(2, lane);
        }
        EXPECT_EQ(lanes == 64 ? test.s64(4) : test.s(4), carries);
      }
}

}  // namespace
}  // namespace wavesmith::emulate
