#include "emulate/instructions/testing.h"

#include <gtest/gtest.h>

namespace wavesmith::emulate {
namespace {

TEST(WaveTest, RunsAssemblyOnEveryTarget) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    for (int lane = 0; lane < lanes; ++lane) test.set_f(1, lane, static_cast<float>(lane));
    const auto done = test.run("v_add_f32 v0, 1.0, v1");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(test.f(0, lane), static_cast<float>(lane) + 1);
  }
}

TEST(WaveTest, LeavesInactiveLanesAlone) {
  WaveTest test("gfx942");
  test.exec() = 0x5;
  for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = 9;
  ASSERT_TRUE(test.run("v_mov_b32 v0, 3"));
  for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(test.v(0, lane), lane == 0 || lane == 2 ? 3u : 9u);
}

TEST(WaveTest, LoopsAndCounts) {
  WaveTest test("gfx942");
  ASSERT_TRUE(test.run(R"(
    s_mov_b32 s0, 0
  loop:
    s_add_u32 s0, s0, 1
    s_cmp_lt_u32 s0, 10
    s_cbranch_scc1 loop
  )"));
  EXPECT_EQ(test.s(0), 10u);
}

TEST(WaveTest, EndlessLoopIsStopped) {
  WaveTest test("gfx942");
  const auto done = test.run("loop: s_branch loop");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Budget);
}

TEST(WaveTest, UnsupportedInstructionIsNamed) {
  WaveTest test("gfx1100");
  const auto done = test.run("image_load v[0:3], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(done.error().what.find("image_load"), std::string::npos);
}

TEST(WaveTest, AssemblerErrorsNameTheLine) {
  WaveTest test("gfx942");
  const auto done = test.run("v_nonsense v0");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what.find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace wavesmith::emulate
