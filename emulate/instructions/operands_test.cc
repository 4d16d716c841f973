// How vector instructions read sources and write results: DPP, SDWA, halves, constants, lane masks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "emulate/instructions/lane_testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kCdna;
using isa::kRdna;

/// Runs v_mov_b32_dpp v0, v2 with a control and compares with `from`: the lane that lane l reads, or -1.
void expect_dpp(std::string_view target, int lanes, const std::string& control,
                const std::function<int(int)>& from) {
  std::mt19937_64 random(std::hash<std::string>{}(control));
  for (const bool zero : {false, true})
    for (const bool inactive_too : {false, true})
      for (int round = 0; round < 4; ++round) {
        const bool rdna = isa::find_target(target)->is(kRdna);
        if (inactive_too && !rdna) continue;
        const uint64_t rows = round == 0 ? 15 : random() % 16, banks = round == 0 ? 15 : random() % 16;
        const std::string text =
            fmt::format("v_mov_b32_dpp v0, v2 {} row_mask:{:#x} bank_mask:{:#x}{}{}", control, rows, banks,
                        zero ? " bound_ctrl:1" : "", inactive_too ? " fi:1" : "");
        SCOPED_TRACE(std::string(target) + " " + std::to_string(lanes) + ": " + text);
        WaveTest test(target, lanes);
        const uint64_t some = random(), more = random();
        const uint64_t exec =
            (round < 2 ? ~uint64_t{0} : some | more) & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
        test.exec() = exec;
        for (int lane = 0; lane < lanes; ++lane)
          test.v(0, lane) = 1000u + static_cast<uint32_t>(lane),
                    test.v(2, lane) = static_cast<uint32_t>(lane + 1);
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(test.exec(), exec);
        for (int lane = 0; lane < lanes; ++lane) {
          uint32_t expected = 1000u + static_cast<uint32_t>(lane);
          const bool enabled =
              (exec >> lane & 1) && (rows >> (lane / 16) & 1) && (banks >> (lane / 4 % 4) & 1);
          const int source = from(lane);
          const bool readable = source >= 0 && (inactive_too || (exec >> source & 1));
          if (enabled && readable) expected = static_cast<uint32_t>(source + 1);
          if (enabled && !readable && zero) expected = 0;
          ASSERT_EQ(test.v(0, lane), expected) << "lane " << lane;
        }
      }
}

TEST(Dpp, ControlsOfEveryGeneration) {
  for (const auto [target, lanes] : all_targets()) {
    const bool rdna = isa::find_target(target)->is(kRdna);
    expect_dpp(target, lanes, "quad_perm:[3,0,2,2]",
               [](int l) { return l / 4 * 4 + std::array{3, 0, 2, 2}[static_cast<size_t>(l % 4)]; });
    for (const int n : {1, 5, 15}) {
      expect_dpp(target, lanes, fmt::format("row_shl:{}", n),
                 [=](int l) { return l % 16 + n <= 15 ? l + n : -1; });
      expect_dpp(target, lanes, fmt::format("row_shr:{}", n),
                 [=](int l) { return l % 16 - n >= 0 ? l - n : -1; });
      expect_dpp(target, lanes, fmt::format("row_ror:{}", n),
                 [=](int l) { return l / 16 * 16 + (l % 16 + 16 - n) % 16; });
    }
    expect_dpp(target, lanes, "row_mirror", [](int l) { return l ^ 15; });
    expect_dpp(target, lanes, "row_half_mirror", [](int l) { return l ^ 7; });
    if (rdna) {
      expect_dpp(target, lanes, "row_share:9", [](int l) { return (l & 48) | 9; });
      expect_dpp(target, lanes, "row_xmask:6", [](int l) { return l ^ 6; });
    } else {
      expect_dpp(target, lanes, "row_newbcast:9", [](int l) { return (l & 48) | 9; });
      expect_dpp(target, lanes, "row_bcast:15", [](int l) { return l < 16 ? l : l / 16 * 16 - 1; });
      expect_dpp(target, lanes, "row_bcast:31", [](int l) { return l < 32 ? l : 31; });
      expect_dpp(target, lanes, "wave_shl:1", [](int l) { return l == 63 ? -1 : l + 1; });
      expect_dpp(target, lanes, "wave_shr:1", [](int l) { return l - 1; });
      expect_dpp(target, lanes, "wave_rol:1", [](int l) { return (l + 1) % 64; });
      expect_dpp(target, lanes, "wave_ror:1", [](int l) { return (l + 63) % 64; });
    }
  }
}

