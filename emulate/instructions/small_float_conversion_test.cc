// Conversions of small floats in assembly text, against the scalar conversions of base/small_float.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "base/small_float.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
float real(uint32_t word) { return std::bit_cast<float>(word); }

/// Floats of the size that a small format holds, and now and then anything.
uint32_t any_float(std::mt19937& random) {
  const auto draw = static_cast<uint32_t>(random());
  if (draw % 16 == 0) return static_cast<uint32_t>(random());
  if (draw % 16 == 1) return draw & 0x100 ? 0x7f800000u : 0x80000000u;
  return (static_cast<uint32_t>(random()) & 0x807fffffu) | (107 + draw / 16 % 38) << 23;
}

/// Equal, or both NaN.
void expect_float(uint32_t got, float want, const std::string& what) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(real(got))) << what;
  else
    EXPECT_EQ(got, bits(want)) << what;
}

template <FloatFormat F>
void check_decoding(std::string_view target, std::string_view format) {
  const int lanes = target.starts_with("gfx12") ? 32 : 64;
  WaveTest test(target, lanes);
  for (uint32_t base = 0; base < 256; base += static_cast<uint32_t>(lanes)) {
    for (int lane = 0; lane < lanes; ++lane) {
      const uint32_t code = base + static_cast<uint32_t>(lane);
      test.v(1, lane) = code | (code ^ 0x55) << 8 | (code ^ 0xaa) << 16 | (255 - code) << 24;
    }
    std::string text = fmt::format("v_cvt_f32_{0} v2, v1\n", format);
    for (int byte = 1; byte < 4; ++byte)
      text += lanes == 32
                  ? fmt::format("v_cvt_f32_{} v{}, v1 byte_sel:{}\n", format, 2 + byte, byte)
                  : fmt::format("v_cvt_f32_{}_sdwa v{}, v1 src0_sel:BYTE_{}\n", format, 2 + byte, byte);
    text += fmt::format("v_cvt_pk_f32_{0} v[6:7], v1\n", format);
    text += lanes == 32 ? fmt::format("v_cvt_pk_f32_{}_e64 v[8:9], v1 op_sel:[1,0]", format)
                        : fmt::format("v_cvt_pk_f32_{}_sdwa v[8:9], v1 src0_sel:WORD_1", format);
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text() << text;
    for (int lane = 0; lane < lanes; ++lane)
      for (int byte = 0; byte < 4; ++byte) {
        const float want = decode<F>(test.v(1, lane) >> (8 * byte) & 0xff);
        expect_float(test.v(2 + byte, lane), want,
                     fmt::format("{} byte {} of {:x}", target, byte, test.v(1, lane)));
        expect_float(test.v(6 + byte, lane), want,
                     fmt::format("{} pair byte {} of {:x}", target, byte, test.v(1, lane)));
      }
  }
}

template <FloatFormat F>
void check_encoding(std::string_view target, std::string_view format) {
  constexpr unsigned kSeed = 8;
  SCOPED_TRACE(fmt::format("{} {} seed {}", target, format, kSeed));
  const int lanes = target.starts_with("gfx12") ? 32 : 64;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 40; ++round) {
    WaveTest test(target, lanes);
    const Overflow overflow = round % 2 ? Overflow::Saturate : Overflow::Special;
    if (round % 2) test.wave().s[scalar_index::kMode] |= 1u << 23;  // FP16_OVFL
    for (int lane = 0; lane < lanes; ++lane) {
      for (int reg = 1; reg < 4; ++reg)
        test.v(reg, lane) = reg == 3 ? static_cast<uint32_t>(random()) : any_float(random);
      for (int reg = 4; reg < 10; ++reg) test.v(reg, lane) = 0x11223344;
    }
    std::string text =
        fmt::format("v_cvt_pk_{0}_f32 v4, v1, -v2\nv_cvt_pk_{0}_f32 v5, v1, |v2| op_sel:[0,0,1]\n", format);
    for (int byte = 0; byte < 4; ++byte)
      text += lanes == 32 ? fmt::format("v_cvt_sr_{}_f32 v{}, v1, v3 byte_sel:{}\n", format, 6 + byte, byte)
                          : fmt::format("v_cvt_sr_{}_f32 v{}, v1, v3 op_sel:[0,0,{},{}]\n", format, 6 + byte,
                                        byte & 1, byte >> 1);
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text() << text;
    for (int lane = 0; lane < lanes; ++lane) {
      const float a = real(test.v(1, lane)), b = real(test.v(2, lane));
      const auto code = [&](float x) { return encode<F>(x, Rounding::NearestEven, overflow); };
      EXPECT_EQ(test.v(4, lane), 0x11220000u | code(a) | code(-b) << 8) << a << " " << b;
      EXPECT_EQ(test.v(5, lane), 0x3344u | code(a) << 16 | code(std::fabs(b)) << 24) << a << " " << b;
      const uint32_t rounded = encode<F>(a, Rounding::Stochastic, overflow, test.v(3, lane));
      for (int byte = 0; byte < 4; ++byte)
        EXPECT_EQ(test.v(6 + byte, lane), (0x11223344u & ~(0xffu << (8 * byte))) | rounded << (8 * byte))
            << a;
    }
  }
}

