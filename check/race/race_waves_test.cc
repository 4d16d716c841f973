// Races of the waves of a workgroup in device memory.
#include <gtest/gtest.h>

#include "check/race/race_testing.h"

namespace wavesmith::check {
namespace {

/// The address of what the work-item 64 further on has.
constexpr std::string_view kOther = "v_xor_b32 v2, 0x100, v1\n";
/// The first wave goes on, the others go to `read`.
constexpr std::string_view kFirst =
    "v_mov_b32 v2, 0x2000\nv_mov_b32 v4, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 read\n";

constexpr std::string_view kFlat = "v_add_co_u32 v8, VCC, s4, v1\nv_mov_b32 v9, s5\n";
constexpr std::string_view kFlatStore = "flat_store_b32 v[8:9], v0\n";

/// The first wave tells by a flag at 0x2000 that what it wrote is there.
std::string tell(std::string_view release, std::string_view wait, std::string_view acquire,
                 std::string_view store = "STORE v1, v0, s[4:5]\n") {
  return kFirst + std::string(store) + std::string(release) +
         "\nONE_LANE\nSTORE v2, v4, s[4:5] NEAR_STORE\n" +
         "s_endpgm\nread:\nLOAD v3, v2, s[4:5] NEAR_LOAD\nWAIT_LOAD\n" + std::string(wait) +
         std::string(acquire) + "\nv_and_b32 v5, 0x7c, v1\nLOAD v6, v5, s[4:5]\nWAIT_LOAD";
}
constexpr std::string_view kAgain = "v_readfirstlane_b32 s10, v3\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 read\n";

/// One lane of each wave adds one at 0x2004, with the lock at 0x2000.
std::string lock(std::string_view acquire, std::string_view release, std::string_view late) {
  return "v_mov_b32 v2, 0x2000\nv_mov_b32 v8, 1\nv_mov_b32 v9, 0\nONE_LANE\nlock:\n"
         "ATOMIC_CAS v6, v2, v[8:9], s[4:5] RETURN NEAR_ATOMIC\nWAIT_LOAD\nv_readfirstlane_b32 s11, v6\n"
         "s_cmp_lg_u32 s11, 0\ns_cbranch_scc1 lock\n" +
         std::string(acquire) +
         "\nLOAD v7, v2, s[4:5] offset:4\nWAIT_LOAD\nADD v7, v7, v8\nSTORE v2, v7, s[4:5] offset:4\n" +
         std::string(release) + "\nATOMIC_SWAP v2, v9, s[4:5] NEAR_ATOMIC\n" + std::string(late);
}

const RacePair kPairs[] = {
    {"WriteThenRead", "wave-read-write", kOther + "STORE v1, v0, s[4:5]\nLOAD v3, v2, s[4:5]\nWAIT_LOAD",
     kOther + "STORE v1, v0, s[4:5]\nNEAR_RELEASE\nBARRIER\nLOAD v3, v2, s[4:5]\nWAIT_LOAD"},
    {"ReadThenOverwrite", "wave-read-write", kOther + "LOAD v3, v2, s[4:5]\nWAIT_LOAD\nSTORE v1, v3, s[4:5]",
     kOther + "LOAD v3, v2, s[4:5]\nWAIT_LOAD\nBARRIER\nSTORE v1, v3, s[4:5]"},
    {"OneBufferWithOneBarrier", "wave-read-write",
     kOther + "s_mov_b32 s10, 4\nagain:\nSTORE v1, v0, s[4:5]\nNEAR_RELEASE\nBARRIER\nLOAD v3, v2, s[4:5]\n"
              "WAIT_LOAD\ns_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again",
     kOther + "s_mov_b32 s10, 4\nagain:\nSTORE v1, v0, s[4:5]\nNEAR_RELEASE\nBARRIER\nLOAD v3, v2, s[4:5]\n"
              "WAIT_LOAD\nv_xor_b32 v1, 0x400, v1\nv_xor_b32 v2, 0x400, v2\n"
              "s_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again"},
    {"ScanInPlace", "wave-read-write",
     "v_add_co_u32 v2, VCC, 0x100, v1\nLOAD v3, v1, s[4:5]\nLOAD v4, v2, s[4:5]\nWAIT_LOAD\nADD v3, v3, v4\n"
     "STORE v1, v3, s[4:5]",
     "v_add_co_u32 v2, VCC, 0x100, v1\nLOAD v3, v1, s[4:5]\nLOAD v4, v2, s[4:5]\nWAIT_LOAD\nADD v3, v3, v4\n"
     "STORE v1, v3, s[4:5] offset:2048",
     1, 256, "gfx9"},
    {"TwoWavesWriteOnePlace", "wave-write-write",
     "v_and_b32 v2, 0xfc, v1\nv_lshrrev_b32 v3, 6, v0\nSTORE v2, v0, s[4:5]",
     "v_and_b32 v2, 0x3fc, v1\nSTORE v2, v0, s[4:5]"},
    {"OneLaneOfEachWaveWrites", "wave-write-write", "v_mov_b32 v2, 0\nONE_LANE\nSTORE v2, v0, s[4:5]",
     "v_mov_b32 v2, 0\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 end\nONE_LANE\nSTORE v2, v0, s[4:5]\nend:\ns_nop 0"},
    {"TwoWavesWriteOneValue", "wave-same-value", "v_mov_b32 v2, 0\nv_mov_b32 v3, 7\nSTORE v2, v3, s[4:5]",
     "v_mov_b32 v3, 7\nSTORE v1, v3, s[4:5]"},
    {"SomeOfTheirPlacesAreOne", "wave-write-write",
     "v_lshrrev_b32 v2, 6, v0\nv_mul_u32_u24 v2, 0xfc, v2\nv_and_b32 v3, 0xfc, v1\nADD v2, v2, v3\nSTORE v2, v0, s[4:5]",
     "STORE v1, v0, s[4:5]", 1, 256, "gfx9"},
    {"BytesOfOneDword", "wave-write-write", "v_and_b32 v2, 63, v0\nSTORE8 v2, v0, s[4:5]",
     "v_and_b32 v2, 63, v0\nv_lshlrev_b32 v2, 2, v2\nv_lshrrev_b32 v3, 6, v0\nADD v2, v2, v3\nSTORE8 v2, v0, s[4:5]"},
    {"WideAndNarrow", "wave-read-write",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x100, v1\nSTORE64 v2, v[0:1], s[4:5]\nLOAD v4, v3, s[4:5]\nWAIT_LOAD",
     "v_lshlrev_b32 v2, 3, v0\nv_xor_b32 v3, 0x100, v1\nSTORE64 v2, v[0:1], s[4:5]\nNEAR_RELEASE\nBARRIER\n"
     "LOAD v4, v3, s[4:5]\nWAIT_LOAD"},
    {"ScalarReadsOfWhatOthersWrite", "wave-read-write",
     "STORE v1, v0, s[4:5]\ns_load_b32 s12, s[4:5], 0x0\nWAIT_SCALAR",
     "STORE v1, v0, s[4:5]\nNEAR_RELEASE\nBARRIER\ns_load_b32 s12, s[4:5], 0x0\nWAIT_SCALAR", 1, 256, "gfx1"},
    {"ClearedWithoutABarrier", "wave-atomic-plain",
     "v_mov_b32 v3, 0\nSTORE v1, v3, s[4:5]\nv_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nATOMIC_ADD v2, v3, s[4:5]",
     "v_mov_b32 v3, 0\nSTORE v1, v3, s[4:5]\nNEAR_RELEASE\nBARRIER\nv_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\n"
     "ATOMIC_ADD v2, v3, s[4:5]",
     1, 256, "gfx94"},
    {"HistogramReadTooEarly", "wave-atomic-plain",
     "v_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nATOMIC_ADD v2, v3, s[4:5]\nLOAD v4, v2, s[4:5]\nWAIT_LOAD",
     "v_and_b32 v2, 0x3c, v1\nv_mov_b32 v3, 1\nATOMIC_ADD v2, v3, s[4:5]\nNEAR_RELEASE\nBARRIER\nLOAD v4, v2, s[4:5]\n"
     "WAIT_LOAD"},
    {"FlagThatIsNotWaitedFor", "wave-read-write",
     kFirst +
         "STORE v1, v0, s[4:5]\nNEAR_RELEASE\nONE_LANE\nSTORE v2, v4, s[4:5] NEAR_STORE\ns_endpgm\nread:\n"
         "NEAR_ACQUIRE\nv_and_b32 v5, 0x7c, v1\nLOAD v6, v5, s[4:5]\nWAIT_LOAD",
     tell("NEAR_RELEASE", kAgain, "NEAR_ACQUIRE")},
    {"FlagWithoutARelease", "wave-read-write", tell("", kAgain, "NEAR_ACQUIRE"),
     tell("NEAR_RELEASE", kAgain, "NEAR_ACQUIRE"), 1, 256, "gfx1"},
    // A flat store is there when both counters say so.
    {"FlatStoreHalfWaitedFor", "wave-read-write",
     kFlat + tell("s_waitcnt_vscnt null, 0x0", kAgain, "NEAR_ACQUIRE", kFlatStore),
     kFlat + tell("NEAR_RELEASE", kAgain, "NEAR_ACQUIRE", kFlatStore), 1, 256, "gfx11"},
    {"FlagWithoutAnAcquire", "insufficient-scope", tell("NEAR_RELEASE", kAgain, ""),
     tell("NEAR_RELEASE", kAgain, "NEAR_ACQUIRE"), 1, 256, "gfx1"},
    {"DataWrittenBehindItsFlag", "wave-read-write",
     kFirst +
         "ONE_LANE\nSTORE v2, v4, s[4:5] NEAR_STORE\nALL_LANES\nSTORE v1, v0, s[4:5]\ns_endpgm\nread:\n"
         "LOAD v3, v2, s[4:5] NEAR_LOAD\nWAIT_LOAD\n" +
         kAgain +
         "NEAR_ACQUIRE\nv_and_b32 v5, 0x7c, v1\n"
         "LOAD v6, v5, s[4:5]\nWAIT_LOAD",
     tell("NEAR_RELEASE", kAgain, "NEAR_ACQUIRE")},
    {"LockWithoutAnAcquire", "lock-without-acquire", lock("", "NEAR_RELEASE", ""),
     lock("NEAR_ACQUIRE", "NEAR_RELEASE", ""), 1, 256, "gfx1"},
    {"LockWithoutARelease", "wave-read-write wave-write-write", lock("NEAR_ACQUIRE", "", ""),
     lock("NEAR_ACQUIRE", "NEAR_RELEASE", ""), 1, 256, "gfx1"},
    {"WriteBehindTheLock", "wave-read-write wave-write-write",
     lock("NEAR_ACQUIRE", "NEAR_RELEASE", "STORE v2, v9, s[4:5] offset:4"),
     lock("NEAR_ACQUIRE", "NEAR_RELEASE", "STORE v1, v9, s[4:5]")},
    {"OneWaveWithoutTheLock", "wave-read-write wave-write-write",
     "s_cmp_lg_u32 s9, 0\ns_cbranch_scc1 others\nv_mov_b32 v2, 0x2000\nONE_LANE\nSTORE v2, v2, s[4:5] offset:4\n"
     "s_endpgm\nothers:\n" +
         lock("NEAR_ACQUIRE", "NEAR_RELEASE", ""),
     "s_cmp_lg_u32 s9, 0\ns_cbranch_scc1 others\ns_endpgm\nothers:\n" +
         lock("NEAR_ACQUIRE", "NEAR_RELEASE", "")},
    {"BetweenTheHalvesOfABarrier", "wave-read-write",
     kOther +
         "s_barrier_signal -1\nSTORE v1, v0, s[4:5]\nNEAR_RELEASE\ns_barrier_wait -1\nLOAD v3, v2, s[4:5]\nWAIT_LOAD",
     kOther + "STORE v1, v0, s[4:5]\nNEAR_RELEASE\ns_barrier_signal -1\nLOAD v5, v1, s[4:5]\nWAIT_LOAD\n"
              "s_barrier_wait -1\nLOAD v3, v2, s[4:5]\nWAIT_LOAD",
     1, 256, "gfx12"},
};

class WaveRace : public testing::TestWithParam<RacePair> {};
TEST_P(WaveRace, IsFoundAndItsTwinIsRight) { expect_race(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Pairs, WaveRace, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wavesmith::check
