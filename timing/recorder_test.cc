// What the recorder keeps of accesses: one of each that LDS serves at once, and whether caches may answer.
#include "timing/recorder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "emulate/instructions/testing.h"
#include "isa/target.h"
#include "timing/dependence.h"

namespace wavesmith::timing {
namespace {

/// Accesses of one wave of 64 lanes that executes `line` after `address`, which puts addresses into v1.
std::vector<AccessRecord> accesses_of(const std::string& line, const std::string& address) {
  emulate::KernelTest test("gfx942", address + "\n" + line + "\ns_waitcnt lgkmcnt(0)\n", 64, 4096);
  Recorder recorder(*isa::find_target("gfx942"), 64, {}, {0}, 1000);
  test.listeners = {&recorder};
  const auto done = test.launch(1, 64, {});
  EXPECT_TRUE(done) << done.error().text();
  const WaveRecord& wave = recorder.records().at(0).waves.at(0);
  EXPECT_EQ(wave.accesses.size(),
            std::accumulate(wave.access_counts.begin(), wave.access_counts.end(), size_t{0}));
  return wave.accesses;
}

TEST(Recorder, NeighboursOfATwoPlaceAccessAreOneAccess) {
  const char* const even = "v_lshlrev_b32 v1, 4, v0";
  const char* const shuffled = "v_xor_b32 v1, 5, v0\nv_lshlrev_b32 v1, 4, v1";
  struct Case {
    const char* text;
    uint16_t bytes;
    size_t count;
    uint64_t first;  ///< offset of the first byte behind the lane's address
  };
  for (const Case& c : {
           Case{"ds_read2_b32 v[2:3], v1 offset0:2 offset1:3", 8, 1, 8},
           Case{"ds_read2_b32 v[2:3], v1 offset0:3 offset1:2", 8, 1, 8},
           Case{"ds_write2_b32 v1, v2, v3 offset0:1 offset1:2", 8, 1, 4},
           Case{"ds_write2_b64 v1, v[2:3], v[4:5] offset0:1", 16, 1, 0},
           Case{"ds_write2_b32 v1, v2, v3 offset0:1 offset1:3", 4, 2, 4},
           Case{"ds_read2_b32 v[2:3], v1 offset0:1 offset1:9", 4, 2, 4},
           Case{"ds_write2st64_b32 v1, v2, v3 offset1:1", 4, 2, 0},
           Case{"ds_wrxchg2_rtn_b32 v[2:3], v1, v4, v5 offset1:1", 4, 2, 0},
           Case{"ds_write_b32 v1, v2 offset:4", 4, 1, 4},
       })
    for (const char* const address : {even, shuffled}) {
      const auto accesses = accesses_of(c.text, address);
      ASSERT_EQ(accesses.size(), c.count) << c.text;
      for (const AccessRecord& access : accesses) {
        EXPECT_EQ(access.bytes, c.bytes) << c.text;
        EXPECT_EQ(access.affine, address == even) << c.text;
        EXPECT_EQ(access.lanes, ~uint64_t{0}) << c.text;
      }
      // Lane 0 is at 0, or, where shuffled, at 5 * 16.
      EXPECT_EQ(accesses.front().base, c.first + (address == even ? 0 : 80)) << c.text;
    }
}

TEST(Recorder, LoadsThatOtherWorkgroupsStoresMustReachBypass) {
  for (const auto& [text, bypasses] : {std::pair{"ds_read_b32 v2, v1", false},
                                       {"global_load_dword v2, v1, s[0:1]", false},
                                       {"global_load_dword v2, v1, s[0:1] sc1", true}}) {
    const auto accesses = accesses_of(text, "v_mov_b32 v1, 0");
    ASSERT_FALSE(accesses.empty()) << text;
    EXPECT_EQ(accesses.back().bypasses, bypasses) << text;
  }
}

/// The shapes of LDS accesses of a launch of two waves that execute `text`, by wave.
std::vector<std::vector<uint32_t>> shapes_of(const std::string& text) {
  emulate::KernelTest test("gfx942", text, 64, 4096);
  Recorder recorder(*isa::find_target("gfx942"), 64, {}, {0}, 1000);
  test.listeners = {&recorder};
  const auto done = test.launch(1, 128, {});
  EXPECT_TRUE(done) << done.error().text();
  std::vector<std::vector<uint32_t>> shapes;
  for (const WaveRecord& wave : recorder.records().at(0).waves) {
    shapes.emplace_back();
    for (const AccessRecord& access : wave.accesses)
      if (access.space == AccessSpace::Lds) shapes.back().push_back(access.shape);
  }
  return shapes;
}

TEST(Recorder, AccessesThatCostTheSameHaveOneShape) {
  // Lane l of both waves at ((l ^ 5) << s) and so on; 256 bytes are all banks.
  for (const std::string shuffle :
       {"v_and_b32 v1, 63, v0\n", "v_and_b32 v1, 63, v0\nv_xor_b32 v1, 5, v1\n"}) {
    const auto shapes = shapes_of(shuffle +
                                  "v_lshlrev_b32 v1, 2, v1\n"
                                  "ds_read_b32 v2, v1\n"
                                  "ds_write_b32 v1, v2 offset:256\n"
                                  "ds_read_b32 v2, v1 offset:4\n"
                                  "ds_read_b64 v[2:3], v1\n"
                                  "ds_read2_b32 v[2:3], v1 offset1:1\n"  // the same, merged
                                  "s_waitcnt lgkmcnt(0)\n");
    ASSERT_EQ(shapes.size(), 2u);
    EXPECT_EQ(shapes[0], shapes[1]) << shuffle;
    const auto& is = shapes[0];
    ASSERT_EQ(is.size(), 5u);
    for (const uint32_t shape : is) EXPECT_NE(shape, AccessRecord::kNoShape);
    EXPECT_EQ(is[0], is[1]);
    EXPECT_NE(is[0], is[2]);
    EXPECT_NE(is[0], is[3]);
    EXPECT_EQ(is[3], is[4]);
  }
}

/// What waits_for_others says of a wave that executes this.
std::string waits(const std::string& text) {
  emulate::KernelTest test("gfx942", text, 64, 4096);
  Recorder recorder(*isa::find_target("gfx942"), 64, {}, {0}, 1000);
  test.listeners = {&recorder};
  const auto done = test.launch(1, 64, {});
  EXPECT_TRUE(done) << done.error().text();
  return waits_for_others(recorder);
}

TEST(Recorder, ASleepWaitsForOthersOnlyWhereItIsSleptAgain) {
  EXPECT_EQ(waits("s_sleep 7\ns_barrier\ns_sleep 7\ns_barrier\n"), "");
  EXPECT_NE(waits("s_mov_b32 s4, 3\nagain: s_sleep 7\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                  "s_cbranch_scc1 again\n"),
            "");
}

}  // namespace
}  // namespace wavesmith::timing
