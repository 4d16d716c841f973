#include "emulate/translate/survey.h"

#include <gtest/gtest.h>

#include "isa/llvm/assembler.h"

namespace wavesmith::emulate {
namespace {

/// Surveys assembly text as one routine that begins at 0x1000 in its object.
Survey surveyed(std::string_view target, std::string_view text, int lanes = 64) {
  const auto code = isa::assemble(*isa::find_target(target), lanes, text);
  EXPECT_TRUE(code) << code.error().text();
  if (!code) return {};
  const Stretch whole{"routine", 0, code->size()};
  auto survey = emulate::survey(*isa::find_target(target), lanes, *code, 0x1000, {&whole, 1});
  EXPECT_TRUE(survey) << survey.error().text();
  return survey ? std::move(*survey) : Survey{};
}

TEST(Survey, CountsEveryInstructionOnce) {
  const Survey survey = surveyed("gfx942", R"(
    v_add_f32 v0, v1, v2
  again:
    v_add_f32 v0, v0, v2
    s_sub_u32 s0, s0, 1
    s_cbranch_scc0 again
    v_add_f32_e64 v0, -v0, v2
    s_endpgm
  )");
  EXPECT_EQ(survey.instructions, 6u);
  EXPECT_EQ(survey.refused, 0u);
  EXPECT_EQ(survey.data, 0u);
  EXPECT_EQ(survey.mnemonics.at("v_add_f32_e32").all, 2u);
  EXPECT_EQ(survey.mnemonics.at("v_add_f32_e64").all, 1u);
  EXPECT_EQ(survey.mnemonics.at("s_endpgm").all, 1u);
}

TEST(Survey, NamesWhatWouldBeRefusedAndWhere) {
  const Survey survey = surveyed("gfx1100", R"(
    v_mov_b32 v0, 0
    image_load v[0:3], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_1D
    s_endpgm
  )",
                                 32);
  EXPECT_EQ(survey.instructions, 3u);
  EXPECT_EQ(survey.refused, 1u);
  ASSERT_EQ(survey.refusals.size(), 1u);
  EXPECT_EQ(survey.refusals[0].routine, "routine");
  EXPECT_EQ(survey.refusals[0].pc, 0x1004u);
  EXPECT_NE(survey.refusals[0].instruction.find("image_load"), std::string::npos);
  EXPECT_EQ(survey.refusals[0].error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(survey.mnemonics.at("image_load").refused, 1u);
}

TEST(Survey, FindsWhatOnlyIndirectJumpsReachAndTakesNoPaddingForCode) {
  const Survey survey = surveyed("gfx942", R"(
    s_setpc_b64 s[0:1]
    s_nop 0
    s_nop 0
    .long 0
    .long 0xffffffff
    v_mul_f32 v0, v1, v2
    s_endpgm
    s_nop 0
  )");
  EXPECT_EQ(survey.instructions, 3u);
  EXPECT_EQ(survey.refused, 0u);
  EXPECT_EQ(survey.data, 8u);
  EXPECT_EQ(survey.mnemonics.at("v_mul_f32_e32").all, 1u);
}

TEST(Survey, BytesThatAreReachedAndAreNoInstructionAreRefused) {
  const Survey survey = surveyed("gfx942", "v_mov_b32 v0, 0\n.long 0xffffffff\n");
  EXPECT_EQ(survey.refused, 1u);
  ASSERT_FALSE(survey.refusals.empty());
  EXPECT_EQ(survey.refusals[0].pc, 0x1004u);
}

TEST(Survey, ABranchOutOfTheCodeIsRefused) {
  const Survey survey = surveyed("gfx942", "s_branch 100\n");
  EXPECT_EQ(survey.instructions, 1u);
  EXPECT_EQ(survey.refused, 1u);
}

TEST(Survey, HalvesOfDualIssueInstructionsCountApart) {
  const Survey survey =
      surveyed("gfx1100", "v_dual_mul_f32 v0, v4, v2 :: v_dual_add_f32 v1, v5, v3\ns_endpgm\n", 32);
  EXPECT_EQ(survey.instructions, 2u);
  EXPECT_EQ(survey.mnemonics.at("v_dual_mul_f32").all, 1u);
  EXPECT_EQ(survey.mnemonics.at("v_dual_add_f32").all, 1u);
}

}  // namespace
}  // namespace wavesmith::emulate
