#include "check/race/race_testing.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace wavesmith::check {
namespace {

struct Spelling {
  std::string_view word, cdna2, cdna3, rdna3, rdna4;
};
// The longest of those that begin alike comes first.
constexpr Spelling kSpellings[] = {
    // At workgroup scope.
    {"NEAR_LOAD", "", "sc0", "glc", "scope:SCOPE_SE"},
    {"NEAR_STORE", "", "sc0", "", "scope:SCOPE_SE"},
    {"NEAR_ATOMIC", "", "", "", "scope:SCOPE_SE"},
    {"NEAR_RELEASE", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)",
     "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0",
     "s_wait_storecnt 0x0\ns_wait_loadcnt_dscnt 0x0"},
    {"NEAR_ACQUIRE", "", "", "buffer_gl0_inv", "global_inv scope:SCOPE_SE"},
    {"ARGUMENTS", "s_load_dwordx4 s[4:7], s[0:1], 0x0", "s_load_dwordx4 s[4:7], s[0:1], 0x0",
     "s_load_b128 s[4:7], s[0:1], 0x0", "s_load_b128 s[4:7], s[0:1], 0x0"},
    {"WORKGROUP", "s2", "s2", "s2", "ttmp9"},
    {"RETURN", "glc", "sc0", "glc", "th:TH_ATOMIC_RETURN"},
    {"AGENT_LOAD", "glc", "sc1", "glc", "scope:SCOPE_DEV"},
    {"AGENT_STORE", "", "sc1", "", "scope:SCOPE_DEV"},
    {"BARRIER", "s_barrier", "s_barrier", "s_barrier", "s_barrier_signal -1\ns_barrier_wait -1"},
    {"LDS_LOAD2", "ds_read2_b32", "ds_read2_b32", "ds_load_2addr_b32", "ds_load_2addr_b32"},
    {"LDS_STORE2", "ds_write2_b32", "ds_write2_b32", "ds_store_2addr_b32", "ds_store_2addr_b32"},
    {"LDS_LOAD64", "ds_read_b64", "ds_read_b64", "ds_load_b64", "ds_load_b64"},
    {"LDS_STORE64", "ds_write_b64", "ds_write_b64", "ds_store_b64", "ds_store_b64"},
    {"LDS_STORE16", "ds_write_b16", "ds_write_b16", "ds_store_b16", "ds_store_b16"},
    {"LDS_STORE8", "ds_write_b8", "ds_write_b8", "ds_store_b8", "ds_store_b8"},
    {"LDS_LOAD8", "ds_read_u8", "ds_read_u8", "ds_load_u8", "ds_load_u8"},
    {"LDS_LOAD", "ds_read_b32", "ds_read_b32", "ds_load_b32", "ds_load_b32"},
    {"LDS_STORE", "ds_write_b32", "ds_write_b32", "ds_store_b32", "ds_store_b32"},
    // 0 at v2 becomes the 1 in v3; v4: what was there. RDNA has the operands the other way round.
    {"CAS_LOCK", "ds_cmpst_rtn_b32 v4, v2, v2, v3", "ds_cmpst_rtn_b32 v4, v2, v2, v3",
     "ds_cmpstore_rtn_b32 v4, v2, v3, v2", "ds_cmpstore_rtn_b32 v4, v2, v3, v2"},
    {"WAIT_LDS", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0"},
    {"WAIT_SCALAR", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)",
     "s_wait_kmcnt 0x0"},
    {"WAIT_LOAD", "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"},
    {"STORE8", "global_store_byte", "global_store_byte", "global_store_b8", "global_store_b8"},
    {"STORE64", "global_store_dwordx2", "global_store_dwordx2", "global_store_b64", "global_store_b64"},
    {"LOAD64", "global_load_dwordx2", "global_load_dwordx2", "global_load_b64", "global_load_b64"},
    {"STORE", "global_store_dword", "global_store_dword", "global_store_b32", "global_store_b32"},
    {"LOAD", "global_load_dword", "global_load_dword", "global_load_b32", "global_load_b32"},
    {"ATOMIC_ADD", "global_atomic_add", "global_atomic_add", "global_atomic_add_u32",
     "global_atomic_add_u32"},
    {"ATOMIC_CAS", "global_atomic_cmpswap", "global_atomic_cmpswap", "global_atomic_cmpswap_b32",
     "global_atomic_cmpswap_b32"},
    {"ATOMIC_SWAP", "global_atomic_swap", "global_atomic_swap", "global_atomic_swap_b32",
     "global_atomic_swap_b32"},
    {"AGENT_ATOMIC", "", "", "", "scope:SCOPE_DEV"},
    // A release and an acquire at agent scope, as LLVM's memory model has them.
    {"RELEASE", "s_waitcnt vmcnt(0) lgkmcnt(0)", "buffer_wbl2 sc1\ns_waitcnt vmcnt(0) lgkmcnt(0)",
     "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0",
     "s_wait_storecnt 0x0\ns_wait_loadcnt_dscnt 0x0"},
    {"ACQUIRE", "buffer_wbinvl1_vol", "buffer_inv sc1", "buffer_gl1_inv\nbuffer_gl0_inv",
     "global_inv scope:SCOPE_DEV"},
    {"ADD", "v_add_u32", "v_add_u32", "v_add_nc_u32", "v_add_nc_u32"},
};

