// VOP3P arithmetic on every target, against scalar references; modifiers drawn at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "base/small_float.h"
#include "emulate/instructions/testing.h"
#include "isa/target.h"

namespace wavesmith::emulate {
namespace {

/// Halves that find trouble: zeros, ones, largest, denormals, infinities, NaNs, and anything.
uint16_t any_half(std::mt19937& random) {
  static constexpr uint16_t kSpecial[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff,
                                          0x0001, 0x8001, 0x03ff, 0x0400, 0x7c00, 0xfc00,
                                          0x7e00, 0xfe01, 0x7fff, 0xffff, 0x0010, 0x4248};
  const uint32_t draw = static_cast<uint32_t>(random());
  return draw % 4 == 0 ? kSpecial[draw / 4 % std::size(kSpecial)] : static_cast<uint16_t>(draw >> 16);
}
uint32_t any_word(std::mt19937& random) {
  const uint32_t low = any_half(random), high = any_half(random);
  return low | high << 16;
}

using Reference = std::function<uint16_t(uint16_t, uint16_t, uint16_t, bool clamp)>;

enum class Kind { Float, Integer };
struct Case {
  std::string_view mnemonic;
  int sources;
  Kind kind;
  bool clamps;
  isa::Generations generations;
  Reference reference;
};

long double wide(uint16_t half) { return static_cast<long double>(decode<kF16>(half)); }

/// Rounded once; `clamp` takes it to [0, 1] and NaN to 0.
uint16_t narrow(long double value, bool clamp) {
  if (clamp) value = std::isnan(value) || value <= 0 ? 0 : value > 1 ? 1 : value;
  // To odd at 53 bits, so that the double is rounded rightly.
  auto rounded = static_cast<double>(value);
  if (std::isfinite(rounded) && static_cast<long double>(rounded) != value) {
    auto word = std::bit_cast<uint64_t>(rounded);
    if (std::fabs(static_cast<long double>(rounded)) > std::fabs(value)) --word;
    rounded = std::bit_cast<double>(word | 1);
  }
  return static_cast<uint16_t>(encode<kF16>(rounded));
}
uint16_t clamped(uint16_t half, bool clamp) { return clamp ? narrow(wide(half), true) : half; }

bool is_nan(uint16_t half) { return (half & 0x7fff) > 0x7c00; }
/// Order of halves as numbers, minus zero below plus zero.
int key(uint16_t half) { return half & 0x8000 ? -static_cast<int>(half & 0x7fff) - 1 : half; }
uint16_t least(uint16_t a, uint16_t b) { return is_nan(a) ? b : is_nan(b) ? a : key(a) < key(b) ? a : b; }
uint16_t greatest(uint16_t a, uint16_t b) { return is_nan(a) ? b : is_nan(b) ? a : key(a) > key(b) ? a : b; }
/// With MODE.IEEE a signaling NaN wins, and comes out quiet.
bool signals(uint16_t half) { return is_nan(half) && (half & 0x200) == 0; }
template <class F>
uint16_t ieee(uint16_t a, uint16_t b, F number) {
  return signals(a) || signals(b) ? 0x7e00 : number(a, b);
}
uint16_t least_or_nan(uint16_t a, uint16_t b) { return is_nan(a) ? a : is_nan(b) ? b : least(a, b); }
uint16_t greatest_or_nan(uint16_t a, uint16_t b) { return is_nan(a) ? a : is_nan(b) ? b : greatest(a, b); }

int64_t s16(uint16_t half) { return static_cast<int16_t>(half); }
uint16_t wrap_u(int64_t value, bool clamp) {
  return static_cast<uint16_t>(clamp ? std::clamp<int64_t>(value, 0, 65535) : value);
}
uint16_t wrap_i(int64_t value, bool clamp) {
  return static_cast<uint16_t>(clamp ? std::clamp<int64_t>(value, -32768, 32767) : value);
}

const std::vector<Case>& cases() {
  using isa::kCdna4, isa::kEvery, isa::kRdna4;
  constexpr isa::Generations kOld = isa::kEvery & ~isa::kRdna4;
  using H = uint16_t;
  static const std::vector<Case> all = {
      {"v_pk_add_f16", 2, Kind::Float, true, kEvery,
       [](H a, H b, H, bool c) { return narrow(wide(a) + wide(b), c); }},
      {"v_pk_mul_f16", 2, Kind::Float, true, kEvery,
       [](H a, H b, H, bool c) { return narrow(wide(a) * wide(b), c); }},
      {"v_pk_fma_f16", 3, Kind::Float, true, kEvery,
       [](H a, H b, H x, bool c) { return narrow(wide(a) * wide(b) + wide(x), c); }},
      {"v_pk_min_f16", 2, Kind::Float, true, kOld,
       [](H a, H b, H, bool c) { return clamped(ieee(a, b, least), c); }},
      {"v_pk_max_f16", 2, Kind::Float, true, kOld,
       [](H a, H b, H, bool c) { return clamped(ieee(a, b, greatest), c); }},
      {"v_pk_min_num_f16", 2, Kind::Float, true, kRdna4,
       [](H a, H b, H, bool c) { return clamped(least(a, b), c); }},
      {"v_pk_max_num_f16", 2, Kind::Float, true, kRdna4,
       [](H a, H b, H, bool c) { return clamped(greatest(a, b), c); }},
      {"v_pk_minimum_f16", 2, Kind::Float, true, kRdna4,
       [](H a, H b, H, bool c) { return clamped(least_or_nan(a, b), c); }},
      {"v_pk_maximum_f16", 2, Kind::Float, true, kRdna4,
       [](H a, H b, H, bool c) { return clamped(greatest_or_nan(a, b), c); }},
      {"v_pk_minimum3_f16", 3, Kind::Float, true, kCdna4,
       [](H a, H b, H x, bool c) { return clamped(least_or_nan(least_or_nan(a, b), x), c); }},
      {"v_pk_maximum3_f16", 3, Kind::Float, true, kCdna4,
       [](H a, H b, H x, bool c) { return clamped(greatest_or_nan(greatest_or_nan(a, b), x), c); }},
      {"v_pk_add_u16", 2, Kind::Integer, true, kEvery,
       [](H a, H b, H, bool c) { return wrap_u(int64_t{a} + b, c); }},
      {"v_pk_add_i16", 2, Kind::Integer, true, kEvery,
       [](H a, H b, H, bool c) { return wrap_i(s16(a) + s16(b), c); }},
      {"v_pk_sub_u16", 2, Kind::Integer, true, kEvery,
       [](H a, H b, H, bool c) { return wrap_u(int64_t{a} - b, c); }},
      {"v_pk_sub_i16", 2, Kind::Integer, true, kEvery,
       [](H a, H b, H, bool c) { return wrap_i(s16(a) - s16(b), c); }},
      {"v_pk_mul_lo_u16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return wrap_u(int64_t{a} * b, false); }},
      {"v_pk_mad_u16", 3, Kind::Integer, true, kEvery,
       [](H a, H b, H x, bool c) { return wrap_u(int64_t{a} * b + x, c); }},
      {"v_pk_mad_i16", 3, Kind::Integer, true, kEvery,
       [](H a, H b, H x, bool c) { return wrap_i(s16(a) * s16(b) + s16(x), c); }},
      {"v_pk_min_u16", 2, Kind::Integer, false, kEvery, [](H a, H b, H, bool) { return std::min(a, b); }},
      {"v_pk_max_u16", 2, Kind::Integer, false, kEvery, [](H a, H b, H, bool) { return std::max(a, b); }},
      {"v_pk_min_i16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return s16(a) < s16(b) ? a : b; }},
      {"v_pk_max_i16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return s16(a) > s16(b) ? a : b; }},
      {"v_pk_lshlrev_b16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return wrap_u(int64_t{b} << (a % 16), false); }},
      {"v_pk_lshrrev_b16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return wrap_u(b >> (a % 16), false); }},
      {"v_pk_ashrrev_i16", 2, Kind::Integer, false, kEvery,
       [](H a, H b, H, bool) { return wrap_i(s16(b) >> (a % 16), false); }},
  };
  return all;
}

std::string list(std::string_view name, const bool* values, int count) {
  return count == 2 ? fmt::format(" {}:[{:d},{:d}]", name, values[0], values[1])
                    : fmt::format(" {}:[{:d},{:d},{:d}]", name, values[0], values[1], values[2]);
}

TEST(PackedMath, AgreesWithScalarReferencesUnderRandomModifiers) {
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (const Case& c : cases()) {
      if (!isa::find_target(target)->is(c.generations)) continue;
      WaveTest test(target, lanes);
      for (int round = 0; round < 12; ++round) {
        bool op_sel[3], op_sel_hi[3], neg_lo[3] = {}, neg_hi[3] = {};
        for (int i = 0; i < 3; ++i) {
          op_sel[i] = round != 0 && random() % 2 != 0;
          op_sel_hi[i] = round == 0 || random() % 2 != 0;
          if (c.kind == Kind::Float && round != 0)
            neg_lo[i] = random() % 2 != 0, neg_hi[i] = random() % 2 != 0;
        }
        const bool clamp = c.clamps && round % 3 == 1;
        std::string text = fmt::format("{} v0, v1, {}", c.mnemonic, round % 4 == 3 ? "s2" : "v2");
        if (c.sources == 3) text += ", v3";
        text += list("op_sel", op_sel, c.sources) + list("op_sel_hi", op_sel_hi, c.sources);
        if (c.kind == Kind::Float)
          text += list("neg_lo", neg_lo, c.sources) + list("neg_hi", neg_hi, c.sources);
        if (clamp) text += " clamp";
        SCOPED_TRACE(fmt::format("{} {}", target, text));
        uint32_t before[64];
        test.exec() = round % 2 == 0 ? (lanes == 64 ? ~uint64_t{0} : 0xffffffffu)
                                     : (lanes == 64 ? 0xf0f0'1234'8765'a5c3u : 0x8765a5c3u);
        test.s(2) = any_word(random);
        for (int lane = 0; lane < lanes; ++lane) {
          for (int reg = 0; reg < 4; ++reg) test.v(reg, lane) = any_word(random);
          before[lane] = test.v(0, lane);
        }
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < lanes; ++lane) {
          if ((test.exec() >> lane & 1) == 0) {
            ASSERT_EQ(test.v(0, lane), before[lane]);
            continue;
          }
          const uint32_t words[3] = {test.v(1, lane), round % 4 == 3 ? test.s(2) : test.v(2, lane),
                                     test.v(3, lane)};
          for (int half = 0; half < 2; ++half) {
            uint16_t in[3];
            for (int i = 0; i < 3; ++i) {
              const bool high = half ? op_sel_hi[i] : op_sel[i], negate = half ? neg_hi[i] : neg_lo[i];
              in[i] = static_cast<uint16_t>(static_cast<uint16_t>(high ? words[i] >> 16 : words[i]) ^
                                            (negate ? 0x8000 : 0));
            }
            const uint16_t want = c.reference(in[0], in[1], in[2], clamp);
            const auto got = static_cast<uint16_t>(test.v(0, lane) >> (16 * half));
            if (c.kind == Kind::Float && is_nan(want))
              ASSERT_TRUE(is_nan(got)) << fmt::format("lane {} half {}: {:x} {:x} {:x} gave {:x}", lane, half,
                                                      in[0], in[1], in[2], got);
            else
              ASSERT_EQ(got, want) << fmt::format("lane {} half {}: {:x} {:x} {:x} gave {:x}, not {:x}", lane,
                                                  half, in[0], in[1], in[2], got, want);
          }
        }
      }
    }
}

TEST(PackedMath, FmaIsRoundedOnce) {
  // Exponents far apart, where rounding to a float first would go wrong.
  std::mt19937 random(3);
  WaveTest test("gfx942");
  for (int round = 0; round < 200; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (int reg = 1; reg < 4; ++reg) {
        const auto exponent = static_cast<uint32_t>(random() % 30);
        test.v(reg, lane) = (exponent << 10 | (random() & 0x3ff)) |
                            static_cast<uint32_t>(random() % 31) << 26 | (random() & 0x83c08000u);
      }
    ASSERT_TRUE(test.run("v_pk_fma_f16 v0, v1, v2, v3"));
    for (int lane = 0; lane < 64; ++lane)
      for (int half = 0; half < 2; ++half) {
        const auto in = [&](int reg) { return static_cast<uint16_t>(test.v(reg, lane) >> (16 * half)); };
        const uint16_t want = narrow(wide(in(1)) * wide(in(2)) + wide(in(3)), false);
        if (!is_nan(want)) {
          ASSERT_EQ(in(0), want) << fmt::format("{:x} {:x} {:x}", in(1), in(2), in(3));
        }
      }
  }
}

TEST(PackedMath, FmacAddsToItsDestination) {
  WaveTest test("gfx1100", 32);
  for (int lane = 0; lane < 32; ++lane)
    test.v(0, lane) = 0x3c004000, test.v(1, lane) = 0x40004200, test.v(2, lane) = 0x44003c00;
  const auto done = test.run("v_pk_fmac_f16 v0, v1, v2");
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(test.v(0, 5), 0x48804500u);  // 2*4+1, 3*1+2
}

TEST(PackedMath, DppExchangesTheFirstSourcesLanes) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    const bool integers = target.starts_with("gfx9");
    const auto number = [&](uint32_t n) {
      return integers ? n : std::bit_cast<uint32_t>(static_cast<float>(n));
    };
    for (int lane = 0; lane < lanes; ++lane) {
      test.v(0, lane) = number(1000), test.v(1, lane) = number(static_cast<uint32_t>(lane)),
                test.v(2, lane) = number(3);
    }
    // Row 1's lanes keep their value; the last lane of a row has no source and keeps its own.
    const auto done = test.run(
        fmt::format("{} row_shl:1 row_mask:0xd bank_mask:0xf",
                    integers ? "v_dot4c_i32_i8_dpp v0, v1, v2" : "v_fma_mix_f32_e64_dpp v0, v1, v2, v0"));
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const bool written = lane / 16 != 1 && lane % 16 != 15;
      EXPECT_EQ(test.v(0, lane), number(written ? 1000u + 3 * (static_cast<uint32_t>(lane) + 1) : 1000u))
          << lane;
    }
    EXPECT_EQ(test.exec(), lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
  }
}

TEST(PackedMath, InlineConstantsStandInTheLowHalf) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    for (int lane = 0; lane < lanes; ++lane) test.v(1, lane) = 0x40004200;
    // A float constant of f16 has nothing above it; op_sel_hi 0 takes it for both halves.
    ASSERT_TRUE(test.run("v_pk_add_f16 v0, 1.0, v1\nv_pk_add_f16 v2, 1.0, v1 op_sel_hi:[0,1]"));
    EXPECT_EQ(test.v(0, 3), 0x40004400u);
    EXPECT_EQ(test.v(2, 3), 0x42004400u);
    // An integer is extended to 32 bits.
    ASSERT_TRUE(test.run("v_pk_add_u16 v0, -1, v1\nv_pk_add_u16 v2, 3, v1"));
    EXPECT_EQ(test.v(0, 3), 0x3fff41ffu);
    EXPECT_EQ(test.v(2, 3), 0x40004203u);
    // A float constant of a packed integer is a single-precision one.
    ASSERT_TRUE(test.run("v_pk_add_u16 v0, 1.0, v1"));
    EXPECT_EQ(test.v(0, 3), 0x7f804200u);
  }
}

TEST(PackedMath, PairsOfFloatsTakeEitherRegister) {
  constexpr unsigned kSeed = 99;
  std::mt19937 random(kSeed);
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"})
    for (const std::string_view mnemonic : {"v_pk_add_f32", "v_pk_mul_f32", "v_pk_fma_f32"})
      for (int round = 0; round < 16; ++round) {
        const int sources = mnemonic == "v_pk_fma_f32" ? 3 : 2;
        bool op_sel[3], op_sel_hi[3], neg_lo[3], neg_hi[3];
        for (int i = 0; i < 3; ++i) {
          op_sel[i] = random() % 2 != 0, op_sel_hi[i] = random() % 2 != 0;
          neg_lo[i] = random() % 2 != 0, neg_hi[i] = random() % 2 != 0;
        }
        // The destination overlaps a source, which must not matter.
        std::string text = fmt::format("{} v[2:3], v[2:3], {}", mnemonic, round % 2 ? "s[4:5]" : "v[4:5]");
        if (sources == 3) text += ", v[6:7]";
        text += list("op_sel", op_sel, sources) + list("op_sel_hi", op_sel_hi, sources) +
                list("neg_lo", neg_lo, sources) + list("neg_hi", neg_hi, sources);
        SCOPED_TRACE(fmt::format("{} {} seed {}", target, text, kSeed));
        WaveTest test(target);
        float in[3][2][64];
        const auto draw = [&] {
          return std::ldexp(static_cast<float>(random() % 100000) - 50000,
                            static_cast<int>(random() % 20) - 30);
        };
        test.s(4) = std::bit_cast<uint32_t>(draw()), test.s(5) = std::bit_cast<uint32_t>(draw());
        for (int lane = 0; lane < 64; ++lane)
          for (int i = 0; i < 3; ++i)
            for (int part = 0; part < 2; ++part) {
              in[i][part][lane] = draw();
              test.set_f(2 + 2 * i + part, lane, in[i][part][lane]);
              if (round % 2 && i == 1) in[i][part][lane] = std::bit_cast<float>(test.s(4 + part));
            }
        ASSERT_TRUE(test.run(text));
        for (int lane = 0; lane < 64; ++lane)
          for (int part = 0; part < 2; ++part) {
            float x[3];
            for (int i = 0; i < 3; ++i) {
              x[i] = in[i][part ? op_sel_hi[i] : op_sel[i]][lane];
              if (part ? neg_hi[i] : neg_lo[i]) x[i] = -x[i];
            }
            const float want = sources == 3                 ? std::fma(x[0], x[1], x[2])
                               : mnemonic == "v_pk_add_f32" ? x[0] + x[1]
                                                            : x[0] * x[1];
            ASSERT_EQ(test.f(2 + part, lane), want) << lane;
          }
      }
}

TEST(PackedMath, MovTakesOneRegisterOfEachPair) {
  WaveTest test("gfx90a");
  for (int lane = 0; lane < 64; ++lane)
    for (int reg = 2; reg < 6; ++reg) test.v(reg, lane) = static_cast<uint32_t>(100 * reg + lane);
  ASSERT_TRUE(test.run(
      "v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]\nv_pk_mov_b32 v[6:7], v[2:3], v[4:5] op_sel:[0,1]"));
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(test.v(0, lane), 300u + static_cast<uint32_t>(lane));
    EXPECT_EQ(test.v(1, lane), 400u + static_cast<uint32_t>(lane));
    EXPECT_EQ(test.v(6, lane), 200u + static_cast<uint32_t>(lane));
    EXPECT_EQ(test.v(7, lane), 500u + static_cast<uint32_t>(lane));
  }
}

}  // namespace
}  // namespace wavesmith::emulate