TEST(SmallFloatConversion, EightBitsToFloats) {
  check_decoding<kFp8Fnuz>("gfx942", "fp8"), check_decoding<kBf8Fnuz>("gfx942", "bf8");
  for (const std::string_view target : {"gfx950", "gfx1201"})
    check_decoding<kFp8>(target, "fp8"), check_decoding<kBf8>(target, "bf8");
}

TEST(SmallFloatConversion, FloatsToEightBits) {
  check_encoding<kFp8Fnuz>("gfx942", "fp8"), check_encoding<kBf8Fnuz>("gfx942", "bf8");
  for (const std::string_view target : {"gfx950", "gfx1201"})
    check_encoding<kFp8>(target, "fp8"), check_encoding<kBf8>(target, "bf8");
}

// Numbers that the 8-bit formats have, so that the random bits say nothing: a constant is a 16-bit float, and
// |x| and -x are applied to the half that is read.
TEST(SmallFloatConversion, StochasticSourcesOf16BitsHaveSignsAndMayBeConstants) {
  constexpr unsigned kSeed = 31;
  std::mt19937 random(kSeed);
  struct Source {
    std::string_view text;
    float value;
  };
  constexpr Source kSources[] = {{"0.5", 0.5f},  {"-2.0", -2.0f},  {"4.0", 4.0f}, {"-v1", -1.5f},
                                 {"|v3|", 3.5f}, {"-|v3|", -3.5f}, {"v1", 1.5f},  {"v3", -3.5f}};
  for (const bool bf16 : {false, true})
    for (const bool bf8 : {false, true})
      for (const Source& source : kSources) {
        WaveTest test("gfx950");
        const auto code = [&](float value) { return bf16 ? encode<kBf16>(value) : encode<kF16>(value); };
        for (int lane = 0; lane < 64; ++lane) {
          test.v(0, lane) = 0xaabbccdd;
          test.v(1, lane) = code(1.5f) | code(-100.0f) << 16, test.v(3, lane) = code(-3.5f) | code(9.0f)
                                                                                                  << 16;
          test.v(2, lane) = static_cast<uint32_t>(random());
        }
        const std::string text = fmt::format("v_cvt_scalef32_sr_{}_{} v0, {}, v2, 1.0", bf8 ? "bf8" : "fp8",
                                             bf16 ? "bf16" : "f16", source.text);
        SCOPED_TRACE(fmt::format("seed {}: {}", kSeed, text));
        const auto done = test.run(text);
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < 64; ++lane) {
          const uint32_t byte = test.v(0, lane) & 0xff;
          ASSERT_EQ(bf8 ? decode<kBf8>(byte) : decode<kFp8>(byte), source.value) << lane;
          ASSERT_EQ(test.v(0, lane) >> 8, 0xaabbccu) << lane;
        }
      }
}

