// Races of workgroups in device memory.
#include <gtest/gtest.h>

#include "check/race/race_testing.h"
#include "check/text.h"

namespace wavesmith::check {
namespace {

/// The lanes' own places in memory, of workgroups of 64.
constexpr std::string_view kOwn = "s_lshl_b32 s10, s8, 8\nADD v2, s10, v1\n";
/// The workgroup before this one; of the first the last of 8.
constexpr std::string_view kBefore =
    "s_add_u32 s10, s8, 7\ns_and_b32 s10, s10, 7\ns_lshl_b32 s10, s10, 8\nADD v3, s10, v1\n";
constexpr std::string_view kGridBarrier =
    "s_mov_b32 m0, 0\nv_mov_b32 v4, 0\nds_gws_barrier v4 gds\ns_waitcnt expcnt(0) lgkmcnt(0)\n";
/// Adds one to the counter at 0x8000 behind `fence`, and waits until there are eight.
std::string meet(std::string_view release, std::string_view acquire) {
  return "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\n" + std::string(release) +
         "\nONE_LANE\nATOMIC_ADD v4, v5, s[4:5]\nwait:\nLOAD v6, v4, s[4:5] AGENT_LOAD\nWAIT_LOAD\n"
         "v_readfirstlane_b32 s11, v6\ns_cmp_lt_u32 s11, 8\ns_cbranch_scc1 wait\n" +
         std::string(acquire) + "\nALL_LANES\n";
}

/// Each workgroup stores, meets the others and reads what the one before it wrote.
std::string handed(std::string_view release, std::string_view acquire) {
  return std::string(kOwn) + std::string(kBefore) + "STORE v2, v0, s[4:5]\n" + meet(release, acquire) +
         "LOAD v7, v3, s[4:5]\nWAIT_LOAD";
}

/// Workgroups of 256 store and release; SCC then says that it is not the first wave.
constexpr std::string_view kStoredBy256 =
    "s_lshl_b32 s10, s8, 10\nADD v2, s10, v1\ns_add_u32 s10, s8, 7\ns_and_b32 s10, s10, 7\n"
    "s_lshl_b32 s10, s10, 10\nADD v3, s10, v1\nSTORE v2, v0, s[4:5]\nRELEASE\nBARRIER\n"
    "s_cmp_lg_u32 s9, 0\n";

/// The first wave of each workgroup of 256 meets the others', all read what the one before it wrote.
std::string one_wave_meets(std::string_view acquire) {
  return std::string(kStoredBy256) + "s_cbranch_scc1 met\n" + meet("", "ACQUIRE") + "met:\nBARRIER\n" +
         std::string(acquire) + "\nLOAD v7, v3, s[4:5]\nWAIT_LOAD";
}

/// The first wave of each workgroup of 256 meets the others without an acquire, all read what the one before
/// it wrote. early, late: what its other waves do meanwhile, and all of them behind the barrier.
std::string others_do(std::string_view early, std::string_view late) {
  return std::string(kStoredBy256) + "s_cbranch_scc1 other\n" + meet("", "") +
         "s_branch met\nother:\ns_mov_b32 s10, 5000\nlinger:\ns_sub_u32 s10, s10, 1\n" +
         "s_cmp_lg_u32 s10, 0\ns_cbranch_scc1 linger\n" + std::string(early) + "\nmet:\nBARRIER\n" +
         std::string(late) + "\nLOAD v7, v3, s[4:5]\nWAIT_LOAD";
}

/// One lane of each workgroup adds one at 0x8000 twice, and at 0x8100 in between.
std::string around(std::string_view scope) {
  const std::string add = "ATOMIC_ADD v6, v4, v5, s[4:5] RETURN " + std::string(scope) + "\nWAIT_LOAD\n";
  return "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nv_mov_b32 v8, 0x8100\nONE_LANE\n" + add +
         "RELEASE\nATOMIC_ADD v7, v8, v5, s[4:5] RETURN AGENT_ATOMIC\nWAIT_LOAD\nACQUIRE\n" + add;
}

/// Each workgroup stores before and behind a release, meets the others and reads what the one before it
/// wrote.
std::string stored(std::string_view before, std::string_view behind) {
  return std::string(kOwn) + std::string(kBefore) + std::string(before) + "RELEASE\n" + std::string(behind) +
         meet("", "ACQUIRE") + "LOAD v7, v3, s[4:5]\nWAIT_LOAD";
}

/// One lane of each workgroup adds one at 0, with the lock at 0x8000.
std::string lock(std::string_view acquire, std::string_view release, std::string_view scope) {
  return "v_mov_b32 v4, 0x8000\nv_mov_b32 v8, 1\nv_mov_b32 v9, 0\nONE_LANE\nlock:\n"
         "ATOMIC_CAS v6, v4, v[8:9], s[4:5] RETURN\nWAIT_LOAD\nv_readfirstlane_b32 s11, v6\n"
         "s_cmp_lg_u32 s11, 0\ns_cbranch_scc1 lock\n" +
         std::string(acquire) + "\nLOAD v7, v9, s[4:5]\nWAIT_LOAD\nADD v7, v7, v8\nSTORE v9, v7, s[4:5]\n" +
         std::string(release) + "\nSTORE v4, v9, s[4:5] " + std::string(scope);
}
/// One lane of each workgroup stores its number at 0, under the lock at 0x8000.
std::string locked_store(std::string_view store, std::string_view release) {
  return "v_mov_b32 v4, 0x8000\nv_mov_b32 v8, 1\nv_mov_b32 v9, 0\nv_mov_b32 v7, s8\nONE_LANE\nlock:\n"
         "ATOMIC_CAS v6, v4, v[8:9], s[4:5] RETURN\nWAIT_LOAD\nv_readfirstlane_b32 s11, v6\n"
         "s_cmp_lg_u32 s11, 0\ns_cbranch_scc1 lock\nACQUIRE\n" +
         std::string(store) + "\n" + std::string(release) + "\nATOMIC_SWAP v4, v9, s[4:5]";
}
/// Each workgroup writes its number at 0 when the one before it has told that it has.
std::string turns(std::string_view release) {
  return "v_mov_b32 v4, 0x8000\nv_mov_b32 v9, 0\nv_mov_b32 v5, s8\ns_add_u32 s11, s8, 1\nv_mov_b32 v7, s11\n"
         "ONE_LANE\nwait:\nLOAD v6, v4, s[4:5] AGENT_LOAD\nWAIT_LOAD\nv_readfirstlane_b32 s12, v6\n"
         "s_cmp_lg_u32 s12, s8\ns_cbranch_scc1 wait\nACQUIRE\nSTORE v9, v5, s[4:5]\n" +
         std::string(release) + "\nSTORE v4, v7, s[4:5] AGENT_STORE";
}

const RacePair kPairs[] = {
    {"WorkgroupsWriteOnePlace", "global-write-write", "v_mov_b32 v3, s8\nSTORE v1, v3, s[4:5]",
     kOwn + "v_mov_b32 v3, s8\nSTORE v2, v3, s[4:5]", 8, 0},
    {"WorkgroupsWriteOneValue", "global-same-value", "v_mov_b32 v3, 7\nSTORE v1, v3, s[4:5]",
     kOwn + "v_mov_b32 v3, 7\nSTORE v2, v3, s[4:5]", 8, 0},
    {"NeighboursReadInPlace", "global-read-write",
     kOwn + kBefore + "LOAD v4, v3, s[4:5]\nWAIT_LOAD\nSTORE v2, v4, s[4:5]",
     kOwn + kBefore + "LOAD v4, v3, s[4:5]\nWAIT_LOAD\nSTORE v2, v4, s[4:5] offset:2048", 8, 0},
    {"ScalarReadsOfWhatOthersWrite", "global-read-write",
     kOwn + "s_load_b32 s12, s[4:5], 0x0\nWAIT_SCALAR\nSTORE v2, v0, s[4:5]",
     kOwn + "s_load_b32 s12, s[4:5], 0x4000\nWAIT_SCALAR\nSTORE v2, v0, s[4:5]", 8, 0, "gfx1"},
    {"BytesOfOneDword", "global-write-write", "v_mov_b32 v3, s8\nSTORE8 v1, v3, s[4:5]",
     "v_mov_b32 v3, s8\nADD v1, s8, v1\nSTORE8 v1, v3, s[4:5]", 4, 0},
    {"WideAndNarrowStores", "global-write-write",
     "s_lshl_b32 s10, s8, 7\nv_lshlrev_b32 v3, 3, v0\nADD v3, s10, v3\nSTORE64 v3, v[0:1], s[4:5]",
     "s_lshl_b32 s10, s8, 9\nv_lshlrev_b32 v3, 3, v0\nADD v3, s10, v3\nSTORE64 v3, v[0:1], s[4:5]", 8, 0},
    {"HistogramClearedByEachWorkgroup", "global-atomic-plain",
     "v_mov_b32 v4, 0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 add\nSTORE v1, v4, s[4:5]\nadd:\nv_mov_b32 v5, 1\nATOMIC_ADD v1, v5, s[4:5]",
     "v_mov_b32 v5, 1\nATOMIC_ADD v1, v5, s[4:5]", 8, 0, "gfx94"},
    {"HistogramReadByEachWorkgroup", "global-atomic-plain",
     "v_mov_b32 v5, 1\nATOMIC_ADD v1, v5, s[4:5]\nRELEASE\nLOAD v6, v1, s[4:5]\nWAIT_LOAD",
     "v_mov_b32 v5, 1\nATOMIC_ADD v1, v5, s[4:5]\nRELEASE\nLOAD v6, v1, s[4:5] AGENT_LOAD\nWAIT_LOAD", 8, 0},
    {"GridThatDoesNotMeet", "global-read-write",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\nRELEASE\nACQUIRE\nLOAD v4, v3, s[4:5]\nWAIT_LOAD",
     handed("RELEASE", "ACQUIRE"), 8, 0},
    {"GridThatMeetsTooEarly", "global-read-write",
     kOwn + kBefore + meet("RELEASE", "ACQUIRE") + "STORE v2, v0, s[4:5]\nLOAD v7, v3, s[4:5]\nWAIT_LOAD",
     kOwn + kBefore + "LOAD v7, v3, s[4:5]\nWAIT_LOAD\n" + meet("RELEASE", "ACQUIRE") +
         "STORE v2, v0, s[4:5]",
     8, 0},
    {"AcquiredAtWorkgroupScope", "insufficient-scope", handed("RELEASE", ""),
     kOwn + kBefore + "STORE v2, v0, s[4:5]\n" + meet("RELEASE", "") +
         "LOAD v7, v3, s[4:5] AGENT_LOAD\nWAIT_LOAD",
     8, 0},
    {"ReleasedAtWorkgroupScope", "insufficient-scope", handed("s_waitcnt vmcnt(0)", "ACQUIRE"),
     handed("RELEASE", "ACQUIRE"), 8, 0, "gfx94"},
    {"ReleasedWithoutAWait", "insufficient-scope", handed("", "ACQUIRE"), "", 8, 0},
    {"ReleasedWithAWaitThatLetsTheStoreBeUnderWay", "insufficient-scope",
     handed("s_wait_storecnt 0x1", "ACQUIRE"), handed("s_wait_storecnt 0x0", "ACQUIRE"), 8, 0, "gfx12"},
    // A coherent load sees what has been written back, and no more.
    {"ReadCoherentlyWithoutAWriteBack", "insufficient-scope",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\n" + meet("s_waitcnt vmcnt(0)", "") +
         "LOAD v7, v3, s[4:5] AGENT_LOAD\nWAIT_LOAD",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\n" + meet("RELEASE", "") +
         "LOAD v7, v3, s[4:5] AGENT_LOAD\nWAIT_LOAD",
     8, 0, "gfx94"},
    {"ReadCoherentlyWithoutAWait", "insufficient-scope",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\n" + meet("", "") + "LOAD v7, v3, s[4:5] AGENT_LOAD\nWAIT_LOAD",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\n" + meet("RELEASE", "") +
         "LOAD v7, v3, s[4:5] AGENT_LOAD\nWAIT_LOAD",
     8, 0, "gfx12"},
    {"AcquiredPastTheNearCache", "insufficient-scope", handed("RELEASE", "buffer_gl1_inv"),
     handed("RELEASE", "buffer_gl0_inv\nbuffer_gl1_inv"), 8, 0, "gfx11"},
    {"AcquiredInTheNearCacheAlone", "insufficient-scope", handed("RELEASE", "NEAR_ACQUIRE"),
     handed("RELEASE", "ACQUIRE"), 8, 0},
    // What the fourth workgroup wrote, others before and behind the one that does not invalidate read
    // rightly.
    {"OneOfManyDoesNotAcquire", "insufficient-scope",
     kOwn + "ADD v3, 0x300, v1\nSTORE v2, v0, s[4:5]\n" +
         meet("RELEASE", "s_cmp_eq_u32 s8, 4\ns_cbranch_scc1 go_on\nACQUIRE\ngo_on:") +
         "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     kOwn + "ADD v3, 0x300, v1\nSTORE v2, v0, s[4:5]\n" +
         meet("RELEASE", "ACQUIRE\ns_cmp_eq_u32 s8, 4\ns_cbranch_scc1 go_on\nACQUIRE\ngo_on:") +
         "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     8, 0},
    // Waves of a workgroup run on two compute units, and one wave's invalidation is for its own.
    {"OneWaveAcquiresForAll", "insufficient-scope", one_wave_meets(""), one_wave_meets("NEAR_ACQUIRE"), 8,
     256, "gfx1"},
    // The least and the greatest workgroup are ordered by what stands between.
    {"AtomicsOfWorkgroupScopeAroundOnesOfAgentScope", "insufficient-scope", around("NEAR_ATOMIC"),
     around("AGENT_ATOMIC"), 8, 0, "gfx12"},
    {"InvalidatedByAnotherWaveThatNothingOrders", "insufficient-scope", others_do("ACQUIRE", ""),
     others_do("", "ACQUIRE"), 8, 256, "gfx9"},
    {"InvalidatedByEachWaveBeforeItIsOrdered", "insufficient-scope", others_do("ACQUIRE", "s_nop 0"),
     others_do("ACQUIRE", "ACQUIRE"), 8, 256, "gfx1"},
    {"StoredBehindTheRelease", "insufficient-scope", stored("", "STORE v2, v0, s[4:5]\n"),
     stored("STORE v2, v0, s[4:5]\n", "STORE v2, v0, s[4:5] offset:2048\n"), 8, 0, "gfx94"},
    {"StoredBehindTheReleaseOnRdna4", "insufficient-scope", stored("", "STORE v2, v0, s[4:5]\n"),
     stored("STORE v2, v0, s[4:5]\n", "STORE v2, v0, s[4:5] offset:2048\n"), 8, 0, "gfx12"},
    {"DataOfOneLaneWithoutAWait", "insufficient-scope",
     kOwn + kBefore + "ONE_LANE\nSTORE v2, v0, s[4:5]\n" + meet("", "ACQUIRE") +
         "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     kOwn + kBefore + "ONE_LANE\nSTORE v2, v0, s[4:5]\n" + meet("RELEASE", "ACQUIRE") +
         "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     8, 0},
    {"LockedStoreOfOneLaneWithoutAWait", "insufficient-scope",
     locked_store("STORE v9, v7, s[4:5] dlc", "s_waitcnt vmcnt(0)"),
     locked_store("STORE v9, v7, s[4:5] dlc", "RELEASE"), 8, 0, "gfx11"},
    // The fence stands before the grid's barrier; what is loaded between the two may be old behind it.
    {"LoadedBetweenFenceAndGridBarrier", "insufficient-scope",
     kOwn + kBefore + "STORE v2, v0, s[4:5]\nRELEASE\nACQUIRE\nLOAD v7, v2, s[4:5]\nWAIT_LOAD\n" +
         kGridBarrier + "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     kOwn + kBefore + "LOAD v7, v2, s[4:5]\nWAIT_LOAD\nSTORE v2, v0, s[4:5]\nRELEASE\nACQUIRE\n" +
         kGridBarrier + "LOAD v7, v3, s[4:5]\nWAIT_LOAD\n" + kGridBarrier +
         "STORE v2, v7, s[4:5]\nRELEASE\nACQUIRE\n" + kGridBarrier + "LOAD v7, v3, s[4:5]\nWAIT_LOAD",
     8, 0, "gfx9"},
    {"LastWorkgroupAddsUp", "global-read-write",
     // The last one to count reads what all have written; who reads without asking whether it is the last is
     // wrong.
     kOwn +
         "STORE v2, v0, s[4:5]\nRELEASE\nv_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nONE_LANE\n"
         "ATOMIC_ADD v6, v4, v5, s[4:5] RETURN\nWAIT_LOAD\nACQUIRE\nALL_LANES\nLOAD v7, v1, s[4:5] offset:1792\nWAIT_LOAD",
     kOwn +
         "STORE v2, v0, s[4:5]\nRELEASE\nv_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nONE_LANE\n"
         "ATOMIC_ADD v6, v4, v5, s[4:5] RETURN\nWAIT_LOAD\nACQUIRE\nv_readfirstlane_b32 s11, v6\nALL_LANES\n"
         "s_cmp_lg_u32 s11, 7\ns_cbranch_scc1 end\nLOAD v7, v1, s[4:5]\nLOAD v7, v1, s[4:5] offset:1792\nWAIT_LOAD\n"
         "end:\ns_nop 0",
     8, 0},
    {"FlagOfTheWorkgroupBefore", "global-read-write",
     kOwn +
         "s_lshl_b32 s11, s8, 2\ns_add_u32 s11, s11, 0x8000\nv_mov_b32 v4, s11\nv_mov_b32 v5, 1\n"
         "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 tell\n"
         "ACQUIRE\nLOAD v7, v2, s[4:5]\nWAIT_LOAD\ntell:\nSTORE v2, v0, s[4:5] offset:256\nRELEASE\nONE_LANE\n"
         "STORE v4, v5, s[4:5] offset:4 AGENT_STORE",
     kOwn +
         "s_lshl_b32 s11, s8, 2\ns_add_u32 s11, s11, 0x8000\nv_mov_b32 v4, s11\nv_mov_b32 v5, 1\n"
         "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 tell\nwait:\nLOAD v6, v4, s[4:5] AGENT_LOAD\nWAIT_LOAD\n"
         "v_readfirstlane_b32 s12, v6\ns_cmp_eq_u32 s12, 0\ns_cbranch_scc1 wait\n"
         "ACQUIRE\nLOAD v7, v2, s[4:5]\nWAIT_LOAD\ntell:\nSTORE v2, v0, s[4:5] offset:256\nRELEASE\nONE_LANE\n"
         "STORE v4, v5, s[4:5] offset:4 AGENT_STORE",
     8, 0},
    {"FlagToldBeforeItsData", "global-read-write",
     kOwn + "s_lshl_b32 s11, s8, 2\ns_add_u32 s11, s11, 0x8000\nv_mov_b32 v4, s11\nv_mov_b32 v5, 1\n"
            "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 tell\nwait:\nLOAD v6, v4, s[4:5] AGENT_LOAD\nWAIT_LOAD\n"
            "v_readfirstlane_b32 s12, v6\ns_cmp_eq_u32 s12, 0\ns_cbranch_scc1 wait\n"
            "ACQUIRE\nLOAD v7, v2, s[4:5]\nWAIT_LOAD\ntell:\nRELEASE\nONE_LANE\n"
            "STORE v4, v5, s[4:5] offset:4 AGENT_STORE\nALL_LANES\nSTORE v2, v0, s[4:5] offset:256",
     "", 8, 0},
    {"SpinLockWithoutFences", "lock-without-acquire",
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v8, 1\nv_mov_b32 v9, 0\nONE_LANE\nlock:\n"
     "ATOMIC_CAS v6, v4, v[8:9], s[4:5] RETURN\nWAIT_LOAD\nv_readfirstlane_b32 s11, v6\ns_cmp_lg_u32 s11, 0\n"
     "s_cbranch_scc1 lock\nLOAD v7, v9, s[4:5]\nWAIT_LOAD\nADD v7, v7, v8\nSTORE v9, v7, s[4:5]\n"
     "STORE v4, v9, s[4:5] AGENT_STORE",
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v8, 1\nv_mov_b32 v9, 0\nONE_LANE\nlock:\n"
     "ATOMIC_CAS v6, v4, v[8:9], s[4:5] RETURN\nWAIT_LOAD\nv_readfirstlane_b32 s11, v6\ns_cmp_lg_u32 s11, 0\n"
     "s_cbranch_scc1 lock\nACQUIRE\nLOAD v7, v9, s[4:5]\nWAIT_LOAD\nADD v7, v7, v8\nSTORE v9, v7, s[4:5]\n"
     "RELEASE\nSTORE v4, v9, s[4:5] AGENT_STORE",
     8, 0},
    {"LanesOfOneStore", "lanes-write-write", "v_mov_b32 v3, 0\nSTORE v3, v0, s[4:5]",
     "v_mov_b32 v3, 0\nSTORE v3, v3, s[4:5]", 1, 0},
    {"LockGivenBackWithoutARelease", "insufficient-scope", lock("ACQUIRE", "", "AGENT_STORE"),
     lock("ACQUIRE", "RELEASE", "AGENT_STORE"), 8, 0},
    {"LockTakenAtWorkgroupScope", "lock-without-acquire", lock("NEAR_ACQUIRE", "RELEASE", "AGENT_STORE"),
     lock("ACQUIRE", "RELEASE", "AGENT_STORE"), 8, 0},
    {"WritesInTurnsThatAreNotVisible", "insufficient-scope", turns(""), turns("RELEASE"), 8, 0},
    {"CountedAtWorkgroupScope", "insufficient-scope",
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nONE_LANE\nATOMIC_ADD v4, v5, s[4:5] NEAR_ATOMIC",
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nONE_LANE\nATOMIC_ADD v4, v5, s[4:5] AGENT_ATOMIC", 8, 0,
     "gfx12"},
    {"VolatileMeetsAnAtomic", "global-atomic-plain",
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, s8\nONE_LANE\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 store\n"
     "ATOMIC_SWAP v4, v5, s[4:5]\ns_endpgm\nstore:\nSTORE v4, v5, s[4:5] dlc",
     // Who waits for it sees it, and an atomic store shows no more.
     "v_mov_b32 v4, 0x8000\nv_mov_b32 v5, 1\nONE_LANE\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 store\n"
     "wait:\nLOAD v6, v4, s[4:5] glc dlc\nWAIT_LOAD\nv_readfirstlane_b32 s12, v6\ns_cmp_eq_u32 s12, 0\n"
     "s_cbranch_scc1 wait\nATOMIC_ADD v4, v5, s[4:5] offset:4\ns_endpgm\nstore:\nSTORE v4, v5, s[4:5] dlc\n"
     "STORE v4, v5, s[4:5] offset:4",
     2, 0, "gfx11"},
};

class GlobalRace : public testing::TestWithParam<RacePair> {};
TEST_P(GlobalRace, IsFoundAndItsTwinIsRight) { expect_race(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Pairs, GlobalRace, testing::ValuesIn(kPairs),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(GlobalRaces, AreTheSameOnAnyNumberOfThreads) {
  for (const RacePair& pair : kPairs)
    if (pair.name == "WorkgroupsWriteOnePlace" || pair.name == "GridThatDoesNotMeet") {
      std::vector<std::string> first;
      for (const int threads : {1, 2, 4}) {
        CheckedKernel kernel("race", "gfx942", race_kernel(kRaceTargets[1], pair.faulty));
        auto* const data = kernel.allocate(16384);
        const auto done = kernel.launch(pair.workgroups, 64, {reinterpret_cast<uint64_t>(data), 0}, threads);
        ASSERT_TRUE(done) << done.error().text();
        std::vector<std::string> texts;
        for (const Finding& finding : kernel.findings()) texts.push_back(text_of(finding));
        ASSERT_FALSE(texts.empty());
        if (first.empty()) first = texts;
        EXPECT_EQ(texts, first);
      }
    }
}

}  // namespace
}  // namespace wavesmith::check
