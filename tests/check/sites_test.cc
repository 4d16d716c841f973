#include "tests/check/sites.h"

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
  bool early, overwritten = false;
  std::string_view target = "gfx1201";
};

class SitesTest : public testing::TestWithParam<Case> {};

/// Two waves. Own dwords at v1 in LDS and at s[4:5] + v1; those of the other wave at v2; the wave's in LDS
/// from m0 on.
TEST_P(SitesTest, UsesOfWhatIsUnderWay) {
  const Case& each = GetParam();
  const bool is_cdna = each.target.starts_with("gfx9");
  const std::string code =
      with_waits(std::string(is_cdna ? "s_load_dwordx2" : "s_load_b64") +
                     " s[4:5], s[0:1], 0x0\nKM\n"
                     "v_and_b32 v0, 0x3ff, v0\n"
                     "v_lshlrev_b32 v1, 2, v0\n"
                     "v_readfirstlane_b32 s6, v1\n"
                     "s_mov_b32 m0, s6\n" +
                     (is_cdna ? "v_xor_b32 v2, 0x100, v1\n" : "v_xor_b32 v2, 0x80, v1\n") +
                     std::string(each.code) + "\ns_endpgm\n",
                 each.target);
  const int lanes = is_cdna ? 64 : 32;
  emulate::KernelTest kernel(each.target, code, lanes, 1024);
  Sites sites(*isa::find_target(each.target), {});
  kernel.listeners = {&sites};
  uint32_t* const memory = kernel.allocate(1024);
  const auto done = kernel.launch(1, static_cast<uint32_t>(2 * lanes), {reinterpret_cast<uint64_t>(memory)},
                                  {.threads = 1});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(!sites.early.empty(), each.early);
  EXPECT_EQ(!sites.overwritten().empty(), each.overwritten);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, SitesTest,
    testing::Values(
        Case{"AResultUnderWayIsRead", "ds_load_b32 v5, v1\nv_mov_b32 v6, v5", true},
        Case{"AResultThatHasCome", "ds_load_b32 v5, v1\nDS\nv_mov_b32 v6, v5", false},
        Case{"AResultUnderWayOfOtherLanes",
             "s_mov_b32 exec_lo, 1\nds_load_b32 v5, v1\ns_mov_b32 exec_lo, 2\nv_mov_b32 v6, v5", false},
        Case{"AResultUnderWayOfLanesThatAreReadFromAll",
             "s_mov_b32 exec_lo, 1\nds_load_b32 v5, v1\ns_mov_b32 exec_lo, 2\nv_readlane_b32 s7, v5, 0",
             true},
        Case{"AFlatResultThatHasComeFromDeviceMemory",
             "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_load_b32 v5, v[2:3]\nLOAD\nv_mov_b32 v6, v5", false},
        Case{"AFlatResultThatIsWaitedForAsOfLds",
             "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_load_b32 v5, v[2:3]\nDS\nv_mov_b32 v6, v5", true},
        Case{"AStoreUnderWayIsReadBehindTheBarrier", "ds_store_b32 v1, v0\nMEET\nds_load_b32 v5, v2", true},
        Case{"AStoreThatHasComeIsRead", "ds_store_b32 v1, v0\nDS\nMEET\nds_load_b32 v5, v2", false},
        Case{"AStoreUnderWayIsReadByItsOwnWave", "ds_store_b32 v1, v0\nMEET\nds_load_b32 v5, v1", false},
        Case{"AStoreUnderWayIsOverwrittenBehindTheBarrier", "ds_store_b32 v1, v0\nMEET\nds_store_b32 v2, v0",
             true},
        Case{"AStoreUnderWayAtTwoBarriers", "ds_store_b32 v1, v0\nMEET\nMEET\nds_load_b32 v5, v2", true},
        Case{"AStoreIsWaitedForBetweenTwoBarriers", "ds_store_b32 v1, v0\nMEET\nDS\nMEET\nds_load_b32 v5, v2",
             false},
        Case{"AnAdditionUnderWayIsRead", "ds_add_u32 v1, v0\nMEET\nds_load_b32 v5, v2", true},
        Case{"AReadUnderWayIsOverwrittenBehindTheBarrier", "ds_load_b32 v5, v1\nMEET\nds_store_b32 v2, v0",
             true},
        Case{"AReadUnderWayIsReadBehindTheBarrier", "ds_load_b32 v5, v1\nMEET\nds_load_b32 v6, v2", false},
        Case{"ALoadUnderWayIsOverwritten",
             "global_load_b32 v5, v1, s[4:5]\nMEET\nglobal_store_b32 v2, v0, s[4:5]", false, true},
        Case{"ALoadThatHasComeIsOverwritten",
             "global_load_b32 v5, v1, s[4:5]\nLOAD\nMEET\nglobal_store_b32 v2, v0, s[4:5]", false},
        Case{"ALoadUnderWayIsOverwrittenByItsOwnWave",
             "global_load_b32 v5, v1, s[4:5]\nMEET\nglobal_store_b32 v1, v0, s[4:5]", false},
        Case{"ALoadUnderWayIsOverwrittenOnRdna3",
             "global_load_b32 v5, v1, s[4:5]\nMEET\nglobal_store_b32 v2, v0, s[4:5]", false, true, "gfx1100"},
        Case{"ALoadToLdsUnderWayIsReadByItsOwnWave", "global_load_lds_dword v1, s[4:5]\nds_read_b32 v5, v1",
             true, false, "gfx942"},
        Case{"ALoadToLdsThatHasComeIsRead", "global_load_lds_dword v1, s[4:5]\nLOAD\nds_read_b32 v5, v1",
             false, false, "gfx942"},
        Case{"ALoadToLdsUnderWayIsReadBehindTheBarrier",
             "global_load_lds_dword v1, s[4:5]\nMEET\nds_read_b32 v5, v2", true, false, "gfx942"},
        Case{"ALoadToLdsThatHasComeIsReadBehindTheBarrier",
             "global_load_lds_dword v1, s[4:5]\nLOAD\nMEET\nds_read_b32 v5, v2", false, false, "gfx942"},
        Case{"ALoadToLdsIsWaitedForBetweenTwoBarriers",
             "global_load_lds_dword v1, s[4:5]\nMEET\nLOAD\nMEET\nds_read_b32 v5, v2", false, false,
             "gfx942"},
        Case{"AnAdditionUnderWayIsOverwritten",
             "v_mov_b32 v3, 0\nglobal_atomic_add_u32 v3, v0, s[4:5]\nMEET\nglobal_store_b32 v3, v0, s[4:5]",
             false},
        Case{"AStoreUnderWayIsReadOnRdna3", "ds_store_b32 v1, v0\nMEET\nds_load_b32 v5, v2", true, false,
             "gfx1100"}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::mutants
