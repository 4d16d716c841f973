#include "tests/check/exchanges.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulate/instructions/testing.h"

namespace wavesmith::mutants {
namespace {

struct Case {
  const char* name;
  const char* code;
  bool needed;
  std::string_view target = "gfx1201";
};

class ExchangesTest : public testing::TestWithParam<Case> {};

/// Own dwords at s[4:5] + v1; those of the workgroup's other wave at s[4:5] + v2; those of the other
/// workgroup at s[4:5] + v3. WAIT is the wait in question, and the only one.
TEST_P(ExchangesTest, AreThoseBehindTheWait) {
  const std::string target(GetParam().target);
  const bool is_rdna4 = target == "gfx1201";
  std::string code = std::string(is_rdna4 ? "s_mov_b32 s2, ttmp9\ns_load_b64" : "s_load_dwordx2") +
                     " s[4:5], s[0:1], 0x0\n"
                     "s_lshl_b32 s3, s2, 8\n"
                     "v_and_b32 v0, 0x3ff, v0\n"
                     "v_lshl_add_u32 v1, v0, 2, s3\n"
                     "v_xor_b32 v2, 0x80, v1\n"
                     "v_xor_b32 v3, 0x100, v1\n" +
                     std::string(GetParam().code) + "\ns_endpgm\n";
  const auto replace = [&](const std::string& word, const std::string& text) {
    for (size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += text.size())
      code.replace(at, word.size(), text);
  };
  replace("WAIT", is_rdna4 ? "s_wait_storecnt 0x0" : "s_waitcnt vmcnt(0)");
  replace("MEET", is_rdna4 ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier");
  emulate::KernelTest kernel(target, code, is_rdna4 ? 32 : 64);
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
        Case{"NothingBehindIt", "global_store_b32 v1, v0, s[4:5]\nWAIT\nMEET", false},
        Case{"AnotherWaveReadsWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nWAIT\nMEET\nglobal_load_b32 v5, v2, s[4:5]", true},
        Case{"AnotherWaveOverwritesWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nWAIT\nMEET\nglobal_store_b32 v2, v0, s[4:5]", true},
        Case{"ItsOwnWaveReadsWhatWasStored",
             "global_store_b32 v1, v0, s[4:5]\nWAIT\nMEET\nglobal_load_b32 v5, v1, s[4:5]", false},
        Case{"AnotherWorkgroupReadsItAtAnyTime",
             "global_load_b32 v5, v3, s[4:5] scope:SCOPE_DEV\nMEET\n"
             "v_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s8, vcc_lo\nglobal_store_b32 v1, v0, s[4:5]\n"
             "WAIT\ns_mov_b32 exec_lo, s8\nMEET\nglobal_store_b32 v1, v0, s[4:5] offset:4096",
             false},
        Case{"TheWaveTellsOthersBehindIt",
             "global_load_b32 v5, v3, s[4:5] offset:2048 scope:SCOPE_DEV\nglobal_store_b32 v1, v0, s[4:5]\n"
             "WAIT\nglobal_store_b32 v1, v0, s[4:5] offset:2048 scope:SCOPE_DEV",
             true},
        Case{"AnotherWaveTellsOthersBehindTheBarrier",
             "v_cmp_gt_u32 vcc_lo, 32, v0\ns_and_saveexec_b32 s8, vcc_lo\nglobal_store_b32 v1, v0, s[4:5]\n"
             "WAIT\ns_mov_b32 exec_lo, s8\nMEET\n"
             "v_cmp_lt_u32 vcc_lo, 31, v0\ns_and_saveexec_b32 s8, vcc_lo\n"
             "global_load_b32 v5, v3, s[4:5] offset:2048 scope:SCOPE_DEV\n"
             "global_store_b32 v1, v0, s[4:5] offset:2048 scope:SCOPE_DEV",
             true},
        Case{"TheWaveLooksAtOthersBehindIt",
             "global_store_b32 v1, v0, s[4:5]\nWAIT\nglobal_load_b32 v5, v3, s[4:5] scope:SCOPE_DEV", true},
        Case{"TheWaveAddsWhereOthersDo",
             "global_store_b32 v1, v0, s[4:5]\nWAIT\nv_mov_b32 v6, 0\n"
             "global_atomic_add_u32 v6, v0, s[4:5] offset:4096",
             true},
        Case{"NothingBehindItOnCdna", "global_store_dword v1, v0, s[4:5]\nWAIT\nMEET", false, "gfx942"},
        Case{"TheWaveLooksAtOthersBehindItOnCdna",
             "global_store_dword v1, v0, s[4:5]\nWAIT\nglobal_load_dword v5, v3, s[4:5] sc1", true, "gfx942"},
        Case{"NothingIsUnderWay",
             "WAIT\nglobal_store_b32 v1, v0, s[4:5]\nMEET\nglobal_load_b32 v5, v2, s[4:5]", false}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::mutants
