// Races of the waves of a workgroup in LDS.
#include <gtest/gtest.h>

#include "check/race/race_testing.h"

namespace wavesmith::check {
namespace {

/// Each work-item reads what the one 64 further on wrote.
constexpr std::string_view kOther = "v_xor_b32 v2, 0x100, v1\n";

/// The first wave tells by a flag that the data is there; `wait`: how the others come to know.
std::string tell(std::string_view wait) {
  return "v_mov_b32 v2, 0\nv_mov_b32 v4, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\n"
         "LDS_STORE v1, v0 offset:1024\nONE_LANE\nWAIT_LDS\nLDS_STORE v2, v4\ns_branch end\n" +
         std::string(wait) + "v_and_b32 v5, 0x7c, v1\nLDS_LOAD v6, v5 offset:1024\nWAIT_LDS\nend:\ns_nop 0";
}

/// The same by two flags, of which half of the lanes look at each.
std::string tell_by_two(std::string_view behind) {
  return "v_mov_b32 v2, 0\nv_mov_b32 v4, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\n"
         "LDS_STORE v1, v0 offset:1024\nONE_LANE\nWAIT_LDS\nLDS_STORE v2, v4\nLDS_STORE v2, v4 offset:4\n"
         "s_branch end\nread:\nv_and_b32 v5, 4, v1\nagain:\nLDS_LOAD v3, v5\nWAIT_LDS\n"
         "v_cmp_eq_u32 VCC, 0, v3\ns_cbranch_vccnz " +
         std::string(behind) +
         "\nv_and_b32 v5, 0x7c, v1\nLDS_LOAD v6, v5 offset:1024\nWAIT_LDS\nend:\ns_nop 0";
}

/// Counts by bins, and looks for the first that is not empty: a loop that a load ends, but of other
/// addresses.
std::string first_bin(std::string_view between) {
  return "v_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS\n" + std::string(between) +
         "v_mov_b32 v5, 0\ns_branch look\nnext:\nADD v5, 4, v5\nlook:\nLDS_LOAD v4, v5\nWAIT_LDS\n"
         "v_cmp_eq_u32 VCC, 0, v4\ns_cbranch_vccnz next";
}

const RacePair kPairs[] = {
    {"WriteThenRead", "lds-read-write", kOther + "LDS_STORE v1, v0\nWAIT_LDS\nLDS_LOAD v3, v2\nWAIT_LDS",
     kOther + "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS"},
    {"ReadThenOverwrite", "lds-read-write",
     kOther + "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS\nLDS_STORE v1, v3",
     kOther + "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS\nBARRIER\nLDS_STORE v1, v3"},
    {"OneBufferWithOneBarrier", "lds-read-write",
     kOther + "s_mov_b32 s10, 4\nagain:\nLDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS\n"
              "ADD v4, v4, v3\n"
              "s_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again",
     // Two buffers of 1,024 bytes by turns need one barrier a turn.
     kOther + "s_mov_b32 s10, 4\nagain:\nLDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS\n"
              "ADD v4, v4, v3\n"
              "v_xor_b32 v1, 0x400, v1\nv_xor_b32 v2, 0x400, v2\n"
              "s_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again"},
    {"ReductionWithoutABarrierBetweenSteps", "lds-read-write",
     "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\ns_mov_b32 s10, 512\nagain:\nv_cmp_gt_u32 VCC, s10, v1\n"
     "ADD v2, s10, v1\nLDS_LOAD v3, v1\nLDS_LOAD v4, v2\nWAIT_LDS\nADD v3, v3, v4\n"
     "v_cndmask_b32 v5, v1, v1, VCC\nLDS_STORE v5, v3\nWAIT_LDS\n"
     "s_lshr_b32 s10, s10, 1\ns_cmp_gt_u32 s10, 128\ns_cbranch_scc1 again",
     // Each half has a place of its own.
     "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\nv_xor_b32 v2, 0x200, v1\nLDS_LOAD v3, v1\nLDS_LOAD v4, v2\nWAIT_LDS\n"
     "BARRIER\nADD v3, v3, v4\nLDS_STORE v1, v3\nWAIT_LDS\nBARRIER\nv_xor_b32 v2, 0x100, v1\nLDS_LOAD v4, v2"},
    {"TwoWavesWriteOnePlace", "lds-write-write", "v_and_b32 v2, 0xfc, v1\nLDS_STORE v2, v0",
     "v_and_b32 v2, 0x3fc, v1\nLDS_STORE v2, v0"},
    {"TwoWavesWriteOneValue", "lds-same-value", "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nLDS_STORE v2, v3",
     "v_mov_b32 v3, 7\nLDS_STORE v1, v3"},
    {"AllWriteAndReadOneValue", "lds-same-value",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nLDS_STORE v2, v3\nWAIT_LDS\nLDS_LOAD v4, v2\nWAIT_LDS",
     "v_mov_b32 v3, 7\nLDS_STORE v1, v3\nWAIT_LDS\nLDS_LOAD v4, v1\nWAIT_LDS"},
    {"ClearedWithoutABarrier", "lds-atomic-plain",
     "v_mov_b32 v3, 0\nLDS_STORE v1, v3\nv_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS",
     "v_mov_b32 v3, 0\nLDS_STORE v1, v3\nWAIT_LDS\nBARRIER\nv_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\n"
     "ds_add_u32 v2, v3\nWAIT_LDS"},
    {"HistogramReadTooEarly", "lds-atomic-plain",
     "v_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS\nLDS_LOAD v4, v2\nWAIT_LDS",
     "v_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS\nBARRIER\nLDS_LOAD v4, v2\nWAIT_LDS"},
    {"HistogramSearchedTooEarly", "lds-atomic-plain", first_bin(""), first_bin("BARRIER\n")},
    {"CounterReadByEachLane", "lds-atomic-plain",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS\nLDS_LOAD v4, v2\nWAIT_LDS",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\nds_add_u32 v2, v3\nWAIT_LDS\nBARRIER\nLDS_LOAD v4, v2\nWAIT_LDS"},
    {"BytesOfOneDword", "lds-write-write",
     // Work-items of different waves write the same byte, or neighbours.
     "v_and_b32 v2, 63, v0\nLDS_STORE8 v2, v0",
     "v_and_b32 v2, 63, v0\nv_lshlrev_b32 v2, 2, v2\nv_lshrrev_b32 v3, 6, v0\nADD v2, v2, v3\nLDS_STORE8 v2, v0"},
    {"HalvesThatOverlapDwords", "lds-read-write",
     "v_lshlrev_b32 v2, 1, v0\nLDS_STORE16 v2, v0\nLDS_LOAD v3, v1\nWAIT_LDS",
     "v_lshlrev_b32 v2, 1, v0\nLDS_STORE16 v2, v0\nWAIT_LDS\nBARRIER\nLDS_LOAD v3, v1\nWAIT_LDS"},
    {"TwoOffsets", "lds-read-write",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x200, v2\nLDS_STORE2 v2, v0, v1 offset1:1\nLDS_LOAD2 v[4:5], v3 offset1:1",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x200, v2\nLDS_STORE2 v2, v0, v1 offset1:1\nWAIT_LDS\nBARRIER\n"
     "LDS_LOAD2 v[4:5], v3 offset1:1"},
    {"WideAccesses", "lds-read-write",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x200, v2\nLDS_STORE64 v2, v[0:1]\nLDS_LOAD64 v[4:5], v3",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x200, v2\nLDS_STORE64 v2, v[0:1]\nWAIT_LDS\nBARRIER\nLDS_LOAD64 v[4:5], v3"},
    {"FirstWaveTellsTheOthers", "lds-read-write",
     "v_mov_b32 v2, 0\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\nONE_LANE\nLDS_STORE v2, v1\nALL_LANES\nread:\n"
     "LDS_LOAD v3, v2\nWAIT_LDS",
     "v_mov_b32 v2, 0\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\nONE_LANE\nLDS_STORE v2, v1\nALL_LANES\nread:\n"
     "WAIT_LDS\nBARRIER\nLDS_LOAD v3, v2\nWAIT_LDS"},
    {"LanesOfOneStore", "lanes-write-write",
     "v_and_b32 v2, 0x7c, v1\ns_mov_b32 s10, 0\nv_mov_b32 v2, 0\nLDS_STORE v2, v0",
     "v_mov_b32 v2, 0\nv_mov_b32 v3, 5\nLDS_STORE v2, v3", 1, 32},
    {"LanesOfOneStoreThatWriteNans", "lanes-write-write",
     "v_mov_b32 v2, 0\nv_or_b32 v3, 0x7f800000, v0\nLDS_STORE v2, v3",
     "v_mov_b32 v2, 0\nv_or_b32 v3, 0x7fc00000, v0\nLDS_STORE v2, v3", 1, 32},
    {"SwizzledLanes", "lanes-write-write", "v_xor_b32 v2, 0x34, v1\nv_and_b32 v2, 0x78, v2\nLDS_STORE v2, v0",
     "v_xor_b32 v2, 0x34, v1\nLDS_STORE v2, v0", 1, 32},
    {"SixtyFourLanesAssumedOfThirtyTwo", "lds-read-write",
     "v_xor_b32 v2, 0x80, v1\nLDS_STORE v1, v0\nWAIT_LDS\nLDS_LOAD v3, v2\nWAIT_LDS",
     "v_xor_b32 v2, 0x40, v1\nLDS_STORE v1, v0\nWAIT_LDS\nLDS_LOAD v3, v2\nWAIT_LDS", 1, 64, "gfx1", 32},
    {"FlagThatIsNotWaitedFor", "lds-read-write", tell("read:\nLDS_LOAD v3, v2\n"),
     tell(
         "read:\nLDS_LOAD v3, v2\nWAIT_LDS\nv_readfirstlane_b32 s10, v3\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 read\n")},
    {"FlagThatIsLookedAtOnce", "lds-read-write",
     tell(
         "read:\nLDS_LOAD v3, v2\nWAIT_LDS\nv_readfirstlane_b32 s10, v3\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 end\n"),
     // Compilers peel the first turn of a loop that waits.
     tell(
         "read:\nLDS_LOAD v3, v2\nWAIT_LDS\nv_readfirstlane_b32 s10, v3\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 told\n"
         "again:\nLDS_LOAD v3, v2\nWAIT_LDS\nv_readfirstlane_b32 s10, v3\ns_cmp_eq_u32 s10, 0\n"
         "s_cbranch_scc1 again\ntold:\n")},
    {"FlagsThatAreLookedAtOnce", "lds-read-write", tell_by_two("end"), tell_by_two("again")},
    {"DataWrittenBehindItsFlag", "lds-read-write",
     "v_mov_b32 v2, 0\nv_mov_b32 v4, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\n"
     "ONE_LANE\nLDS_STORE v2, v4\nALL_LANES\nLDS_STORE v1, v0 offset:1024\nWAIT_LDS\ns_branch end\n"
     "read:\nLDS_LOAD v3, v2\nWAIT_LDS\nv_readfirstlane_b32 s10, v3\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 read\n"
     "v_and_b32 v5, 0x7c, v1\nLDS_LOAD v6, v5 offset:1024\nWAIT_LDS\nend:\ns_nop 0",
     ""},
    {"LockGivenBackTooEarly", "lds-read-write lds-write-write",
     "ONE_LANE\nv_mov_b32 v2, 0\nv_mov_b32 v3, 1\nlock:\n"
     "CAS_LOCK\nWAIT_LDS\nv_cmp_ne_u32 VCC, 0, v4\ns_cbranch_vccnz lock\n"
     "WAIT_LDS\nLDS_STORE v2, v2\nLDS_LOAD v5, v2 offset:4\nWAIT_LDS\nADD v5, v5, v3\nLDS_STORE v2, v5 offset:4\nWAIT_LDS",
     "ONE_LANE\nv_mov_b32 v2, 0\nv_mov_b32 v3, 1\nlock:\n"
     "CAS_LOCK\nWAIT_LDS\nv_cmp_ne_u32 VCC, 0, v4\ns_cbranch_vccnz lock\n"
     "LDS_LOAD v5, v2 offset:4\nWAIT_LDS\nADD v5, v5, v3\nLDS_STORE v2, v5 offset:4\nWAIT_LDS\nLDS_STORE v2, v2"},
    {"LoadedToLdsDirectly", "lds-read-write",
     "s_mov_b32 m0, s9\ns_lshl_b32 m0, m0, 2\nglobal_load_lds_dword v1, s[4:5]\nWAIT_LOAD\n" + kOther +
         "LDS_LOAD v3, v2\nWAIT_LDS",
     "s_mov_b32 m0, s9\ns_lshl_b32 m0, m0, 2\nglobal_load_lds_dword v1, s[4:5]\nWAIT_LOAD\nBARRIER\n" +
         kOther + "LDS_LOAD v3, v2\nWAIT_LDS",
     1, 256, "gfx94"},
    {"LoadedToOnePlaceByTwoWaves", "lds-write-write",
     "STORE v1, v0, s[4:5]\nWAIT_LOAD\ns_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]\nWAIT_LOAD",
     "STORE v1, v0, s[4:5]\nWAIT_LOAD\ns_mov_b32 m0, s9\ns_lshl_b32 m0, m0, 2\n"
     "global_load_lds_dword v1, s[4:5]\nWAIT_LOAD",
     1, 256, "gfx94"},
    {"OneValueLoadedToOnePlaceByTwoWaves", "lds-same-value",
     "v_and_b32 v2, 0xfc, v1\ns_mov_b32 m0, 0\nglobal_load_lds_dword v2, s[4:5]\nWAIT_LOAD",
     "v_and_b32 v2, 0xfc, v1\ns_mov_b32 m0, s9\ns_lshl_b32 m0, m0, 2\nglobal_load_lds_dword v2, s[4:5]\nWAIT_LOAD",
     1, 256, "gfx94"},
    {"BetweenTheHalvesOfABarrier", "lds-read-write",
     "s_barrier_signal -1\nLDS_STORE v1, v0\nWAIT_LDS\ns_barrier_wait -1\n" + kOther +
         "LDS_LOAD v3, v2\nWAIT_LDS",
     "LDS_STORE v1, v0\nWAIT_LDS\ns_barrier_signal -1\nv_mov_b32 v5, 0\ns_barrier_wait -1\n" + kOther +
         "LDS_LOAD v3, v2\nWAIT_LDS",
     1, 256, "gfx12"},
    {"ReadBetweenTheHalvesOfABarrier", "lds-read-write",
     "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\ns_barrier_signal -1\n" + kOther +
         "LDS_LOAD v3, v2\nWAIT_LDS\ns_barrier_wait -1\nLDS_STORE v1, v1",
     "LDS_STORE v1, v0\nWAIT_LDS\nBARRIER\n" + kOther +
         "LDS_LOAD v3, v2\nWAIT_LDS\ns_barrier_signal -1\ns_barrier_wait -1\nLDS_STORE v1, v1",
     1, 256, "gfx12"},
};

class LdsRace : public testing::TestWithParam<RacePair> {};
TEST_P(LdsRace, IsFoundAndItsTwinIsRight) { expect_race(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Pairs, LdsRace, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(LdsRaces, OfAWaveAloneThereAreNone) {
  const RacePair one{.name = "", .rule = "", .faulty = "", .right = "", .workgroup_size = 32};
  for (const RaceTarget& target : kRaceTargets)
    EXPECT_EQ(races_of(target, "v_xor_b32 v2, 0x40, v1\nLDS_STORE v1, v0\nLDS_LOAD v3, v2\nWAIT_LDS", one),
              std::vector<std::string>{});
}

}  // namespace
}  // namespace wavesmith::check