/// CDNA's row_bcast:15 and row_bcast:31, which RDNA's manuals reserve and no assembler takes.
TEST(Dpp, ReservedControlsOfRdnaGiveARowItsFirstLane) {
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    for (const std::string_view control : {"42", "43"}) {
      SCOPED_TRACE(fmt::format("{} {} 0x1{}", target, lanes, control));
      WaveTest test(target, lanes);
      for (int lane = 0; lane < lanes; ++lane)
        test.v(10, lane) = 99, test.v(1, lane) = static_cast<uint32_t>(3 * lane + 7);
      // v_mov_b32_dpp v10, v1 row_share:0 row_mask:0xf bank_mask:0xf is 0x7e1402fa, 0xff015001.
      const auto done = test.run(fmt::format(".long 0x7e1402fa, 0xff01{}01", control));
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(test.v(10, lane), static_cast<uint32_t>(3 * (lane & ~15) + 7)) << lane;
    }
  }
}

TEST(Dpp, EightLanesReadZeroOfInactiveOnes) {
  for (const std::string_view target : {"gfx1100", "gfx1201"})
    for (const bool inactive_too : {false, true}) {
      WaveTest test(target, 32);
      test.exec() = 0xffff00ff;
      for (int lane = 0; lane < 32; ++lane)
        test.v(0, lane) = 99, test.v(2, lane) = static_cast<uint32_t>(lane + 1);
      const auto done =
          test.run(fmt::format("v_mov_b32_dpp v0, v2 dpp8:[7,6,5,4,3,2,1,0]{}", inactive_too ? " fi:1" : ""));
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(test.v(0, lane), lane / 8 == 1 ? 99u : static_cast<uint32_t>((lane ^ 7) + 1)) << lane;
    }
}

/// The wave reduction that compilers emit for CDNA: partial sums run up each row and are broadcast to the
/// next.
TEST(Dpp, WaveReduction) {
  WaveTest test("gfx942");
  uint32_t sum = 0;
  for (int lane = 0; lane < 64; ++lane) sum += test.v(1, lane) = static_cast<uint32_t>(lane * lane + 3);
  ASSERT_TRUE(test.run(R"(
    v_add_u32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
    v_add_u32_dpp v1, v1, v1 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
    v_add_u32_dpp v1, v1, v1 row_shr:4 row_mask:0xf bank_mask:0xe
    v_add_u32_dpp v1, v1, v1 row_shr:8 row_mask:0xf bank_mask:0xc
    v_add_u32_dpp v1, v1, v1 row_bcast:15 row_mask:0xa bank_mask:0xf
    v_add_u32_dpp v1, v1, v1 row_bcast:31 row_mask:0xc bank_mask:0xf
  )"));
  EXPECT_EQ(test.v(1, 63), sum);
}

TEST(Dpp, ModifiersAndComparisons) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    for (int lane = 0; lane < lanes; ++lane)
      test.set_f(2, lane, static_cast<float>(lane)), test.set_f(3, lane, 0.5f);
    const bool rdna = isa::find_target(target)->is(kRdna);
    const std::string vcc = lanes == 32 ? "vcc_lo" : "vcc";
    auto done = test.run(
        "v_add_f32_dpp v0, -v2, |v3| quad_perm:[1,1,3,3] row_mask:0xf bank_mask:0xf\nv_cmp_gt_f32_dpp " +
        vcc + ", v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
    if (!rdna) done = test.run("v_add_f32_dpp v0, -v2, |v3| quad_perm:[1,1,3,3] row_mask:0xf bank_mask:0xf");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(test.f(0, lane), 0.5f - static_cast<float>(lane | 1));
      if (rdna) EXPECT_EQ(test.vcc() >> lane & 1, lane % 2 == 0 ? 1u : 0u);
    }
    if (!rdna) continue;
    done = test.run("v_fma_f32_e64_dpp v0, v2, v3, -v2 row_share:3 row_mask:0xf bank_mask:0xf");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(test.f(0, lane), 0.5f * static_cast<float>((lane & 48) | 3) - static_cast<float>(lane));
    test.exec() = 0x0f0f;
    done = test.run("v_cmpx_gt_f32_e64_dpp v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.exec(), 0x0505u);
  }
}

