#include "check/wait/wait.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/testing.h"
#include "isa/target.h"

namespace wavesmith::check {
namespace {

/// A kernel with a fault, and the same without. Both find device memory at s[4:5] and v[8:9], a lane's offset
/// into it in v1, and LDS of 4 KiB.
struct Pair {
  std::string_view name, target;
  int lanes;
  std::string_view rule, faulty, right;
  uint32_t waves = 1;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name << ' ' << pair.target; }

std::string prologue(const isa::Target& target) {
  if (target.is(isa::kCdna))
    return "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n"
           "v_mov_b32 v8, s4\nv_mov_b32 v9, s5\ns_mov_b32 m0, -1\n";
  const std::string wait = target.is(isa::kRdna4) ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)";
  return "s_load_b64 s[4:5], s[0:1], 0x0\n" + wait +
         "\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\nv_mov_b32 v8, s4\nv_mov_b32 v9, s5\n";
}

std::vector<Finding> findings_of(std::string_view target, int lanes, std::string_view text,
                                 uint32_t waves = 1) {
  CheckedKernel kernel("wait", target, prologue(*isa::find_target(target)) + std::string(text), lanes, 4096);
  uint32_t* const data = kernel.allocate(4096);
  const auto done =
      kernel.launch(1, waves * static_cast<uint32_t>(lanes), {reinterpret_cast<uint64_t>(data)});
  EXPECT_TRUE(done) << done.error().text();
  return kernel.findings();
}

std::vector<std::string> rules_of(std::string_view target, int lanes, std::string_view text,
                                  uint32_t waves = 1) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings_of(target, lanes, text, waves)) rules.push_back(finding.rule);
  return rules;
}

