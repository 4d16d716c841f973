// f16 under MODE: rounding, denormals of sources and results, and signaling NaNs, against conversions written
// out on encodings.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"
#include "isa/target.h"

namespace wavesmith::emulate {
namespace {

double value_of(uint32_t code) {
  const int exponent = static_cast<int>(code >> 10 & 31), mantissa = static_cast<int>(code & 0x3ff);
  const double sign = (code & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

/// The f16 that `exact` rounds to: MODE numbers nearest even, up, down, toward zero. Among neighbours on the
/// grid.
uint32_t rounded(long double exact, int rounding) {
  if (std::isnan(exact)) return 0x7e00;
  const uint32_t sign = std::signbit(exact) ? 0x8000 : 0;
  const long double magnitude = std::fabs(exact);
  if (std::isinf(exact)) return sign | 0x7c00;
  uint32_t below = 0;  // the largest finite code that is not above the magnitude
  for (uint32_t bit = 0x4000; bit != 0; bit >>= 1)
    if ((below | bit) < 0x7c00 && static_cast<long double>(value_of(below | bit)) <= magnitude) below |= bit;
  const long double low = value_of(below),
                    high = below == 0x7bff ? 65536.0L : static_cast<long double>(value_of(below + 1));
  if (low == magnitude) return sign | below;
  const bool away = rounding == 1                         ? sign == 0
                    : rounding == 2                       ? sign != 0
                    : rounding == 3                       ? false
                    : magnitude - low != high - magnitude ? magnitude - low > high - magnitude
                                                          : (below & 1) != 0;
  return sign | (away ? below + 1 : below);
}
uint32_t flush(uint32_t code) { return (code & 0x7c00) == 0 ? code & 0x8000 : code; }
bool is_nan(uint32_t code) { return (code & 0x7fff) > 0x7c00; }

uint32_t random_half(std::mt19937_64& random) {
  static constexpr uint32_t kSpecial[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400, 0x8400,
                                          0x3c00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd01};
  const auto any = static_cast<uint32_t>(random());
  switch (any >> 16 & 3) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return any & 0x87ff;  // denormals, and small normal numbers
    case 2:
      return (any & 0x83ff) | 0x3800 | (any >> 18 & 0x400);
    default:
      return any & 0xffff;
  }
}

struct Operation {
  const char* text;  ///< destination v0, sources v1, v2, v3
  std::function<long double(long double, long double, long double)> exact;
  bool packed = false, reads_destination = false;
  isa::Generations generations = isa::kEvery;
};

const Operation kOperations[] = {
    {"v_add_f16 v0, v1%, v2%", [](auto a, auto b, auto) { return a + b; }},
    {"v_sub_f16 v0, v1%, v2%", [](auto a, auto b, auto) { return a - b; }},
    {"v_mul_f16 v0, v1%, v2%", [](auto a, auto b, auto) { return a * b; }},
    {"v_fma_f16 v0, v1%, v2%, v3%", [](auto a, auto b, auto c) { return a * b + c; }},
    {"v_fmac_f16 v0, v1%, v2%", [](auto a, auto b, auto d) { return a * b + d; }, false, true, isa::kRdna},
    {"v_pk_add_f16 v0, v1, v2", [](auto a, auto b, auto) { return a + b; }, true},
    {"v_pk_mul_f16 v0, v1, v2", [](auto a, auto b, auto) { return a * b; }, true},
    {"v_pk_fma_f16 v0, v1, v2, v3", [](auto a, auto b, auto c) { return a * b + c; }, true},
    {"v_pk_fmac_f16 v0, v1, v2", [](auto a, auto b, auto d) { return a * b + d; }, true, true, isa::kRdna},
};

std::string with_halves(std::string text, const isa::Target& target) {
  // Halves of registers are printed where 16-bit registers exist.
  const bool named = target.is(isa::kRdna);
  for (size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, named ? ".l" : "");
  if (named)
    if (const size_t at = text.find("v0,"); at != std::string::npos && text.find(".l") != std::string::npos)
      text.replace(at, 3, "v0.l,");
  return text;
}

TEST(ModeHalf, RoundsAndFlushesAsModeSays) {
  std::mt19937_64 random(31);
  for (const auto [name, lanes] : all_targets()) {
    const isa::Target& target = *isa::find_target(name);
    for (const Operation& operation : kOperations) {
      if (!target.is(operation.generations)) continue;
      for (uint32_t fields = 0; fields < 16; ++fields) {
        const int rounding = static_cast<int>(fields & 3);
        const bool keeps_sources = (fields & 4) != 0, keeps_results = (fields & 8) != 0;
        SCOPED_TRACE(std::string(name) + " " + operation.text + " " + std::to_string(fields));
        WaveTest test(name, lanes);
        // The fields of f32 differ from those of f16.
        test.s(scalar_index::kMode) = static_cast<uint32_t>(rounding << 2 | (rounding ^ 1)) |
                                      (fields >> 2) << 6 | (~fields >> 2 & 3) << 4;
        uint32_t before[4][64];
        for (int r = 0; r < 4; ++r)
          for (int lane = 0; lane < lanes; ++lane)
            test.v(r, lane) = before[r][lane] = random_half(random) | random_half(random) << 16;
        const auto done = test.run(with_halves(operation.text, target));
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < lanes; ++lane)
          for (int half = 0; half < (operation.packed ? 2 : 1); ++half) {
            const auto source = [&](int r) {
              const uint32_t code = before[r][lane] >> (16 * half) & 0xffff;
              return keeps_sources ? code : flush(code);
            };
            const uint32_t a = source(1), b = source(2), c = source(operation.reads_destination ? 0 : 3);
            long double exact = operation.exact(value_of(a), value_of(b), value_of(c));
            // A sum of opposite numbers is -0 when rounding down.
            const uint32_t got = test.v(0, lane) >> (16 * half) & 0xffff;
            uint32_t expected = rounded(exact, rounding);
            if (!keeps_results) expected = flush(expected);
            if (is_nan(expected))
              ASSERT_TRUE(is_nan(got)) << std::hex << a << ' ' << b << ' ' << c << ": " << got;
            else if (exact == 0)
              ASSERT_EQ(got & 0x7fff, 0u) << std::hex << a << ' ' << b << ' ' << c;
            else
              ASSERT_EQ(got, expected) << std::hex << a << ' ' << b << ' ' << c;
          }
      }
    }
  }
}

TEST(ModeHalf, ConversionsUseTheFieldsOfTheirTypes) {
  std::mt19937_64 random(32);
  for (const auto [name, lanes] : all_targets()) {
    const isa::Target& target = *isa::find_target(name);
    for (uint32_t fields = 0; fields < 16; ++fields) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(fields));
      const int rounding = static_cast<int>(fields & 3);
      const bool keeps_sources = (fields & 4) != 0, keeps_results = (fields & 8) != 0;
      WaveTest test(name, lanes);
      test.s(scalar_index::kMode) = static_cast<uint32_t>(rounding << 2) | (fields >> 2) << 6 | 0x33;
      float single[64];
      uint32_t half[64];
      for (int lane = 0; lane < lanes; ++lane) {
        single[lane] =
            std::ldexp(static_cast<float>(random() % 100000) - 50000, static_cast<int>(random() % 40) - 38);
        half[lane] = random_half(random);
        test.set_f(1, lane, single[lane]), test.v(2, lane) = half[lane];
      }
      // v4: of a mixed multiply-add of f32 whose result is f16; its first source is 1.
      const auto done =
          test.run(with_halves("v_cvt_f16_f32 v0, v1", target) + "\n" +
                   with_halves("v_cvt_f32_f16 v3, v2%", target).replace(14, 0, "") +
                   "\nv_fma_mixlo_f16 v4, 1.0, v1, 0\nv_fma_mix_f32 v5, v2, 1.0, 0 op_sel_hi:[1,0,0]");
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane) {
        uint32_t expected = rounded(single[lane], rounding);
        if (!keeps_results) expected = flush(expected);
        EXPECT_EQ(test.v(0, lane) & 0xffff, expected) << single[lane];
        if (single[lane] != 0) EXPECT_EQ(test.v(4, lane) & 0xffff, expected) << single[lane];
        const double source = value_of(keeps_sources ? half[lane] : flush(half[lane]));
        if (std::isnan(source)) {
          EXPECT_TRUE(std::isnan(test.f(3, lane)));
        } else {
          EXPECT_EQ(static_cast<double>(test.f(3, lane)), source) << std::hex << half[lane];
          EXPECT_EQ(static_cast<double>(test.f(5, lane)), source) << std::hex << half[lane];
        }
      }
    }
  }
}