std::string_view spelled(const Spelling& spelling, std::string_view target) {
  if (target == "gfx90a") return spelling.cdna2;
  if (target.starts_with("gfx9")) return spelling.cdna3;
  return target.starts_with("gfx11") ? spelling.rdna3 : spelling.rdna4;
}

void replace(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

}  // namespace

std::string race_kernel(const RaceTarget& target, std::string_view text) {
  std::string made =
      "ARGUMENTS\nv_and_b32 v0, 0x3ff, v0\ns_mov_b32 s8, WORKGROUP\nv_lshlrev_b32 v1, 2, v0\n"
      "v_readfirstlane_b32 s9, v0\nWAIT_SCALAR\n" +
      std::string(text) +
      // What was read is used, but for what is read to registers behind these.
      "\nv_or3_b32 v3, v3, v4, v5\nv_or3_b32 v3, v3, v6, v7\nv_or3_b32 v3, v3, v8, v9\n";
  for (const Spelling& spelling : kSpellings) replace(made, spelling.word, spelled(spelling, target.name));
  const bool wide = target.lanes == 64;
  replace(made, "ONE_LANE", wide ? "s_mov_b64 exec, 1" : "s_mov_b32 exec_lo, 1");
  replace(made, "ALL_LANES", wide ? "s_mov_b64 exec, -1" : "s_mov_b32 exec_lo, -1");
  replace(made, "VCC", wide ? "vcc" : "vcc_lo");
  return made;
}

std::vector<std::string> races_of(const RaceTarget& target, std::string_view text, const RacePair& pair,
                                  int threads) {
  CheckedKernel kernel("race", target.name, race_kernel(target, text), target.lanes, 8192);
  if (target.name.starts_with("gfx1"))  // as LLVM has it: waves run on both compute units of a WGP
    kernel.describe = [](object::Kernel& one) { one.fields.compute_pgm_rsrc1 |= 1u << 29; };
  uint32_t* const data = kernel.allocate(16384);
  const auto done = kernel.launch(pair.workgroups, pair.workgroup_size ? pair.workgroup_size : target.lanes,
                                  {reinterpret_cast<uint64_t>(data), 0}, threads);
  EXPECT_TRUE(done) << done.error().text();
  std::vector<std::string> rules;
  for (const Finding& finding : kernel.findings()) rules.push_back(finding.rule);
  std::ranges::sort(rules);
  rules.erase(std::ranges::unique(rules).begin(), rules.end());
  return rules;
}

void expect_race(const RacePair& pair) {
  int run = 0;
  for (const RaceTarget& target : kRaceTargets) {
    if (target.name.find(pair.targets) == std::string_view::npos ||
        (pair.lanes && pair.lanes != target.lanes))
      continue;
    SCOPED_TRACE(std::string(pair.name) + " on " + std::string(target.name) + ", " +
                 std::to_string(target.lanes) + " lanes");
    EXPECT_EQ(fmt::format("{}", fmt::join(races_of(target, pair.faulty, pair), " ")), pair.rule);
    if (!pair.right.empty()) EXPECT_EQ(races_of(target, pair.right, pair), std::vector<std::string>{});
    ++run;
  }
  EXPECT_GT(run, 0);
}

}  // namespace wavesmith::check
