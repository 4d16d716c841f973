// What a wave of RDNA has under way, and where that holds it up.
#include <gtest/gtest.h>

#include <string>

#include "isa/llvm/decoder.h"
#include "isa/rows.h"
#include "timing/unit/compute_unit.h"

namespace wavesmith::timing {
namespace {

/// Cycles at which the lines of a wave of 32 lanes issue.
std::vector<uint64_t> issued(const std::vector<std::string>& lines, std::string_view gpu = "rx7900xtx") {
  const gpus::Gpu& of = **gpus::find_gpu(gpu);
  const isa::Target& target = *isa::find_target(of.target);
  OpTable ops(target, 32);
  WaveRecord wave;
  uint64_t pc = 0x1000;
  for (const std::string& line : lines) {
    isa::Instruction instruction = *isa::parse_instruction(line);
    instruction.pc = pc;
    instruction.size = 4;
    pc += 4;
    wave.sites.push_back(ops.add(instruction, isa::find_row(instruction.mnemonic, target)));
  }
  wave.access_counts.assign(wave.sites.size(), 0);
  FixedLatency memory;
  ComputeUnit unit(of, ops, memory, {.fetches = false});
  Observed observed{std::vector<uint64_t>(wave.sites.size(), Observed::kFree), {}};
  unit.start(wave, 0, 0, &observed);
  while (unit.step()) {
  }
  return observed.issued;
}

std::vector<std::string> times(size_t count, const std::string& line) {
  return std::vector<std::string>(count, line);
}

/// Cycles from line `first` to line `last`.
uint64_t apart(const std::vector<uint64_t>& cycles, size_t first, size_t last) {
  return cycles[last] - cycles[first];
}

TEST(IssueOnRdna, DependentScalarInstructionsIssueIntoAQueueAndThenAtTheRateOfTheirResults) {
  for (const char* const gpu : {"rx7900xtx", "rx9070xt"}) {
    const auto cycles = issued(times(32, "s_lshl_b32 s0, s0, s1"), gpu);
    EXPECT_EQ(apart(cycles, 0, 7), 7U) << gpu;
    EXPECT_EQ(apart(cycles, 7, 31), 48U) << gpu;
  }
}

TEST(IssueOnRdna, AVectorInstructionWaitsForOneOfTheScalarOnesUnderWayToo) {
  std::vector<std::string> lines = times(20, "s_lshl_b32 s0, s0, s1");
  lines.emplace_back("v_mov_b32_e32 v0, v1");
  for (const char* const gpu : {"rx7900xtx", "rx9070xt"})
    EXPECT_EQ(apart(issued(lines, gpu), 19, 20), 2U) << gpu;
}

TEST(IssueOnRdna, ReadingAHardwareRegisterIsNotAmongThem) {
  std::vector<std::string> lines = times(11, "s_lshl_b32 s0, s0, s1");
  lines[0] = "s_getreg_b32 s2, hwreg(0, 0, 1)";
  const auto cycles = issued(lines);
  EXPECT_EQ(apart(cycles, 0, 8), 8U);
  EXPECT_EQ(apart(cycles, 8, 9), 2U);
  lines[1] = "s_lshl_b32 s0, s2, s1";  // what it has read is there when it has issued
  EXPECT_EQ(issued(lines), cycles);
}

TEST(IssueOnRdna, IndependentScalarInstructionsIssueEachCycle) {
  std::vector<std::string> lines;
  for (int i = 0; i < 32; ++i) lines.push_back("s_mov_b32 s" + std::to_string(i) + ", 0");
  EXPECT_EQ(apart(issued(lines), 0, 31), 31U);
}

TEST(IssueOnRdna, AScalarResultIsForTheValuNineCyclesBehindItsExecution) {
  EXPECT_EQ(apart(issued({"s_mov_b32 s4, 0", "v_add_f32_e32 v0, s4, v1"}), 0, 1), 9U);
  EXPECT_EQ(apart(issued({"s_mov_b32 s4, 0", "v_add_f32_e32 v0, s5, v1"}), 0, 1), 1U);
}

TEST(IssueOnRdna, AfterSevenComparisonsAWaveWaitsForTheLast) {
  const auto cycles = issued(times(15, "v_cmp_lt_f32_e64 s0, v0, v1"));
  EXPECT_EQ(apart(cycles, 0, 6), 6U);
  EXPECT_EQ(apart(cycles, 6, 7), 9U);
  EXPECT_EQ(apart(cycles, 7, 13), 6U);
  EXPECT_EQ(apart(cycles, 13, 14), 9U);
}

TEST(IssueOnRdna, BehindAnFp64InstructionTheyExecuteWhenItsResultIsThere) {
  std::vector<std::string> lines = times(9, "v_cmp_lt_f32_e64 s0, v0, v1");
  lines[0] = "v_add_f64 v[0:1], v[2:3], v[4:5]";
  const auto cycles = issued(lines);
  EXPECT_EQ(apart(cycles, 0, 7), 32U + 6U);
  EXPECT_EQ(apart(cycles, 7, 8), 9U + 38U - 32U);
}

TEST(IssueOnRdna, ComparisonsFarEnoughApartDoNotWait) {
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) {
    lines.emplace_back("v_cmp_lt_f32_e64 s0, v0, v1");
    lines.emplace_back("v_mov_b32_e32 v2, v3");
  }
  EXPECT_EQ(apart(issued(lines), 0, 39), 39U);
}

TEST(IssueOnRdna, LdsTakesADwordOfOperandsACycle) {
  EXPECT_EQ(apart(issued(times(40, "ds_add_u64 v0, v[2:3]")), 20, 39), 3 * 19U);
  EXPECT_EQ(apart(issued(times(40, "ds_load_b32 v1, v0")), 0, 39), 39U);
  EXPECT_EQ(apart(issued(times(40, "ds_load_u8_d16 v1, v0")), 0, 39), 39U);
}

TEST(IssueOnRdna, TheDoubleUnitGoesInStepsOfFour) {
  const auto cycles = issued(times(4, "v_add_f64 v[0:1], v[2:3], v[4:5]"));
  EXPECT_EQ(apart(cycles, 0, 1), 32U);
  EXPECT_EQ(apart(cycles, 1, 3), 72U);
}

TEST(IssueOnRdna, MatrixInstructionsOfAsManyCyclesDoNot) {
  const auto cycles = issued(times(20, "v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7]"));
  EXPECT_EQ(apart(cycles, 0, 7), 7U);
  EXPECT_EQ(apart(cycles, 10, 19), 9 * 32U);
}

TEST(IssueOnRdna, AMatrixInstructionBehindOthersStartsLaterOnRdna4) {
  // The ninth waits for the first to leave.
  const auto ninth = [](const char* wmma, const char* gpu) {
    std::vector<std::string> alone = times(9, wmma), behind = times(10, wmma);
    behind[0] = "v_mov_b32_e32 v40, v41";
    const auto first = issued(alone, gpu), second = issued(behind, gpu);
    EXPECT_EQ(apart(first, 0, 8), apart(second, 1, 9)) << gpu;
    return apart(first, 0, 8);
  };
  // Eight issue in as many cycles; depth 3, or 6, and 32 or 16 cycles.
  EXPECT_EQ(ninth("v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[32:39], v[0:7]", "rx7900xtx"), 3U + 32U);
  EXPECT_EQ(ninth("v_wmma_f32_16x16x16_f16 v[0:7], v[16:19], v[32:35], v[0:7]", "rx9070xt"), 6U + 16U);
}

TEST(IssueOnRdna, BehindFp64OthersLeaveTheQueueBeforeTheirResultsAreThere) {
  // Nine integer products of four entries each fit only if those before have left.
  std::vector<std::string> lines = times(9, "v_mul_lo_u32 v0, v1, v2");
  lines[0] = "v_add_f64 v[4:5], v[6:7], v[8:9]";
  EXPECT_EQ(apart(issued(lines), 1, 8), 7 * 4U);
}

TEST(IssueOnRdna, AScalarRegisterIsOverwrittenInTheNextCycleAndSccInTheSecond) {
  // Seven are under way, so that the ninth issues when the second has executed.
  const auto ninth = [](const char* line) { return apart(issued(times(9, line)), 7, 8); };
  EXPECT_EQ(ninth("s_movk_i32 s0, 0x0"), 1U);
  EXPECT_EQ(ninth("s_cmp_eq_i32 s0, s1"), 2U);
  EXPECT_EQ(ninth("s_bitcmp0_b32 s0, s1"), 1U);
}

TEST(IssueOnRdna, AScalarProductOf64BitsTakesTheUnit) {
  std::vector<std::string> lines = times(9, "s_mov_b32 s8, s9");
  lines[1] = "s_mul_u64 s[0:1], s[2:3], s[4:5]";
  EXPECT_EQ(apart(issued(lines, "rx9070xt"), 7, 8), 8U);
}

TEST(IssueOnRdna, AHardwareRegisterIsWrittenFifteenCyclesBehindAnother) {
  const auto cycles =
      issued({"s_setreg_imm32_b32 hwreg(0, 0, 1), 0", "s_setreg_imm32_b32 hwreg(0, 0, 1), 0"});
  EXPECT_EQ(apart(cycles, 0, 1), 15U);
}

TEST(IssueOnRdna, HardwareRegistersWaitForTheScalarUnit) {
  const auto cycles = issued({"s_mov_b32 s0, s1", "s_getreg_b32 s2, hwreg(0, 0, 1)",
                              "s_setreg_imm32_b32 hwreg(0, 0, 1), 0", "s_mov_b32 s3, 0"});
  EXPECT_EQ(apart(cycles, 0, 1), 10U);
  EXPECT_EQ(apart(cycles, 2, 3), 9U);
}

TEST(IssueOnRdna, ACallTakesFourCyclesMoreThanABranch) {
  EXPECT_EQ(apart(issued({"s_branch 0", "s_mov_b32 s4, 0"}), 0, 1), 9U);
  EXPECT_EQ(apart(issued({"s_call_b64 s[0:1], 0", "s_mov_b32 s4, 0"}), 0, 1), 13U);
}

TEST(IssueOnRdna, WhatTheSequencerDoesItselfComesThreeCyclesBehind) {
  EXPECT_EQ(apart(issued({"v_mov_b32_e32 v0, v1", "s_nop 0", "s_nop 0"}), 0, 1), 3U);
  EXPECT_EQ(apart(issued({"v_mov_b32_e32 v0, v1", "s_nop 0", "s_nop 0"}), 1, 2), 1U);
}

}  // namespace
}  // namespace wavesmith::timing
