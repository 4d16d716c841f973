#include "isa/llvm/decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "isa/llvm/assembler.h"

namespace wavesmith::isa {
namespace {

Instruction parsed(std::string_view text) {
  auto instruction = parse_instruction(text);
  EXPECT_TRUE(instruction) << text;
  return instruction.value_or(Instruction{});
}

TEST(ParseInstruction, SplitsMnemonicAndEncoding) {
  EXPECT_EQ(parsed("v_add_f32_e64 v0, v1, v2").mnemonic, "v_add_f32");
  EXPECT_EQ(parsed("v_add_f32_e64 v0, v1, v2").encoding, Encoding::E64);
  EXPECT_EQ(parsed("v_add_f16_e64_dpp v0, v1, v2 row_shl:1").encoding, Encoding::E64Dpp);
  EXPECT_EQ(parsed("s_endpgm").mnemonic, "s_endpgm");
  EXPECT_TRUE(parsed("s_endpgm").operands.empty());
}

TEST(ParseInstruction, ReadsRegistersAndTheirModifiers) {
  const Instruction i = parsed("v_fma_f32 v7, -|v1|, s[4:5], neg(1.0) clamp mul:2");
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_EQ(i.operands[0].kind, Operand::Kind::Vgpr);
  EXPECT_EQ(i.operands[0].index, 7);
  EXPECT_TRUE(i.operands[1].negate);
  EXPECT_TRUE(i.operands[1].absolute);
  EXPECT_EQ(i.operands[2].index, 4);
  EXPECT_EQ(i.operands[2].count, 2);
  EXPECT_EQ(i.operands[3].kind, Operand::Kind::Float);
  EXPECT_TRUE(i.operands[3].negate);
  EXPECT_TRUE(i.has("clamp"));
  EXPECT_EQ(i.value("mul"), 2);
}

TEST(ParseInstruction, ReadsHalvesAndConstants) {
  const Instruction i = parsed("v_add_f16_e32 v0.l, 0x1234, v2.h");
  EXPECT_EQ(i.operands[0].half, Operand::Half::Low);
  EXPECT_EQ(i.operands[1].bits, 0x1234);
  EXPECT_EQ(i.operands[2].half, Operand::Half::High);
  EXPECT_EQ(parsed("s_mov_b32 s0, -16").operands[1].bits, -16);
  EXPECT_DOUBLE_EQ(parsed("s_mov_b32 s0, -0.5").operands[1].real, -0.5);
}

TEST(ParseInstruction, ReadsModifiersWithLists) {
  const Instruction i =
      parsed("v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0x5 bound_ctrl:1");
  ASSERT_EQ(i.operands.size(), 2u);
  EXPECT_EQ(i.value("quad_perm", -1, 0), 3);
  EXPECT_EQ(i.value("quad_perm", -1, 3), 0);
  EXPECT_EQ(i.value("bank_mask"), 5);
  EXPECT_EQ(i.value("absent", 42), 42);
}

TEST(ParseInstruction, ReadsMemoryInstructions) {
  const Instruction i = parsed("buffer_load_dwordx2 v[0:1], v2, s[4:7], 0 offen offset:4095 sc0 nt");
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_TRUE(i.has("offen"));
  EXPECT_TRUE(i.has("nt"));
  EXPECT_EQ(i.value("offset"), 4095);
  EXPECT_EQ(parsed("global_store_dword v[0:1], v2, off").operands[2].name, "off");
  EXPECT_TRUE(parsed("global_inv scope:SCOPE_SYS").operands.empty());
}

TEST(ParseInstruction, KeepsMessagesAndHardwareRegistersWhole) {
  EXPECT_EQ(parsed("s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)").operands[1].name, "hwreg(HW_REG_MODE, 0, 4)");
  EXPECT_EQ(parsed("s_sendmsg sendmsg(MSG_INTERRUPT)").operands[0].name, "sendmsg(MSG_INTERRUPT)");
}

TEST(ParseInstruction, ReadsWaits) {
  const Instruction i = parsed("s_waitcnt vmcnt(3) lgkmcnt(0)");
  EXPECT_EQ(i.value("vmcnt", -1), 3);
  EXPECT_EQ(i.value("lgkmcnt", -1), 0);
}

TEST(ParseInstruction, ReadsBothHalvesOfDualIssue) {
  const Instruction i = parsed("v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v1, v2, v3");
  EXPECT_EQ(i.mnemonic, "v_dual_mov_b32");
  ASSERT_EQ(i.second.size(), 1u);
  EXPECT_EQ(i.second[0].mnemonic, "v_dual_add_f32");
  EXPECT_EQ(i.second[0].operands.size(), 3u);
}

TEST(ParseInstruction, RefusesNothing) {
  EXPECT_FALSE(parse_instruction(""));
  EXPECT_FALSE(parse_instruction("   "));
}

TEST(Decoder, RoundTripsThroughTheAssembler) {
  for (const Target& target : kTargets) {
    auto decoder = Decoder::create(target, 64);
    ASSERT_TRUE(decoder);
    const auto code = assemble(target, 64, "v_mov_b32 v3, 0x12345678\ns_endpgm\n");
    ASSERT_TRUE(code) << code.error().text();
    const auto first = decoder->decode(*code, 0x1000);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->mnemonic, "v_mov_b32");
    EXPECT_EQ(first->size, 8u);
    EXPECT_EQ(first->operands[1].bits, 0x12345678);
    EXPECT_EQ(decoder->decode(std::span(*code).subspan(8), 0x1008)->mnemonic, "s_endpgm");
  }
}

TEST(Decoder, OnesThatAreUsedAgainAreForTheSameTargetAndWaveSize) {
  const Target &rdna = *find_target("gfx1100"), &cdna = *find_target("gfx942");
  const auto code = assemble(rdna, 64, "v_cndmask_b32_e32 v0, v1, v2, vcc\n");
  ASSERT_TRUE(code);
  const auto text = [&](const Target& target, int lanes) {
    auto decoder = Decoder::create(target, lanes);
    const auto decoded = decoder->decode(*code, 0);
    return decoded ? decoded->text : "none";
  };
  for (int i = 0; i < 3; ++i) {
    auto kept = Decoder::create(rdna, 32);
    EXPECT_EQ(text(rdna, 64), "v_cndmask_b32_e32 v0, v1, v2, vcc");
    EXPECT_EQ(text(rdna, 32), "v_cndmask_b32_e32 v0, v1, v2, vcc_lo");
    EXPECT_NE(text(cdna, 64), text(rdna, 64));
    EXPECT_EQ(kept->decode(*code, 0)->text, "v_cndmask_b32_e32 v0, v1, v2, vcc_lo");
    *kept = std::move(*Decoder::create(rdna, 64));
    EXPECT_EQ(kept->decode(*code, 0)->text, "v_cndmask_b32_e32 v0, v1, v2, vcc");
  }
}

// LLVM 22 takes the constant for the number of a source: 168 for the inline constant 40.
TEST(Decoder, TellsTheConstantOfAMultiplyAddFromASourcesNumber) {
  const std::pair<const char*, const char*> cases[] = {
      {"gfx90a", "v_madmk_f16 v1, v2, {}, v3"},
      {"gfx90a", "v_madak_f32 v1, v2, v3, {}"},
      {"gfx942", "v_fmamk_f32 v1, v2, {}, v3"},
      {"gfx942", "v_madak_f16 v1, v2, v3, {}"},
      {"gfx950", "v_fmaak_f32 v1, v2, v3, {}"},
      {"gfx1100", "v_fmamk_f16 v1, v2, {}, v3"},
      {"gfx1100", "v_fmaak_f32 v1, {0}, v3, {0}"},
      {"gfx1100", "v_dual_fmaak_f32 v0, v1, v2, {} :: v_dual_mov_b32 v3, v4"},
      {"gfx1201", "v_dual_mov_b32 v3, v4 :: v_dual_fmamk_f32 v0, v1, {}, v3"},
      {"gfx1201", "v_fmaak_f16 v1, v2, v3, {}"},
      {"gfx1201", "s_fmaak_f32 s1, s2, s3, {}"},
      {"gfx1201", "s_fmamk_f32 s1, s2, {}, s3"},
  };
  for (const auto& [target, form] : cases) {
    const int lanes = std::string_view(target).starts_with("gfx1") ? 32 : 64;
    auto decoder = Decoder::create(*find_target(target), lanes);
    ASSERT_TRUE(decoder);
    for (int constant = 0; constant <= 256; ++constant) {
      const std::string text = fmt::format(fmt::runtime(form), constant);
      const auto code = assemble(*find_target(target), lanes, text);
      ASSERT_TRUE(code) << text;
      const auto decoded = decoder->decode(*code, 0);
      ASSERT_TRUE(decoded) << target << " " << text;
      EXPECT_EQ(decoded->size, code->size()) << text;
      std::vector<Operand> operands = decoded->operands;
      for (const Instruction& second : decoded->second)
        operands.insert(operands.end(), second.operands.begin(), second.operands.end());
      size_t integers = 0;
      for (const Operand& operand : operands)
        if (operand.kind == Operand::Kind::Integer) {
          ++integers;
          EXPECT_EQ(operand.bits, constant) << target << " " << text << ": " << decoded->text;
        }
      EXPECT_GE(integers, 1u) << target << " " << text << ": " << decoded->text;
    }
  }
}

TEST(Decoder, RefusesLiteralsOfBarriers) {
  auto decoder = Decoder::create(*find_target("gfx1201"), 32);
  for (const uint8_t operation : {0x4e, 0x4f, 0x50, 0x51, 0x52}) {
    const uint8_t bytes[] = {0xff, operation, 0x95, 0xbe, 0xd8, 0xa8, 0xbd, 0x61};
    EXPECT_FALSE(decoder->decode(bytes, 0)) << int{operation};
  }
  const uint8_t by_m0[] = {0x7d, 0x4e, 0x80, 0xbe};
  EXPECT_TRUE(decoder->decode(by_m0, 0));
}

TEST(Decoder, NamesBytesThatAreNoInstruction) {
  auto decoder = Decoder::create(*find_target("gfx942"), 64);
  const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const auto decoded = decoder->decode(bytes, 0x40);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().kind, ErrorKind::BadInput);
  EXPECT_NE(decoded.error().text().find("0x40"), std::string::npos);
  EXPECT_FALSE(decoder->decode(std::span(bytes, 2), 0));
  EXPECT_FALSE(decoder->decode({}, 0));
}

