#include "check/hazard/hazard.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

#include "check/testing.h"

namespace wavesmith::check {
namespace {

/// Runs a text behind a prelude: the address of 16 KiB is in s[4:5], a buffer's resource of them in s[8:11],
/// 4 times the lane in v0; v1 and v2 are 0.
std::vector<std::string> rules_of(std::string_view target, int lanes, std::string_view text) {
  const bool rdna = target.starts_with("gfx1");
  const std::string_view wait = target == "gfx1201" ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)";
  const auto prelude = fmt::format(
      "s_load_{} s[4:5], s[0:1], 0x0\n{}\ns_mov_b32 s8, s4\ns_and_b32 s9, s5, 0xffff\ns_mov_b32 s10, 0x4000\n"
      "s_mov_b32 s11, {}\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v0, 2, v0\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0\n"
      "s_nop 7\ns_nop 7\n",
      rdna ? "b64" : "dwordx2", wait, rdna ? "0x31004000" : "0x00027000");
  CheckedKernel kernel("hazard", target, prelude + std::string(text), lanes, 4096);
  kernel.describe = [](object::Kernel& described) { described.fields.private_segment_fixed_size = 16; };
  uint32_t* const data = kernel.allocate(4096);
  const auto done = kernel.launch(1, static_cast<uint32_t>(lanes), {reinterpret_cast<uint64_t>(data)});
  EXPECT_TRUE(done) << text << "\n" << (done ? "" : done.error().text());
  std::vector<std::string> rules;
  for (const Finding& finding : kernel.findings()) rules.push_back(finding.rule);
  return rules;
}

/// CDNA: a pair of instructions that need wait states between them, tried with as many and with one fewer.
struct Distance {
  std::string_view rule;
  std::string_view targets;  ///< separated by spaces
  int states;
  std::string_view first, second;
};
void PrintTo(const Distance& each, std::ostream* out) {
  *out << each.rule << " on " << each.targets << ": " << each.first << " / " << each.second;
}

constexpr std::string_view kCdna = "gfx90a gfx942 gfx950", kFromCdna3 = "gfx942 gfx950";

std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 8) text += fmt::format("s_nop {}\n", std::min(states, 8) - 1);
  return text;
}

class DistanceTest : public testing::TestWithParam<Distance> {};

TEST_P(DistanceTest, IsTooShortByOneState) {
  const Distance& each = GetParam();
  for (std::string_view left = each.targets; !left.empty();) {
    const size_t space = std::min(left.find(' '), left.size());
    const std::string_view target = left.substr(0, space);
    left.remove_prefix(std::min(space + 1, left.size()));
    const auto text = [&](int states) {
      return fmt::format("{}\n{}{}\ns_nop 7\n", each.first, nops(states), each.second);
    };
    EXPECT_EQ(rules_of(target, 64, text(each.states - 1)), std::vector{std::string(each.rule)}) << target;
    EXPECT_EQ(rules_of(target, 64, text(each.states)), std::vector<std::string>{}) << target;
  }
}

