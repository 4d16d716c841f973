// 32-bit integers and bit fields against plain scalar code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "emulate/instructions/lane_testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kCdna;
using isa::kCdna3;
using isa::kCdna4;
using isa::kRdna;
using isa::kRdna3;
using isa::kRdna4;

#define U(expression)                                                                         \
  [](uint64_t wa, uint64_t wb, uint64_t wc, uint64_t) -> uint64_t {                           \
    [[maybe_unused]] const auto a = static_cast<uint32_t>(wa), b = static_cast<uint32_t>(wb), \
                                c = static_cast<uint32_t>(wc);                                \
    return static_cast<uint32_t>(expression);                                                 \
  }

int64_t s(uint32_t x) { return static_cast<int32_t>(x); }
int64_t s24(uint32_t x) { return static_cast<int32_t>(x << 8) >> 8; }
int64_t s16(uint32_t x) { return static_cast<int16_t>(x); }
uint64_t u24(uint32_t x) { return x & 0xffffff; }
uint64_t u16(uint32_t x) { return x & 0xffff; }

TEST(Integer32, Logic) {
  expect_lanes("v_mov_b32 v0, v2", U(a));
  expect_lanes("v_not_b32 v0, v2", U(~a));
  expect_lanes("v_and_b32 v0, v2, v4", U(a & b));
  expect_lanes("v_or_b32 v0, v2, v4", U(a | b));
  expect_lanes("v_xor_b32 v0, v2, v4", U(a ^ b));
  expect_lanes("v_xnor_b32 v0, v2, v4", U(~(a ^ b)));
  expect_lanes("v_and_or_b32 v0, v2, v4, v6", U((a & b) | c));
  expect_lanes("v_or3_b32 v0, v2, v4, v6", U(a | b | c));
  expect_lanes("v_xor3_b32 v0, v2, v4, v6", U(a ^ b ^ c), {.generations = kRdna});
  expect_lanes("v_xad_u32 v0, v2, v4, v6", U((a ^ b) + c));
  expect_lanes("v_bitop3_b32 v0, v2, v4, v6 bitop3:0x96", U(a ^ b ^ c), {.generations = kCdna4});
  expect_lanes("v_bitop3_b32 v0, v2, v4, v6 bitop3:0xca", U((a & b) | (~a & c)), {.generations = kCdna4});
  expect_lanes("v_bitop3_b32 v0, v2, v4, v6 bitop3:0x07", U(~(a | (b & c))), {.generations = kCdna4});
}

TEST(Integer32, ShiftsAndFields) {
  expect_lanes("v_lshlrev_b32 v0, v2, v4", U(b << (a & 31)));
  expect_lanes("v_lshrrev_b32 v0, v2, v4", U(b >> (a & 31)));
  expect_lanes("v_ashrrev_i32 v0, v2, v4", U(s(b) >> (a & 31)));
  expect_lanes("v_lshl_add_u32 v0, v2, v4, v6", U((a << (b & 31)) + c));
  expect_lanes("v_add_lshl_u32 v0, v2, v4, v6", U((a + b) << (c & 31)));
  expect_lanes("v_lshl_or_b32 v0, v2, v4, v6", U((a << (b & 31)) | c));
  expect_lanes("v_bfe_u32 v0, v2, v4, v6", U((a >> (b & 31)) & ((1u << (c & 31)) - 1)));
  expect_lanes("v_bfe_i32 v0, v2, v4, v6", [](uint64_t a, uint64_t b, uint64_t c, uint64_t) -> uint64_t {
    const int offset = b & 31, width = c & 31;
    uint64_t field = (s(static_cast<uint32_t>(a)) >> offset) & ((1ll << width) - 1);
    if (width && (field >> (width - 1) & 1)) field |= ~uint64_t{0} << width;
    return field;
  });
  expect_lanes("v_bfi_b32 v0, v2, v4, v6", U((a & b) | (~a & c)));
  expect_lanes("v_bfm_b32 v0, v2, v4", U(((1u << (a & 31)) - 1) << (b & 31)));
  expect_lanes("v_bfrev_b32 v0, v2", U([](uint32_t x) {
                 uint32_t r = 0;
                 for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
                 return r;
               }(a)));
  for (const auto& [name, in] : {std::pair{"v_ffbh_u32 v0, v2", kCdna}, {"v_clz_i32_u32 v0, v2", kRdna}})
    expect_lanes(name, U(a ? std::countl_zero(a) : -1), {.generations = in});
  for (const auto& [name, in] : {std::pair{"v_ffbl_b32 v0, v2", kCdna}, {"v_ctz_i32_b32 v0, v2", kRdna}})
    expect_lanes(name, U(a ? std::countr_zero(a) : -1), {.generations = in});
  for (const auto& [name, in] : {std::pair{"v_ffbh_i32 v0, v2", kCdna}, {"v_cls_i32 v0, v2", kRdna}})
    expect_lanes(name, U([](uint32_t x) {
                   for (int i = 1; i < 32; ++i)
                     if ((x >> (31 - i) & 1) != x >> 31) return i;
                   return -1;
                 }(a)),
                 {.generations = in});
  expect_lanes("v_bcnt_u32_b32 v0, v2, v4", U(std::popcount(a) + b));
  expect_lanes("v_alignbit_b32 v0, v2, v4, v6%", [](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return ((a << 32 | (b & 0xffffffff)) >> (c & 31)) & 0xffffffff;
  });
  expect_lanes("v_alignbyte_b32 v0, v2, v4, v6%", [](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return ((a << 32 | (b & 0xffffffff)) >> (8 * (c & 3))) & 0xffffffff;
  });
}