TEST(Decoder, IgnoresFieldsThatAnOperationDoesNotUse) {
  struct Case {
    const char *target, *text;
    size_t byte;
    uint8_t bits;
  };
  const Case cases[] = {
      {"gfx942", "ds_add_u32 v1, v2 offset:16", 7, 0x05},
      {"gfx1100", "ds_add_u32 v1, v2 offset:16", 7, 0x02},
      {"gfx1201", "ds_store_b64 v1, v[2:3]", 7, 0xff},
      {"gfx1100", "v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1", 1, 0x04},
      {"gfx1201", "v_dual_add_f32 v2, v3, v4 :: v_dual_mov_b32 v1, v0", 5, 0x06},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.text);
    const Target& target = *find_target(test.target);
    const int lanes = target.is(kRdna) ? 32 : 64;
    auto decoder = Decoder::create(target, lanes);
    auto code = assemble(target, lanes, test.text);
    ASSERT_TRUE(code) << code.error().text();
    const auto plain = decoder->decode(*code, 0);
    ASSERT_TRUE(plain);
    ASSERT_EQ((*code)[test.byte] & test.bits, 0);
    (*code)[test.byte] |= test.bits;
    const auto decoded = decoder->decode(*code, 0);
    ASSERT_TRUE(decoded) << decoded.error().text();
    EXPECT_EQ(decoded->text, plain->text);
    EXPECT_EQ(decoded->size, plain->size);
  }
}