// clang-format off
constexpr Distance kValu[] = {
    {"sgpr-vmem", kCdna, 5, "v_readfirstlane_b32 s12, v1", "buffer_load_dword v3, v0, s[8:11], s12 offen"},
    {"sgpr-vmem", kCdna, 5, "v_mov_b32 v3, s4\ns_nop 7\nv_readfirstlane_b32 s4, v3", "global_load_dword v3, v0, s[4:5]"},
    {"sgpr-vmem", kCdna, 5, "v_cmp_lt_u32 s[12:13], v1, v2", "buffer_store_dword v3, v0, s[8:11], s12 offen"},
    {"vcc-div-fmas", kCdna, 4, "v_cmp_eq_f32 vcc, v1, v2", "v_div_fmas_f32 v3, v1, v2, v1"},
    {"vcc-div-fmas", kCdna, 4, "v_div_scale_f32 v3, vcc, v1, v1, v2", "v_div_fmas_f32 v3, v1, v2, v1"},
    {"sgpr-lane-select", kCdna, 4, "v_readfirstlane_b32 s12, v1", "v_readlane_b32 s13, v2, s12"},
    {"sgpr-lane-select", kCdna, 4, "v_readfirstlane_b32 s12, v1", "v_writelane_b32 v2, 7, s12"},
    {"zero-flag", kCdna, 5, "v_cmp_eq_f32 vcc, v1, v2", "v_mov_b32 v3, src_vccz"},
    {"exec-dpp", kCdna, 5, "v_cmpx_eq_u32 exec, v1, v2", "v_mov_b32_dpp v3, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"},
    {"vgpr-dpp", kCdna, 2, "v_mov_b32 v3, v0", "v_mov_b32_dpp v4, v3 row_shr:1 row_mask:0xf bank_mask:0xf"},
    {"vgpr-dpp", kCdna, 2, "v_add_f32 v3, v0, v1", "v_add_f32_dpp v4, v3, v1 row_ror:4 row_mask:0xf bank_mask:0xf"},
    {"setreg-getreg", kCdna, 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_getreg_b32 s12, hwreg(HW_REG_MODE)"},
    {"setreg-setreg", kCdna, 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15"},
    {"m0", kFromCdna3, 1, "s_mov_b32 m0, 0", "global_load_lds_dword v0, s[4:5]"},
    {"m0", kCdna, 1, "s_mov_b32 m0, 0", "ds_read_addtid_b32 v3"},
    {"m0", kCdna, 1, "s_mov_b32 s12, 0\ns_mov_b32 m0, 0", "s_movrels_b32 s13, s12"},
    {"store-data", "gfx90a", 1, "global_store_dwordx4 v0, v[4:7], s[4:5]", "v_mov_b32 v5, 1"},
    {"store-data", kFromCdna3, 2, "global_store_dwordx4 v0, v[4:7], s[4:5]", "v_mov_b32 v5, 1"},
    {"store-data", kFromCdna3, 2, "buffer_store_dwordx3 v[4:6], v0, s[8:11], 0 offen", "v_add_f32 v6, v1, v2"},
    {"trans-result", kFromCdna3, 1, "v_rcp_f32 v3, v1", "v_add_f32 v4, v3, v1"},
    {"trans-result", kFromCdna3, 1, "v_exp_f32 v3, v1", "v_fma_f32 v4, v1, v2, v3"},
    {"moved-result", "gfx942", 1, "v_add_f16_sdwa v3, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_0", "v_add_f32 v4, v3, v1"},
    {"moved-result", kFromCdna3, 1, "v_mad_f16 v3, v1, v2, v1 op_sel:[0,0,0,1]", "v_add_f32 v4, v3, v1"},
    {"sgpr-constant", kFromCdna3, 2, "v_readfirstlane_b32 s12, v1", "v_add_u32 v3, s12, v0"},
    {"sgpr-constant", kFromCdna3, 2, "v_cmp_lt_u32 vcc, v1, v2", "v_and_b32 v3, vcc_lo, v0"},
    {"vgpr-readlane", kFromCdna3, 1, "v_mov_b32 v3, v0", "v_readlane_b32 s12, v3, 5"},
    {"vgpr-readlane", kFromCdna3, 1, "v_mov_b32 v3, v0", "v_readfirstlane_b32 s12, v3"},
    {"exec-lane", kFromCdna3, 4, "v_cmpx_eq_u32 exec, v1, v2", "v_readfirstlane_b32 s12, v0"},
    {"vgpr-permlane", "gfx950", 2, "v_mov_b32 v3, v0", "v_permlane32_swap_b32 v3, v1"},
    {"vgpr-permlane", "gfx950", 2, "v_mov_b32 v3, v0", "v_permlane16_swap_b32 v1, v3"},
    {"cmpx-permlane", "gfx950", 4, "v_cmpx_eq_u32 exec, v1, v2", "v_permlane32_swap_b32 v0, v1"},
    {"dot-operand", kCdna, 3, "v_dot2_f32_f16 v3, v1, v2, v1", "v_dot2_f32_f16 v4, v3, v2, v1"},
    {"dot-result", kCdna, 3, "v_dot2_f32_f16 v3, v1, v2, v1", "v_add_f32 v4, v3, v1"},
    {"dot-result", kCdna, 3, "v_dot4_i32_i8 v3, v1, v2, v1", "v_mov_b32 v3, 0"},
};
constexpr Distance kMatrix[] = {
    {"exec-matrix", kCdna, 4, "v_cmpx_eq_u32 exec, v1, v2", "v_mfma_f32_4x4x1f32 a[0:3], v1, v2, 0"},
    {"vgpr-matrix", kCdna, 2, "v_mov_b32 v3, 0", "v_mfma_f32_4x4x1f32 a[0:3], v3, v2, 0"},
    {"vgpr-matrix", kCdna, 2, "v_accvgpr_write_b32 a1, 0", "v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]"},
    // 4x4x4 of F16: two passes
    {"matrix-operand", kCdna, 5, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_4x4x4f16 v[8:11], v[4:5], v[0:1], 0"},
    {"matrix-result", kCdna, 5, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_add_f32 v8, v7, v0"},
    {"matrix-result", kCdna, 5, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "global_store_dword v0, v6, s[4:5]"},
    {"matrix-result", kCdna, 5, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "ds_write_b32 v0, v6"},
    {"matrix-result", kCdna, 5, "v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[0:1], 0", "v_accvgpr_read_b32 v8, a0"},
    {"matrix-overwritten", kCdna, 5, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_mov_b32 v7, 0"},
    {"matrix-c-overwritten", kCdna, 1, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], v[8:11]", "v_mov_b32 v8, 0"},
    {"matrix-c", kFromCdna3, 2, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], v[4:7]"},
    {"matrix-c", "gfx942", 3, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_4x4x4f16 v[10:13], v[0:1], v[0:1], v[6:9]"},
    {"matrix-c", "gfx950", 4, "v_mfma_f32_4x4x4f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_4x4x4f16 v[10:13], v[0:1], v[0:1], v[6:9]"},
    // 16x16x16: eight passes, four from CDNA3 on
    {"matrix-operand", "gfx90a", 11, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_16x16x16f16 v[8:11], v[4:5], v[0:1], 0"},
    {"matrix-operand", "gfx942", 7, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_16x16x16f16 v[8:11], v[4:5], v[0:1], 0"},
    {"matrix-operand", "gfx950", 8, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0", "v_mfma_f32_16x16x16f16 v[8:11], v[4:5], v[0:1], 0"},
    {"matrix-result", "gfx90a", 11, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0", "v_add_f32 v8, v7, v0"},
    {"matrix-result", "gfx942", 7, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0", "v_add_f32 v8, v7, v0"},
    {"matrix-result", "gfx950", 8, "v_mfma_f32_16x16x32_f16 v[4:7], v[0:3], v[0:3], 0", "v_add_f32 v8, v7, v0"},
    {"matrix-c-overwritten", "gfx942", 3, "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], v[8:11]", "v_mov_b32 v8, 0"},
    // 32x32: sixteen passes
    {"matrix-result", "gfx90a gfx942", 19, "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[0:1], 0", "v_accvgpr_read_b32 v8, a31"},
    {"matrix-result", "gfx950", 20, "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[0:1], 0", "v_accvgpr_read_b32 v8, a31"},
    {"matrix-overwritten", "gfx90a gfx942", 19, "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[0:1], 0", "v_accvgpr_write_b32 a31, 0"},
    {"matrix-c-overwritten", kCdna, 15, "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[0:1], a[32:63]", "v_accvgpr_write_b32 a63, 0"},
    // F32's own unit
    {"matrix-operand", kFromCdna3, 4, "v_mfma_f32_4x4x1f32 v[4:7], v0, v1, 0", "v_mfma_f32_4x4x1f32 v[8:11], v4, v1, 0"},
    {"matrix-result", kFromCdna3, 10, "v_mfma_f32_16x16x4f32 v[4:7], v0, v1, 0", "v_add_f32 v8, v7, v0"},
    // F64
    {"matrix-operand", kCdna, 6, "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], 0", "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[0:1], 0"},
    {"matrix-c", kCdna, 4, "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], 0", "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], v[4:5]"},
    {"matrix-result", kCdna, 6, "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], 0", "v_add_f32 v8, v4, v0"},
    {"matrix-result", kCdna, 9, "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], 0", "global_store_dword v0, v4, s[4:5]"},
    {"matrix-result", "gfx90a gfx942", 11, "v_mfma_f64_16x16x4f64 v[4:11], v[0:1], v[0:1], 0", "v_add_f32 v12, v4, v0"},
    {"matrix-result", "gfx950", 19, "v_mfma_f64_16x16x4f64 v[4:11], v[0:1], v[0:1], 0", "v_add_f32 v12, v4, v0"},
    {"matrix-result", kCdna, 18, "v_mfma_f64_16x16x4f64 v[4:11], v[0:1], v[0:1], 0", "global_store_dword v0, v4, s[4:5]"},
    {"matrix-overwritten", kCdna, 11, "v_mfma_f64_16x16x4f64 v[4:11], v[0:1], v[0:1], 0", "v_mov_b32 v4, 0"},
    {"double-matrix-fma", kCdna, 2, "v_mfma_f64_4x4x4f64 v[4:5], v[0:1], v[0:1], 0", "v_fma_f64 v[8:9], v[0:1], v[0:1], v[0:1]"},
    // Sparse
    {"matrix-operand", "gfx942", 7, "v_smfmac_f32_16x16x32_f16 v[4:7], v[0:1], v[12:15], v2", "v_smfmac_f32_16x16x32_f16 v[8:11], v[0:1], v[12:15], v4"},
    {"matrix-result", "gfx942", 7, "v_smfmac_f32_16x16x32_f16 v[4:7], v[0:1], v[12:15], v2", "v_add_f32 v8, v7, v0"},
    // f8f6f4: twice the passes where an operand has eight bits
    {"matrix-result", "gfx950", 12, "v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[16:23], v[16:23], v[4:7]", "v_add_f32 v8, v7, v0"},
    {"matrix-result", "gfx950", 8, "v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[16:19], v[16:19], v[4:7] cbsz:4 blgp:4", "v_add_f32 v8, v7, v0"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Valu, DistanceTest, testing::ValuesIn(kValu));
INSTANTIATE_TEST_SUITE_P(Matrix, DistanceTest, testing::ValuesIn(kMatrix));

/// A text with the fault and one without it.
struct Pair {
  std::string_view rule;
  std::string_view target;
  int lanes;
  std::string_view faulty, right;
};
void PrintTo(const Pair& each, std::ostream* out) {
  *out << each.rule << " on " << each.target << ", wave" << each.lanes;
}

class PairTest : public testing::TestWithParam<Pair> {};

TEST_P(PairTest, IsToldApart) {
  const Pair& each = GetParam();
  EXPECT_EQ(rules_of(each.target, each.lanes, each.faulty), std::vector{std::string(each.rule)});
  EXPECT_EQ(rules_of(each.target, each.lanes, each.right), std::vector<std::string>{});
}

// clang-format off
constexpr Pair kPairs[] = {
    {"store-data", "gfx942", 64, "global_store_dwordx4 v0, v[4:7], s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v5, 1",
     "global_store_dwordx4 v0, v[4:7], s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32 v5, 1"},
    {"store-data", "gfx950", 64, "s_waitcnt vmcnt(0)\nglobal_store_dwordx4 v0, v[4:7], s[4:5] sc1\nv_mov_b32 v5, 1",
     "global_store_dwordx4 v0, v[4:7], s[4:5] sc1\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v5, 1"},
    {"trans-result", "gfx1100", 32, "v_rcp_f32 v3, v1\nv_add_f32 v4, v3, v1",
     "v_rcp_f32 v3, v1\ns_waitcnt_depctr depctr_va_vdst(0)\nv_add_f32 v4, v3, v1"},
    {"trans-result", "gfx1100", 64, "v_exp_f32 v3, v1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mul_f32 v6, v3, v1",
     "v_exp_f32 v3, v1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\nv_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_mul_f32 v6, v3, v1"},
    {"trans-result", "gfx1100", 32, "v_rcp_f32 v3, v1\nv_rcp_f32 v4, v1\nv_add_f32 v5, v3, v1",
     "v_rcp_f32 v3, v1\nv_rcp_f32 v4, v1\nv_rcp_f32 v5, v1\nv_add_f32 v6, v3, v1"},
    {"trans-result", "gfx1100", 32, "v_sqrt_f32 v3, v1\nv_dual_mul_f32 v4, v3, v3 :: v_dual_mov_b32 v5, v2",
     "v_sqrt_f32 v3, v1\nds_store_b32 v0, v1\nv_dual_mul_f32 v4, v3, v3 :: v_dual_mov_b32 v5, v2"},
    {"partial-forwarding", "gfx1100", 64, "v_mov_b32 v3, 1\ns_mov_b64 exec, -1\nv_mov_b32 v4, 2\nv_add_f32 v5, v3, v4",
     "v_mov_b32 v3, 1\ns_mov_b64 exec, -1\nv_mov_b32 v4, 2\ns_waitcnt_depctr depctr_va_vdst(0)\nv_add_f32 v5, v3, v4"},
    {"partial-forwarding", "gfx1151", 64, "v_mov_b32 v3, 1\nv_mov_b32 v6, 1\ns_mov_b64 exec, -1\nv_mov_b32 v7, 1\nv_mov_b32 v4, 2\nv_add_f32 v5, v3, v4",
     "v_mov_b32 v3, 1\nv_mov_b32 v6, 1\nv_mov_b32 v8, 1\ns_mov_b64 exec, -1\nv_mov_b32 v7, 1\nv_mov_b32 v4, 2\nv_add_f32 v5, v3, v4"},
    {"mask-overwritten", "gfx1100", 64, "v_cndmask_b32 v3, v1, v2, s[12:13]\ns_mov_b64 s[12:13], 0\nv_mov_b32 v4, s12",
     "v_cndmask_b32 v3, v1, v2, s[12:13]\ns_mov_b64 s[12:13], 0\ns_waitcnt_depctr depctr_sa_sdst(0)\nv_mov_b32 v4, s12"},
    {"mask-overwritten", "gfx1151", 64, "v_cndmask_b32 v3, v1, v2, vcc\ns_mov_b64 vcc, 0\ns_and_b64 s[12:13], vcc, exec",
     "v_cndmask_b32 v3, v1, v2, vcc\ns_mov_b64 vcc, 0\ns_waitcnt_depctr depctr_sa_sdst(0)\ns_and_b64 s[12:13], vcc, exec"},
    {"mask-overwritten", "gfx1100", 64, "v_cndmask_b32 v3, v1, v2, vcc\nv_cmp_eq_u32 vcc, v1, v2\nv_cndmask_b32 v4, v1, v2, vcc",
     "v_cndmask_b32 v3, v1, v2, vcc\nv_cmp_eq_u32 vcc, v1, v2\ns_waitcnt_depctr depctr_va_vcc(0)\nv_cndmask_b32 v4, v1, v2, vcc"},
    {"mask-overwritten", "gfx1100", 64, "v_cndmask_b32 v3, v1, v2, s[12:13]\nv_cmp_eq_u32 s[12:13], v1, v2\nv_cndmask_b32 v4, v1, v2, s[12:13]",
     "v_cndmask_b32 v3, v1, v2, s[12:13]\nv_cmp_eq_u32 s[12:13], v1, v2\ns_and_b64 s[14:15], s[12:13], exec"},
    {"matrix-operand", "gfx1100", 32, "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[16:23], v[8:15]\nv_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]",
     "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[16:23], v[8:15]\nv_nop\nv_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]"},
    {"matrix-operand", "gfx1151", 64, "v_wmma_f32_16x16x16_f16 v[8:11], v[16:23], v[16:23], v[8:11]\nv_wmma_f32_16x16x16_f16 v[24:27], v[16:23], v[8:15], v[24:27]",
     "v_wmma_f32_16x16x16_f16 v[8:11], v[16:23], v[16:23], v[8:11]\nv_wmma_f32_16x16x16_f16 v[8:11], v[16:23], v[16:23], v[8:11]"},
    {"matrix-operand", "gfx1201", 32, "v_wmma_f32_16x16x16_f16 v[8:15], v[16:19], v[16:19], v[8:15]\nv_wmma_f32_16x16x16_f16 v[24:31], v[12:15], v[16:19], v[24:31]",
     "v_wmma_f32_16x16x16_f16 v[8:15], v[16:19], v[16:19], v[8:15]\nv_mov_b32 v3, 0\nv_wmma_f32_16x16x16_f16 v[24:31], v[12:15], v[16:19], v[24:31]"},
    {"matrix-operand", "gfx1201", 32, "v_wmma_f32_16x16x16_f16 v[8:15], v[16:19], v[16:19], v[8:15]\nv_swmmac_f32_16x16x32_f16 v[24:31], v[32:35], v[36:43], v8",
     "v_wmma_f32_16x16x16_f16 v[8:15], v[16:19], v[16:19], v[8:15]\nv_nop\nv_swmmac_f32_16x16x32_f16 v[24:31], v[32:35], v[36:43], v8"},
    {"sgpr-reread", "gfx1201", 32, "v_add_nc_u32 v3, s12, v1\ns_mov_b32 s12, 3\nv_mov_b32 v4, s12",
     "v_add_nc_u32 v3, s12, v1\ns_mov_b32 s12, 3\ns_wait_alu depctr_sa_sdst(0)\nv_mov_b32 v4, s12"},
    {"sgpr-reread", "gfx1201", 64, "v_add_nc_u32 v3, s13, v1\ns_mov_b32 s12, 3\ns_add_u32 s14, s12, 1",
     "v_add_nc_u32 v3, s15, v1\ns_mov_b32 s12, 3\ns_add_u32 s14, s12, 1"},
    {"sgpr-reread", "gfx1201", 32, "v_cndmask_b32 v3, v1, v2, s12\nv_cmp_eq_u32 s12, v1, v2\nv_cndmask_b32 v3, v1, v2, s12",
     "v_cndmask_b32 v3, v1, v2, s12\nv_cmp_eq_u32 s12, v1, v2\ns_wait_alu depctr_va_sdst(0)\nv_cndmask_b32 v3, v1, v2, s12"},
    {"sgpr-reread", "gfx1201", 32, "v_cndmask_b32 v3, v1, v2, vcc_lo\nv_cmp_eq_u32 vcc_lo, v1, v2\nv_cndmask_b32 v3, v1, v2, vcc_lo",
     "v_cndmask_b32 v3, v1, v2, vcc_lo\nv_cmp_eq_u32 vcc_lo, v1, v2\ns_wait_alu depctr_va_vcc(0)\nv_cndmask_b32 v3, v1, v2, vcc_lo"},
    {"sgpr-reread", "gfx1201", 64, "v_readfirstlane_b32 s12, v1\nv_mov_b32 v3, s12\nv_readfirstlane_b32 s12, v2\nv_mov_b32 v4, s12",
     "v_readfirstlane_b32 s12, v1\nv_mov_b32 v3, s12\nv_readfirstlane_b32 s12, v2\ns_mov_b32 s13, s12\nv_mov_b32 v4, s12"},
    {"sgpr-reread", "gfx1201", 32, "v_permlanex16_b32 v3, v0, s12, 0\ns_mov_b32 s12, 3\nv_permlanex16_b32 v4, v0, s12, 0",
     "v_permlanex16_b32 v3, v0, s12, 0\ns_mov_b32 s12, 3\ns_wait_alu depctr_sa_sdst(0)\nv_permlanex16_b32 v4, v0, s12, 0"},
    {"sgpr-reread", "gfx1201", 64, "v_add_nc_u32 v3, s13, v1\ns_mov_b32 s12, 3\nv_permlane16_b32 v4, v0, s12, s14",
     "v_add_nc_u32 v3, s15, v1\ns_mov_b32 s12, 3\nv_permlane16_b32 v4, v0, s12, s16"},
    {"release-nop", "gfx1100", 32, "global_store_b32 v0, v1, s[4:5]\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "global_store_b32 v0, v1, s[4:5]\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
    {"release-nop", "gfx1151", 64, "s_nop 0\ns_mov_b32 s12, 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "s_mov_b32 s12, 0\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
    {"release-nop", "gfx1201", 32, "s_wait_storecnt 0x0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "s_wait_storecnt 0x0\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
    {"release-scratch", "gfx1100", 32, "scratch_store_b32 off, v0, off\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "scratch_store_b32 off, v0, off\ns_waitcnt_vscnt null, 0x0\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
    {"release-scratch", "gfx1151", 64, "scratch_store_b32 off, v0, off\nglobal_store_b32 v0, v1, s[4:5]\ns_waitcnt_vscnt null, 0x2\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "scratch_store_b32 off, v0, off\nglobal_store_b32 v0, v1, s[4:5]\ns_waitcnt_vscnt null, 0x1\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
    {"release-scratch", "gfx1201", 32, "scratch_store_b32 off, v0, off\ns_wait_loadcnt 0x0\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "scratch_store_b32 off, v0, off\ns_wait_storecnt 0x0\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Waits, PairTest, testing::ValuesIn(kPairs));

TEST(Hazard, IsFollowedAcrossBranches) {
  EXPECT_EQ(rules_of("gfx942", 64,
                     "v_readfirstlane_b32 s12, v1\ns_branch over\ns_nop 7\nover:\n"
                     "buffer_load_dword v3, v0, s[8:11], s12 offen"),
            std::vector<std::string>{"sgpr-vmem"});
}

TEST(Hazard, OfALoopIsFoundThoughItsBranchTakesFourStates) {
  const auto loop = [](std::string_view behind) {
    return fmt::format(
        "s_mov_b32 s12, 2\nagain:\n{}v_mov_b32 v8, 0\ns_nop 7\ns_sub_u32 s12, s12, 1\ns_cmp_lg_u32 s12, 0\n"
        "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], v[8:11]\ns_cbranch_scc1 again\ns_nop 7",
        behind);
  };
  EXPECT_EQ(rules_of("gfx90a", 64, loop("s_nop 1\n")), std::vector<std::string>{"matrix-c-overwritten"});
  EXPECT_EQ(rules_of("gfx90a", 64, loop("s_nop 2\n")), std::vector<std::string>{});
}

TEST(Hazard, EndsWhereTheRegisterIsWrittenAgain) {
  EXPECT_EQ(rules_of("gfx942", 64,
                     "v_readfirstlane_b32 s12, v1\ns_mov_b32 s12, 0\n"
                     "buffer_load_dword v3, v0, s[8:11], s12 offen"),
            std::vector<std::string>{});
}

TEST(Hazard, IsNoneWhereHardwareWaits) {
  struct Case {
    std::string_view why, text;
  };
  for (
      const auto& [why, text] : std::initializer_list<Case>{
          {"VALU to SALU", "v_readfirstlane_b32 s12, v1\ns_add_u32 s13, s12, 1"},
          {"a mask of lanes", "v_cmp_lt_u32 vcc, v1, v2\nv_cndmask_b32 v3, v1, v2, vcc"},
          {"any mask of lanes", "v_cmp_lt_u32 s[12:13], v1, v2\nv_cndmask_b32 v3, v1, v2, s[12:13]"},
          {"M0 to a load of a buffer", "s_mov_b32 m0, 0\nbuffer_load_dword v0, s[8:11], 0 offen lds"},
          {"VSKIP's own instruction", "s_setvskip 0, 0\nv_mov_b32 v3, 0"},
          {"lanes that stay",
           "v_mov_b32 v3, 0\nv_add_f32_dpp v4, v1, v3 row_shr:1 row_mask:0xf bank_mask:0xf"},
          {"by way of the SALU",
           "v_readfirstlane_b32 s12, v1\ns_and_b32 s12, s12, 1\nv_readlane_b32 s13, v0, s12"},
          {"both transcendental", "v_rcp_f32 v3, v1\nv_rcp_f32 v4, v3"},
          {"VALU to memory", "v_mov_b32 v3, 0\nglobal_store_dword v0, v3, s[4:5]"},
          {"64 bits", "global_store_dwordx2 v0, v[4:5], s[4:5]\nv_mov_b32 v4, 0"},
          {"an accumulation",
           "v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[0:1], 0\nv_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[0:1], "
           "a[0:3]"}})
    EXPECT_EQ(rules_of("gfx942", 64, text), std::vector<std::string>{}) << why;
}

TEST(Hazard, CountsThePassesOfAMatrixInstructionInBetween) {
  // The second one starts sixteen passes after the first one.
  const std::string_view text =
      "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[0:1], 0\nv_mfma_f32_32x32x4f16 a[32:63], v[0:1], v[0:1], 0\n"
      "s_nop 2\nv_accvgpr_read_b32 v8, a31";
  EXPECT_EQ(rules_of("gfx942", 64, text), std::vector<std::string>{});
}

TEST(Hazard, IsAHintWhereKernelsOfAmdDoTheSame) {
  CheckedKernel kernel(
      "hazard", "gfx942",
      "v_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0\ns_nop 3\nv_add_f32 v8, v4, v0\n"
      "s_nop 7\nv_mfma_f32_16x16x16f16 v[4:7], v[0:1], v[0:1], 0\ns_nop 2\nv_mul_f32 v8, v4, v0");
  ASSERT_TRUE(kernel.launch(1, 64, {}));
  const auto findings = kernel.findings();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].severity, Severity::Error);
  EXPECT_EQ(findings[0].parties[0].instruction, "v_mul_f32_e32 v8, v4, v0");
  EXPECT_EQ(findings[1].severity, Severity::Hint);
}

TEST(Hazard, IsAHintBehindATakenBranchThatAmdReliesOn) {
  const auto severity = [](std::string_view between) {
    CheckedKernel kernel(
        "hazard", "gfx942",
        fmt::format("s_cmp_eq_u32 s0, s0\nv_mfma_f32_32x32x8f16 v[4:19], v[0:1], v[0:1], 0\n{}"
                    "s_cbranch_scc1 over\ns_nop 7\nover:\nv_add_f32 v20, v4, v0",
                    between));
    EXPECT_TRUE(kernel.launch(1, 64, {}));
    const auto findings = kernel.findings();
    return findings.size() == 1 ? std::optional(findings[0].severity) : std::nullopt;
  };
  // Passes: eight. The branch is four states and one more.
  EXPECT_EQ(severity("s_nop 1\n"), Severity::Error);
  EXPECT_EQ(severity("s_nop 2\n"), Severity::Hint);
  EXPECT_EQ(severity("s_nop 6\n"), std::nullopt);
}

TEST(Hazard, OfScalarsThatAreReadAgainIsAHintInAssemblyThatNowhereWaits) {
  const auto severity = [](std::string_view behind) {
    CheckedKernel kernel("hazard", "gfx1201",
                         fmt::format("v_add_nc_u32 v3, s12, v1\ns_mov_b32 s12, 3\ns_add_co_u32 s14, s12, 1\n"
                                     "s_cmp_lg_u32 s12, s12\ns_cbranch_scc0 over\n{}over:\nv_mov_b32 v4, 0",
                                     behind),
                         32);
    EXPECT_TRUE(kernel.launch(1, 32, {}));
    const auto findings = kernel.findings();
    return findings.size() == 1 ? std::optional(findings[0].severity) : std::nullopt;
  };
  EXPECT_EQ(severity("s_nop 0\n"), Severity::Hint);
  EXPECT_EQ(severity("s_wait_alu depctr_va_vcc(0)\n"), Severity::Error);
  EXPECT_EQ(severity("s_delay_alu instid0(VALU_DEP_1)\n"), Severity::Error);
}

TEST(Hazard, IsToldWithBothInstructionsAndTheWaitThatIsMissing) {
  CheckedKernel kernel("hazard", "gfx942",
                       "v_readfirstlane_b32 s12, v0\ns_nop 0\nv_readlane_b32 s13, v0, s12");
  ASSERT_TRUE(kernel.launch(3, 128, {}));
  const auto findings = kernel.findings();
  ASSERT_EQ(findings.size(), 1u);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(
      finding.what,
      "s12 written by a VALU instruction, then read as the number of a lane, 1 wait state later where 4 are "
      "needed: the hardware does not wait");
  EXPECT_EQ(finding.fix, "put s_nop 2 or as many independent instructions between the two");
  EXPECT_EQ(finding.count, 6u);
  ASSERT_EQ(finding.parties.size(), 2u);
  EXPECT_EQ(finding.parties[0].instruction, "v_readlane_b32 s13, v0, s12");
  EXPECT_EQ(finding.parties[1].instruction, "v_readfirstlane_b32 s12, v0");
}

}  // namespace
}  // namespace wavesmith::check
