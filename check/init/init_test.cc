#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "check/init/init_testing.h"
#include "check/testing.h"

namespace wavesmith::check {
namespace {

enum class On { All, Cdna, Rdna, Rdna32, Rdna4 };

struct Case {
  const char* name;
  On on;
  const char* faulty;
  const char* right;
  const char* rule;  ///< of the faulty one: "rule at mnemonic"
};

constexpr const char* kStore = "\nglobal_store_dword v1, v2, s[4:5]\n";

const Case kRegisters[] = {
    {"VgprReachesTheOutput", On::All, "v_add_f32 v2, v3, v0", "v_mov_b32 v3, 0\nv_add_f32 v2, v3, v0",
     "output at global_store"},
    {"VgprIsStored", On::All, "v_mov_b32 v2, v3", "v_mov_b32 v3, 0\nv_mov_b32 v2, v3",
     "output at global_store"},
    {"SgprReachesTheOutput", On::All, "v_add_f32 v2, s20, v0", "s_mov_b32 s20, 0\nv_add_f32 v2, s20, v0",
     "output at global_store"},
    {"WorkgroupWhereOlderGpusHaveIt", On::Rdna4, "ADD v2, s2, v0", "ADD v2, ttmp9, v0",
     "output at global_store"},
    {"AgprReachesTheOutput", On::Cdna, "v_accvgpr_read_b32 v2, a3\nv_add_f32 v2, v2, v2",
     "v_accvgpr_write_b32 a3, v0\nv_accvgpr_read_b32 v2, a3\nv_add_f32 v2, v2, v2", "output at global_store"},
    {"LanesThatExecLeftOut", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nADD v2, v3, v0",
     "v_mov_b32 v3, 0\nMOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nADD v2, v3, v0",
     "output at global_store"},
    {"LanesThatTheStoreLeavesOut", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nADD v2, v3, v0",
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nADD v2, v3, v0", "output at global_store"},
    {"TheOtherChoice", On::All, "MOVX VCC, 0\nv_cndmask_b32 v2, v3, v0, VCC\nADD v2, v2, v0",
     "MOVX VCC, -1\nv_cndmask_b32 v2, v3, v0, VCC\nADD v2, v2, v0", "output at global_store"},
    {"TheChoiceItself", On::All, "v_cmp_gt_u32 VCC, 9, v3\nv_cndmask_b32 v2, 1, v0, VCC",
     "v_cmp_gt_u32 VCC, 9, v0\nv_cndmask_b32 v2, 1, v0, VCC", "output at global_store"},
    {"BitsThatAMaskLeaves", On::All, "v_and_b32 v2, 7, v3\nADD v2, v2, v0",
     "v_and_b32 v2, 0, v3\nADD v2, v2, v0", "output at global_store"},
    {"BitsThatAreShiftedOut", On::All, "v_lshl_or_b32 v3, v3, 8, 5\nv_lshrrev_b32 v2, 8, v3\nADD v2, v2, v0",
     "v_lshl_or_b32 v3, v3, 8, 5\nv_lshlrev_b32 v2, 24, v3\nADD v2, v2, v0", "output at global_store"},
    {"BitsOfAField", On::All, "v_lshlrev_b32 v3, 16, v3\nv_bfe_u32 v2, v3, 12, 8\nADD v2, v2, v0",
     "v_lshlrev_b32 v3, 16, v3\nv_bfe_u32 v2, v3, 4, 8\nADD v2, v2, v0", "output at global_store"},
    {"CarriesGoUp", On::All,
     "v_lshlrev_b32 v3, 8, v3\nADD v3, v3, v0\nv_lshrrev_b32 v2, 9, v3\nADD v2, v2, v0",
     "v_lshlrev_b32 v3, 8, v3\nADD v3, v3, v0\nv_and_b32 v2, 0xff, v3\nADD v2, v2, v0",
     "output at global_store"},
    {"HighHalfOfAnAddend", On::All,
     "v_mov_b32 v4, 0\nv_mad_u64_u32 v[6:7], CARRY, v0, 24, v[4:5]\nADD v2, v7, v0",
     "v_mov_b32 v4, 0\nv_mad_u64_u32 v[6:7], CARRY, v0, 24, v[4:5]\nADD v2, v6, v0",
     "output at global_store"},
    {"AValueWithItself", On::All, "v_xor_b32 v2, v3, v0\nADD v2, v2, v0",
     "v_xor_b32 v2, v3, v3\nADD v2, v2, v0", "output at global_store"},
    {"TheLaneThatIsRead", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, 1\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nv_readlane_b32 s20, v3, 5\nADD v2, s20, v0",
     "MOVX PAIR, EXEC\nMOVX EXEC, 1\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nv_readfirstlane_b32 s20, v3\nADD v2, s20, v0",
     "output at global_store"},
    {"TheFirstActiveLane", On::All,
     "MOVX EXEC, 0xff00\nv_mov_b32 v3, 1\nMOVX EXEC, 0xffc0\nv_readfirstlane_b32 s20, v3\nADD v2, s20, v0",
     "MOVX EXEC, 0xff00\nv_mov_b32 v3, 1\nMOVX EXEC, 0xf300\nv_readfirstlane_b32 s20, v3\nADD v2, s20, v0",
     "output at global_store"},
    {"TheLaneThatIsWritten", On::All, "v_writelane_b32 v3, s4, 7\nv_readlane_b32 s20, v3, 6\nADD v2, s20, v0",
     "v_writelane_b32 v3, s4, 7\nv_readlane_b32 s20, v3, 7\nADD v2, s20, v0", "output at global_store"},
    {"DppReadsTheNeighbour", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, 0x1111\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nMOVX EXEC, 0xffff\n"
     "v_mov_b32_dpp v2, v3 quad_perm:[0,1,0,1] row_mask:0xf bank_mask:0xf\nADD v2, v2, v0",
     "MOVX PAIR, EXEC\nMOVX EXEC, 0x1111\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nMOVX EXEC, 0xffff\n"
     "v_mov_b32_dpp v2, v3 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\nADD v2, v2, v0",
     "output at global_store"},
    {"PermutedLanes", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nv_mov_b32 v4, 64\n"
     "ds_bpermute_b32 v2, v4, v3\nWAIT\nADD v2, v2, v0",
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nv_mov_b32 v4, 60\n"
     "ds_bpermute_b32 v2, v4, v3\nWAIT\nADD v2, v2, v0",
     "output at global_store"},
    {"HalfOfARegister", On::Rdna, "v_add_f16 v3, 1.0, 1.0\nADD v2, v3, v0",
     "v_add_f16 v3, 1.0, 1.0\nv_and_b32 v3, 0xffff, v3\nADD v2, v3, v0", "output at global_store"},
    {"HalvesAreApart", On::All,
     "v_and_b32 v3, 0xffff, v3\nv_pk_add_f16 v2, v3, v3\nv_and_b32 v2, 1, v2\nADD v2, v2, v0",
     "v_and_b32 v3, 0xffff, v3\nv_pk_add_f16 v2, v3, v3\nv_lshrrev_b32 v2, 16, v2\nADD v2, v2, v0",
     "output at global_store"},
    {"AnUpperHalfIsConverted", On::Cdna, "v_and_b32 v3, 0xffff, v3\nv_cvt_f32_f16 v2, v3",
     "v_and_b32 v3, 0xffff, v3\nv_cvt_f32_f16_sdwa v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
     "output at global_store"},
    {"SwappedRegisters", On::All, "v_swap_b32 v3, v0\nADD v2, v0, v1", "v_swap_b32 v3, v0\nADD v2, v3, v1",
     "output at global_store"},
    {"DualIssue", On::Rdna32, "v_dual_mov_b32 v5, v0 :: v_dual_add_f32 v2, v3, v1",
     "v_mov_b32 v3, 0\nv_dual_mov_b32 v5, v0 :: v_dual_add_f32 v2, v3, v1", "output at global_store"},
    {"TranscendentalOfAScalar", On::Rdna4, "v_s_sqrt_f32 s20, s21\nADD v2, s20, v0",
     "s_mov_b32 s21, 4.0\nv_s_sqrt_f32 s20, s21\nADD v2, s20, v0", "output at global_store"},
    {"Permlane", On::Rdna,
     "MOVX PAIR, EXEC\nMOVX EXEC, 0xff\nv_mov_b32 v3, 1\nMOVX EXEC, FIRST\ns_mov_b32 s20, 0x99999999\n"
     "v_permlane16_b32 v2, v3, s20, s20\nADD v2, v2, v0",
     "MOVX PAIR, EXEC\nMOVX EXEC, 0xff\nv_mov_b32 v3, 1\nMOVX EXEC, FIRST\ns_mov_b32 s20, 0x33333333\n"
     "v_permlane16_b32 v2, v3, s20, s20\nADD v2, v2, v0",
     "output at global_store"},
    {"MatrixAccumulator", On::Cdna,
     "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_mfma_f32_16x16x16f16 v[2:5], v[8:9], v[8:9], v[2:5]",
     "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_mfma_f32_16x16x16f16 v[2:5], v[8:9], v[8:9], 0",
     "output at global_store"},
    {"MatrixRow", On::Cdna,  // rows 4 to 15 of A, lanes 16 to 63 of D
     "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_and_b32 v6, 15, v0\nv_cmp_gt_u32 vcc, 4, v6\ns_and_saveexec_b64 s[8:9], "
     "vcc\nv_mov_b32 v10, 0\nv_mov_b32 v11, 0\ns_mov_b64 exec, s[8:9]\nv_mfma_f32_16x16x16f16 v[2:5], v[10:11], "
     "v[8:9], 0\ns_nop 9",
     "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_and_b32 v6, 15, v0\nv_cmp_gt_u32 vcc, 4, v6\ns_and_saveexec_b64 s[8:9], "
     "vcc\nv_mov_b32 v10, 0\nv_mov_b32 v11, 0\ns_mov_b64 exec, s[8:9]\nv_mfma_f32_16x16x16f16 v[2:5], v[10:11], "
     "v[8:9], 0\ns_nop 9\ns_mov_b64 exec, 0xffff",
     "output at global_store"},
};

const Case kUses[] = {
    {"SgprDecidesABranch", On::All, "s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "s_mov_b32 s20, 0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "branch at s_cbranch_scc1"},
    {"SccIsNotSet", On::All, "s_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "s_cmp_eq_u32 s4, s4\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0", "branch at s_cbranch_scc1"},
    {"VccIsNotSet", On::All, "s_cbranch_vccnz end\nend:\nv_mov_b32 v2, 0",
     "MOVX VCC, 0\ns_cbranch_vccnz end\nend:\nv_mov_b32 v2, 0", "branch at s_cbranch_vccnz"},
    {"VgprDecidesABranch", On::All, "v_cmp_lt_u32 VCC, 9, v3\ns_cbranch_vccnz end\nend:\nv_mov_b32 v2, 0",
     "v_mov_b32 v3, 7\nv_cmp_lt_u32 VCC, 9, v3\ns_cbranch_vccnz end\nend:\nv_mov_b32 v2, 0",
     "branch at s_cbranch_vccnz"},
    {"VgprDecidesWhichLanesGoOn", On::All, "v_cmp_eq_u32 VCC, 0, v3\nSAVEEXEC PAIR, VCC\nv_mov_b32 v2, 0",
     "v_cmp_eq_u32 VCC, 0, v0\nSAVEEXEC PAIR, VCC\nv_mov_b32 v2, 0", "branch at s_and_saveexec"},
    {"LanesThatDoNotGoOn", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nMOVX EXEC, PAIR\nv_cmp_eq_u32 VCC, 1, v3\nSAVEEXEC PAIR, "
     "VCC\nv_mov_b32 v2, 0",
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nv_mov_b32 v3, 1\nv_cmp_eq_u32 VCC, 1, v3\nSAVEEXEC PAIR, VCC\nv_mov_b32 "
     "v2, 0",
     "branch at s_and_saveexec"},
    {"CompareWritesExec", On::All, "v_mov_b32 v2, 0\nv_cmpx_eq_u32 0, v3",
     "v_mov_b32 v2, 0\nv_cmpx_eq_u32 0, v0", "branch at v_cmpx_eq_u32"},
    {"AddressOfAStore", On::All, "v_mov_b32 v2, 0\nglobal_store_dword v3, v2, s[4:5]",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nglobal_store_dword v3, v2, s[4:5]", "address at global_store"},
    {"AddressOfALoad", On::All, "global_load_dword v2, v3, s[4:5]\nWAIT",
     "v_mov_b32 v3, 0\nglobal_load_dword v2, v3, s[4:5]\nWAIT", "address at global_load"},
    {"PartOfAnAddress", On::All,
     "v_lshl_or_b32 v3, v3, 8, 4\nv_and_b32 v3, 0x104, v3\nglobal_load_dword v2, v3, s[4:5]\nWAIT",
     "v_lshl_or_b32 v3, v3, 8, 4\nv_and_b32 v3, 4, v3\nglobal_load_dword v2, v3, s[4:5]\nWAIT",
     "address at global_load"},
    {"AddressInLds", On::All, "ds_write_b32 v3, v0\nv_mov_b32 v2, 0",
     "v_mov_b32 v3, 8\nds_write_b32 v3, v0\nv_mov_b32 v2, 0", "address at ds_"},
    {"BaseInSgprs", On::All, "v_mov_b32 v2, 0\nglobal_store_dword v1, v2, s[20:21]",
     "v_mov_b32 v2, 0\ns_mov_b64 s[20:21], s[4:5]\nglobal_store_dword v1, v2, s[20:21]",
     "address at global_store"},
    {"ResourceOfABuffer", On::All,
     "s_mov_b32 s8, s4\ns_and_b32 s9, s5, 0xffff\ns_mov_b32 s10, 256\nv_mov_b32 v2, 0\nbuffer_store_dword v2, v1, "
     "s[8:11], NONE offen",
     "s_mov_b32 s8, s4\ns_and_b32 s9, s5, 0xffff\ns_mov_b32 s10, 256\ns_mov_b32 s11, 0x20000\nv_mov_b32 v2, "
     "0\nbuffer_store_dword v2, v1, s[8:11], NONE offen",
     "address at buffer_store"},
    {"AddressOfAScalarLoad", On::All, "s_load_dword s20, s[4:5], s21\nWAIT\nv_mov_b32 v2, s20",
     "s_mov_b32 s21, 0\ns_load_dword s20, s[4:5], s21\nWAIT\nv_mov_b32 v2, s20", "address at s_load"},
};

const Case kLds[] = {
    {"LdsReachesTheOutput", On::All, "ds_read_b32 v2, v1\nWAIT",
     "ds_write_b32 v1, v0\nds_read_b32 v2, v1\nWAIT", "output at global_store"},
    {"LdsThatHalfOfTheLanesWrote", On::All,
     "MOVX PAIR, EXEC\nMOVX EXEC, FIRST\nds_write_b32 v1, v0\nMOVX EXEC, PAIR\nds_read_b32 v2, v1\nWAIT\nADD v2, v2, v0",
     "ds_write_b32 v1, v0\nMOVX PAIR, EXEC\nMOVX EXEC, FIRST\nds_write_b32 v1, v0\nMOVX EXEC, PAIR\nds_read_b32 v2, "
     "v1\nWAIT\nADD v2, v2, v0",
     "output at global_store"},
    {"LdsDecidesABranch", On::All,
     "ds_read_b32 v3, v1\nWAIT\nv_readfirstlane_b32 s20, v3\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\nend:\nv_mov_b32 "
     "v2, 0",
     "ds_write_b32 v1, v0\nds_read_b32 v3, v1\nWAIT\nv_readfirstlane_b32 s20, v3\ns_cmp_eq_u32 s20, "
     "0\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "branch at s_cbranch_scc1"},
    {"LdsCounter", On::All, "v_mov_b32 v3, 0\nds_add_u32 v3, v0\nWAIT\nds_read_b32 v2, v3\nWAIT",
     "v_mov_b32 v3, 0\nds_write_b32 v3, v3\nds_add_u32 v3, v0\nWAIT\nds_read_b32 v2, v3\nWAIT",
     "output at global_store"},
    {"LdsByte", On::All, "ds_write_b8 v1, v0\nds_read_u8 v2, v1 offset:1\nWAIT\nADD v2, v2, v0",
     "ds_write_b8 v1, v0\nds_read_u8 v2, v1\nWAIT\nADD v2, v2, v0", "output at global_store"},
    {"LdsOfTwoPlaces", On::All,
     "ds_write_b32 v1, v0\nds_read2st64_b32 v[2:3], v1 offset1:2\nWAIT\nADD v2, v3, v2",
     "ds_write_b32 v1, v0\nds_write_b32 v1, v0 offset:512\nds_read2st64_b32 v[2:3], v1 offset1:2\nWAIT\nADD v2, v3, "
     "v2",
     "output at global_store"},
    {"UndefinedValueInLds", On::All, "v_add_f32 v3, v3, v0\nds_write_b32 v1, v3\nds_read_b32 v2, v1\nWAIT",
     "v_mov_b32 v3, 0\nv_add_f32 v3, v3, v0\nds_write_b32 v1, v3\nds_read_b32 v2, v1\nWAIT",
     "output at global_store"},
};

std::vector<WaveOf> waves(On on) {
  std::vector<WaveOf> all;
  if (on == On::All || on == On::Cdna) all.insert(all.end(), std::begin(kCdna), std::end(kCdna));
  if (on != On::Cdna)
    std::copy_if(std::begin(kRdna), std::end(kRdna), std::back_inserter(all), [&](const WaveOf& wave) {
      return (on != On::Rdna32 || wave.lanes == 32) && (on != On::Rdna4 || wave.target == "gfx1201");
    });
  return all;
}

/// "rule at mnemonic..." of each finding.
std::vector<std::string> found(const WaveOf& wave, const std::string& text) {
  CheckedKernel kernel("init", wave.target, text_for(text, wave), wave.lanes, 4096);
  uint32_t* const data = kernel.allocate(1024);
  (void)kernel.launch(1, static_cast<uint32_t>(wave.lanes), {reinterpret_cast<uint64_t>(data)});
  return kernel.rules();
}

void check_all(std::span<const Case> cases) {
  for (const Case& each : cases)
    for (const WaveOf& wave : waves(each.on)) {
      SCOPED_TRACE(std::string(each.name) + " on " + std::string(wave.target) + ", wave" +
                   std::to_string(wave.lanes));
      const auto faulty = found(wave, each.faulty + std::string(kStore));
      ASSERT_EQ(faulty.size(), 1u) << (faulty.empty() ? "" : faulty[0] + ", " + faulty.back());
      EXPECT_EQ(faulty[0].substr(0, std::string_view(each.rule).size()), each.rule);
      EXPECT_EQ(found(wave, each.right + std::string(kStore)), std::vector<std::string>{});
    }
}

/// What is found where nobody wrote the first `undefined` bytes of the memory.
std::vector<std::string> found_in_memory(const WaveOf& wave, const std::string& text, uint64_t undefined,
                                         std::vector<Finding>* findings = nullptr) {
  CheckedKernel kernel("init", wave.target, text_for(text, wave), wave.lanes, 4096);
  uint32_t* const data = kernel.allocate(1024);
  const auto address = reinterpret_cast<uint64_t>(data);
  kernel.session().tell([&](Checker& checker) {
    checker.allocated(address, 4096);
    checker.accessed(
        {.call = "hipMemset", .address = address + undefined, .bytes = 4096 - undefined, .writes = true});
  });
  const auto done = kernel.launch(1, static_cast<uint32_t>(wave.lanes), {address});
  EXPECT_TRUE(done);
  if (findings) *findings = kernel.findings();
  return kernel.rules();
}

const Case kMemory[] = {
    {"TheHalfThatALoadKeeps", On::Rdna,
     "global_load_d16_hi_b16 v3, v1, s[4:5] offset:2048\nWAIT\nADD v2, v3, v0",
     "v_mov_b32 v3, 0\nglobal_load_d16_hi_b16 v3, v1, s[4:5] offset:2048\nWAIT\nADD v2, v3, v0",
     "output at global_store"},
    {"TheHalfThatALoadClears", On::Cdna,  // SRAM-ECC
     "global_load_short_d16_hi v3, v1, s[4:5] offset:64\nWAIT\nADD v2, v3, v0",
     "global_load_short_d16_hi v3, v1, s[4:5] offset:2048\nWAIT\nADD v2, v3, v0", "output at global_store"},
    {"MemoryReachesTheOutput", On::All,
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nv_add_f32 v2, v3, v3",
     "global_load_dword v3, v1, s[4:5] offset:2048\nWAIT\nv_add_f32 v2, v3, v3", "output at global_store"},
    {"CopyingIsNoUse", On::All,
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nv_lshlrev_b32 v2, 8, v3\nADD v2, v2, v0",
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nv_mov_b32 v2, v3", "output at global_store"},
    {"CopyingBesideLanesThatCalculated", On::All,
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nADD v3, v3, v0\nMOVX PAIR, EXEC\nMOVX EXEC, FIRST\n"
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nMOVX EXEC, PAIR\nv_and_b32 v2, -1, v3",
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nADD v3, v3, v0\nMOVX PAIR, EXEC\nMOVX EXEC, FIRST\n"
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nv_and_b32 v2, -1, v3",
     "output at global_store"},
    {"MemoryDecidesABranch", On::All,
     "s_load_dword s20, s[4:5], 0x10\nWAIT\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "s_load_dword s20, s[4:5], 0x800\nWAIT\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\nend:\nv_mov_b32 v2, 0",
     "branch at s_cbranch_scc1"},
    {"MemoryIsAnIndex", On::All,
     "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nglobal_load_dword v2, v3, s[4:5]\nWAIT",
     "global_load_dword v3, v1, s[4:5] offset:2048\nWAIT\nglobal_load_dword v2, v3, s[4:5]\nWAIT",
     "address at global_load"},
    {"CounterThatNobodySet", On::All, "v_mov_b32 v2, 0\nglobal_atomic_add v1, v0, s[4:5] offset:64",
     "v_mov_b32 v2, 0\nglobal_atomic_add v1, v0, s[4:5] offset:2048", "output at global_atomic_add"},
    {"WrittenByTheKernelItself", On::All,
     "global_store_dword v1, v0, s[4:5] offset:512\nglobal_load_dword v2, v1, s[4:5] offset:508\nWAIT\nADD v2, v2, v0",
     "global_store_dword v1, v0, s[4:5] offset:512\nglobal_load_dword v2, v1, s[4:5] offset:512\nWAIT\nADD v2, v2, v0",
     "output at global_store"},
    {"AByteBeside", On::All,
     "v_mov_b32 v3, 0\nglobal_load_ubyte v2, v3, s[4:5] offset:1023\nWAIT\nADD v2, v2, v0",
     "v_mov_b32 v3, 0\nglobal_load_ubyte v2, v3, s[4:5] offset:1024\nWAIT\nADD v2, v2, v0",
     "output at global_store"},
};

TEST(Init, Memory) {
  for (const Case& each : kMemory)
    for (const WaveOf& wave : waves(each.on)) {
      SCOPED_TRACE(std::string(each.name) + " on " + std::string(wave.target) + ", wave" +
                   std::to_string(wave.lanes));
      const auto faulty = found_in_memory(wave, each.faulty + std::string(kStore), 1024);
      ASSERT_EQ(faulty.size(), 1u) << (faulty.empty() ? "" : faulty[0] + ", " + faulty.back());
      EXPECT_EQ(faulty[0].substr(0, std::string_view(each.rule).size()), each.rule);
      EXPECT_EQ(found_in_memory(wave, each.right + std::string(kStore), 1024), std::vector<std::string>{});
    }
}

TEST(Init, TellsWhereTheValueComesFrom) {
  std::vector<Finding> findings;
  found_in_memory(
      kCdna[1],
      "global_load_dword v3, v1, s[4:5] offset:64\nWAIT\nv_add_f32 v2, v3, v3" + std::string(kStore), 128,
      &findings);
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_EQ(findings[0].parties.size(), 2u);
  EXPECT_EQ(findings[0].parties[1].role, "loads it");
  EXPECT_EQ(findings[0].parties[1].instruction, "global_load_dword v3, v1, s[4:5] offset:64");
  EXPECT_EQ(findings[0].parties[0].lanes, 0xffffu);
  EXPECT_NE(findings[0].address.find("4096 bytes) + 0x40"), std::string::npos) << findings[0].address;
}

TEST(Init, RegistersOfLanesThatAreOffAreNoOrigin) {
  for (const std::string_view sum : {"ADD v2, v6, v3", "ADD v2, v3, v6"}) {
    std::vector<Finding> findings;
    found_in_memory(kCdna[1],
                    "MOVX EXEC, FIRST\nv_mov_b32 v6, 1\nglobal_load_dword v3, v1, s[4:5] offset:64\nWAIT\n" +
                        std::string(sum) + std::string(kStore),
                    1024, &findings);
    ASSERT_EQ(findings.size(), 1u);
    ASSERT_EQ(findings[0].parties.size(), 2u);
    EXPECT_EQ(findings[0].parties[1].instruction, "global_load_dword v3, v1, s[4:5] offset:64") << sum;
  }
}

/// What is found when a kernel stores with these modifiers what it has calculated from a register that nobody
/// wrote, and `then` has happened.
std::vector<std::string> found_handed_over(std::string_view modifiers, bool reads,
                                           std::string_view more = {}) {
  const WaveOf wave{"gfx942", 64};
  CheckedKernel kernel(
      "init", wave.target,
      text_for(fmt::format("v_add_f32 v2, v3, v0\nglobal_store_dword v1, v2, s[4:5] {}\n{}", modifiers, more),
               wave));
  const auto address = reinterpret_cast<uint64_t>(kernel.allocate(1024));
  kernel.session().tell([&](Checker& checker) {
    checker.accessed({.call = "hipMemset", .address = address, .bytes = 4096, .writes = true});
  });
  EXPECT_TRUE(kernel.launch(2, 64, {address}));
  if (reads)
    kernel.session().tell([&](Checker& checker) {
      checker.accessed({.call = "hipMemcpy", .address = address + 252, .bytes = 1000});
    });
  return kernel.rules();
}

TEST(Init, WhatWorkgroupsHandEachOtherCountsOnceItIsRead) {
  using Rules = std::vector<std::string>;
  constexpr std::string_view kTold = "output at global_store_dword v1, v2, s[4:5]";
  EXPECT_EQ(found_handed_over("", false), Rules{std::string(kTold)});
  EXPECT_EQ(found_handed_over("sc1", false), Rules{});
  EXPECT_EQ(found_handed_over("sc1", true), Rules{std::string(kTold) + " sc1"});
  EXPECT_EQ(found_handed_over("sc1", true, "global_store_dword v1, v0, s[4:5]"), Rules{});
  // Whoever reads it and stores it for others uses it.
  EXPECT_EQ(found_handed_over("sc1", false,
                              "s_waitcnt vmcnt(0)\nglobal_load_dword v4, v1, s[4:5] sc1\ns_waitcnt vmcnt(0)\n"
                              "global_store_dword v1, v4, s[4:5] offset:1024"),
            Rules{"output at global_store_dword v1, v4, s[4:5] offset:1024"});
}

TEST(Init, PartOfAStoreMayBePadding) {
  const WaveOf& wave = kCdna[1];
  CheckedKernel kernel(
      "init", wave.target,
      text_for("v_lshlrev_b32 v1, 3, v0\nv_mov_b32 v2, 0\nglobal_store_dwordx2 v1, v[2:3], s[4:5]", wave));
  (void)kernel.launch(1, 64, {reinterpret_cast<uint64_t>(kernel.allocate(1024))});
  ASSERT_EQ(kernel.findings().size(), 1u);
  EXPECT_EQ(kernel.findings()[0].rule, "output-part");
  EXPECT_EQ(kernel.findings()[0].severity, Severity::Hint);
}

TEST(Init, WhatALibraryMayHaveWrittenOnTheHost) {
  for (const bool serves : {false, true}) {
    CheckedKernel kernel("init", "gfx942",
                         text_for("v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\n"
                                  "s_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v2\n"
                                  "global_store_dword v1, v2, s[4:5] offset:512",
                                  kCdna[1]));
    const auto address = reinterpret_cast<uint64_t>(kernel.allocate(1024));
    kernel.session().tell([&](Checker& checker) {
      checker.allocated(address, 4096);
      if (serves) checker.served(address, 256);
    });
    (void)kernel.launch(1, 64, {address});
    EXPECT_EQ(kernel.findings().size(), serves ? 0u : 1u);
  }
}

TEST(Init, IsTheSameWithManyThreads) {
  std::vector<Finding> first;
  for (const int threads : {1, 4}) {
    CheckedKernel kernel("init", "gfx942", text_for("v_add_f32 v2, v3, v0" + std::string(kStore), kCdna[1]));
    (void)kernel.launch(37, 256, {reinterpret_cast<uint64_t>(kernel.allocate(1024))}, threads);
    if (threads == 1) first = kernel.findings();
    EXPECT_EQ(kernel.findings(), first);
    EXPECT_EQ(first.size(), 1u);
  }
}

TEST(Init, Registers) { check_all(kRegisters); }
TEST(Init, Uses) { check_all(kUses); }
TEST(Init, Lds) { check_all(kLds); }

}  // namespace
}  // namespace wavesmith::check
