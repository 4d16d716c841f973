#include "analysis/estimate/waits.h"

#include <gtest/gtest.h>

#include "analysis/analyse.h"
#include "analysis/testing.h"

namespace wavesmith::analysis {
namespace {

std::vector<Wait> waits_of(std::string_view target, std::string_view text) {
  const Code code = code_of(target, text);
  const Graph graph = make_graph(code);
  return find_waits(code, graph, find_costs(code, graph, *usual_gpu(target)));
}

TEST(Waits, WhatIsUsedSaysWhatHasToBeWaitedFor) {
  const auto waits = waits_of("gfx942", R"(
    global_load_dword v1, v0, s[0:1]
    global_load_dword v2, v0, s[2:3]
    global_load_dword v3, v0, s[4:5]
    s_waitcnt vmcnt(0)
    v_add_f32 v4, v1, v1
    s_waitcnt vmcnt(0)
    v_add_f32 v4, v2, v3
    s_endpgm)");
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].outstanding, 3u);
  EXPECT_EQ(waits[0].for_, (std::vector<uint32_t>{2, 1, 0}));
  EXPECT_EQ(waits[0].could_be, 2u) << "only the oldest is used before the next wait";
  EXPECT_EQ(waits[0].needed, 4u);
  EXPECT_EQ(waits[0].between, 0u);
  EXPECT_TRUE(waits[1].redundant);
}

TEST(Waits, APipelinedLoopKeepsLoadsInFlight) {
  const auto waits = waits_of("gfx942", R"(
    global_load_dword v1, v0, s[0:1]
  l:
    global_load_dword v2, v0, s[2:3]
    s_waitcnt vmcnt(1)
    v_add_f32 v5, v1, v5
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    v_add_f32 v5, v2, v5
    s_cbranch_scc1 l
    s_endpgm)");
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].for_, std::vector<uint32_t>{0}) << "the other one waited for all";
  EXPECT_EQ(waits[0].could_be, 1u);
  EXPECT_EQ(waits[1].value, 0u);
  EXPECT_EQ(waits[1].could_be, 1u) << "v1 is not used before the next wait";
  EXPECT_FALSE(waits[1].redundant);
}

TEST(Waits, ScalarLoadsComeBackInAnyOrder) {
  const auto waits = waits_of("gfx942", R"(
    s_load_dword s4, s[0:1], 0
    s_load_dword s5, s[2:3], 0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, s4
    s_endpgm)");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].could_be, 0u);
}

TEST(Waits, ABarrierWantsStoresToBeDone) {
  const auto waits = waits_of("gfx942", R"(
    ds_write_b32 v0, v1
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_endpgm)");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].could_be, 0u);
  EXPECT_EQ(waits[0].needed, 2u);
}

TEST(Waits, SlackIsTheTimeSinceTheYoungestLoad) {
  const auto waits = waits_of("gfx942", R"(
    ds_read_b32 v1, v0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 0
    v_mov_b32 v4, 0
    s_waitcnt lgkmcnt(0)
    v_add_f32 v1, v1, v1
    s_endpgm)");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].between, 3u);
  EXPECT_DOUBLE_EQ(*waits[0].slack.value, 16);
}

}  // namespace
}  // namespace wavesmith::analysis