// As of RDNA3.5 the second source of VOP3 with DPP may be a scalar.
TEST(Dpp, AScalarForTheSecondSource) {
  for (const std::string_view target : {"gfx1151", "gfx1201"})
    for (const int lanes : {32, 64}) {
      SCOPED_TRACE(target);
      WaveTest test(target, lanes);
      for (int lane = 0; lane < lanes; ++lane) test.set_f(1, lane, static_cast<float>(lane));
      test.s(2) = std::bit_cast<uint32_t>(0.25f);
      const auto done =
          test.run("v_add_f32_e64_dpp v0, v1, s2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(test.f(0, lane), static_cast<float>(lane ^ 1) + 0.25f);
    }
}

uint32_t part(uint32_t value, const std::string& selection, bool sign) {
  if (selection == "DWORD") return value;
  const int index = selection.back() - '0';
  if (selection[0] == 'B') {
    const uint32_t byte = value >> (8 * index) & 0xff;
    return sign ? static_cast<uint32_t>(static_cast<int8_t>(byte)) : byte;
  }
  const uint32_t word = value >> (16 * index) & 0xffff;
  return sign ? static_cast<uint32_t>(static_cast<int16_t>(word)) : word;
}

TEST(Sdwa, SelectsAndInserts) {
  const std::string selections[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  std::mt19937_64 random(7);
  for (int round = 0; round < 150; ++round) {
    const auto pick = [&]() -> const std::string& { return selections[random() % 7]; };
    const std::string &to = pick(), &a = pick(), &b = pick();
    const std::string unused = std::array{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}[random() % 3];
    const bool sign_a = random() % 2, sign_b = random() % 2;
    const std::string text =
        fmt::format("v_add_u32_sdwa v0, {}, {} dst_sel:{} dst_unused:{} src0_sel:{} src1_sel:{}",
                    sign_a ? "sext(v2)" : "v2", sign_b ? "sext(v4)" : "v4", to, unused, a, b);
    expect_lanes(text,
                 [&](uint64_t wa, uint64_t wb, uint64_t, uint64_t old) -> uint64_t {
                   const uint32_t sum = part(static_cast<uint32_t>(wa), a, sign_a) +
                                        part(static_cast<uint32_t>(wb), b, sign_b);
                   if (to == "DWORD") return sum;
                   const uint32_t width = to[0] == 'B' ? 8 : 16,
                                  low = static_cast<uint32_t>(to.back() - '0') * width;
                   const uint32_t mask = ((1u << width) - 1) << low, field = sum << low & mask;
                   if (unused == "UNUSED_PRESERVE") return (old & ~uint64_t{mask}) | field;
                   if (unused == "UNUSED_SEXT") {
                     const uint32_t sign = sum >> (width - 1) & 1;
                     const uint64_t above = ~uint64_t{0} << (low + width);
                     return (field | (sign ? above : 0)) & 0xffffffff;
                   }
                   return field;
                 },
                 {.generations = kCdna});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Sdwa, FloatsAndComparisons) {
  expect_lanes(
      "v_add_f16_sdwa v0, -v2, |v4| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
      "src1_sel:WORD_0",
      [](uint64_t a, uint64_t b, uint64_t, uint64_t old) -> uint64_t {
        const auto x = -static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(a >> 16)));
        const auto y = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(b & 0x7fff)));
        const float sum = x + y;
        return (old & 0xffff) | uint64_t{std::bit_cast<uint16_t>(static_cast<_Float16>(sum))} << 16;
      },
      {.generations = kCdna, .mask = 0x7c00ffff});
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"}) {
    WaveTest test(target);
    for (int lane = 0; lane < 64; ++lane)
      test.v(2, lane) = static_cast<uint32_t>(lane) << 16 | 0xffff, test.v(3, lane) = 20;
    const auto done = test.run("v_cmp_lt_u32_sdwa s[4:5], v2, v3 src0_sel:WORD_1 src1_sel:DWORD");
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.s64(4), (uint64_t{1} << 20) - 1);
  }
}

