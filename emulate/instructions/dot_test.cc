// Dot products and mixed multiply-adds on every target that has them, against scalar references.
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

using isa::kCdna, isa::kCdna4, isa::kEvery, isa::kRdna, isa::kRdna3, isa::kRdna4;

int64_t integer_element(uint32_t word, int width, int i, bool is_signed) {
  const int64_t value = word >> (width * i) & ((uint64_t{1} << width) - 1);
  return is_signed && value >> (width - 1) != 0 ? value - (int64_t{1} << width) : value;
}

struct IntegerDot {
  std::string_view mnemonic;
  int width;
  bool signed_a, signed_b;  ///< as neg_lo says in RDNA
  bool signed_result, accumulates, chooses_sign, clamps;
  isa::Generations generations;
};

constexpr IntegerDot kIntegerDots[] = {
    {"v_dot2_i32_i16", 16, true, true, true, false, false, true, kCdna},
    {"v_dot2_u32_u16", 16, false, false, false, false, false, true, kCdna},
    {"v_dot2c_i32_i16", 16, true, true, true, true, false, false, kCdna},
    {"v_dot4_i32_i8", 8, true, true, true, false, false, true, kCdna},
    {"v_dot4_u32_u8", 8, false, false, false, false, false, true, kEvery},
    {"v_dot4c_i32_i8", 8, true, true, true, true, false, false, kCdna},
    {"v_dot8_i32_i4", 4, true, true, true, false, false, true, kCdna},
    {"v_dot8_u32_u4", 4, false, false, false, false, false, true, kEvery},
    {"v_dot8c_i32_i4", 4, true, true, true, true, false, false, kCdna},
    {"v_dot4_i32_iu8", 8, false, false, true, false, true, true, kRdna},
    {"v_dot4_i32_iu8", 8, true, false, true, false, true, true, kRdna},
    {"v_dot4_i32_iu8", 8, false, true, true, false, true, true, kRdna},
    {"v_dot4_i32_iu8", 8, true, true, true, false, true, true, kRdna},
    {"v_dot8_i32_iu4", 4, true, false, true, false, true, true, kRdna},
    {"v_dot8_i32_iu4", 4, false, true, true, false, true, true, kRdna},
};

TEST(Dot, IntegersAreExactAndSaturateWhenClamped) {
  constexpr unsigned kSeed = 12;
  std::mt19937 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (const IntegerDot& dot : kIntegerDots)
      for (const bool clamp : {false, true}) {
        if (!isa::find_target(target)->is(dot.generations) || (clamp && !dot.clamps)) continue;
        std::string text = fmt::format("{} v0, v1, v2", dot.mnemonic);
        if (!dot.accumulates) text += ", v3";
        if (dot.chooses_sign) text += fmt::format(" neg_lo:[{:d},{:d},0]", dot.signed_a, dot.signed_b);
        if (clamp) text += " clamp";
        SCOPED_TRACE(fmt::format("{} {} seed {}", target, text, kSeed));
        WaveTest test(target, lanes);
        for (int lane = 0; lane < lanes; ++lane)
          for (int reg = 0; reg < 4; ++reg) {
            const auto draw = static_cast<uint32_t>(random());
            test.v(reg, lane) = draw % 4 == 0 ? (draw & 16 ? 0x80008000u : 0x7fffffffu) + draw % 3 : draw;
          }
        uint32_t before[64];
        for (int lane = 0; lane < lanes; ++lane) before[lane] = test.v(0, lane);
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < lanes; ++lane) {
          const uint32_t c = dot.accumulates ? before[lane] : test.v(3, lane);
          // 128 bits are not needed: eight products of 16 bits and a sum of 32 fit in 64.
          int64_t sum =
              dot.signed_result ? static_cast<int64_t>(static_cast<int32_t>(c)) : static_cast<int64_t>(c);
          for (int i = 0; i < 32 / dot.width; ++i)
            sum += integer_element(test.v(1, lane), dot.width, i, dot.signed_a) *
                   integer_element(test.v(2, lane), dot.width, i, dot.signed_b);
          if (clamp)
            sum = dot.signed_result ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                                    : std::clamp<int64_t>(sum, 0, UINT32_MAX);
          ASSERT_EQ(test.v(0, lane), static_cast<uint32_t>(sum)) << lane;
        }
      }
}

