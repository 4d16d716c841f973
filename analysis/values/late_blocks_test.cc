#include "analysis/values/late_blocks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/testing.h"

namespace wavesmith::analysis {
namespace {

/// Instructions of a pass through the only loop, without those of its last passes.
size_t usual_instructions(std::string_view text) {
  const Code code = code_of("gfx942", text);
  const Graph graph = make_graph(code);
  EntryValues entry;
  entry.registers = {{reg::kSgpr, Formula::name(kArguments)}, {reg::kSgpr + 8, Formula::name("workgroup x")}};
  entry.arguments = {{0, 4, "n", 0}};
  std::vector<Loop> loops = graph.loops;
  find_usual_blocks(code, graph, entry, loops);
  EXPECT_EQ(loops.size(), 1);
  size_t count = 0;
  for (const uint32_t b : loops.back().usual_blocks) count += graph.blocks[b].end - graph.blocks[b].begin;
  return count;
}

/// s4 goes from `start` towards 0 in steps of 64; below `bound` a tail of three instructions is run.
std::string loop_with_tail(std::string_view start, std::string_view bound) {
  return fmt::format(R"(
      s_load_dword s6, s[0:1], 0x0
      {}
    l: s_addk_i32 s4, 0xffc0
      s_cmp_gt_i32 s4, {}
      s_cbranch_scc1 on
      v_mov_b32 v1, 0
      v_mov_b32 v2, 0
      v_mov_b32 v3, 0
    on: s_cmp_gt_i32 s4, 0
      s_cbranch_scc1 l
      s_endpgm)",
                     start, bound);
}

TEST(LateBlocks, WhatComesBehindAConstantThatCountsDownFromAnArgument) {
  EXPECT_EQ(usual_instructions(loop_with_tail("s_mov_b32 s4, s6", "63")), 5);
}

TEST(LateBlocks, WhereTheWorkgroupSaysWhenItChangesBothSidesAreUsual) {
  EXPECT_EQ(usual_instructions(loop_with_tail("s_mov_b32 s4, s8", "63")), 8);
  EXPECT_EQ(usual_instructions(loop_with_tail("s_mov_b32 s4, s6", "s8")), 8) << "as a causal mask does";
}

TEST(LateBlocks, WhereNumbersSayWhenItChangesBothSidesAreUsual) {
  EXPECT_EQ(usual_instructions(loop_with_tail("s_movk_i32 s4, 0x400", "63")), 8);
}

TEST(LateBlocks, WhatTheFirstPassesDoIsUsual) {
  // The branch goes the other way round: the tail is run while s4 is above 63.
  std::string text = loop_with_tail("s_mov_b32 s4, s6", "63");
  text.replace(text.find("s_cbranch_scc1 on"), 17, "s_cbranch_scc0 on");
  EXPECT_EQ(usual_instructions(text), 8);
}

}  // namespace
}  // namespace wavesmith::analysis
