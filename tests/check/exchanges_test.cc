#include "tests/check/exchanges.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulate/instructions/testing.h"
#include "tests/check/program_testing.h"

namespace wavesmith::mutants {
namespace {

struct Case {
  const char* name;
  const char* code;
  bool needed;
  std::string_view target = "gfx1201";
};

class ExchangesTest : public testing::TestWithParam<Case> {};

/// STORED is the wait in question, and the only one.
TEST_P(ExchangesTest, AreThoseBehindTheWait) {
  const std::string target(GetParam().target);
  emulate::KernelTest kernel(target, of_two_workgroups(GetParam().code, target),
                             target.starts_with("gfx9") ? 64 : 32);
  Exchanges exchanges(*isa::find_target(target));
  kernel.listeners = {&exchanges};
  uint32_t* const memory = kernel.allocate(4096);
  const auto done = kernel.launch(2, 64, {reinterpret_cast<uint64_t>(memory)}, {.threads = 1});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(!exchanges.needed().empty(), GetParam().needed);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ExchangesTest,
    testing::Values(
        Case{"NothingBehindIt", "global_store_b32 v1, v0, s[4:5]\nSTORED\nMEET", false},
        Case{"AnotherWaveReadsWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nSTORED\nMEET\nglobal_load_b32 v5, v2, s[4:5]", true},
        Case{"AnotherWaveOverwritesWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nSTORED\nMEET\nglobal_store_b32 v2, v0, s[4:5]", true},
        Case{"ItsOwnWaveReadsWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nSTORED\nMEET\nglobal_load_b32 v5, v1, s[4:5]", false},
        Case{"AnotherWorkgroupReadsItAtAnyTime",
             "global_load_b32 v5, v3, s[4:5] scope:SCOPE_DEV\nMEET\n"
             "v_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s8, vcc_lo\nglobal_store_b32 v1, v0, s[4:5]\n"
             "STORED\ns_mov_b32 exec_lo, s8\nMEET\nglobal_store_b32 v1, v0, s[4:5] offset:4096",
             false},
        Case{"TheWaveTellsOthersBehindIt",
             "global_load_b32 v5, v3, s[4:5] offset:2048 scope:SCOPE_DEV\nglobal_store_b32 v1, v0, s[4:5]\n"
             "STORED\nglobal_store_b32 v1, v0, s[4:5] offset:2048 scope:SCOPE_DEV",
             true},
        Case{"AnotherWaveTellsOthersBehindTheBarrier",
             "v_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s8, vcc_lo\nglobal_store_b32 v1, v0, s[4:5]\n"
             "STORED\ns_mov_b32 exec_lo, s8\nMEET\n"
             "v_cmp_lt_u32 vcc_lo, 31, v0\ns_and_saveexec_b32 s8, vcc_lo\n"
             "global_load_b32 v5, v3, s[4:5] offset:2048 scope:SCOPE_DEV\n"
             "global_store_b32 v1, v0, s[4:5] offset:2048 scope:SCOPE_DEV",
             true},
        Case{"TheWaveLooksAtOthersBehindIt",
             "global_store_b32 v1, v0, s[4:5]\nSTORED\nglobal_load_b32 v5, v3, s[4:5] scope:SCOPE_DEV", true},
        Case{"TheWaveAddsWhereOthersDo",
             "global_store_b32 v1, v0, s[4:5]\nSTORED\nv_mov_b32 v6, 0\n"
             "global_atomic_add_u32 v6, v0, s[4:5] offset:4096",
             true},
        Case{"NothingBehindItOnCdna", "global_store_dword v1, v0, s[4:5]\nSTORED\nMEET", false, "gfx942"},
        Case{"TheWaveLooksAtOthersBehindItOnCdna",
             "global_store_dword v1, v0, s[4:5]\nSTORED\nglobal_load_dword v5, v3, s[4:5] sc1", true,
             "gfx942"},
        Case{"NothingIsUnderWay",
             "STORED\nglobal_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5]", false}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::mutants