struct FloatDot {
  std::string_view mnemonic;
  int elements;
  std::function<float(uint32_t)> decode_a, decode_b;
  bool accumulates;
  isa::Generations generations;
};

TEST(Dot, FloatsAreWithinTheErrorOfTheirAdditions) {
  const auto f16 = [](uint32_t code) { return decode<kF16>(code); };
  const auto bf16 = [](uint32_t code) { return decode<kBf16>(code); };
  const auto fp8 = [](uint32_t code) { return decode<kFp8>(code); };
  const auto bf8 = [](uint32_t code) { return decode<kBf8>(code); };
  const FloatDot dots[] = {
      {"v_dot2_f32_f16", 2, f16, f16, false, kEvery},
      {"v_dot2c_f32_f16", 2, f16, f16, true, kCdna | kRdna3},
      {"v_dot2_f32_bf16", 2, bf16, bf16, false, kCdna4 | kRdna},
      {"v_dot2c_f32_bf16", 2, bf16, bf16, true, kCdna4},
      {"v_dot4_f32_fp8_fp8", 4, fp8, fp8, false, kRdna4},
      {"v_dot4_f32_fp8_bf8", 4, fp8, bf8, false, kRdna4},
      {"v_dot4_f32_bf8_fp8", 4, bf8, fp8, false, kRdna4},
      {"v_dot4_f32_bf8_bf8", 4, bf8, bf8, false, kRdna4},
  };
  constexpr unsigned kSeed = 13;
  std::mt19937 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (const FloatDot& dot : dots) {
      if (!isa::find_target(target)->is(dot.generations)) continue;
      const std::string text = fmt::format("{} v0, v1, v2{}", dot.mnemonic, dot.accumulates ? "" : ", v3");
      SCOPED_TRACE(fmt::format("{} {} seed {}", target, text, kSeed));
      WaveTest test(target, lanes);
      float before[64];
      for (int lane = 0; lane < lanes; ++lane) {
        for (int reg = 1; reg < 3; ++reg) {
          uint32_t word = static_cast<uint32_t>(random());
          if (dot.elements == 2)
            word = (word & 0x83ff83ffu) | (dot.mnemonic.ends_with("bf16") ? 0x3f803f00u : 0x38003c00u);
          if (dot.elements == 4) word &= 0xbfbfbfbfu;
          test.v(reg, lane) = word;
        }
        before[lane] = static_cast<float>(random() % 4096) / 256 - 8;
        test.set_f(dot.accumulates ? 0 : 3, lane, before[lane]);
      }
      const auto done = test.run(text);
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane) {
        double sum = static_cast<double>(before[lane]), size = std::fabs(sum);
        const int width = 32 / dot.elements;
        for (int i = 0; i < dot.elements; ++i) {
          const auto code = [&](int reg) { return test.v(reg, lane) >> (width * i) & ((1u << width) - 1); };
          const double product =
              static_cast<double>(dot.decode_a(code(1))) * static_cast<double>(dot.decode_b(code(2)));
          sum += product, size += std::fabs(product);
        }
        ASSERT_NEAR(static_cast<double>(test.f(0, lane)), sum, size * dot.elements * 0x1p-24) << lane;
      }
    }
}

TEST(Dot, HalvesAreNotClamped) {
  for (const auto [target, lanes] : all_targets())
    for (const float sign : {1.0f, -1.0f}) {
      SCOPED_TRACE(fmt::format("{} {}", target, sign));
      WaveTest test(target, lanes);
      for (int lane = 0; lane < lanes; ++lane) {
        test.v(1, lane) = encode<kF16>(1.0f) | encode<kF16>(3.0f) << 16,
                  test.v(2, lane) = encode<kF16>(3.0f * sign) | encode<kF16>(3.0f * sign) << 16;
        test.set_f(3, lane, 2.0f * sign);
      }
      const auto done = test.run("v_dot2_f32_f16 v0, v1, v2, v3 clamp");
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane) ASSERT_EQ(test.f(0, lane), 14.0f * sign) << lane;
    }
}