// clang-format off
const Pair kPairs[] = {
    // Registers, CDNA
    {"VectorLoad", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nv_add_u32 v3, v2, v2",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v3, v2, v2"},
    {"VectorLoad", "gfx90a", 64, "raw",
     "global_load_dwordx4 v[4:7], v1, s[4:5]\nv_add_u32 v3, v7, v7",
     "global_load_dwordx4 v[4:7], v1, s[4:5]\nv_add_u32 v3, v1, v1\ns_waitcnt vmcnt(0)\nv_add_u32 v3, v7, v7"},
    {"StoreOfWhatIsLoaded", "gfx950", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nglobal_store_dword v1, v2, s[4:5] offset:1024",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[4:5] offset:1024"},
    {"AddressThatIsLoaded", "gfx942", 64, "raw",
     "v_lshlrev_b32 v1, 3, v0\nds_write_b64 v1, v[8:9]\ns_waitcnt lgkmcnt(0)\nds_read_b64 v[2:3], v1\nglobal_load_dword v4, v[2:3], off\ns_waitcnt vmcnt(0)",
     "v_lshlrev_b32 v1, 3, v0\nds_write_b64 v1, v[8:9]\ns_waitcnt lgkmcnt(0)\nds_read_b64 v[2:3], v1\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v4, v[2:3], off\ns_waitcnt vmcnt(0)"},
    {"CountTooHigh", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5] offset:256\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v3",
     "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5] offset:256\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"},
    {"StoresCountToo", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nglobal_store_dword v1, v0, s[4:5] offset:256\ns_waitcnt vmcnt(2)\nv_mov_b32 v4, v2",
     "global_load_dword v2, v1, s[4:5]\nglobal_store_dword v1, v0, s[4:5] offset:256\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"},
    {"WrongCounter", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v4, v2",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v4, v2"},
    {"ScalarLoad", "gfx942", 64, "raw",
     "s_load_dword s6, s[4:5], 0x0\ns_add_u32 s7, s6, 1",
     "s_load_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s7, s6, 1"},
    {"ScalarLoadReadByValu", "gfx90a", 64, "raw",
     "s_load_dword s6, s[4:5], 0x0\nv_mov_b32 v2, s6",
     "s_load_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s6"},
    {"ScalarLoadAsBase", "gfx950", 64, "raw",
     "s_load_dwordx2 s[6:7], s[0:1], 0x0\nglobal_load_dword v2, v1, s[6:7]\ns_waitcnt vmcnt(0)",
     "s_load_dwordx2 s[6:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v2, v1, s[6:7]\ns_waitcnt vmcnt(0)"},
    {"BranchOnVccThatIsLoaded", "gfx942", 64, "raw",
     "s_load_dwordx2 vcc, s[4:5], 0x0\ns_cbranch_vccnz end\nend:",
     "s_load_dwordx2 vcc, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_cbranch_vccnz end\nend:"},
    {"Clock", "gfx942", 64, "raw",
     "s_memtime s[6:7]\ns_mov_b32 s8, s6",
     "s_memtime s[6:7]\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s8, s6"},
    {"LdsRead", "gfx942", 64, "raw",
     "ds_read_b32 v2, v1\nv_mov_b32 v3, v2",
     "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"},
    {"LdsReadsInOrder", "gfx950", 64, "raw",
     "ds_read_b64 v[2:3], v1\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v5, v4",
     "ds_read_b64 v[2:3], v1\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v5, v3"},
    {"Permute", "gfx942", 64, "raw",
     "ds_bpermute_b32 v2, v1, v0\nv_mov_b32 v3, v2",
     "ds_bpermute_b32 v2, v1, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"},
    {"AtomicThatReturns", "gfx942", 64, "raw",
     "global_atomic_add v2, v1, v0, s[4:5] sc0\nv_mov_b32 v3, v2",
     "global_atomic_add v2, v1, v0, s[4:5] sc0\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"},
    {"Accumulator", "gfx90a", 64, "raw",
     "global_load_dword a0, v1, s[4:5]\nv_accvgpr_read_b32 v2, a0",
     "global_load_dword a0, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_accvgpr_read_b32 v2, a0"},
    {"MatrixOperand", "gfx942", 64, "raw",
     "ds_read_b64 v[2:3], v1\nv_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[8:9], a[0:3]",
     "ds_read_b64 v[2:3], v1\ns_waitcnt lgkmcnt(0)\nv_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[8:9], a[0:3]"},
    {"ReadLane", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nv_readlane_b32 s6, v2, 3",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_readlane_b32 s6, v2, 3"},
    {"Dpp", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nv_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf"},
    {"HalfLoads", "gfx942", 64, "raw",
     "global_load_short_d16 v2, v1, s[4:5]\nglobal_load_short_d16_hi v2, v1, s[4:5] offset:2\nv_mov_b32 v3, v2",
     "global_load_short_d16 v2, v1, s[4:5]\nglobal_load_short_d16_hi v2, v1, s[4:5] offset:2\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"},
    {"IndexedRegister", "gfx942", 64, "raw",
     "s_mov_b32 s6, 2\nglobal_load_dword v4, v1, s[4:5]\ns_set_gpr_idx_on s6, gpr_idx(SRC0)\nv_mov_b32 v3, v2\ns_set_gpr_idx_off",
     "s_mov_b32 s6, 3\nglobal_load_dword v2, v1, s[4:5]\ns_set_gpr_idx_on s6, gpr_idx(SRC0)\nv_mov_b32 v3, v2\ns_set_gpr_idx_off"},
    {"WriteBackCountsToo", "gfx942", 64, "raw",
     "global_load_dword v2, v1, s[4:5]\nbuffer_wbl2 sc1\ns_waitcnt vmcnt(2)\nv_mov_b32 v3, v2",
     "global_load_dword v2, v1, s[4:5]\nbuffer_wbl2 sc1\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v2"},
    // Overwritten, CDNA
    {"OverwrittenByValu", "gfx942", 64, "waw",
     "global_load_dword v2, v1, s[4:5]\nv_mov_b32 v2, 0",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, 0"},
    {"OverwrittenBySalu", "gfx942", 64, "waw",
     "s_load_dwordx4 s[8:11], s[4:5], 0x0\ns_mov_b32 s10, 0",
     "s_load_dwordx4 s[8:11], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s10, 0"},
    {"ScalarLoadOverScalarLoad", "gfx90a", 64, "waw",
     "s_load_dword s6, s[4:5], 0x0\ns_load_dword s6, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)",
     "s_load_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_load_dword s6, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)"},
    {"LdsReadOverVectorLoad", "gfx942", 64, "waw",
     "global_load_dword v2, v1, s[4:5]\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)",
     "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"},
    {"MatrixOverwrites", "gfx950", 64, "waw",
     "global_load_dwordx4 a[0:3], v1, s[4:5]\nv_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[8:9], 0",
     "global_load_dwordx4 a[0:3], v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[8:9], 0"},
    // Order, CDNA
    {"ScalarLoads", "gfx942", 64, "scalar-out-of-order",
     "s_load_dword s6, s[4:5], 0x0\ns_load_dword s7, s[4:5], 0x4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s8, s6",
     "s_load_dword s6, s[4:5], 0x0\ns_load_dword s7, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s8, s6"},
    {"ScalarLoadBesideLds", "gfx90a", 64, "scalar-out-of-order",
     "s_load_dword s6, s[4:5], 0x0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s8, s6",
     "s_load_dword s6, s[4:5], 0x0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s8, s6"},
    {"LdsBesideScalarLoad", "gfx942", 64, "scalar-out-of-order",
     "ds_read_b32 v2, v1\ns_load_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v2",
     "ds_read_b32 v2, v1\nds_read_b32 v3, v1\ns_load_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2"},
    {"FlatLoads", "gfx942", 64, "flat-out-of-order",
     "flat_load_dword v2, v[8:9]\nflat_load_dword v3, v[8:9]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2",
     "flat_load_dword v2, v[8:9]\nflat_load_dword v3, v[8:9]\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v2"},
    {"FlatLoadBehindVectorLoad", "gfx90a", 64, "flat-out-of-order",
     "global_load_dword v2, v1, s[4:5]\nflat_load_dword v3, v[8:9]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2",
     "global_load_dword v2, v1, s[4:5]\nflat_load_dword v3, v[8:9]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v4, v2"},
    // LDS, CDNA
    {"LdsFilledByLoad", "gfx942", 64, "lds-direct",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"},
    {"LdsFilledByBuffer", "gfx90a", 64, "lds-direct",
     "s_mov_b32 s6, -1\ns_mov_b32 s7, 0x20000\ns_mov_b32 m0, 0\nbuffer_load_dword v1, s[4:7], 0 offen lds\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 s6, -1\ns_mov_b32 s7, 0x20000\ns_mov_b32 m0, 0\nbuffer_load_dword v1, s[4:7], 0 offen lds\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"},
    {"LdsFilledTwice", "gfx950", 64, "lds-direct",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\ns_mov_b32 m0, 0x400\nglobal_load_lds_dword v1, s[4:5]\ns_waitcnt vmcnt(1)\nds_read_b32 v2, v1 offset:1024\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\ns_mov_b32 m0, 0x400\nglobal_load_lds_dword v1, s[4:5]\ns_waitcnt vmcnt(1)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"},
    {"LdsFilledOverwritten", "gfx950", 64, "lds-direct",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\ns_waitcnt vmcnt(0)\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)"},
    {"LdsFilledForOthers", "gfx950", 64, "lds-direct-barrier",
     "v_readfirstlane_b32 s6, v1\ns_mov_b32 m0, s6\ns_nop 0\nglobal_load_lds_dword v1, s[4:5]\ns_barrier\ns_waitcnt vmcnt(0)\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
     "v_readfirstlane_b32 s6, v1\ns_mov_b32 m0, s6\ns_nop 0\nglobal_load_lds_dword v1, s[4:5]\ns_waitcnt vmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)", 2},
    {"LdsWrittenForOthers", "gfx942", 64, "lds-barrier",
     "ds_write_b32 v1, v0\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
     "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)", 2},
    {"LdsWaitedForBehindTheBarrier", "gfx942", 64, "lds-barrier",
     "ds_write_b32 v1, v0\ns_barrier\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
     "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)", 2},
    {"LdsReadWaitedForBehindTheBarrier", "gfx950", 64, "lds-barrier",
     "ds_read_b32 v3, v1\ns_barrier\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v2, 0x100, v1\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)",
     "ds_read_b32 v3, v1\ns_barrier\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)", 2},
    {"LdsReadThenOverwrittenByOthers", "gfx90a", 64, "lds-barrier",
     "ds_read_b32 v3, v1\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)",
     "ds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x100, v1\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)", 2},
    // What the global wave sync reads
    {"BarrierOfTheGrid", "gfx90a", 64, "war",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, 1",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt expcnt(0) lgkmcnt(0)\nv_mov_b32 v2, 1"},
    {"BarrierOfTheGrid", "gfx1100", 32, "war",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, 1",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, 1"},
    {"BarrierOfTheGridNotWaitedFor", "gfx942", 64, "grid-barrier",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_nop 0\ns_waitcnt expcnt(0) lgkmcnt(0)",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt expcnt(0) lgkmcnt(0)"},
    {"BarrierOfTheGridWaitedForTooWeakly", "gfx1100", 32, "grid-barrier",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt expcnt(0) lgkmcnt(1)\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, 0\nds_gws_barrier v2 gds\ns_waitcnt expcnt(0) lgkmcnt(0)"},
    // RDNA3
    {"VectorLoad", "gfx1100", 32, "raw",
     "global_load_b32 v2, v1, s[4:5]\nv_add_nc_u32 v3, v2, v2",
     "global_load_b32 v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v3, v2, v2"},
    {"VectorLoad", "gfx1151", 64, "raw",
     "global_load_b32 v2, v1, s[4:5]\nglobal_store_b32 v1, v2, s[4:5] offset:1024",
     "global_load_b32 v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v2, s[4:5] offset:1024"},
    {"StoresHaveTheirOwnCounter", "gfx1100", 64, "raw",
     "global_load_b32 v2, v1, s[4:5]\nglobal_store_b32 v1, v0, s[4:5] offset:1024\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v2",
     "global_load_b32 v2, v1, s[4:5]\nglobal_store_b32 v1, v0, s[4:5] offset:1024\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"},
    {"WaitForStores", "gfx1100", 32, "raw",
     "global_load_b32 v2, v1, s[4:5]\ns_waitcnt_vscnt null, 0x0\nv_mov_b32 v3, v2",
     "global_load_b32 v2, v1, s[4:5]\ns_waitcnt_vmcnt null, 0x0\nv_mov_b32 v3, v2"},
    {"ScalarLoad", "gfx1151", 32, "raw",
     "s_load_b32 s6, s[4:5], 0x0\ns_add_u32 s7, s6, 1",
     "s_load_b32 s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s7, s6, 1"},
    {"ScalarLoads", "gfx1100", 32, "scalar-out-of-order",
     "s_load_b32 s6, s[4:5], 0x0\ns_load_b32 s7, s[4:5], 0x4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s8, s6",
     "s_load_b32 s6, s[4:5], 0x0\ns_load_b32 s7, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s8, s6"},
    {"LdsRead", "gfx1100", 64, "raw",
     "ds_load_b32 v2, v1\nv_mov_b32 v3, v2",
     "ds_load_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"},
    {"DualInstruction", "gfx1100", 32, "raw",
     "global_load_b32 v2, v1, s[4:5]\nv_dual_mov_b32 v4, v3 :: v_dual_mov_b32 v5, v2",
     "global_load_b32 v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_dual_mov_b32 v4, v3 :: v_dual_mov_b32 v5, v2"},
    {"OverwrittenByValu", "gfx1151", 32, "waw",
     "ds_load_b32 v2, v1\nv_mov_b32 v2, 0",
     "ds_load_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, 0"},
    {"RelativeMove", "gfx1100", 32, "raw",
     "s_mov_b32 m0, 2\nglobal_load_b32 v4, v1, s[4:5]\nv_movrels_b32 v3, v2",
     "s_mov_b32 m0, 3\nglobal_load_b32 v4, v1, s[4:5]\nv_movrels_b32 v3, v2"},
    {"RelativeMoveOver", "gfx1151", 32, "waw",
     "s_mov_b32 m0, 2\nglobal_load_b32 v4, v1, s[4:5]\nv_movreld_b32 v2, v3",
     "s_mov_b32 m0, 3\nglobal_load_b32 v4, v1, s[4:5]\nv_movreld_b32 v2, v3"},
    {"ScalarRelativeMove", "gfx1100", 32, "raw",
     "s_mov_b32 m0, 2\ns_load_b32 s10, s[4:5], 0x0\ns_movrels_b32 s6, s8",
     "s_mov_b32 m0, 3\ns_load_b32 s10, s[4:5], 0x0\ns_movrels_b32 s6, s8"},
    {"FlatLoads", "gfx1100", 32, "raw",
     "flat_load_b32 v2, v[8:9]\nflat_load_b32 v3, v[8:9]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v3",
     "flat_load_b32 v2, v[8:9]\nflat_load_b32 v3, v[8:9]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"},
    {"LdsWrittenForOthers", "gfx1151", 32, "lds-barrier",
     "ds_store_b32 v1, v0\ns_barrier\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
     "ds_store_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)", 2},
    {"LdsWaitedForBehindTheBarrier", "gfx1100", 32, "lds-barrier",
     "ds_store_b32 v1, v0\ns_barrier\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)",
     "ds_store_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)", 2},
    // RDNA4
    {"LdsWaitedForBehindTheBarrier", "gfx1201", 32, "lds-barrier",
     "ds_store_b32 v1, v0\ns_barrier_signal -1\ns_wait_dscnt 0x0\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0",
     "ds_store_b32 v1, v0\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0", 2},
    {"VectorLoad", "gfx1201", 32, "raw",
     "global_load_b32 v2, v1, s[4:5]\nv_add_nc_u32 v3, v2, v2",
     "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt 0x0\nv_add_nc_u32 v3, v2, v2"},
    {"VectorLoad", "gfx1201", 64, "raw",
     "global_load_b128 v[4:7], v1, s[4:5]\nglobal_store_b32 v1, v5, s[4:5] offset:2048",
     "global_load_b128 v[4:7], v1, s[4:5]\ns_wait_idle\nglobal_store_b32 v1, v5, s[4:5] offset:2048"},
    {"WrongCounter", "gfx1201", 32, "raw",
     "global_load_b32 v2, v1, s[4:5]\ns_wait_storecnt_dscnt 0x0\nv_mov_b32 v3, v2",
     "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt_dscnt 0x0\nv_mov_b32 v3, v2"},
    {"ScalarLoad", "gfx1201", 32, "raw",
     "s_load_b32 s6, s[4:5], 0x0\ns_wait_dscnt 0x0\ns_mov_b32 s7, s6",
     "s_load_b32 s6, s[4:5], 0x0\ns_wait_kmcnt 0x20\ns_mov_b32 s7, s6"},
    {"ScalarLoads", "gfx1201", 64, "scalar-out-of-order",
     "s_load_b32 s6, s[4:5], 0x0\ns_load_b32 s7, s[4:5], 0x4\ns_wait_kmcnt 0x1\ns_mov_b32 s8, s6",
     "s_load_b32 s6, s[4:5], 0x0\ns_load_b32 s7, s[4:5], 0x4\ns_wait_kmcnt 0x0\ns_mov_b32 s8, s6"},
    {"LdsRead", "gfx1201", 32, "raw",
     "ds_load_b32 v2, v1\ns_wait_loadcnt 0x0\nv_mov_b32 v3, v2",
     "ds_load_b32 v2, v1\ns_wait_dscnt 0x0\nv_mov_b32 v3, v2"},
    {"LoadOverLoad", "gfx1201", 32, "waw",
     "global_load_b32 v2, v1, s[4:5]\nglobal_load_b32 v2, v1, s[4:5] offset:256\ns_wait_loadcnt 0x0",
     "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt 0x0\nglobal_load_b32 v2, v1, s[4:5] offset:256\ns_wait_loadcnt 0x0"},
    {"HalfOfARegister", "gfx1201", 32, "raw",
     "global_load_d16_hi_b16 v2, v1, s[4:5]\nv_mov_b16 v3.l, v2.h",
     "global_load_d16_hi_b16 v2, v1, s[4:5]\nv_mov_b16 v3.l, v2.l\nglobal_store_b16 v1, v2, s[4:5] offset:512"},
    {"HalfOverTheSameHalf", "gfx1201", 32, "waw",
     "global_load_d16_b16 v2, v1, s[4:5]\nglobal_load_d16_b16 v2, v1, s[4:5] offset:2",
     "global_load_d16_b16 v2, v1, s[4:5]\nglobal_load_d16_hi_b16 v2, v1, s[4:5] offset:2"},
    {"HalfThatIsStored", "gfx1100", 32, "raw",
     "ds_load_u16_d16 v2, v1\nds_store_b16 v1, v2 offset:512",
     "ds_load_u16_d16 v2, v1\nds_store_b16_d16_hi v1, v2 offset:512"},
    {"CombinedCount", "gfx1201", 64, "raw",
     "global_load_b32 v2, v1, s[4:5]\nds_load_b32 v3, v1\ns_wait_loadcnt_dscnt 0x1\nv_add_nc_u32 v4, v2, v3",
     "global_load_b32 v2, v1, s[4:5]\nds_load_b32 v3, v1\ns_wait_loadcnt_dscnt 0x0\nv_add_nc_u32 v4, v2, v3"},
    {"LdsWrittenForOthers", "gfx1201", 32, "lds-barrier",
     "ds_store_b32 v1, v0\ns_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0",
     "ds_store_b32 v1, v0\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0", 2},
    {"WaitBehindTheSignal", "gfx1201", 32, "lds-barrier",
     "ds_store_b32 v1, v0\ns_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0",
     "ds_store_b32 v1, v0\ns_wait_dscnt 0x0\ns_barrier_signal -1\nds_store_b32 v1, v0 offset:1024\ns_barrier_wait -1\nv_xor_b32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0", 2},
};
// clang-format on

class Waits : public testing::TestWithParam<Pair> {};

TEST_P(Waits, AreMissedAndFound) {
  const Pair& pair = GetParam();
  EXPECT_EQ(rules_of(pair.target, pair.lanes, pair.faulty, pair.waves), std::vector{std::string(pair.rule)});
  EXPECT_EQ(rules_of(pair.target, pair.lanes, pair.right, pair.waves), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(All, Waits, testing::ValuesIn(kPairs), [](const auto& info) {
  return fmt::format("{}_{}_{}_{}", info.index, info.param.name, info.param.target, info.param.lanes);
});

void expect_right(std::string_view target, std::string_view text) {
  EXPECT_EQ(rules_of(target, 64, text), std::vector<std::string>{}) << text;
}

TEST(WaitsThatAreNotNeeded, VectorLoadsWriteInOrder) {
  for (const std::string_view target : {"gfx90a", "gfx942"})
    expect_right(target,
                 "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v2, v1, s[4:5] offset:4\n"
                 "s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2");
  expect_right("gfx1100",
               "global_load_b32 v2, v1, s[4:5]\nglobal_load_b32 v2, v1, s[4:5] offset:4\n"
               "s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2");
}

TEST(WaitsThatAreNotNeeded, OtherLanes) {
  expect_right("gfx942",
               "s_mov_b64 exec, 0xff\nglobal_load_dword v2, v1, s[4:5]\ns_mov_b64 exec, 0xff00\n"
               "v_mov_b32 v2, 0\nv_mov_b32 v3, v2\ns_mov_b64 exec, -1\ns_waitcnt vmcnt(0)\n"
               "v_mov_b32 v3, v2");
  EXPECT_EQ(rules_of("gfx942", 64,
                     "s_mov_b64 exec, 0xff\nglobal_load_dword v2, v1, s[4:5]\n"
                     "s_mov_b64 exec, -1\nv_readlane_b32 s6, v2, 63"),
            std::vector<std::string>{"raw"});
  expect_right("gfx942",
               "s_mov_b64 exec, 0\nglobal_load_dword v2, v1, s[4:5]\ns_mov_b64 exec, -1\n"
               "v_mov_b32 v3, v2");
}

TEST(WaitsThatAreNotNeeded, FlatDataComeFromWhereTheAddressSays) {
  expect_right("gfx942", "flat_load_dword v2, v[8:9]\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2");
  EXPECT_EQ(rules_of("gfx942", 64,
                     "s_mov_b64 s[6:7], src_shared_base\nv_mov_b32 v2, v1\nv_mov_b32 v3, s7\n"
                     "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v5, v4"),
            std::vector<std::string>{"raw"});
}

TEST(WaitsThatAreNotNeeded, FullCounters) {
  // The sixteenth LDS instruction is issued when the first has come back.
  std::string text;
  for (int i = 0; i < 16; ++i) text += fmt::format("ds_read_b32 v{}, v1\n", 16 + i);
  expect_right("gfx942", text + "v_mov_b32 v2, v16");
  EXPECT_EQ(rules_of("gfx942", 64, text + "v_mov_b32 v2, v17"), std::vector<std::string>{"raw"});
}

TEST(WaitFindings, SayWhatToDo) {
  const auto all = findings_of("gfx942", 64,
                               "global_load_dwordx2 v[2:3], v1, s[4:5]\nglobal_load_dword v4, v1, s[4:5]\n"
                               "v_add_f32 v5, v2, v3\nv_add_f32 v5, v4, v3");
  ASSERT_EQ(all.size(), 1u) << "one fault is one finding";
  EXPECT_EQ(all[0].what, "reads v[2:3] before what is loaded into it has arrived");
  EXPECT_EQ(all[0].fix, "put s_waitcnt vmcnt(1) between them");
  ASSERT_EQ(all[0].parties.size(), 2u);
  EXPECT_EQ(all[0].parties[0].role, "reads");
  EXPECT_EQ(all[0].parties[1].instruction, "global_load_dwordx2 v[2:3], v1, s[4:5]");
  EXPECT_EQ(all[0].parties[1].lanes, ~uint64_t{0});
}

TEST(WaitFindings, DoNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<Finding>> by_threads;
  for (const int threads : {1, 4}) {
    CheckedKernel kernel("wait", "gfx942",
                         "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n"
                         "global_load_dword v2, v1, s[4:5]\nv_mov_b32 v3, v2");
    uint32_t* const data = kernel.allocate(256);
    ASSERT_TRUE(kernel.launch(64, 256, {reinterpret_cast<uint64_t>(data)}, threads));
    by_threads.push_back(kernel.findings());
  }
  EXPECT_EQ(by_threads[0], by_threads[1]);
  EXPECT_EQ(by_threads[0].at(0).count, 256u);
}

TEST(WaitHints, NameWaitsThatNeverWaited) {
  CheckedKernel kernel("wait", "gfx942",
                       "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
                       "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(1)\n"
                       "s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2");
  uint32_t* const data = kernel.allocate(64);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(kernel.launch(1, 64, {reinterpret_cast<uint64_t>(data)}));
  kernel.session().tell([](Checker& checker) { checker.ends(); });
  EXPECT_EQ(kernel.rules(),
            (std::vector<std::string>{"redundant at s_waitcnt vmcnt(0)", "redundant at s_waitcnt vmcnt(1)"}));
  const Finding hint = kernel.findings().at(0);
  EXPECT_EQ(hint.severity, Severity::Hint);
  EXPECT_EQ(hint.count, 2u);
}

}  // namespace
}  // namespace wavesmith::check
