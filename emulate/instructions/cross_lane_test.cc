// Instructions across lanes against direct models of their definitions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

class CrossLane {
 public:
  CrossLane(std::string_view target, int lanes, std::mt19937& random) : test(target, lanes) {
    for (int lane = 0; lane < lanes; ++lane)
      for (int reg = 0; reg < 8; ++reg)
        test.v(reg, lane) = before[reg][lane] = static_cast<uint32_t>(random());
    test.exec() = (random() | uint64_t{random()} << 32) & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
    exec = test.exec();
  }
  void run(const std::string& text) {
    const auto done = test.run(text);
    ASSERT_TRUE(done) << text << done.error().text();
  }
  [[nodiscard]] bool active(int lane) const { return (exec >> lane & 1) != 0; }
  WaveTest test;
  uint32_t before[8][64] = {};
  uint64_t exec;
};

TEST(CrossLane, LanesAreReadAndWrittenByNumber) {
  std::mt19937 random(1);
  for (const auto [target, lanes] : all_targets())
    for (int round = 0; round < 20; ++round) {
      SCOPED_TRACE(fmt::format("{} {}", target, round));
      CrossLane c(target, lanes, random);
      if (round == 7) c.test.exec() = c.exec = 0;
      const auto lane = static_cast<int>(random() % 256);
      c.test.s(4) = static_cast<uint32_t>(lane), c.test.s(6) = 0xfeedbeef;
      c.run(R"(
        v_readfirstlane_b32 s0, v1
        v_readlane_b32 s1, v2, s4
        v_readlane_b32 s2, v2, 17
        s_mov_b32 m0, s4
        v_writelane_b32 v3, s6, m0
        v_writelane_b32 v4, 5, 9
      )");
      const int first = c.exec ? std::countr_zero(c.exec) : 0, wrapped = lane % lanes;
      EXPECT_EQ(c.test.s(0), c.before[1][first]);
      EXPECT_EQ(c.test.s(1), c.before[2][wrapped]);
      EXPECT_EQ(c.test.s(2), c.before[2][17]);
      for (int i = 0; i < lanes; ++i) {
        EXPECT_EQ(c.test.v(3, i), i == wrapped ? 0xfeedbeefu : c.before[3][i]);
        EXPECT_EQ(c.test.v(4, i), i == 9 ? 5u : c.before[4][i]);
      }
    }
}

TEST(CrossLane, RowsOfSixteenArePermuted) {
  std::mt19937 random(2);
  for (const auto [target, lanes] : all_targets()) {
    if (target.starts_with("gfx9")) continue;
    for (const bool across : {false, true})
      for (int options = 0; options < 4; ++options)
        for (const bool variable : {false, true}) {
          if (variable && target != "gfx1201") continue;
          CrossLane c(target, lanes, random);
          const uint64_t select = random() | uint64_t{random()} << 32;
          c.test.s(4) = static_cast<uint32_t>(select), c.test.s(5) = static_cast<uint32_t>(select >> 32);
          const std::string text = fmt::format("v_permlane{}16{} v0, v1, {} op_sel:[{},{}]",
                                               across ? "x" : "", variable ? "_var_b32" : "_b32",
                                               variable ? "v2" : "s4, s5", options & 1, options >> 1);
          SCOPED_TRACE(fmt::format("{} {} {}", target, lanes, text));
          c.run(text);
          for (int lane = 0; lane < lanes; ++lane) {
            const int within =
                static_cast<int>(variable ? c.before[2][lane] % 16 : select >> (lane % 16 * 4) & 15);
            const int from = (across ? lane / 16 ^ 1 : lane / 16) * 16 + within;
            uint32_t want = c.before[0][lane];
            if (c.active(lane)) {
              if ((options & 1) || c.active(from))
                want = c.before[1][from];
              else if (options & 2)
                want = 0;
            }
            EXPECT_EQ(c.test.v(0, lane), want) << lane;
          }
        }
  }
}

TEST(CrossLane, APermutationMayWriteItsSource) {
  WaveTest test("gfx1100", 32);
  for (int lane = 0; lane < 32; ++lane) test.v(1, lane) = static_cast<uint32_t>(lane);
  test.s(4) = 0x89abcdef, test.s(5) = 0x01234567;  // reverses the row
  ASSERT_TRUE(test.run("v_permlane16_b32 v1, v1, s4, s5"));
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(test.v(1, lane), static_cast<uint32_t>(lane ^ 15));
}

TEST(CrossLane, HalvesOfAWave64AreExchanged) {
  std::mt19937 random(3);
  for (const std::string_view target : {"gfx1100", "gfx1201"})
    for (const int lanes : {32, 64}) {
      CrossLane c(target, lanes, random);
      c.run("v_permlane64_b32 v0, v1");
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(c.test.v(0, lane),
                  lanes == 64 && c.active(lane) ? c.before[1][lane ^ 32] : c.before[0][lane]);
    }
}

TEST(CrossLane, RowsAreSwappedBetweenRegisters) {
  std::mt19937 random(4);
  for (const int distance : {16, 32}) {
    CrossLane c("gfx950", 64, random);
    c.test.exec() = c.exec = ~uint64_t{0};
    c.run(fmt::format("v_permlane{}_swap_b32 v0, v1", distance));
    for (int lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(c.test.v(0, lane), lane & distance ? c.before[1][lane - distance] : c.before[0][lane]);
      EXPECT_EQ(c.test.v(1, lane), lane & distance ? c.before[1][lane] : c.before[0][lane + distance]);
    }
  }
}

TEST(CrossLane, RegistersAreSwappedInActiveLanes) {
  std::mt19937 random(5);
  for (const auto [target, lanes] : all_targets()) {
    CrossLane c(target, lanes, random);
    c.run("v_swap_b32 v0, v1");
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(c.test.v(0, lane), c.before[c.active(lane) ? 1 : 0][lane]);
      EXPECT_EQ(c.test.v(1, lane), c.before[c.active(lane) ? 0 : 1][lane]);
    }
    if (target.starts_with("gfx9")) continue;
    CrossLane halves(target, lanes, random);
    halves.run("v_swap_b16 v0.l, v1.h\nv_swap_b16 v2.h, v2.l");
    for (int lane = 0; lane < lanes; ++lane) {
      const uint32_t a = halves.before[0][lane], b = halves.before[1][lane], c = halves.before[2][lane];
      const bool on = halves.active(lane);
      EXPECT_EQ(halves.test.v(0, lane), on ? (a & 0xffff0000u) | b >> 16 : a);
      EXPECT_EQ(halves.test.v(1, lane), on ? (b & 0xffffu) | a << 16 : b);
      EXPECT_EQ(halves.test.v(2, lane), on ? c >> 16 | c << 16 : c);
    }
    CrossLane relative(target, lanes, random);
    relative.test.s(scalar_index::kM0) =
        3 | 4 << 16;  // added to the source's and to the destination's number
    relative.run("v_swaprel_b32 v1, v2");
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(relative.test.v(5, lane), relative.before[5][lane]);  // v(1 + 4) and v(2 + 3) are the same
      EXPECT_EQ(relative.test.v(1, lane), relative.before[1][lane]);
    }
    relative.test.s(scalar_index::kM0) = 1 | 5 << 16;
    relative.run("v_swaprel_b32 v1, v2");
    for (int lane = 0; lane < lanes; ++lane)
      if (relative.active(lane)) {
        EXPECT_EQ(relative.test.v(6, lane), relative.before[3][lane]);
        EXPECT_EQ(relative.test.v(3, lane), relative.before[6][lane]);
      }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