/// The table of the Vega ISA manual, sixteen entries a row.
TEST(Integer32, ScreenPartition) {
  static constexpr std::string_view kTable =
      "137f5fff7fffffff"
      "f26efafffbffffff"
      "df4cff5fffdfffff"
      "9bf8fffafffeffff"
      "ffff4cdf6fffefff"
      "fffff89bf99ffdff"
      "ffff7f13ff9fffbf"
      "ffff6ef26ff6fff7"
      "bfffffff23bfafff"
      "f7fffffff19df5ff"
      "ffefffffef8cffaf"
      "fffdffff67f4fff5"
      "9fffdfffffff8cef"
      "f66ffefffffff467"
      "ff6fff7fffffbf23"
      "9ff9fffbffff9df1";
  expect_lanes("v_screen_partition_4se_b32 v0, v2",
               U(kTable[a & 255] - (kTable[a & 255] > '9' ? 'a' - 10 : '0')), {.generations = kCdna});
}

TEST(Integer32, AddAndSubtract) {
  for (const auto& [suffix, in] : {std::pair{std::string("_"), kCdna}, {std::string("_nc_"), kRdna}}) {
    const LaneOptions options{.generations = in};
    const std::string rest = "32 v0, v2, v4";
    expect_lanes("v_add" + suffix + "u" + rest, U(a + b), options);
    expect_lanes("v_sub" + suffix + "u" + rest, U(a - b), options);
    expect_lanes("v_subrev" + suffix + "u" + rest, U(b - a), options);
    expect_lanes("v_add" + suffix + "i" + rest, U(a + b), options);
    expect_lanes("v_sub" + suffix + "i" + rest, U(a - b), options);
    expect_lanes("v_add" + suffix + "u" + rest + " clamp", U(std::min<uint64_t>(uint64_t{a} + b, 0xffffffff)),
                 options);
    expect_lanes("v_sub" + suffix + "u" + rest + " clamp", U(a > b ? a - b : 0), options);
    expect_lanes("v_add" + suffix + "i" + rest + " clamp",
                 U(std::clamp<int64_t>(s(a) + s(b), INT32_MIN, INT32_MAX)), options);
    expect_lanes("v_sub" + suffix + "i" + rest + " clamp",
                 U(std::clamp<int64_t>(s(a) - s(b), INT32_MIN, INT32_MAX)), options);
  }
  expect_lanes("v_add3_u32 v0, v2, v4, v6", U(a + b + c));
}

