// Loops that leap through memory: stores go past the caches and loads are foreseen, which must not show in
// the data.
#include <gtest/gtest.h>

#include <cstring>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

TEST(Streams, LeapsOfAMegabyteCopyEveryByte) {
  constexpr size_t kLeap = 1 << 20, kRounds = 8, kBytes = kLeap * kRounds;
  for (const size_t shift : {size_t{0}, size_t{16}}) {  // aligned to a line, and not
    WaveTest test("gfx942");
    const auto from = test.memory().allocate(kBytes), to = test.memory().allocate(kBytes);
    ASSERT_TRUE(from && to);
    auto* const source = static_cast<uint8_t*>(*from) + shift;
    auto* const target = static_cast<uint8_t*>(*to) + shift;
    for (size_t i = 0; i + shift < kBytes; ++i)
      source[i] = static_cast<uint8_t>(i * 31 + i / 4096), target[i] = 0;
    test.s64(4) = reinterpret_cast<uint64_t>(source);
    test.s64(6) = reinterpret_cast<uint64_t>(target);
    for (int lane = 0; lane < 64; ++lane) test.v(0, lane) = static_cast<uint32_t>(lane) * 16;
    const auto done = test.run(R"(
      s_mov_b32 s0, 0
    loop:
      global_load_dwordx4 v[4:7], v0, s[4:5]
      s_waitcnt vmcnt(0)
      global_store_dwordx4 v0, v[4:7], s[6:7]
      v_add_u32 v0, 0x100000, v0
      s_add_u32 s0, s0, 1
      s_cmp_lt_u32 s0, 8
      s_cbranch_scc1 loop
    )");
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.wave().streamed, 0u) << "a fence ends the slice";
    for (size_t round = 0; round < kRounds; ++round) {
      EXPECT_EQ(std::memcmp(target + round * kLeap, source + round * kLeap, 1024), 0) << round;
      if (round * kLeap + 1024 + shift < kBytes) {
        EXPECT_EQ(target[round * kLeap + 1024], 0) << round;
      }
    }
    EXPECT_TRUE(test.memory().release(*from));
    EXPECT_TRUE(test.memory().release(*to));
  }
}

TEST(Streams, ClocksOfScalarMemoryAdvance) {
  for (const char* target : {"gfx90a", "gfx942", "gfx950"}) {
    WaveTest test(target);
    const auto done = test.run("s_memtime s[0:1]\ns_memrealtime s[2:3]\ns_memtime s[4:5]");
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_NE(test.s64(2), 0u);
    EXPECT_GE(test.s64(4), test.s64(0));
  }
}

}  // namespace
}  // namespace wavesmith::emulate