TEST(Decoder, KeepsTheMaskOfARotation) {
  for (const Target& target : kTargets) {
    auto decoder = Decoder::create(target, 64);
    const auto code = assemble(target, 64, "ds_swizzle_b32 v1, v0 offset:0xc438");
    ASSERT_TRUE(code);
    const auto masked = decoder->decode(*code, 0);
    ASSERT_TRUE(masked);
    EXPECT_EQ(masked->value("offset"), 0xc438) << masked->text;
    const auto again = assemble(target, 64, masked->text);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *code);
  }
}

// Among the permutations are those whose numbers stand for constants where they are sources.
TEST(Decoder, KeepsQuadPermutationsOfMixedMultiplyAdds) {
  for (const std::string_view target : {"gfx1100", "gfx1201"}) {
    auto decoder = Decoder::create(*find_target(target), 32);
    for (const std::string_view mnemonic : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"})
      for (int control = 0; control < 256; ++control) {
        const std::string permutation = fmt::format("quad_perm:[{},{},{},{}]", control % 4, control / 4 % 4,
                                                    control / 16 % 4, control / 64);
        const std::string text =
            fmt::format("{}_e64_dpp v26, -v11, v5, v14 op_sel_hi:[0,1,0] {} row_mask:0xf bank_mask:0x3 fi:1",
                        mnemonic, permutation);
        SCOPED_TRACE(fmt::format("{} {}", target, text));
        auto code = assemble(*find_target(target), 32, text + "\ns_endpgm");
        ASSERT_TRUE(code) << code.error().text();
        const auto decoded = decoder->decode(*code, 0);
        ASSERT_TRUE(decoded) << decoded.error().text();
        EXPECT_EQ(decoded->size, 12u);
        EXPECT_NE(decoded->text.find(permutation), std::string::npos) << decoded->text;
        const Modifier* const modifier = decoded->find("quad_perm");
        ASSERT_TRUE(modifier);
        for (int i = 0; i < 4; ++i)
          EXPECT_EQ(modifier->values[static_cast<size_t>(i)], control >> (2 * i) & 3);
        EXPECT_EQ(decoded->value("bank_mask"), 3);
      }
  }
}

TEST(Decoder, KeepsFieldsThatAreUsed) {
  auto decoder = Decoder::create(*find_target("gfx942"), 64);
  auto code = assemble(*find_target("gfx942"), 64, "ds_read_b64 v[4:5], v1");
  ASSERT_TRUE(code);
  (*code)[7] = 6;
  EXPECT_EQ(decoder->decode(*code, 0)->operands[0].index, 6);
  (*code)[7] = 5;  // registers of a pair must be aligned
  EXPECT_FALSE(decoder->decode(*code, 0));
}

TEST(Decoder, RefusesWhatLlvmCannotPrint) {
  // A literal where the target has none, one that is cut off, a reserved SDWA selection.
  auto decoder = Decoder::create(*find_target("gfx942"), 64);
  ASSERT_TRUE(decoder);
  const std::vector<std::vector<uint8_t>> inputs = {
      {0x8b, 0xa4, 0x50, 0xe9, 0xe7, 0x18, 0xf8, 0xff, 0x65, 0x42, 0x0e, 0x93},
      {0xff, 0x02, 0x00, 0x7e},
      {0xf9, 0x62, 0xbd, 0x15, 0xd0, 0x5f, 0xa1, 0xc5},
  };
  for (const auto& input : inputs) {
    const auto decoded = decoder->decode(input, 0);
    EXPECT_FALSE(decoded) << decoded->text;
  }
}

}  // namespace
}  // namespace wavesmith::isa