// |x| and -x of a pair of registers are those of both. The numbers are fp4's, so that the random bits say
// nothing.
TEST(SmallFloatConversion, APairOfFloatsHasSigns) {
  for (const std::string_view sign : {"{}", "-{}", "|{}|", "-|{}|"}) {
    WaveTest test("gfx950");
    for (int lane = 0; lane < 64; ++lane) {
      test.set_f(2, lane, 3.0f), test.set_f(3, lane, lane % 2 != 0 ? -6.0f : 0.5f);
      test.v(4, lane) = static_cast<uint32_t>(lane) * 0x9e3779b9u;
    }
    const std::string text = fmt::format("v_cvt_scalef32_sr_pk_fp4_f32 v0, {}, v4, 1.0",
                                         fmt::format(fmt::runtime(sign), "v[2:3]"));
    SCOPED_TRACE(text);
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text();
    const bool negative = sign.starts_with("-"), absolute = sign.find('|') != std::string_view::npos;
    for (int lane = 0; lane < 64; ++lane) {
      const float second = test.f(3, lane), magnitude = std::fabs(second);
      const float low = negative ? -3.0f : 3.0f,
                  high = (negative ? -1.0f : 1.0f) * (absolute ? magnitude : second);
      ASSERT_EQ(decode<kFp4>(test.v(0, lane) & 15), low) << lane;
      ASSERT_EQ(decode<kFp4>(test.v(0, lane) >> 4 & 15), high) << lane;
    }
  }
}

TEST(SmallFloatConversion, Bf16AndTheRandomGenerator) {
  std::mt19937 random(9);
  WaveTest test("gfx950");
  for (int lane = 0; lane < 64; ++lane) {
    for (int reg = 1; reg < 4; ++reg)
      test.v(reg, lane) = reg == 3 ? static_cast<uint32_t>(random()) : any_float(random);
    test.v(5, lane) = test.v(6, lane) = test.v(7, lane) = 0x11223344;
  }
  const auto done = test.run(R"(
    v_cvt_pk_bf16_f32 v4, v1, v2
    v_cvt_sr_bf16_f32 v5, v1, v3 op_sel:[0,0,1]
    v_cvt_sr_f16_f32 v6, v1, v3
    v_prng_b32 v7, v3
    v_cvt_f32_bf16 v8, v3
  )");
  ASSERT_TRUE(done) << done.error().text();
  for (int lane = 0; lane < 64; ++lane) {
    const float a = real(test.v(1, lane)), b = real(test.v(2, lane));
    const uint32_t noise = test.v(3, lane);
    EXPECT_EQ(test.v(4, lane), encode<kBf16>(a) | encode<kBf16>(b) << 16);
    EXPECT_EQ(test.v(5, lane), 0x3344u | encode<kBf16>(a, Rounding::Stochastic, Overflow::Special, noise)
                                             << 16);
    EXPECT_EQ(test.v(6, lane), 0x11220000u | encode<kF16>(a, Rounding::Stochastic, Overflow::Special, noise));
    EXPECT_EQ(test.v(7, lane), noise << 1 ^ (noise >> 31) * 197);
    expect_float(test.v(8, lane), real(noise << 16), "bf16");
  }
}

// CDNA4's scaled conversions. The scale's exponent counts; its sign and fraction do not.

float power_of(uint32_t scale) { return decode_e8m0(scale >> 23); }

/// The quotient as a float that is finite when the number is.
float quotient(float value, uint32_t scale) {
  const double exact = static_cast<double>(value) / static_cast<double>(power_of(scale));
  if (std::isfinite(value) && std::fabs(exact) > 3.4e38)
    return std::copysign(3.4028234e38f, static_cast<float>(exact));
  return static_cast<float>(exact);
}

float wide_element(std::string_view type, WaveTest& test, int reg, int lane, int i) {
  if (type == "f32") return real(test.v(reg + i, lane));
  const uint32_t code = test.v(reg + i / 2, lane) >> (16 * (i % 2)) & 0xffff;
  return type == "f16" ? decode<kF16>(code) : decode<kBf16>(code);
}

class Scaled : public testing::Test {
 protected:
  static constexpr int kScale = 100, kNoise = 101, kFrom = 0;
  std::mt19937 random{77};
  WaveTest test{"gfx950"};

  void fill(std::string_view type) {
    for (int lane = 0; lane < 64; ++lane) {
      for (int reg = 0; reg < 32; ++reg) {
        uint32_t word = any_float(random);
        if (type == "f16") word = encode<kF16>(real(word)) | encode<kF16>(real(any_float(random))) << 16;
        if (type == "bf16") word = (word >> 16) | (any_float(random) & 0xffff0000u);
        if (type == "code") word = static_cast<uint32_t>(random());
        test.v(kFrom + reg, lane) = word;
      }
      for (int reg = 40; reg < 80; ++reg) test.v(reg, lane) = 0x55667788;
      test.v(kScale, lane) =
          (117 + static_cast<uint32_t>(random() % 20)) << 23 | static_cast<uint32_t>(random() & 0x807fffff);
      test.v(kNoise, lane) = static_cast<uint32_t>(random());
    }
  }
  void run(const std::string& text) {
    const auto done = test.run(text);
    ASSERT_TRUE(done) << text << done.error().text();
  }

