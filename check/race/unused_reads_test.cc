// Races of reads in LDS whose value is used, or not. Behind each text v3 to v9 are used, v20 is not.
#include "check/race/unused_reads.h"

#include <gtest/gtest.h>

#include "check/race/race_testing.h"

namespace wavesmith::check {
namespace {

/// Each work-item reads what the one 64 further on writes.
constexpr std::string_view kWritten = "v_xor_b32 v2, 0x100, v1\nLDS_STORE v1, v0\nWAIT_LDS\n";

std::string times(int count, std::string_view text) {
  return "s_mov_b32 s10, " + std::to_string(count) + "\nagain:\n" + std::string(text) +
         "\ns_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again\n";
}

const RacePair kPairs[] = {
    {"ReadTooEarlyAndNotUsed", "lds-unused-read", kWritten + "LDS_LOAD v20, v2\nWAIT_LDS",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS"},
    {"NotUsedAndOverwritten", "lds-unused-read",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nLDS_STORE v1, v1",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nBARRIER\nLDS_STORE v1, v1"},
    // A loop loads ahead: what its last turn loads nobody needs, and who writes next need not wait for it.
    {"LoadedAheadInTheLastTurn", "lds-unused-read",
     kWritten + "LDS_STORE v1, v0 offset:1024\nWAIT_LDS\nBARRIER\nLDS_LOAD v20, v2\n" +
         times(3, "WAIT_LDS\nADD v3, v3, v20\nBARRIER\nLDS_LOAD v20, v2 offset:1024") +
         "LDS_STORE v1, v1 offset:1024",
     ""},
    {"UsedBeforeItIsOverwritten", "lds-read-write",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nADD v3, v3, v20\n" + times(50, "s_nop 0") +
         "LDS_STORE v1, v1",
     ""},
    {"UsedInAnEarlierTurn", "lds-read-write",
     kWritten + "BARRIER\n" + times(2, "v_mov_b32 v3, v20\nLDS_LOAD v20, v2\nWAIT_LDS") + "LDS_STORE v1, v1",
     ""},
    {"UsedLongAfter", "lds-read-write",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nLDS_STORE v1, v1\n" + times(1000, "s_nop 0") +
         "v_mov_b32 v3, v20",
     ""},
    {"OverwrittenAndThenUsed", "lds-unused-read",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nLDS_STORE v1, v1\nv_mov_b32 v20, 7\nv_mov_b32 v3, v20",
     ""},
    {"OverwrittenInOneLaneAndUsedThere", "lds-unused-read",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nLDS_STORE v1, v1\nONE_LANE\nv_mov_b32 v20, 7\n"
                "v_mov_b32 v3, v20\nALL_LANES",
     ""},
    {"OverwrittenInOneLaneAndUsedInAll", "lds-read-write",
     kWritten +
         "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\nLDS_STORE v1, v1\nONE_LANE\nv_mov_b32 v20, 7\nALL_LANES\n"
         "v_mov_b32 v3, v20",
     ""},
    {"UsedAsAnAddress", "lds-read-write",
     kWritten + "LDS_LOAD v20, v2\nWAIT_LDS\nv_and_b32 v20, 0x3fc, v20\nLDS_LOAD v3, v20 offset:2048", ""},
    {"OneOfTwoIsUsed", "lds-read-write",
     kWritten + "LDS_LOAD64 v[20:21], v2 offset:0\nWAIT_LDS\nv_mov_b32 v3, v21", ""},
    // What a wave that is ahead has done since is not known any more.
    {"OverwrittenLongAfter", "lds-read-write lds-unused-read",
     kWritten + "BARRIER\nLDS_LOAD v20, v2\nWAIT_LDS\n" + times(400, "s_nop 0") + "LDS_STORE v1, v1", ""},
};

class UnusedRead : public testing::TestWithParam<RacePair> {};
TEST_P(UnusedRead, IsAHintAndAUsedOneAnError) { expect_race(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Pairs, UnusedRead, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wavesmith::check
