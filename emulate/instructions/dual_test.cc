// Dual-issue instructions: both halves read before either writes.
#include <gtest/gtest.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

TEST(Dual, HalvesReadBeforeTheyWrite) {
  for (const std::string_view target : {"gfx1100", "gfx1201"}) {
    WaveTest test(target, 32);
    test.exec() = 0x0000ffff;
    test.vcc() = 0x00ff00ff;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) test.set_f(i, lane, static_cast<float>(100 * i + lane));
    const auto done = test.run(R"(
      v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0
      v_dual_cndmask_b32 v2, v4, v6 :: v_dual_add_f32 v3, v2, v5
    )");
    ASSERT_TRUE(done) << target << done.error().text();
    for (int lane = 0; lane < 32; ++lane) {
      const bool active = lane < 16, chosen = lane < 8;
      const auto n = static_cast<float>(lane);
      EXPECT_EQ(test.f(0, lane), active ? 100 + n : n);
      EXPECT_EQ(test.f(1, lane), active ? n : 100 + n);
      EXPECT_EQ(test.f(2, lane), !active ? 200 + n : chosen ? 600 + n : 400 + n);
      EXPECT_EQ(test.f(3, lane), active ? 700 + 2 * n : 300 + n);
    }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