  template <FloatFormat F>
  void eight_bits(std::string_view name) {
    for (const std::string_view type : {"f32", "f16", "bf16"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, type));
      const bool pairs = type == "f32";
      fill(type);
      run(
          fmt::format("v_cvt_scalef32_pk_{0}_{1} v40, {2}, v100 op_sel:[0,0{3},1]\n"
                      "v_cvt_scalef32_sr_{0}_{1} v41, v0, v101, v100 op_sel:[{4},0,0,1]",
                      name, type, pairs ? "v0, v1" : "v0", pairs ? ",0" : "", pairs ? 0 : 1));
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t scale = test.v(kScale, lane);
        const auto x = [&](int i) { return quotient(wide_element(type, test, 0, lane, i), scale); };
        EXPECT_EQ(test.v(40, lane), 0x7788u | encode<F>(x(0)) << 16 | encode<F>(x(1)) << 24) << lane;
        EXPECT_EQ(
            test.v(41, lane),
            0x55007788u |
                encode<F>(x(pairs ? 0 : 1), Rounding::Stochastic, Overflow::Special, test.v(kNoise, lane))
                    << 16)
            << lane;
      }
      fill("code");
      run(fmt::format("v_cvt_scalef32_pk_{}_{} {}, v0, v100 op_sel:[1,0,0]", type, name,
                      pairs ? "v[40:41]" : "v40"));
      for (int lane = 0; lane < 64; ++lane) {
        const float scale = power_of(test.v(kScale, lane));
        for (int i = 0; i < 2; ++i) {
          const float want = decode<F>(test.v(0, lane) >> (16 + 8 * i) & 0xff) * scale;
          if (pairs)
            expect_float(test.v(40 + i, lane), want, "pair");
          else
            expect_float(
                bits(wide_element(type, test, 40, lane, i)),
                type == "f16" ? decode<kF16>(encode<kF16>(want)) : decode<kBf16>(encode<kBf16>(want)),
                "pair");
        }
      }
    }
    fill("code");
    run(
        fmt::format("v_cvt_scalef32_f32_{0} v40, v0, v100 op_sel:[1,1,0]\nv_cvt_scalef32_f16_{0} v41, v0, "
                    "v100 op_sel:[0,1,1]",
                    name));
    for (int lane = 0; lane < 64; ++lane) {
      const float scale = power_of(test.v(kScale, lane));
      expect_float(test.v(40, lane), decode<F>(test.v(0, lane) >> 24) * scale, "one");
      EXPECT_EQ(test.v(41, lane) & 0xffff, 0x7788u);
      expect_float(bits(decode<kF16>(test.v(41, lane) >> 16)),
                   decode<kF16>(encode<kF16>(decode<F>(test.v(0, lane) >> 16 & 0xff) * scale)), "one half");
    }
  }

  uint32_t six(int reg, int lane, int i) {
    uint32_t code = 0;
    for (int bit = 0; bit < 6; ++bit) {
      const int at = 6 * i + bit;
      code |= (test.v(reg + at / 32, lane) >> (at % 32) & 1) << bit;
    }
    return code;
  }

  template <FloatFormat F>
  void six_bits(std::string_view name) {
    for (const std::string_view type : {"f32", "f16", "bf16"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, type));
      fill(type);
      const std::string_view array = type == "f32" ? "v[0:31]" : "v[0:15]";
      run(type == "f32" ? fmt::format("v_cvt_scalef32_2xpk16_{}_f32 v[40:45], v[0:15], v[16:31], v100", name)
                        : fmt::format("v_cvt_scalef32_pk32_{}_{} v[40:45], v[0:15], v100", name, type));
      run(fmt::format("v_cvt_scalef32_sr_pk32_{}_{} v[50:55], {}, v101, v100", name, type, array));
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t scale = test.v(kScale, lane);
        uint32_t noise = test.v(kNoise, lane);
        for (int i = 0; i < 32; ++i) {
          const int from = type == "f32" ? i / 2 + (i % 2) * 16 : i;
          ASSERT_EQ(six(40, lane, i), encode<F>(quotient(wide_element(type, test, 0, lane, from), scale)))
              << lane << " " << i;
          ASSERT_EQ(six(50, lane, i), encode<F>(quotient(wide_element(type, test, 0, lane, i), scale),
                                                Rounding::Stochastic, Overflow::Special, noise));
          noise = noise << 1 ^ (noise >> 31) * 197;
        }
      }
      fill("code");
      run(fmt::format("v_cvt_scalef32_pk32_{}_{} {}, v[0:5], v100", type, name,
                      type == "f32" ? "v[40:71]" : "v[40:55]"));
      for (int lane = 0; lane < 64; ++lane)
        for (int i = 0; i < 32; ++i) {
          const float want = decode<F>(six(0, lane, i)) * power_of(test.v(kScale, lane));
          ASSERT_EQ(wide_element(type, test, 40, lane, i),
                    type == "f16" ? decode<kF16>(encode<kF16>(want)) : want)
              << lane << " " << i;
        }
    }
  }
};

