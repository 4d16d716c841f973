#include "tests/check/stale_reads.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "emulate/instructions/testing.h"
#include "tests/check/program_testing.h"

namespace wavesmith::mutants {
namespace {

/// With what the targets name otherwise: OWN stores to own words; OTHERS, NEXT load those of the other
/// workgroup and of the other wave; BACK writes back; ACQUIRE, NEAR invalidate; TOGETHER tells and waits
/// until all lanes of both workgroups have come, AGAIN a second time.
std::string code_of(std::string code, bool is_rdna4) {
  const auto replace = [&](std::string_view word, std::string_view text) {
    code = replaced(std::move(code), word, text);
  };
  const std::string load = is_rdna4 ? "global_load_b32" : "global_load_dword";
  const auto meeting = [&](const std::string& label, const std::string& lanes) {
    const std::string scope = is_rdna4 ? "scope:SCOPE_DEV" : "sc1";
    return std::string("v_mov_b32 v6, 0\nv_mov_b32 v7, 1\n") +
           (is_rdna4 ? "global_atomic_add_u32" : "global_atomic_add") + " v6, v7, s[4:5] offset:2048 " +
           scope + "\n" + label + ":\n" + load + " v8, v6, s[4:5] offset:2048 " + scope +
           "\nLOAD\ns_sleep 1\n" + "v_readfirstlane_b32 s9, v8\ns_cmp_lt_u32 s9, " + lanes +
           "\ns_cbranch_scc1 " + label + "\n";
  };
  replace("TOGETHER", meeting("first", "128"));
  replace("AGAIN", meeting("second", "256"));
  replace("OWN", is_rdna4 ? "global_store_b32 v1, v0, s[4:5]" : "global_store_dword v1, v0, s[4:5]");
  replace("OTHERS", load + " v5, v3, s[4:5]");
  replace("NEXT", load + " v5, v2, s[4:5]");
  replace("BACK", "buffer_wbl2 sc1\ns_waitcnt vmcnt(0)");
  replace("ACQUIRE", is_rdna4 ? "global_inv scope:SCOPE_DEV" : "buffer_inv sc1");
  replace("NEAR", "global_inv scope:SCOPE_SE");
  return code;
}

struct Case {
  const char* name;
  const char* code;
  bool any;
  std::string_view target = "gfx1201";
};

class StaleReadsTest : public testing::TestWithParam<Case> {};

TEST_P(StaleReadsTest, AreThoseOfTheKernel) {
  const Case& each = GetParam();
  const std::string code = code_of(each.code, each.target == "gfx1201");
  emulate::KernelTest kernel(each.target, of_two_workgroups(code, each.target), 32, 4096);
  StaleReads stale_reads(*isa::find_target(each.target));
  kernel.listeners = {&stale_reads};
  uint32_t* const memory = kernel.allocate(4096);
  const auto done = kernel.launch(2, 64, {reinterpret_cast<uint64_t>(memory)}, {.threads = 1});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(stale_reads.any(), each.any);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, StaleReadsTest,
    testing::Values(
        Case{"WhatIsTold", "OWN\nSTORED\nTOGETHER\nACQUIRE\nOTHERS", false},
        Case{"WhatIsNotWaitedFor", "OWN\nTOGETHER\nACQUIRE\nOTHERS", true},
        Case{"WhatNobodyTells", "OWN\nSTORED\nACQUIRE\nOTHERS", true},
        Case{"WhatNobodyReads", "OWN\nTOGETHER\nACQUIRE", false},
        Case{"ALineThatNoCacheHas", "OWN\nSTORED\nTOGETHER\nOTHERS", false},
        Case{"ALineOfBefore", "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED\nAGAIN\nOTHERS", true},
        Case{"ALineOfBeforeInvalidated", "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED\nAGAIN\nACQUIRE\nOTHERS",
             false},
        Case{"ALineInvalidatedNextToItAlone", "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED\nAGAIN\nNEAR\nOTHERS",
             true},
        Case{"ALineInvalidatedTooEarly",
             "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED\nACQUIRE\nOTHERS\nLOAD\nAGAIN\nOTHERS", true},
        Case{"PastTheCaches", "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED\nAGAIN\nOTHERS scope:SCOPE_DEV", false},
        Case{"OverwritesWhatIsBeingRead", "OTHERS\nTOGETHER\nOWN\nLOAD\nSTORED", true},
        Case{"OverwritesWhatHasBeenRead", "OTHERS\nLOAD\nTOGETHER\nOWN\nSTORED", false},
        Case{"TheOtherWavesLineOfBefore", "NEXT\nLOAD\nMEET\nOWN\nSTORED\nMEET\nNEXT", true},
        Case{"TheOtherWavesLineInvalidated", "NEXT\nLOAD\nMEET\nOWN\nSTORED\nMEET\nNEAR\nNEXT", false},
        Case{"ToldOnCdna3", "OWN\nBACK\nTOGETHER\nACQUIRE\nOTHERS", false, "gfx942"},
        Case{"NotWrittenBackOnCdna3", "OWN\nSTORED\nTOGETHER\nACQUIRE\nOTHERS", true, "gfx942"},
        Case{"WrittenBackBefore", "BACK\nOWN\nSTORED\nTOGETHER\nACQUIRE\nOTHERS", true, "gfx942"},
        Case{"StoredPastTheCaches", "OWN sc1\nSTORED\nTOGETHER\nACQUIRE\nOTHERS", false, "gfx942"},
        Case{"TheOtherWavesOnCdna3", "NEXT\nLOAD\nMEET\nOWN\nSTORED\nMEET\nNEXT", false, "gfx942"}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::mutants