TEST(ModeHalf, TranscendentalsRoundToTheNearest) {
  for (const auto [name, lanes] : all_targets())
    for (uint32_t mode = 0; mode < 16; ++mode) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(mode));
      WaveTest test(name, lanes), plain(name, lanes);
      test.s(scalar_index::kMode) = 0xf0 | mode;
      std::mt19937_64 random(33);
      for (int lane = 0; lane < lanes; ++lane) {
        const float x = 0.01f + static_cast<float>(random() % 10000) / 100;
        test.set_f(1, lane, x), plain.set_f(1, lane, x);
        test.set_v64(2, lane, std::bit_cast<uint64_t>(double{x})),
            plain.set_v64(2, lane, std::bit_cast<uint64_t>(double{x}));
      }
      constexpr const char* kText =
          "v_exp_f32 v4, v1\nv_log_f32 v5, v1\nv_rcp_f32 v6, v1\nv_rsq_f32 v7, v1\nv_sqrt_f32 v8, "
          "v1\nv_sin_f32 v9, v1\n"
          "v_rcp_f64 v[10:11], v[2:3]\nv_sqrt_f64 v[12:13], v[2:3]";
      ASSERT_TRUE(test.run(kText));
      ASSERT_TRUE(plain.run(kText));
      for (int r = 4; r < 14; ++r)
        for (int lane = 0; lane < lanes; ++lane) ASSERT_EQ(test.v(r, lane), plain.v(r, lane)) << r;
    }
}

