#include "analysis/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "analysis/testing.h"

namespace wavesmith::analysis {
namespace {

TEST(Graph, ALoopAndWhatIsAroundIt) {
  const Code code = code_of("gfx942", R"(
    s_mov_b32 s0, 0
  outer:
    s_mov_b32 s1, 0
  inner:
    s_add_u32 s1, s1, 1
    s_cmp_lt_u32 s1, 10
    s_cbranch_scc1 inner
    s_add_u32 s0, s0, 1
    s_cmp_lt_u32 s0, 10
    s_cbranch_scc1 outer
    s_endpgm)");
  const Graph graph = make_graph(code);
  ASSERT_EQ(graph.blocks.size(), 5u);
  ASSERT_EQ(graph.loops.size(), 2u);
  EXPECT_EQ(graph.loops[0].blocks, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(graph.loops[0].depth, 1u);
  EXPECT_FALSE(graph.loops[0].innermost);
  EXPECT_EQ(graph.loops[1].blocks, std::vector<uint32_t>{2});
  EXPECT_EQ(graph.loops[1].parent, 0u);
  EXPECT_EQ(graph.loops[1].depth, 2u);
  EXPECT_EQ(graph.loops[1].latches, std::vector<uint32_t>{2});
  EXPECT_EQ(graph.loops[1].exits, std::vector<uint32_t>{2});
  EXPECT_EQ(graph.blocks[2].loop, 1u);
  EXPECT_EQ(graph.blocks[4].loop, kNone);
  EXPECT_EQ(graph.blocks[4].dominator, 3u);
  EXPECT_TRUE(dominates(graph, 1, 4));
  EXPECT_TRUE(graph.unknown.empty());
}

TEST(Graph, ALoopWithTwoEntriesIsFoundAndSaidToBeUncertain) {
  const Code code = code_of("gfx942", R"(
    s_cbranch_scc0 second
  first:
    s_add_u32 s0, s0, 1
  second:
    s_add_u32 s0, s0, 2
    s_cbranch_scc1 first
    s_endpgm)");
  const Graph graph = make_graph(code);
  ASSERT_EQ(graph.loops.size(), 1u);
  EXPECT_FALSE(graph.loops[0].natural);
  EXPECT_EQ(graph.loops[0].blocks, (std::vector<uint32_t>{1, 2}));
  ASSERT_EQ(graph.unknown.size(), 1u);
}

TEST(Graph, ACalleeIsAFunctionOfItsOwn) {
  const Code known = code_of("gfx942", R"(
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 28
    s_addc_u32 s5, s5, 0
    s_swappc_b64 s[30:31], s[4:5]
    s_endpgm
    s_nop 0
    s_nop 0
    s_nop 0
    v_mov_b32 v0, 0
    s_setpc_b64 s[30:31])");
  EXPECT_TRUE(known.unknown.empty());
  ASSERT_EQ(known.functions.size(), 1u);
  const Graph graph = make_graph(known);
  ASSERT_EQ(graph.functions.size(), 2u);
  EXPECT_EQ(known.instructions[graph.blocks[graph.functions[1].entry].begin].mnemonic, "v_mov_b32");
  EXPECT_EQ(graph.blocks[graph.functions[1].entry].function, 1u);
  EXPECT_TRUE(graph.blocks[graph.functions[1].entry].predecessors.empty());
}

TEST(Graph, ABranchThroughARegisterIsFollowedWhenItIsAConstant) {
  const Code code = code_of("gfx942", R"(
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 16
    s_addc_u32 s5, s5, 0
    s_setpc_b64 s[4:5]
    s_nop 0
    s_endpgm)");
  EXPECT_TRUE(code.unknown.empty());
  EXPECT_EQ(code.size(), 5u);
  const Code unknown = code_of("gfx942", "s_load_dwordx2 s[4:5], s[0:1], 0\ns_setpc_b64 s[4:5]");
  ASSERT_EQ(unknown.unknown.size(), 1u);
  EXPECT_EQ(unknown.unknown[0].what, "indirect branch");
}

TEST(Graph, CodeThatEndsIsSaidToBeUnknown) {
  const Code code = code_of("gfx942", "s_nop 0\ns_nop 0");
  ASSERT_EQ(code.unknown.size(), 1u);
}

/// Dominance by definition: without `dominator`, the block is not reached.
bool dominates_by_removal(const Graph& graph, uint32_t dominator, uint32_t block) {
  if (dominator == block) return true;
  std::set<uint32_t> seen;
  std::vector<uint32_t> work{graph.functions[0].entry};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (b == dominator || !seen.insert(b).second) continue;
    for (const uint32_t to : graph.blocks[b].successors) work.push_back(to);
  }
  return !seen.contains(block);
}

TEST(Graph, DominatorsAreThoseOfTheDefinition) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    const uint32_t labels = 2 + random() % 14;
    std::string text;
    for (uint32_t l = 0; l < labels; ++l) {
      text += fmt::format("l{}: s_nop 0\n", l);
      if (random() % 3) text += fmt::format("s_cbranch_scc{} l{}\n", random() % 2, random() % labels);
      if (random() % 5 == 0) text += fmt::format("s_branch l{}\n", random() % labels);
    }
    const Code code = code_of("gfx942", text + "s_endpgm");
    const Graph graph = make_graph(code);
    for (uint32_t a = 0; a < graph.blocks.size(); ++a)
      for (uint32_t b = 0; b < graph.blocks.size(); ++b)
        ASSERT_EQ(dominates(graph, a, b), dominates_by_removal(graph, a, b)) << text << a << " " << b;
    // Every natural loop is entered through its header alone, and each of its blocks comes back to it.
    for (const Loop& loop : graph.loops)
      for (const uint32_t b : loop.blocks) {
        if (!loop.natural) continue;
        EXPECT_TRUE(dominates(graph, loop.header, b));
        if (b == loop.header) continue;
        for (const uint32_t p : graph.blocks[b].predecessors)
          EXPECT_TRUE(std::count(loop.blocks.begin(), loop.blocks.end(), p)) << text;
      }
  }
}

}  // namespace
}  // namespace wavesmith::analysis