TEST_F(Scaled, Fp8) { eight_bits<kFp8>("fp8"); }
TEST_F(Scaled, Bf8) { eight_bits<kBf8>("bf8"); }
TEST_F(Scaled, Fp6) { six_bits<kFp6>("fp6"); }
TEST_F(Scaled, Bf6) { six_bits<kBf6>("bf6"); }

TEST_F(Scaled, Fp4) {
  for (const std::string_view type : {"f32", "f16", "bf16"}) {
    SCOPED_TRACE(type);
    const bool pairs = type == "f32";
    fill(type);
    run(
        fmt::format("v_cvt_scalef32_pk_fp4_{0} v40, {1}, v100 op_sel:[0,0,1,0]\n"
                    "v_cvt_scalef32_sr_pk_fp4_{0} v41, {2}, v101, v100 op_sel:[0,0,1,1]",
                    type, pairs ? "v0, v1" : "v0", pairs ? "v[0:1]" : "v0"));
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t scale = test.v(kScale, lane), noise = test.v(kNoise, lane),
                     next = noise << 1 ^ (noise >> 31) * 197;
      const auto x = [&](int i) { return quotient(wide_element(type, test, 0, lane, i), scale); };
      const auto rounded = [&](int i, uint32_t r) {
        return encode<kFp4>(x(i), Rounding::Stochastic, Overflow::Special, r);
      };
      EXPECT_EQ(test.v(40, lane), 0x55660088u | encode<kFp4>(x(0)) << 8 | encode<kFp4>(x(1)) << 12) << lane;
      EXPECT_EQ(test.v(41, lane), 0x667788u | rounded(0, noise) << 24 | rounded(1, next) << 28) << lane;
    }
    fill("code");
    run(fmt::format("v_cvt_scalef32_pk_{}_fp4 {}, v0, v100 op_sel:[1,1,0]", type,
                    pairs ? "v[40:41]" : "v40"));
    for (int lane = 0; lane < 64; ++lane)
      for (int i = 0; i < 2; ++i)
        EXPECT_EQ(wide_element(type, test, 40, lane, i),
                  decode<kFp4>(test.v(0, lane) >> (24 + 4 * i) & 15) * power_of(test.v(kScale, lane)));
  }
}

TEST(Moves, AccumulationRegistersAndPairs) {
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950"}) {
    WaveTest test(target);
    test.exec() = 0xff;
    for (int lane = 0; lane < 64; ++lane)
      test.v(1, lane) = static_cast<uint32_t>(lane) + 7, test.v(10, lane) = static_cast<uint32_t>(lane) + 7,
                test.v(11, lane) = 5;
    const auto done = test.run(
        "v_accvgpr_write_b32 a3, v1\nv_accvgpr_mov_b32 a4, a3\nv_accvgpr_read_b32 v3, "
        "a4\nv_accvgpr_write_b32 a5, 1.0");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(test.v(3, lane), lane < 8 ? static_cast<uint32_t>(lane) + 7 : 0);
      EXPECT_EQ(test.a(5, lane), lane < 8 ? 0x3f800000u : 0);
    }
    if (target == "gfx90a") continue;
    ASSERT_TRUE(test.run("v_mov_b64 v[6:7], v[10:11]\nv_mov_b64 v[8:9], -2"));
    EXPECT_EQ(test.v64(6, 3), 0x50000000aull);
    EXPECT_EQ(test.v64(8, 3), ~uint64_t{1});
  }
}

}  // namespace
}  // namespace wavesmith::emulate
