#include "analysis/estimate/cycles.h"

#include <gtest/gtest.h>

#include "analysis/analyse.h"
#include "analysis/testing.h"

namespace wavesmith::analysis {
namespace {

Cycles loop_cycles(std::string_view target, std::string_view body) {
  const Code code = code_of(target, "l:\n" + std::string(body) + "\ns_cbranch_scc1 l\ns_endpgm");
  const Graph graph = make_graph(code);
  EXPECT_EQ(graph.loops.size(), 1u);
  const gpus::Gpu& gpu = *usual_gpu(target);
  return cycles_of(code, graph, gpu, find_costs(code, graph, gpu), graph.loops[0].blocks);
}

std::string repeated(std::string_view line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += std::string(line) + "\n";
  return text;
}

TEST(Cycles, OfADependentChainOnRdna) {
  // Dependent v_add_f32 +5 on gfx1100, measured.
  const Cycles chain = loop_cycles("gfx1100", repeated("v_add_f32 v1, v1, v2", 20));
  EXPECT_DOUBLE_EQ(chain.latency, 100);
  EXPECT_GE(chain.one_wave, 100);
  EXPECT_LT(chain.one_wave, 115);
  EXPECT_DOUBLE_EQ(chain.throughput, 20);
  EXPECT_EQ(chain.bound, isa::Pipe::Valu);
}

TEST(Cycles, IndependentInstructionsHaveNoChain) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "v_add_f32 v" + std::to_string(10 + i) + ", v1, v2\n";
  const Cycles cycles = loop_cycles("gfx1100", text);
  EXPECT_DOUBLE_EQ(cycles.latency, 0);
  EXPECT_LT(cycles.one_wave, 45);
}

TEST(Cycles, MatrixInstructionsThatAccumulateInTheSameRegistersFollowAtThePipesRate) {
  // v_mfma_f32_16x16x16_f16 on CDNA3: 16 cycles apart, as measured.
  const Cycles cycles =
      loop_cycles("gfx942", repeated("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 8));
  EXPECT_DOUBLE_EQ(cycles.pipe[static_cast<size_t>(isa::Pipe::Matrix)], 8 * 16);
  EXPECT_DOUBLE_EQ(cycles.latency, 8 * 16);
  EXPECT_EQ(cycles.bound, isa::Pipe::Matrix);
}

TEST(Cycles, LdsIsSharedByTheSimds) {
  // ds_read_b128 takes 8 phases on CDNA3, for each of the four SIMDs' waves.
  const Cycles cycles = loop_cycles("gfx942", repeated("ds_read_b128 v[4:7], v0", 4));
  EXPECT_EQ(cycles.bound, isa::Pipe::Lds);
  EXPECT_DOUBLE_EQ(cycles.throughput, 4 * 8 * 4);
}

TEST(Cycles, NopsTakeTheirTime) {
  const Cycles none = loop_cycles("gfx942", "v_mov_b32 v0, 0");
  const Cycles eight = loop_cycles("gfx942", "v_mov_b32 v0, 0\ns_nop 7");
  EXPECT_DOUBLE_EQ(eight.one_wave - none.one_wave, 32);
}

}  // namespace
}  // namespace wavesmith::analysis
