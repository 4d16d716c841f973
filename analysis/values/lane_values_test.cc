// What is said of a register's lanes against the emulator, on random index arithmetic; and accesses made of
// it.
#include "analysis/values/lane_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "analysis/analyse.h"
#include "analysis/testing.h"
#include "analysis/values/accesses.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::analysis {
namespace {

struct Followed {
  Code code;
  Graph graph;
  ExecSets exec;
  LaneValues values;
  explicit Followed(std::string_view target, std::string_view text, const WorkgroupShape& shape = {},
                    int lanes = 0)
      : code(code_of(target, text, lanes)),
        graph(make_graph(code)),
        exec(follow_exec(code, graph)),
        values(code, graph, exec, shape) {}
};

/// Index arithmetic in v0 (the work-item's number) to v7, s8 to s11 (not known) and constants.
std::string random_arithmetic(std::mt19937& random, bool rdna) {
  const auto pick = [&](uint32_t from, uint32_t to) { return from + random() % (to - from + 1); };
  const auto source = [&]() -> std::string {
    switch (random() % 6) {
      case 0:
        return std::to_string(pick(0, 63));
      case 1:
        return fmt::format("s{}", pick(8, 11));
      case 2:
        return "v0";
      default:
        return fmt::format("v{}", pick(0, 7));
    }
  };
  std::string text;
  for (int i = 0; i < 12; ++i) {
    const uint32_t d = pick(1, 7);
    const std::string v = fmt::format("v{}", pick(0, 7));
    switch (random() % 20) {
      case 0:
        text += fmt::format("v_lshlrev_b32 v{}, {}, {}\n", d, pick(0, 6), v);
        break;
      case 1:
        text += fmt::format("v_lshrrev_b32 v{}, {}, {}\n", d, pick(0, 5), v);
        break;
      case 2:
        text += fmt::format("v_and_b32 v{}, {}, {}\n", d, pick(0, 63), v);
        break;
      case 3:
        text += fmt::format("v_xor_b32 v{}, {}, {}\n", d, source(), v);
        break;
      case 4:
        text += fmt::format("v_or_b32 v{}, {}, {}\n", d, source(), v);
        break;
      case 5:
        text += fmt::format("v_mul_u32_u24 v{}, {}, {}\n", d, pick(0, 40), v);
        break;
      case 6:
        text += fmt::format("v_lshl_add_u32 v{}, {}, {}, {}\n", d, v, pick(0, 5), source());
        break;
      case 7:
        text += fmt::format("v_lshl_or_b32 v{}, {}, {}, {}\n", d, v, pick(0, 5), source());
        break;
      case 8:
        text += fmt::format("v_bfe_u32 v{}, {}, {}, {}\n", d, v, pick(0, 5), pick(1, 5));
        break;
      case 9:
        text += fmt::format("v_mad_u32_u24 v{}, {}, {}, {}\n", d, v, pick(0, 20), v);
        break;
      case 10:
        text += fmt::format("v_mbcnt_lo_u32_b32 v{}, -1, {}\n", d, pick(0, 3));
        break;
      case 11:
        text += fmt::format("v_and_or_b32 v{}, {}, {}, {}\n", d, v, pick(1, 63), v);
        break;
      case 12:
        text += fmt::format("v_not_b32 v{}, {}\n", d, v);
        break;
      case 13:
        text += fmt::format("v_min_u32 v{}, {}, {}\n", d, pick(0, 63), v);
        break;
      case 14:
        text += fmt::format("v_bfi_b32 v{}, {}, {}, {}\n", d, pick(0, 63), source(), v);
        break;
      case 15:
        text += fmt::format("v_alignbit_b32 v{}, {}, {}, {}\n", d, v, source(), pick(0, 31));
        break;
      case 16:
        text += fmt::format("v_mul_hi_u32 v{}, {}, {}\n", d, source(), v);
        break;
      case 17:
        text += fmt::format("v_mul_i32_i24 v{}, {}, {}\n", d, pick(0, 40), v);
        break;
      case 18:
        text += fmt::format("s_lshl_b32 s{}, s{}, {}\n", pick(8, 11), pick(8, 11), pick(0, 4));
        break;
      default:
        text += fmt::format("{} v{}, {}, {}\n", rdna ? "v_add_nc_u32" : "v_add_u32", d, source(), v);
    }
  }
  return text;
}

class LaneValuesOracle : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(LaneValuesOracle, AgreesWithTheEmulator) {
  const auto [target, lanes] = GetParam();
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  size_t known = 0, all = 0;
  for (int round = 0; round < 150; ++round) {
    const std::string text = random_arithmetic(random, lanes == 32);
    Followed followed(target, text + "s_endpgm", {}, lanes);
    emulate::WaveTest test(target, lanes);
    const uint32_t wave = random() % 16;
    for (int lane = 0; lane < lanes; ++lane) {
      test.v(0, lane) = wave * static_cast<uint32_t>(lanes) + static_cast<uint32_t>(lane);
      for (int r = 1; r < 8; ++r) test.v(r, lane) = static_cast<uint32_t>(random());
    }
    for (int r = 8; r < 12; ++r) test.s(r) = static_cast<uint32_t>(random());
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text();
    const auto end = static_cast<uint32_t>(followed.code.size() - 1);
    for (uint16_t r = 1; r < 8; ++r) {
      ++all;
      const LaneValue value = followed.values.before(end, r);
      if (!value.known()) continue;
      ++known;
      const PerLane& f = followed.values.function(value.function);
      const uint32_t uniform = test.v(r, 0) - static_cast<uint32_t>(f[0]);
      for (int lane = 0; lane < lanes; ++lane)
        ASSERT_EQ(test.v(r, lane) - static_cast<uint32_t>(f[static_cast<size_t>(lane)]), uniform)
            << "v" << r << " lane " << lane << " of\n"
            << text;
      if (value.zeros > 0)
        ASSERT_EQ(uniform & static_cast<uint32_t>((uint64_t{1} << value.zeros) - 1), 0u)
            << "v" << r << " of\n"
            << text;
    }
  }
  EXPECT_GT(known, all / 12) << "most of what has no rubbish in it is known";
}

INSTANTIATE_TEST_SUITE_P(Targets, LaneValuesOracle,
                         testing::Values(std::pair{"gfx942", 64}, std::pair{"gfx1100", 32}),
                         [](const auto& info) { return std::string(info.param.first); });

std::vector<AccessPattern> accesses_of(std::string_view target, std::string_view text,
                                       const WorkgroupShape& shape = {}) {
  const Followed followed(target, text, shape);
  WorkgroupShape first = shape;
  first.first_wave = true;
  const Followed of_first(target, text, first);
  return find_accesses(
      followed.code, followed.values, [&]() -> const LaneValues& { return of_first.values; },
      *usual_gpu(target));
}

TEST(Accesses, AStrideIsSeenThroughALoopThatAdvances) {
  const auto accesses = accesses_of("gfx942", R"(
    v_lshlrev_b32 v1, 2, v0
  l:
    global_load_dword v2, v1, s[0:1]
    v_add_u32 v1, 0x400, v1
    s_cbranch_scc1 l
    s_endpgm)");
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_TRUE(accesses[0].affine) << accesses[0].unknown_because;
  EXPECT_EQ(accesses[0].stride, 4);
  EXPECT_EQ(*accesses[0].lines.value, 2);  // 256 bytes in lines of 128
  EXPECT_EQ(*accesses[0].ideal_lines.value, 2);
}

// Cycles of LDS by hand. A lane takes 8 or 16 bytes at that distance: 64 lanes, 128 bytes a cycle (256 for
// reads on CDNA4), no conflict. Two places that are no neighbours are two accesses of 4 bytes 8 apart, each
// of which wants every bank of a phase twice.
TEST(Accesses, NeighboursOfATwoPlaceAccessAreOneAccess) {
  struct Case {
    const char *target, *text;
    uint32_t bytes;
    double cycles, ideal;
  };
  for (const Case& c : {
           Case{"gfx942", "ds_read2_b32 v[2:3], v1 offset1:1", 8, 4, 4},
           Case{"gfx942", "ds_read2_b32 v[2:3], v1 offset0:7 offset1:6", 8, 4, 4},
           Case{"gfx942", "ds_write2_b32 v1, v2, v3 offset0:2 offset1:3", 8, 4, 4},
           Case{"gfx942", "ds_read2_b32 v[2:3], v1 offset1:64", 4, 8, 4},
           Case{"gfx942", "ds_read2st64_b32 v[2:3], v1 offset1:1", 4, 8, 4},
           Case{"gfx942", "ds_write2st64_b32 v1, v2, v3 offset1:1", 4, 8, 4},
           Case{"gfx950", "ds_read2_b32 v[2:3], v1 offset1:1", 8, 2, 2},
           Case{"gfx950", "ds_write2_b32 v1, v2, v3 offset1:1", 8, 4, 4},
       }) {
    const auto accesses =
        accesses_of(c.target, std::string("v_lshlrev_b32 v1, 3, v0\n") + c.text + "\ns_endpgm");
    ASSERT_EQ(accesses.size(), 1u) << c.text;
    EXPECT_EQ(accesses[0].bytes, c.bytes) << c.target << ' ' << c.text;
    EXPECT_EQ(accesses[0].cycles.value, c.cycles) << c.target << ' ' << c.text;
    EXPECT_EQ(accesses[0].ideal_cycles.value, c.ideal) << c.target << ' ' << c.text;
  }
  // 16 bytes a lane, side by side: as ds_read_b128 and ds_write_b128.
  for (const char* text :
       {"ds_read2_b64 v[2:5], v1 offset1:1", "ds_write2_b64 v1, v[2:3], v[4:5] offset1:1"}) {
    const auto accesses =
        accesses_of("gfx942", std::string("v_lshlrev_b32 v1, 4, v0\n") + text + "\ns_endpgm");
    EXPECT_EQ(accesses[0].bytes, 16u) << text;
    EXPECT_EQ(accesses[0].cycles.value, 8) << text;
    EXPECT_EQ(accesses[0].ideal_cycles.value, 8) << text;
  }
}

TEST(Accesses, AColumnOfAMatrixTouchesALineALane) {
  const auto accesses = accesses_of("gfx942", R"(
    v_lshlrev_b32 v1, 12, v0
    global_load_dword v2, v1, s[0:1]
    s_endpgm)");
  EXPECT_EQ(*accesses[0].lines.value, 64);
}

TEST(Accesses, ConflictsOfLdsAreThoseOfItsPhases) {
  // Rows of 32 dwords: a column is one bank; with a row of 33 it is free of conflicts.
  const auto column = accesses_of("gfx942", "v_lshlrev_b32 v1, 7, v0\nds_read_b32 v2, v1\ns_endpgm");
  const auto padded = accesses_of("gfx942", "v_mul_u32_u24 v1, 0x84, v0\nds_read_b32 v2, v1\ns_endpgm");
  EXPECT_EQ(*column[0].cycles.value, 64);
  EXPECT_EQ(*padded[0].cycles.value, *padded[0].ideal_cycles.value);
  EXPECT_EQ(*padded[0].ideal_cycles.value, 2);
}

TEST(Accesses, WhatIsLoadedIsNotKnown) {
  const auto accesses = accesses_of("gfx942", R"(
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v1, 2, v1
    global_load_dword v2, v1, s[0:1]
    s_endpgm)");
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_FALSE(accesses[1].lines.value);
  EXPECT_EQ(accesses[1].unknown_because, text_of(Reason::Loaded));
}

TEST(Accesses, AMultipleOfAnArgumentIsNotKnown) {
  const auto accesses =
      accesses_of("gfx942", "v_mul_lo_u32 v1, v0, s4\nglobal_load_dword v2, v1, s[0:1]\ns_endpgm");
  EXPECT_EQ(accesses[0].unknown_because, text_of(Reason::RunTimeStride));
}

TEST(Accesses, BytesOfRowsThatAnArgumentSetsApartAreCounted) {
  const auto bytes_of = [](std::string_view address, std::string_view load) {
    const auto accesses = accesses_of(
        "gfx950",
        fmt::format("v_and_b32 v1, 3, v0\nv_lshrrev_b32 v2, 2, v0\n{}\n{}\ns_endpgm", address, load));
    EXPECT_EQ(accesses.size(), 1u);
    return accesses.front().distinct_bytes;
  };
  const std::string_view global = "global_load_dwordx4 v[8:11], v4, s[0:1]",
                         buffer = "buffer_load_dwordx4 v[8:11], v4, s[0:3], 0 offen";
  const std::string rows = "v_mul_lo_u32 v4, v2, s4\n";
  // 16 rows of 4 pieces; of two pieces that overlap by half; of one that four lanes share.
  EXPECT_EQ(bytes_of(rows + "v_lshl_add_u32 v4, v1, 4, v4", global), 16 * 64);
  EXPECT_EQ(bytes_of(rows + "v_and_b32 v1, 1, v1\nv_lshl_add_u32 v4, v1, 3, v4", global), 16 * 24);
  EXPECT_EQ(bytes_of(rows, global), 16 * 16);
  EXPECT_EQ(bytes_of(rows + "v_add_u32 v4, v4, v1\nv_lshlrev_b32 v4, 4, v4", global), 16 * 64);
  // A swizzle by the row, whose number depends on the wave.
  const std::string swizzled =
      rows + "v_xor_b32 v5, v1, v2\nv_and_b32 v5, 3, v5\nv_lshl_add_u32 v4, v5, 4, v4";
  EXPECT_EQ(bytes_of(swizzled, global), 16 * 64);
  // The same by CDNA4's one instruction: (v5 ^ v2) & s6.
  EXPECT_EQ(
      bytes_of("s_movk_i32 s6, 48\n" + rows +
                   "v_lshlrev_b32 v5, 4, v0\nv_bitop3_b32 v5, v5, s6, v2 bitop3:0x48\nv_add_u32 v4, v4, v5",
               global),
      16 * 64);
  // Lanes that are kept out of a buffer: elsewhere all bits set is an address.
  const std::string kept_out = rows + "v_lshl_add_u32 v4, v1, 4, v4\nv_cndmask_b32 v4, -1, v4, vcc";
  EXPECT_EQ(bytes_of(kept_out, buffer), 16 * 64);
  EXPECT_EQ(bytes_of(kept_out, global), std::nullopt);
  EXPECT_EQ(bytes_of(kept_out + "\nv_add_u32 v4, 16, v4", buffer), std::nullopt);
  // Nobody knows where these are.
  EXPECT_EQ(bytes_of(rows + "v_mul_lo_u32 v5, v1, s5\nv_add_u32 v4, v4, v5", global), std::nullopt);
  EXPECT_EQ(bytes_of(rows + "v_mul_lo_u32 v4, v4, s5", global), std::nullopt);
  EXPECT_EQ(bytes_of(rows + "v_xor_b32 v4, v4, v1", global), std::nullopt);
}

TEST(Accesses, BytesOfRowsAreCountedThroughALoopThatAdvances) {
  const auto bytes_of = [](std::string_view next) {
    const auto accesses = accesses_of("gfx942", fmt::format("v_mul_lo_u32 v1, v0, s4\n"
                                                            "l: global_load_dword v2, v1, s[0:1]\n{}\n"
                                                            "s_cbranch_scc1 l\ns_endpgm",
                                                            next));
    return accesses.front().distinct_bytes;
  };
  EXPECT_EQ(bytes_of("v_add_u32 v1, 64, v1"), 64 * 4);
  EXPECT_EQ(bytes_of("v_add_u32 v1, v0, v1"), std::nullopt) << "lanes move apart";
  EXPECT_EQ(bytes_of("v_mov_b32 v1, v3"), std::nullopt);
}

TEST(Accesses, AWorkgroupOfTwoDimensionsIsKnownWhenItsShapeIs) {
  const std::string_view text =
      "v_and_b32 v1, 0x3ff, v0\nv_bfe_u32 v2, v0, 10, 10\nv_lshl_add_u32 v1, v2, 4, v1\n"
      "v_lshlrev_b32 v1, 2, v1\nglobal_load_dword v3, v1, s[0:1]\ns_endpgm";
  EXPECT_FALSE(accesses_of("gfx942", text, {false, {}})[0].lines.value);
  const auto known = accesses_of("gfx942", text, {false, {16, 16, 1}});
  EXPECT_TRUE(known[0].affine) << known[0].unknown_because;
  EXPECT_EQ(known[0].stride, 4);
}

TEST(Accesses, WhatWasWrittenForSomeLanesIsNotKnownForOthers) {
  const auto accesses = accesses_of("gfx942", R"(
    v_lshlrev_b32 v1, 2, v0
    v_cmp_gt_u32 vcc, v0, v3
    s_and_saveexec_b64 s[2:3], vcc
    v_lshlrev_b32 v1, 3, v0
    global_load_dword v2, v1, s[0:1]
    s_or_b64 exec, exec, s[2:3]
    global_load_dword v2, v1, s[0:1]
    s_endpgm)");
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].stride, 8);
  EXPECT_EQ(accesses[1].unknown_because, text_of(Reason::Masked));
}

}  // namespace
}  // namespace wavesmith::analysis