TEST(Dot, IsHalfOfADualInstruction) {
  for (const std::string_view target : {"gfx1100", "gfx1201"}) {
    SCOPED_TRACE(target);
    WaveTest test(target, 32);
    for (int lane = 0; lane < 32; ++lane) {
      test.set_f(0, lane, static_cast<float>(lane)), test.set_f(5, lane, 1.0f);
      test.v(1, lane) = encode<kF16>(2.0f) | encode<kF16>(3.0f) << 16,
                test.v(2, lane) = encode<kF16>(4.0f) | encode<kF16>(-1.0f) << 16;
      test.v(7, lane) = encode<kBf16>(2.0f) | encode<kBf16>(3.0f) << 16,
                test.v(9, lane) = encode<kBf16>(5.0f) | encode<kBf16>(-1.0f) << 16;
    }
    const auto done = test.run(
        "v_dual_dot2acc_f32_f16 v0, v1, v2 :: v_dual_mov_b32 v3, v0\n"
        "v_dual_mov_b32 v4, v8 :: v_dual_dot2acc_f32_bf16 v5, v7, v9");
    EXPECT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.f(0, 9), 14.0f);
    EXPECT_EQ(test.f(3, 9), 9.0f);
    EXPECT_EQ(test.f(5, 9), 8.0f);
  }
}

TEST(Dot, HalvesOfAHalfResultAreChosen) {
  for (const std::string_view target : {"gfx1100", "gfx1201"}) {
    WaveTest test(target, 32);
    for (int lane = 0; lane < 32; ++lane) {
      test.v(0, lane) = 0xaaaabbbb;
      test.v(1, lane) = encode<kF16>(2.0f) | encode<kF16>(3.0f) << 16,
                test.v(2, lane) = encode<kF16>(4.0f) | encode<kF16>(-1.0f) << 16;
      test.v(3, lane) = encode<kF16>(100.0f) | encode<kF16>(0.5f) << 16;
      test.v(5, lane) = encode<kBf16>(2.0f) | encode<kBf16>(3.0f) << 16,
                test.v(6, lane) = encode<kBf16>(4.0f) | encode<kBf16>(-1.0f) << 16;
      test.v(7, lane) = encode<kBf16>(100.0f) | encode<kBf16>(0.5f) << 16;
      test.v(4, lane) = 0xaaaabbbb;
    }
    const auto done =
        test.run("v_dot2_f16_f16 v0, v1, v2, v3 op_sel:[0,0,1,1]\nv_dot2_bf16_bf16 v4, v5, v6, v7");
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(test.v(0, 9), 0xbbbbu | encode<kF16>(5.5f) << 16);
    EXPECT_EQ(test.v(4, 9), 0xaaaa0000u | encode<kBf16>(105.0f));
  }
}

// |x| and -x of a pair are those of both halves; of the addend, of the half that it is. Compilers write both,
// and constants as the addend. Small integers, so that sums are exact.
TEST(Dot, AHalfAddendHasSignsAndMayBeAConstant) {
  constexpr unsigned kSeed = 23;
  std::mt19937 random(kSeed);
  const auto integer = [&] { return static_cast<float>(static_cast<int>(random() % 15) - 7); };
  constexpr float kConstants[] = {0.5f, 1.0f, -2.0f, 4.0f};
  for (const std::string_view target : {"gfx1100", "gfx1201"})
    for (const bool bf16 : {false, true})
      for (int round = 0; round < 60; ++round) {
        const auto code = [&](float value) { return bf16 ? encode<kBf16>(value) : encode<kF16>(value); };
        bool negate[3], absolute[3];
        for (int i = 0; i < 3; ++i) negate[i] = random() % 2 != 0, absolute[i] = random() % 2 != 0;
        const bool constant = random() % 3 == 0, high = !constant && random() % 2 != 0;
        const float given = kConstants[random() % 4];
        const auto written = [&](int i, std::string name) {
          if (absolute[i]) name = fmt::format("|{}|", name);
          return negate[i] ? fmt::format("neg({})", name) : name;
        };
        const std::string text = fmt::format("v_dot2_{0}_{0} v0.l, {1}, {2}, {3}{4}", bf16 ? "bf16" : "f16",
                                             written(0, "v1"), written(1, "v2"),
                                             written(2, constant ? fmt::format("{:.1f}", given)
                                                        : high   ? "v3.h"
                                                                 : "v3.l"),
                                             high ? " op_sel:[0,0,1,0]" : "");
        SCOPED_TRACE(fmt::format("{} seed {} round {}: {}", target, kSeed, round, text));
        WaveTest test(target, 32);
        float expected[32];
        for (int lane = 0; lane < 32; ++lane) {
          float value[3][2];
          for (int i = 0; i < 3; ++i) {
            for (float& half : value[i]) half = integer();
            test.v(1 + i, lane) = code(value[i][0]) | code(value[i][1]) << 16;
            if (i == 2 && constant) value[i][0] = given;
            for (float& half : value[i]) {
              if (absolute[i]) half = std::fabs(half);
              if (negate[i]) half = -half;
            }
          }
          expected[lane] = value[2][high] + value[0][0] * value[1][0] + value[0][1] * value[1][1];
        }
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < 32; ++lane) {
          const uint32_t result = test.v(0, lane) & 0xffff;
          const float sum = bf16 ? decode<kBf16>(result) : decode<kF16>(result);
          ASSERT_EQ(sum, expected[lane]) << lane;
        }
      }
}