TEST(Integer32, Multiply) {
  expect_lanes("v_mul_lo_u32 v0, v2, v4", U(a * b));
  expect_lanes("v_mul_hi_u32 v0, v2, v4", U(uint64_t{a} * b >> 32));
  expect_lanes("v_mul_hi_i32 v0, v2, v4", U(s(a) * s(b) >> 32));
  expect_lanes("v_mul_u32_u24 v0, v2, v4", U(u24(a) * u24(b)));
  expect_lanes("v_mul_i32_i24 v0, v2, v4", U(s24(a) * s24(b)));
  expect_lanes("v_mul_hi_u32_u24 v0, v2, v4", U(u24(a) * u24(b) >> 32));
  expect_lanes("v_mul_hi_i32_i24 v0, v2, v4", U(s24(a) * s24(b) >> 32));
  expect_lanes("v_mad_u32_u24 v0, v2, v4, v6", U(u24(a) * u24(b) + c));
  expect_lanes("v_mad_i32_i24 v0, v2, v4, v6", U(s24(a) * s24(b) + s(c)));
  expect_lanes("v_mad_u32_u24 v0, v2, v4, v6 clamp", U(std::min<uint64_t>(u24(a) * u24(b) + c, 0xffffffff)));
  expect_lanes("v_mad_i32_i24 v0, v2, v4, v6 clamp",
               U(std::clamp<int64_t>(s24(a) * s24(b) + s(c), INT32_MIN, INT32_MAX)));
  expect_lanes("v_mad_u32_u16 v0, v2%, v4%, v6", U(u16(a) * u16(b) + c));
  expect_lanes("v_mad_i32_i16 v0, v2%, v4%, v6", U(s16(a) * s16(b) + s(c)));
  expect_lanes("v_mad_u32_u16 v0, v2, v4, v6 op_sel:[1,0,0,0]", U(u16(a >> 16) * u16(b) + c),
               {.generations = kCdna});
  expect_lanes("v_mad_u32_u16 v0, v2.h, v4.l, v6", U(u16(a >> 16) * u16(b) + c), {.generations = kRdna});
}

TEST(Integer32, MinimaAndMaxima) {
  expect_lanes("v_min_u32 v0, v2, v4", U(std::min(a, b)));
  expect_lanes("v_max_u32 v0, v2, v4", U(std::max(a, b)));
  expect_lanes("v_min_i32 v0, v2, v4", U(std::min(s(a), s(b))));
  expect_lanes("v_max_i32 v0, v2, v4", U(std::max(s(a), s(b))));
  expect_lanes("v_min3_u32 v0, v2, v4, v6", U(std::min({a, b, c})));
  expect_lanes("v_max3_u32 v0, v2, v4, v6", U(std::max({a, b, c})));
  expect_lanes("v_min3_i32 v0, v2, v4, v6", U(std::min({s(a), s(b), s(c)})));
  expect_lanes("v_max3_i32 v0, v2, v4, v6", U(std::max({s(a), s(b), s(c)})));
  const auto middle = [](auto x, auto y, auto z) {
    return x + y + z - std::min({x, y, z}) - std::max({x, y, z});
  };
  expect_lanes("v_med3_u32 v0, v2, v4, v6", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return middle(a & 0xffffffff, b & 0xffffffff, c & 0xffffffff);
  });
  expect_lanes("v_med3_i32 v0, v2, v4, v6", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return static_cast<uint64_t>(
        middle(s(static_cast<uint32_t>(a)), s(static_cast<uint32_t>(b)), s(static_cast<uint32_t>(c))));
  });
  expect_lanes("v_minmax_u32 v0, v2, v4, v6", U(std::max(std::min(a, b), c)), {.generations = kRdna});
  expect_lanes("v_maxmin_u32 v0, v2, v4, v6", U(std::min(std::max(a, b), c)), {.generations = kRdna});
  expect_lanes("v_minmax_i32 v0, v2, v4, v6", U(std::max(std::min(s(a), s(b)), s(c))),
               {.generations = kRdna});
  expect_lanes("v_maxmin_i32 v0, v2, v4, v6", U(std::min(std::max(s(a), s(b)), s(c))),
               {.generations = kRdna});
}