TEST(Operands, ConstantsByType) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    const bool rdna = isa::find_target(target)->is(kRdna);
    WaveTest test(target, lanes);
    const auto done = test.run(R"(
      v_add_f64 v[0:1], v[20:21], 0.5
      v_add_f64 v[2:3], v[20:21], -4.0
      v_add_f64 v[4:5], v[20:21], 0.15915494309189532
      v_add_f64 v[6:7], v[20:21], 3
      v_add_f32 v8, 0.15915494, v20
      v_add_f32 v9, 0x40490fdb, v20
      v_lshlrev_b64 v[10:11], v20, -3
      v_lshlrev_b64 v[12:13], v20, 1.0
      v_ashrrev_i64 v[16:17], v20, -1
    )" + std::string(rdna ? "v_add_f16 v14.l, 0.15915494, v20.l\nv_add_f16 v15.l, 2.0, v20.l\nv_fma_f64 "
                            "v[18:19], v[20:21], v[20:21], 0x40240000\nv_lshlrev_b64 v[22:23], v20, "
                            "0x80000001\nv_ashrrev_i64 v[24:25], v20, 0x80000001"
                          : "v_add_f16 v14, 0.15915494, v20\nv_add_f16 v15, 2.0, v20"));
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(std::bit_cast<double>(test.v64(0, 1)), 0.5);
    EXPECT_EQ(std::bit_cast<double>(test.v64(2, 1)), -4.0);
    EXPECT_EQ(test.v64(4, 1), 0x3fc45f306dc9c882u);
    EXPECT_EQ(test.v64(6, 1), 3u);
    EXPECT_EQ(test.v(8, 1), 0x3e22f983u);
    EXPECT_EQ(test.v(9, 1), 0x40490fdbu);
    EXPECT_EQ(test.v64(10, 1), static_cast<uint64_t>(-3));
    EXPECT_EQ(test.v64(12, 1), 0x3ff0000000000000u);
    EXPECT_EQ(test.v64(16, 1), ~uint64_t{0});
    EXPECT_EQ(test.v(14, 1), 0x3118u);
    EXPECT_EQ(test.v(15, 1), 0x4000u);
    if (!rdna) continue;
    EXPECT_EQ(std::bit_cast<double>(test.v64(18, 1)), 10.0) << "a 32-bit literal is a double's upper half";
    EXPECT_EQ(test.v64(22, 1), 0x80000001u);
    EXPECT_EQ(test.v64(24, 1), 0xffffffff80000001u);
  }
}

TEST(Operands, ScalarsAnywhere) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    test.s(2) = std::bit_cast<uint32_t>(3.0f);
    for (int lane = 0; lane < lanes; ++lane) test.set_f(1, lane, static_cast<float>(lane));
    const auto done = test.run(R"(
      v_fma_f32 v2, v1, s2, v1
      v_fma_f32 v3, v1, -s2, |s2|
      v_fma_f32 v4, s2, v1, 1.0
      v_sub_f32_e64 v5, v1, s2
    )");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const auto x = static_cast<float>(lane);
      EXPECT_EQ(test.f(2, lane), 4 * x);
      EXPECT_EQ(test.f(3, lane), 3 - 3 * x);
      EXPECT_EQ(test.f(4, lane), 3 * x + 1);
      EXPECT_EQ(test.f(5, lane), x - 3);
    }
  }
}

