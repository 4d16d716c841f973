#include "emulate/run/turn.h"

#include <gtest/gtest.h>

#include <string>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

constexpr uint32_t kWaves = 4, kFarBytes = 0x100000, kFarDwords = kFarBytes / 4;

/// Each of a workgroup's waves copies 1 KiB a step, `steps` times in all, 1 MiB away from the last one, and
/// runs `each_step` (which may use s[10:...], v10 and up) after it. s12: 1024 times the wave's number.
std::string leaps(std::string_view each_step, std::string_view before = {}) {
  return std::string(R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx4 s[8:11], s[0:1], 0x10
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v0, 4, v0
  v_readfirstlane_b32 s12, v0
  s_waitcnt lgkmcnt(0)
)") + std::string(before) +
         R"(
step:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v0, v[4:7], s[6:7]
)" + std::string(each_step) +
         R"(
  v_xor_b32 v0, 0x100000, v0
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 step
)";
}

class TurnTest : public testing::Test {
 protected:
  explicit TurnTest(std::string_view each_step = {}, std::string_view before = {})
      : test("gfx942", leaps(each_step, before)),
        from(test.allocate(2 * kFarDwords)),
        to(test.allocate(2 * kFarDwords)),
        out(test.allocate(1 << 20)) {
    for (uint32_t i = 0; i < 2 * kFarDwords; ++i) from[i] = i * 0x9e3779b9u;
  }
  Result<Statistics> launch(uint64_t steps) {
    Limits limits;
    limits.threads = 1;
    return test.launch(1, 64 * kWaves,
                       {reinterpret_cast<uint64_t>(from), reinterpret_cast<uint64_t>(to), steps,
                        reinterpret_cast<uint64_t>(out)},
                       limits);
  }

  KernelTest test;
  uint32_t *from, *to, *out;
};

TEST_F(TurnTest, EveryWaveDoesAllItsSteps) {
  // More than a slice of each.
  const uint64_t steps = 7001;
  const auto done = launch(steps);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->instructions, kWaves * (6 + 7 * steps + 1));
  for (const uint32_t begin : {0u, kFarDwords})
    for (uint32_t i = 0; i < kWaves * 256; ++i) ASSERT_EQ(to[begin + i], from[begin + i]);
  EXPECT_EQ(to[kWaves * 256], 0u);
}

struct Tickets : TurnTest {
  // The first lane of each wave draws a ticket and writes it down.
  Tickets()
      : TurnTest(R"(
  s_mov_b64 exec, 1
  global_atomic_add v11, v10, v12, s[10:11] sc0
  s_waitcnt vmcnt(0)
  global_store_dword v13, v11, s[10:11]
  v_add_u32 v13, 16, v13
  s_mov_b64 exec, -1
)",
                 R"(
  v_mov_b32 v10, 0
  v_mov_b32 v12, 1
  s_lshr_b32 s13, s12, 8
  s_add_u32 s13, s13, 16
  v_mov_b32 v13, s13
)") {}
};

TEST_F(Tickets, WavesLeapSideBySide) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "stores past the caches, at which waves give way, are x86-64's";
#endif
  const uint32_t steps = 100;
  const auto done = launch(steps);
  ASSERT_TRUE(done) << done.error().text();
  // A leap is one from the second step on, and the order within a step is free.
  for (uint32_t step = 2; step + 2 < steps; ++step)
    for (uint32_t wave = 0; wave < kWaves; ++wave)
      for (uint32_t other = 0; other < kWaves; ++other)
        ASSERT_LT(out[4 + step * kWaves + wave], out[4 + (step + 2) * kWaves + other])
            << "step " << step << ", waves " << wave << " and " << other;
}

struct FaultOfOne : TurnTest {
  // Wave 2 goes astray five steps before its end.
  FaultOfOne()
      : TurnTest(R"(
  s_cmp_lg_u32 s12, 0x800
  s_cbranch_scc1 good
  s_cmp_lg_u32 s8, 5
  s_cbranch_scc1 good
  s_mov_b32 s5, 0
good:
)") {}
};

TEST_F(FaultOfOne, IsToldOfTheWaveThatMadeIt) {
  const auto done = launch(100);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::MemoryFault);
  EXPECT_NE(done.error().text().find("wave 2"), std::string::npos) << done.error().text();
  EXPECT_NE(done.error().text().find("global_load_dwordx4"), std::string::npos) << done.error().text();
}

struct Modes : TurnTest {
  // 1 + 1.5 * 2^-24, rounded toward zero by wave 1 and to the nearest by the others, at each step.
  Modes()
      : TurnTest(R"(
  v_add_f32 v11, 1.0, v10
  v_add_u32 v12, v12, v11
  global_store_dword v0, v12, s[10:11]
)",
                 R"(
  v_mov_b32 v10, 0x33c00000
  v_mov_b32 v12, 0
  s_cmp_lg_u32 s12, 0x400
  s_cbranch_scc1 step
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15
)") {}
};

TEST_F(Modes, EachWaveRoundsByItsOwn) {
  const uint32_t steps = 50;
  const auto done = launch(steps);
  ASSERT_TRUE(done) << done.error().text();
  for (uint32_t wave = 0; wave < kWaves; ++wave)
    for (uint32_t lane = 0; lane < 64; ++lane)
      ASSERT_EQ(out[kFarDwords + wave * 256 + lane * 4], steps * (wave == 1 ? 0x3f800000u : 0x3f800001u))
          << "wave " << wave << ", lane " << lane;
}

}  // namespace
}  // namespace wavesmith::emulate