TEST(Integer32, Bytes) {
  const auto differences = [](uint64_t x, uint64_t y, bool masked) {
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      const int p = x >> (8 * i) & 0xff, q = y >> (8 * i) & 0xff;
      if (!masked || q) sum += static_cast<uint64_t>(std::abs(p - q));
    }
    return sum;
  };
  expect_lanes("v_sad_u8 v0, v2, v4, v6",
               [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return differences(a, b, false) + c; });
  expect_lanes("v_msad_u8 v0, v2, v4, v6",
               [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return differences(a, b, true) + c; });
  expect_lanes("v_sad_hi_u8 v0, v2, v4, v6", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return (differences(a, b, false) << 16) + c;
  });
  expect_lanes("v_sad_u16 v0, v2, v4, v6",
               U(std::abs(static_cast<int>(u16(a)) - static_cast<int>(u16(b))) +
                 std::abs(static_cast<int>(a >> 16) - static_cast<int>(b >> 16)) + c));
  expect_lanes("v_sad_u32 v0, v2, v4, v6", U((a > b ? a - b : b - a) + c));
  // Clamped, sums stay at the largest number.
  const auto saturated = [](uint64_t sum) { return std::min<uint64_t>(sum, 0xffffffff); };
  const auto low = [](uint64_t x) { return x & 0xffffffff; };
  expect_lanes("v_sad_u8 v0, v2, v4, v6 clamp", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return saturated(differences(a, b, false) + low(c));
  });
  expect_lanes("v_msad_u8 v0, v2, v4, v6 clamp", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return saturated(differences(a, b, true) + low(c));
  });
  expect_lanes("v_sad_hi_u8 v0, v2, v4, v6 clamp", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    return saturated((differences(a, b, false) << 16) + low(c));
  });
  expect_lanes("v_sad_u16 v0, v2, v4, v6 clamp", [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    const auto apart = [&](int at) {
      return static_cast<uint64_t>(
          std::abs(static_cast<int>(a >> at & 0xffff) - static_cast<int>(b >> at & 0xffff)));
    };
    return saturated(apart(0) + apart(16) + low(c));
  });
  // What saturates by itself, and choices of sources, do not mind a clamp.
  expect_lanes("v_min3_u16 v0, v2, v4, v6 clamp", U(std::min({u16(a), u16(b), u16(c)})),
               {.generations = isa::kCdna, .mask = 0xffff});
  expect_lanes(
      "v_alignbit_b32 v0, v2, v4, v6 clamp",
      [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return low((low(a) << 32 | low(b)) >> (c & 31)); },
      {.generations = isa::kCdna});
  for (const bool masked : {false, true})
    expect_lanes(masked ? "v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]"
                        : "v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]",
                 [&](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
                   uint64_t result = 0;
                   for (int i = 0; i < 4; ++i)
                     result |= ((differences(a >> (8 * i), b, masked) + (c >> (16 * i))) & 0xffff)
                               << (16 * i);
                   return result;
                 },
                 {.mask = ~uint64_t{0}});
  expect_lanes("v_lerp_u8 v0, v2, v4, v6", [](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    uint64_t result = 0;
    for (int i = 0; i < 32; i += 8) result |= (((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1) << i;
    return result;
  });
  const LaneReference permute = [](uint64_t a, uint64_t b, uint64_t c, uint64_t) {
    const uint64_t data = a << 32 | (b & 0xffffffff);
    uint64_t result = 0;
    for (int i = 0; i < 32; i += 8) {
      const uint64_t sel = c >> i & 0xff;
      uint64_t byte = 0xff;
      if (sel < 8)
        byte = data >> (8 * sel) & 0xff;
      else if (sel < 12)
        byte = (data >> (16 * (sel - 8) + 15) & 1) * 0xff;
      else if (sel == 12)
        byte = 0;
      result |= byte << i;
    }
    return result;
  };
  expect_lanes("v_perm_b32 v0, v2, v4, v6", permute);
  for (const uint64_t selector : {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x05040100})
    expect_lanes("v_mov_b32 v6, " + std::to_string(selector) + "\nv_perm_b32 v0, v2, v4, v6",
                 [&](uint64_t a, uint64_t b, uint64_t, uint64_t) { return permute(a, b, selector, 0); });
}

// Bit i of the table is the result where a, b and c are the bits of i, a the highest (CDNA4 ISA manual,
// V_BITOP3_B16). op_sel chooses halves of the sources and of the result.
TEST(Integer16, TruthTablesOfHalves) {
  constexpr unsigned kSeed = 17;
  std::mt19937 random(kSeed);
  for (uint32_t table = 0; table < 256; ++table) {
    const auto halves = static_cast<uint32_t>(random() % 16);
    WaveTest test("gfx950");
    for (int i = 0; i < 4; ++i)
      for (int lane = 0; lane < 64; ++lane) test.v(i, lane) = static_cast<uint32_t>(random());
    const auto upper = [&](int i) { return halves >> i & 1; };
    std::vector<uint32_t> before(64);
    for (int lane = 0; lane < 64; ++lane) before[static_cast<size_t>(lane)] = test.v(0, lane);
    const std::string text = fmt::format("v_bitop3_b16 v0, v1, v2, v3 bitop3:{:#x} op_sel:[{},{},{},{}]",
                                         table, upper(0), upper(1), upper(2), upper(3));
    SCOPED_TRACE(fmt::format("seed {}: {}", kSeed, text));
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < 64; ++lane) {
      uint32_t expected = 0;
      for (unsigned bit = 0; bit < 16; ++bit) {
        uint32_t number = 0;
        for (int i = 0; i < 3; ++i) number = number << 1 | (test.v(1 + i, lane) >> (16 * upper(i) + bit) & 1);
        expected |= (table >> number & 1) << bit;
      }
      const uint32_t old = before[static_cast<size_t>(lane)];
      ASSERT_EQ(test.v(0, lane), upper(3) ? (old & 0xffff) | expected << 16 : (old & 0xffff0000u) | expected)
          << lane;
    }
  }
}

