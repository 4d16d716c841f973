#include "isa/cost/cost.h"

#include <gtest/gtest.h>

#include "isa/llvm/decoder.h"
#include "isa/matrix/table.h"
#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

const Row* row_of(std::string_view mnemonic, const Target& target) {
  for (const Row& row : rows()) {
    if (!target.is(row.facts.generations)) continue;
    for (std::string_view rest = row.mnemonics; !rest.empty();) {
      const size_t space = rest.find(' ');
      if (rest.substr(0, space) == mnemonic) return &row;
      rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
  }
  return nullptr;
}

Cost of(std::string_view target_name, std::string_view text, int lanes) {
  const Target& target = *find_target(target_name);
  const auto instruction = parse_instruction(text);
  EXPECT_TRUE(instruction) << text;
  return cost_of(*instruction, row_of(instruction->mnemonic, target), target, lanes);
}

TEST(Cost, PipesAreThoseOfTheManuals) {
  EXPECT_EQ(of("gfx942", "v_add_f32_e32 v0, v1, v2", 64).pipe, Pipe::Valu);
  EXPECT_EQ(of("gfx942", "v_exp_f32_e32 v0, v1", 64).pipe, Pipe::Transcendental);
  EXPECT_EQ(of("gfx942", "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", 64).pipe, Pipe::Matrix);
  EXPECT_EQ(of("gfx942", "s_add_u32 s0, s1, s2", 64).pipe, Pipe::Salu);
  EXPECT_EQ(of("gfx942", "s_load_dwordx4 s[0:3], s[4:5], 0x0", 64).pipe, Pipe::Smem);
  EXPECT_EQ(of("gfx942", "ds_read_b128 v[0:3], v4", 64).pipe, Pipe::Lds);
  EXPECT_EQ(of("gfx942", "buffer_load_dword v0, v1, s[0:3], 0 offen", 64).pipe, Pipe::Vmem);
  EXPECT_EQ(of("gfx942", "s_cbranch_scc1 4", 64).pipe, Pipe::Branch);
  EXPECT_EQ(of("gfx942", "s_waitcnt vmcnt(0)", 64).pipe, Pipe::Internal);
  EXPECT_EQ(of("gfx1100", "v_dual_mov_b32 v1, 0 :: v_dual_fmac_f32 v4, v2, v3", 32).pipe, Pipe::Valu);
}

TEST(Cost, VectorInstructionsTakeFourCyclesOnCdnaAndOneOnRdna) {
  EXPECT_EQ(of("gfx90a", "v_fma_f32 v0, v1, v2, v3", 64).issue, 4);
  EXPECT_EQ(of("gfx942", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 64).issue, 4);
  EXPECT_EQ(of("gfx1100", "v_fma_f32 v0, v1, v2, v3", 32).issue, 1);
  EXPECT_EQ(of("gfx1100", "v_fma_f32 v0, v1, v2, v3", 64).issue, 2);
  EXPECT_EQ(of("gfx1201", "v_lshlrev_b64 v[30:31], 2, v[12:13]", 32).issue, 2);
}

TEST(Cost, IntegerMultiplicationsRunAtFullRateOnCdna4) {
  for (const char* text : {"v_mul_lo_u32 v0, v1, v2", "v_mul_hi_i32 v0, v1, v2",
                           "v_mad_u64_u32 v[0:1], s[2:3], v4, s5, v[6:7]"}) {
    EXPECT_EQ(of("gfx950", text, 64).issue, 4) << text;
    EXPECT_EQ(of("gfx950", text, 64).result, 4) << text;
    EXPECT_EQ(of("gfx942", text, 64).issue, 16) << text;
    EXPECT_EQ(of("gfx1100", text, 32).issue, 4) << text;  // a quarter of the rate
  }
}

TEST(Cost, ASwapOfLanesTakesTwoPasses) {
  for (const char* text :
       {"v_permlane32_swap_b32_e64 v0, v1 bound_ctrl:1", "v_permlane16_swap_b32_e32 v0, v1"}) {
    EXPECT_EQ(of("gfx950", text, 64).issue, 8) << text;
    EXPECT_EQ(of("gfx950", text, 64).result, 8) << text;
  }
}

TEST(Cost, TranscendentalsRunAtAQuarterOfTheRateAndAtHalfOnCdna4) {
  for (const char* target : {"gfx90a", "gfx942"}) EXPECT_EQ(of(target, "v_exp_f32_e32 v0, v1", 64).issue, 16);
  EXPECT_EQ(of("gfx950", "v_exp_f32_e32 v0, v1", 64).issue, 8);
  EXPECT_EQ(of("gfx1100", "v_rcp_f32_e32 v0, v1", 32).issue, 4);
  EXPECT_EQ(of("gfx1201", "v_s_rcp_f32 s0, s1", 32).issue, 1);
}

TEST(Cost, MatrixCyclesAreTheTables) {
  for (const MatrixInstruction& matrix : kMatrixInstructions)
    for (const Target& target : kTargets) {
      if (!target.is(matrix.generations)) continue;
      const Row* row = row_of(matrix.mnemonic(), target);
      ASSERT_NE(row, nullptr) << matrix.mnemonic();
      Instruction instruction;
      instruction.mnemonic = matrix.mnemonic();
      const Cost cost = cost_of(instruction, row, target, target.wave64_only ? 64 : 32);
      EXPECT_EQ(cost.issue, matrix.cycles) << matrix.mnemonic();
    }
}

TEST(Cost, NarrowFormatsOfF8f6f4TakeHalfTheCycles) {
  const auto wide = of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", 64);
  const auto narrow =
      of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3] cbsz:4 blgp:4", 64);
  const auto mixed = of("gfx950", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:15], a[0:3] cbsz:4", 64);
  EXPECT_EQ(wide.issue, 2 * narrow.issue);
  EXPECT_EQ(mixed.issue, wide.issue);
}

TEST(Cost, AnAccumulationGoesOnAtThePipesRateAndOtherUsesWait) {
  const Target& target = *find_target("gfx942");
  const Cost cost = of("gfx942", "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", 64);
  EXPECT_EQ(cost.issue, 32);
  EXPECT_EQ(matrix_result_cycles(cost, MatrixUse::Accumulate, target), 32);
  EXPECT_GT(matrix_result_cycles(cost, MatrixUse::Operand, target), 32);
}

}  // namespace
}  // namespace wavesmith::isa