TEST(Operands, LaneMasks) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    const bool rdna = isa::find_target(target)->is(kRdna);
    WaveTest test(target, lanes);
    const uint64_t every = lanes == 64 ? ~uint64_t{0} : 0xffffffffu, exec = 0xa5a5f00f12345678u & every;
    test.exec() = exec;
    test.s(5) = 77, test.s(12) = 5;
    for (int lane = 0; lane < lanes; ++lane)
      test.v(1, lane) = static_cast<uint32_t>(lane),
                test.v(2, lane) = 0xfffffff0u + static_cast<uint32_t>(lane);
    const std::string mask = lanes == 64 ? "s[4:5]" : "s4", carry = lanes == 64 ? "s[6:7]" : "s6",
                      null = rdna ? "null" : carry;
    const std::string add = rdna ? "v_add_co_ci_u32" : "v_addc_co_u32",
                      unsigned_add = "v_add_co_u32" + std::string(rdna ? "" : "_e64");
    auto done = test.run(fmt::format(R"(
      v_cmp_gt_u32_e64 {0}, s12, v1
      {2} v3, {1}, v1, v2
      {3}_e64 v4, {4}, v1, v1, {1}
      v_cndmask_b32_e64 v5, 1, 2, {0}
    )",
                                     mask, carry, unsigned_add, add, null));
    ASSERT_TRUE(done) << done.error().text();
    uint64_t below = 0, carries = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (!(exec >> lane & 1)) continue;
      if (lane < 5) below |= uint64_t{1} << lane;
      const bool carried = uint64_t{0xfffffff0u} + static_cast<uint32_t>(2 * lane) > 0xffffffffu &&
                           (test.v(2, lane) > 0xffffffffu - static_cast<uint32_t>(lane));
      if (carried) carries |= uint64_t{1} << lane;
      EXPECT_EQ(test.v(4, lane), static_cast<uint32_t>(2 * lane) + carried) << lane;
      EXPECT_EQ(test.v(5, lane), lane < 5 ? 2u : 1u);
    }
    EXPECT_EQ(lanes == 64 ? test.s64(4) : test.s(4), below);
    if (lanes == 32) EXPECT_EQ(test.s(5), 77u) << "a wave32 writes one SGPR";
    if (rdna) EXPECT_EQ(lanes == 64 ? test.s64(6) : test.s(6), carries);
    done = test.run(fmt::format("v_cmpx_gt_u32_e64 {} 6, v1", rdna ? "" : "s[8:9],"));
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.exec(), exec & 63);
    if (!rdna) EXPECT_EQ(test.s64(8), exec & 63);
  }
}

TEST(Operands, RowsRelativeToM0) {
  for (const auto [target, lanes] : all_targets()) {
    if (!isa::find_target(target)->is(kRdna)) continue;
    WaveTest test(target, lanes);
    test.exec() = 0x3;
    for (int row = 0; row < 20; ++row)
      for (int lane = 0; lane < lanes; ++lane) test.v(row, lane) = static_cast<uint32_t>(100 * row + lane);
    const auto done = test.run(R"(
      s_mov_b32 m0, 7
      v_movrels_b32 v0, v5
      v_movreld_b32 v10, v1
      s_mov_b32 m0, 0x20003
      v_movrelsd_2_b32 v16, v6
      s_mov_b32 m0, 300
      v_movreld_b32 v10, v2
    )");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < 2; ++lane) {
      EXPECT_EQ(test.v(0, lane), 1200u + static_cast<uint32_t>(lane));
      EXPECT_EQ(test.v(17, lane), 100u + static_cast<uint32_t>(lane));
      EXPECT_EQ(test.v(18, lane), 900u + static_cast<uint32_t>(lane));
    }
    EXPECT_EQ(test.v(0, 2), 2u) << "an inactive lane";
  }
}

}  // namespace
}  // namespace wavesmith::emulate