TEST(FmaMix, TakesFloatsAndEitherHalf) {
  constexpr unsigned kSeed = 14;
  std::mt19937 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (const std::string_view mnemonic : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"})
      for (int round = 0; round < 24; ++round) {
        bool half[3], high[3], negate[3], absolute[3];
        std::string text = fmt::format("{} v0", mnemonic);
        for (int i = 0; i < 3; ++i) {
          half[i] = random() % 2 != 0, high[i] = half[i] && random() % 2 != 0;
          negate[i] = random() % 3 == 0, absolute[i] = random() % 3 == 0;
          text += fmt::format(", {0}{1}v{2}{1}", negate[i] ? "-" : "", absolute[i] ? "|" : "", i + 1);
        }
        const bool clamp = round % 5 == 4;
        text += fmt::format(" op_sel:[{:d},{:d},{:d}] op_sel_hi:[{:d},{:d},{:d}]{}", high[0], high[1],
                            high[2], half[0], half[1], half[2], clamp ? " clamp" : "");
        SCOPED_TRACE(fmt::format("{} {} seed {}", target, text, kSeed));
        WaveTest test(target, lanes);
        for (int lane = 0; lane < lanes; ++lane) {
          test.v(0, lane) = 0x12345678;
          // Either reading gives a number of reasonable size.
          for (int reg = 1; reg < 4; ++reg)
            test.v(reg, lane) = (static_cast<uint32_t>(random()) & 0x83ff83ffu) | 0x3c003c00u;
        }
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < lanes; ++lane) {
          float x[3];
          for (int i = 0; i < 3; ++i) {
            const uint32_t word = test.v(i + 1, lane);
            x[i] = half[i] ? decode<kF16>(high[i] ? word >> 16 : word & 0xffff) : std::bit_cast<float>(word);
            if (absolute[i]) x[i] = std::fabs(x[i]);
            if (negate[i]) x[i] = -x[i];
          }
          float want = std::fma(x[0], x[1], x[2]);
          if (clamp) want = std::clamp(want, 0.0f, 1.0f);
          const uint32_t low = encode<kF16>(want);
          const uint32_t word = mnemonic == "v_fma_mix_f32"     ? std::bit_cast<uint32_t>(want)
                                : mnemonic == "v_fma_mixlo_f16" ? 0x12340000u | low
                                                                : 0x5678u | low << 16;
          ASSERT_EQ(test.v(0, lane), word) << lane;
        }
      }
}

TEST(FmaMix, InlineConstantsAreOfTheTypeThatIsRead) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    for (int lane = 0; lane < lanes; ++lane) test.v(1, lane) = encode<kF16>(3.0f), test.set_f(2, lane, 10.0f);
    ASSERT_TRUE(test.run(
        "v_fma_mix_f32 v0, v1, 2.0, v2 op_sel_hi:[1,0,0]\nv_fma_mix_f32 v3, v1, 2.0, v2 op_sel_hi:[1,1,0]"));
    EXPECT_EQ(test.f(0, 7), 16.0f);
    EXPECT_EQ(test.f(3, 7), 16.0f);
  }
}

}  // namespace
}  // namespace wavesmith::emulate