TEST(Integer64, ShiftsAndProducts) {
  const LaneOptions wide{.mask = ~uint64_t{0}};
  expect_lanes(
      "v_lshlrev_b64 v[0:1], v2, v[4:5]",
      [](uint64_t a, uint64_t b, uint64_t, uint64_t) { return b << (a & 63); }, wide);
  expect_lanes(
      "v_lshrrev_b64 v[0:1], v2, v[4:5]",
      [](uint64_t a, uint64_t b, uint64_t, uint64_t) { return b >> (a & 63); }, wide);
  expect_lanes(
      "v_ashrrev_i64 v[0:1], v2, v[4:5]",
      [](uint64_t a, uint64_t b, uint64_t, uint64_t) {
        return static_cast<uint64_t>(static_cast<int64_t>(b) >> (a & 63));
      },
      wide);
  expect_lanes("v_lshl_add_u64 v[0:1], v[2:3], v4, v[6:7]",
               [](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return (a << (b & 7)) + c; },
               {.generations = kCdna3 | kCdna4, .mask = ~uint64_t{0}});
  // A shift of 0 has a handler of its own; so has one whose first source is scalar.
  for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x8001'5555'ffff'0000}}) {
    const LaneOptions some{.generations = kCdna3 | kCdna4, .mask = ~uint64_t{0}, .exec = exec};
    expect_lanes(
        "v_lshl_add_u64 v[0:1], v[2:3], 0, v[6:7]",
        [](uint64_t a, uint64_t, uint64_t c, uint64_t) { return a + c; }, some);
    expect_lanes(
        "s_mov_b32 s4, 0xfffffff7\ns_mov_b32 s5, 0x1234\nv_lshl_add_u64 v[0:1], s[4:5], 0, v[6:7]",
        [](uint64_t, uint64_t, uint64_t c, uint64_t) { return 0x1234'fffffff7 + c; }, some);
    expect_lanes(
        "v_lshl_add_u64 v[0:1], -3, 0, v[6:7]",
        [](uint64_t, uint64_t, uint64_t c, uint64_t) { return c - 3; }, some);
    expect_lanes(
        "v_lshl_add_u64 v[0:1], s[4:5], 3, v[6:7]",
        [](uint64_t, uint64_t, uint64_t c, uint64_t) { return c; }, some);
  }
  expect_lanes("v_lshl_add_u64 v[2:3], v[6:7], 0, v[2:3]\nv_mov_b32 v0, v2\nv_mov_b32 v1, v3",
               [](uint64_t a, uint64_t, uint64_t c, uint64_t) { return a + c; },
               {.generations = kCdna3 | kCdna4, .mask = ~uint64_t{0}});
  for (const auto& [name, in] :
       {std::pair{"v_mad_u64_u32", isa::Generations{kCdna | kRdna3}}, {"v_mad_co_u64_u32", kRdna4}})
    expect_lanes(
        std::string(name) + " v[0:1], VCC, v2, v4, v[6:7]",
        [](uint64_t a, uint64_t b, uint64_t c, uint64_t) { return (a & 0xffffffff) * (b & 0xffffffff) + c; },
        {.generations = in, .mask = ~uint64_t{0}});
}

}  // namespace
}  // namespace wavesmith::emulate
