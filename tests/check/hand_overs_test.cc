#include "tests/check/hand_overs.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulate/instructions/testing.h"
#include "tests/check/program_testing.h"

namespace wavesmith::mutants {
namespace {

struct Case {
  const char* name;
  const char* code;
  bool any;
  std::string_view target = "gfx1201";
};

class HandOversTest : public testing::TestWithParam<Case> {};

TEST_P(HandOversTest, AreThoseOfTheKernel) {
  const Case& each = GetParam();
  emulate::KernelTest kernel(each.target, of_two_workgroups(each.code, each.target), 32, 1024);
  HandOvers hand_overs;
  kernel.listeners = {&hand_overs};
  uint32_t* const memory = kernel.allocate(1024);
  const auto done = kernel.launch(2, 64, {reinterpret_cast<uint64_t>(memory)}, {.threads = 1});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(hand_overs.any(), each.any);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, HandOversTest,
    testing::Values(
        Case{"ReadsItsOwn", "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v1, s[4:5]", false},
        Case{"ReadsTheOtherWaves", "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5]",
             true},
        Case{"OverwritesWhatTheOtherWaveHasRead",
             "global_load_b32 v5, v2, s[4:5]\nMEET\nglobal_store_b32 v1, v0, s[4:5]", true},
        Case{"ReadsOneByteOfTheOtherWaves",
             "global_store_b8 v2, v0, s[4:5] offset:3\nMEET\nglobal_load_u8 v5, v1, s[4:5] offset:3", true},
        Case{"ReadsAnotherByteOfTheDword",
             "global_store_b8 v2, v0, s[4:5] offset:3\nMEET\nglobal_load_u8 v5, v1, s[4:5] offset:2", false},
        Case{"ReadsWhatTheOtherWaveAddsTo",
             "global_atomic_add_u32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5]", true},
        Case{"BothWrite",
             "global_store_b32 v1, v0, s[4:5]\nglobal_store_b32 v2, v0, s[4:5]\nMEET\n"
             "global_load_b32 v5, v1, s[4:5]",
             true},
        Case{"AWaveAsAWholeReads", "global_store_b32 v1, v0, s[4:5]\nMEET\ns_load_b32 s6, s[4:5], 0x0", true},
        Case{"ReadsAtWorkgroupScope",
             "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5] scope:SCOPE_SE", true},
        Case{"ReadsPastTheCaches",
             "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5] scope:SCOPE_DEV", false},
        Case{"ReadsPastTheCacheNextToIt",
             "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5] glc", false, "gfx1100"},
        Case{"ReadsThroughTheCache", "global_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5]",
             true, "gfx1100"},
        Case{"ReadsTheOtherWorkgroups", "global_store_b32 v1, v0, s[4:5]\nglobal_load_b32 v5, v3, s[4:5]",
             true},
        Case{"BothReadWhatNobodyWrites",
             "global_load_b32 v5, v1, s[4:5]\nglobal_load_b32 v6, v2, s[4:5]\n"
             "global_store_b32 v1, v0, s[4:5] offset:1024",
             false},
        Case{"HandsOverInLds",
             "v_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x80, v1\nds_store_b32 v1, v0\nMEET\nds_load_b32 v5, v2",
             false}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::mutants
