// How waves of CDNA issue, alone and beside others of their SIMD. The expectations are what thread traces of
// an MI350X show (isa/cost/cdna.cc).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isa/llvm/decoder.h"
#include "isa/rows.h"
#include "timing/unit/compute_unit.h"

namespace wavesmith::timing {
namespace {

/// Cycles at which the lines of waves of one SIMD issue, the older wave first. Each wave's code begins at
/// `pc`; a line with a literal has 8 bytes, others have 4.
std::vector<std::vector<uint64_t>> issued(const std::vector<std::vector<std::string>>& waves,
                                          std::string_view gpu = "mi350x", uint64_t pc = 0x1000) {
  const gpus::Gpu& of = **gpus::find_gpu(gpu);
  const isa::Target& target = *isa::find_target(of.target);
  OpTable ops(target, 64);
  std::vector<WaveRecord> records;
  std::vector<Observed> observed;
  for (const auto& lines : waves) {
    WaveRecord& record = records.emplace_back();
    uint64_t at = pc;
    for (const std::string& line : lines) {
      isa::Instruction instruction = *isa::parse_instruction(line);
      instruction.pc = at;
      instruction.size = line.find("0x12345678") == std::string::npos ? 4 : 8;
      at += instruction.size;
      record.sites.push_back(ops.add(instruction, isa::find_row(instruction.mnemonic, target)));
    }
    record.access_counts.assign(record.sites.size(), 0);
    observed.push_back({std::vector<uint64_t>(record.sites.size(), Observed::kFree), {}});
  }
  FixedLatency memory;
  ComputeUnit unit(of, ops, memory, {.fetches = false});
  for (size_t i = 0; i < records.size(); ++i) unit.start(records[i], 0, 0, &observed[i]);
  while (unit.step()) {
  }
  std::vector<std::vector<uint64_t>> cycles;
  for (const Observed& each : observed) cycles.push_back(each.issued);
  return cycles;
}

/// Cycles from an instruction of the older wave to one of the younger that would issue with it.
uint64_t behind(const std::string& older, const std::string& younger, std::string_view gpu = "mi350x") {
  const auto cycles = issued({{older}, {younger}}, gpu);
  return cycles[1][0] - cycles[0][0];
}

/// Cycles from one instruction of a wave to the next.
uint64_t apart(const std::string& first, const std::string& second, uint64_t pc = 0x1000) {
  const auto cycles = issued({{first, second}}, "mi350x", pc).front();
  return cycles[1] - cycles[0];
}

constexpr const char *kAdd = "v_add_f32_e32 v1, v2, v3", *kMove = "v_mov_b32_e32 v1, v2",
                     *kAnd = "v_and_b32_e32 v1, v2, v3", *kSelect = "v_cndmask_b32_e32 v1, v2, v3, vcc",
                     *kShift = "v_lshlrev_b32_e32 v1, 2, v3", *kMost = "v_maximum3_f32 v1, v2, v3, v4",
                     *kPacked = "v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", *kPower = "v_exp_f32_e32 v1, v2",
                     *kConvert = "v_cvt_pk_bf16_f32 v1, v2, v3";

TEST(IssueOnCdna, WhatGoesToTheSecondVectorPipeIssuesWithAnything) {
  for (const char* const beside : {kAdd, kMove, kAnd, kSelect, kShift, kMost}) {
    EXPECT_EQ(behind(kAdd, beside), 0U) << beside;
    EXPECT_EQ(behind(beside, kAdd), 0U) << beside;
    EXPECT_EQ(behind(kMove, beside), 0U) << beside;
  }
}

TEST(IssueOnCdna, WhatMayGoToEitherTakesTheFirstWhereItIsFree) {
  EXPECT_EQ(behind(kMost, kAnd), 0U);
  EXPECT_EQ(behind(kAnd, kAnd), 0U);
  EXPECT_EQ(behind(kAnd, kMost), 4U);  // the younger wave needs the pipe that the older has taken
  EXPECT_EQ(behind(kMost, kShift), 4U);
}

TEST(IssueOnCdna, OneInstructionReadsScalarRegistersAtATime) {
  EXPECT_EQ(behind(kShift, kSelect), 0U);
  EXPECT_EQ(behind(kSelect, kSelect), 4U);
  EXPECT_EQ(behind("v_cmp_gt_f32_e64 s[4:5], s3, v4", kSelect), 4U);
  EXPECT_EQ(behind("v_cmp_gt_f32_e64 s[4:5], v3, v4", kSelect), 0U);
}

TEST(IssueOnCdna, PackedAndSlowInstructionsTakeBoth) {
  for (const char* const alone : {kPacked, kConvert}) {
    EXPECT_EQ(behind(alone, kAdd), 4U) << alone;
    EXPECT_EQ(behind(kAdd, alone), 4U) << alone;
  }
  EXPECT_EQ(behind(kPower, kAdd), 8U);
}

TEST(IssueOnCdna, AThirdWaveWaits) {
  const auto cycles = issued({{kAdd}, {kAdd}, {kAdd}});
  EXPECT_EQ(cycles[1][0], cycles[0][0]);
  EXPECT_EQ(cycles[2][0], cycles[0][0] + 4);
}

TEST(IssueOnCdna, AMatrixInstructionKeepsTheValuAndLongerTheSecondPipe) {
  // Of A and B 8, 16 and 32 bytes a lane.
  const std::string narrow = "v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[8:9], v[10:11], v[0:3]",
                    wide = "v_mfma_f32_16x16x32_bf16 v[0:3], v[8:11], v[12:15], v[0:3]",
                    widest = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]",
                    single = "v_mfma_f32_16x16x4_f32 v[0:3], v8, v9, v[0:3]";
  EXPECT_EQ(behind(narrow, kAdd), 4U);
  EXPECT_EQ(behind(wide, kAdd), 8U);
  EXPECT_EQ(behind(widest, kAdd), 12U);
  EXPECT_EQ(behind(single, kAdd), 8U * 4 + 8);
  EXPECT_EQ(behind(narrow, kPacked), 4U * 4 + 8);
  EXPECT_EQ(behind(wide, kPacked), 4U * 4 + 12);
  EXPECT_EQ(behind(widest, kPacked), 8U * 4 + 12);
  const std::vector<std::string> adds(8, kAdd);
  const auto cycles = issued({{wide}, adds, adds});
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(cycles[1][i], 8 + 4 * i);
  EXPECT_EQ(cycles[1][5], 28U);
  EXPECT_EQ(cycles[2][0], 28U);
}

TEST(IssueOnCdna, BusyVectorPipesCountOnce) {
  const gpus::Gpu& gpu = **gpus::find_gpu("mi350x");
  const isa::Target& target = *isa::find_target(gpu.target);
  OpTable ops(target, 64);
  const isa::Instruction add = *isa::parse_instruction(kAdd);
  WaveRecord wave;
  wave.sites.assign(10, ops.add(add, isa::find_row(add.mnemonic, target)));
  FixedLatency memory;
  ComputeUnit unit(gpu, ops, memory, {.fetches = false});
  for (int i = 0; i < 2; ++i) unit.start(wave, 0, 0, nullptr);
  while (unit.step()) {
  }
  EXPECT_EQ(unit.time().busy[static_cast<size_t>(isa::Pipe::Valu)], 40U);
}

TEST(IssueOnCdna, ScalarInstructionsWaitBehindAVectorInstructionThatWritesScalarRegisters) {
  const std::string compare = "v_cmp_lt_u32_e32 vcc, v0, v1", move = "s_mov_b32 s0, 0";
  EXPECT_EQ(apart(compare, move), 20U);
  EXPECT_EQ(apart(compare, "s_load_dword s0, s[2:3], 0x0"), 20U);
  EXPECT_EQ(apart(kAdd, move), 4U);
  const auto cycles = issued({{compare, kAdd, move}}).front();
  EXPECT_EQ(cycles[2] - cycles[0], 20U);
}

TEST(IssueOnCdna, BehindABranchThatIsPassedCodeIsThereToTheEndOfItsThirtyTwoBytes) {
  const std::string branch = "s_cbranch_scc1 4", wide = "v_mov_b32_e32 v1, 0x12345678";
  EXPECT_EQ(apart(branch, kMove, 0x1018), 4U);
  EXPECT_EQ(apart(branch, wide, 0x1014), 4U);
  EXPECT_EQ(apart(branch, wide, 0x1018), 20U);
  EXPECT_EQ(apart(branch, kMove, 0x101c), 20U);
}

TEST(IssueOnCdna, AWaveSendsLdsItsOperandsDwordByDword) {
  EXPECT_EQ(apart("ds_read_b128 v[4:7], v0", kAdd), 4U);
  EXPECT_EQ(apart("ds_bpermute_b32 v4, v0, v1", kMove), 8U);
  EXPECT_EQ(apart("ds_write_b64 v8, v[4:5]", kMove), 12U);
  EXPECT_EQ(apart("ds_write_b128 v8, v[4:7]", kMove), 20U);
  EXPECT_EQ(behind("ds_write_b128 v8, v[4:7]", "ds_read_b32 v4, v0"), 20U);
}

TEST(IssueOnCdna, Cdna2HasOneVectorPipe) {
  EXPECT_EQ(behind(kAdd, kAdd, "mi250x"), 4U);
  EXPECT_EQ(behind(kAdd, kAdd, "mi300x"), 0U);
}

}  // namespace
}  // namespace wavesmith::timing