TEST(ModeHalf, SignalingNansWinInIeeeMinimaAndComeOutQuiet) {
  for (const auto [name, lanes] : all_targets()) {
    SCOPED_TRACE(name);
    const bool newer = isa::find_target(name)->is(isa::kRdna4);
    WaveTest test(name, lanes);
    // Signaling, quiet, number.
    test.v(1, 0) = 0x3c007d01, test.v(2, 0) = 0x7d023c00, test.v(1, 1) = 0x7e013c00,
              test.v(2, 1) = 0x3c007e02;
    const std::string suffix = newer ? "_num_f16 " : "_f16 ",
                      low = isa::find_target(name)->is(isa::kRdna) ? ".l" : "";
    const auto done = test.run("v_min" + suffix + "v0" + low + ", v1" + low + ", v2" + low + "\nv_pk_max" +
                               suffix + "v3, v1, v2");
    ASSERT_TRUE(done) << done.error().text();
    const uint32_t number = 0x3c00;
    EXPECT_EQ(test.v(0, 0) & 0xffff, newer ? number : 0x7f01u);
    EXPECT_EQ(test.v(0, 1) & 0xffff, number);
    EXPECT_EQ(test.v(3, 0), newer ? 0x3c003c00u : 0x7f027f01u);
    EXPECT_EQ(test.v(3, 1), 0x3c003c00u);
  }
}

}  // namespace
}  // namespace wavesmith::emulate
