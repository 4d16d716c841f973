// The error of transcendental instructions against double and long double references, printed; special cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "base/small_float.h"
#include "base/test_effort.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

constexpr double kTwoPi = 6.283185307179586476925286766559;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double sine(double revolutions) {
  const double whole = std::rint(2 * revolutions);
  const double value = std::sin(kTwoPi * (revolutions - whole / 2));
  return std::fmod(whole, 2) != 0 ? -value : value;
}
double cosine(double revolutions) { return sine(0.25 - std::fabs(revolutions - std::rint(revolutions))); }

struct Function {
  std::string_view name;  ///< of the instruction, without "v_" and the type
  std::function<double(double)> reference;
  float low, high;   ///< most of the samples are drawn from here, the others from all floats
  bool logarithmic;  ///< drawn evenly over exponents
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"exp", [](double x) { return std::exp2(x); }, -126, 128, false},
      {"log", [](double x) { return std::log2(x); }, 0.25f, 4, false},
      {"rcp", [](double x) { return 1 / x; }, 1, 2, false},
      {"rsq", [](double x) { return 1 / std::sqrt(x); }, 1, 4, false},
      {"sqrt", [](double x) { return std::sqrt(x); }, 1, 4, false},
      {"sin", [](double x) { return sine(x); }, -1, 1, false},
      {"cos", [](double x) { return cosine(x); }, -1, 1, false},
  };
  return all;
}

bool outside(std::string_view name, float x) {
  return (name == "sin" || name == "cos") && std::fabs(x) > 256;
}

/// Runs an instruction on many values: 100 registers at a time.
class Batch {
 public:
  static constexpr int kRegisters = 100;
  explicit Batch(std::string_view mnemonic) : test_("gfx942") {
    for (int i = 0; i < kRegisters; ++i) text_ += fmt::format("{} v{}, v{}\n", mnemonic, kRegisters + i, i);
  }
  static constexpr size_t kSize = size_t{kRegisters} * 64;
  uint32_t& in(size_t i) { return test_.v(static_cast<int>(i / 64), static_cast<int>(i % 64)); }
  uint32_t out(size_t i) { return test_.v(static_cast<int>(kRegisters + i / 64), static_cast<int>(i % 64)); }
  void run() {
    const auto done = test_.run(text_);
    ASSERT_TRUE(done) << done.error().text();
  }

 private:
  WaveTest test_;
  std::string text_;
};

/// Distance in units of the last place of a float near `want`.
double ulps(float got, double want) {
  const auto nearest = static_cast<float>(want);
  if (got == nearest)
    return std::fabs(static_cast<double>(got) - want) /
           std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
  if (!std::isfinite(got) || !std::isfinite(nearest)) return 1e9;
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
}

class TranscendentalF32 : public testing::TestWithParam<int> {};

TEST_P(TranscendentalF32, IsWithinOneUlp) {
  const Function& function = functions()[static_cast<size_t>(GetParam())];
  constexpr unsigned kSeed = 20;
  std::mt19937_64 random(kSeed);
  Batch batch(fmt::format("v_{}_f32", function.name));
  double worst = 0;
  float worst_at = 0;
  size_t samples = 0;
  for (int round = 0; round < effort(1600); ++round) {
    for (size_t i = 0; i < Batch::kSize; ++i) {
      const uint64_t draw = random();
      float x = function.low + (function.high - function.low) * (static_cast<float>(draw >> 40) * 0x1p-24f);
      if (i % 4 == 0) x = std::bit_cast<float>(static_cast<uint32_t>(draw));
      batch.in(i) = std::bit_cast<uint32_t>(x);
    }
    batch.run();
    for (size_t i = 0; i < Batch::kSize; ++i) {
      const auto x = std::bit_cast<float>(batch.in(i)), got = std::bit_cast<float>(batch.out(i));
      if (std::isnan(x) || std::fpclassify(x) == FP_SUBNORMAL || outside(function.name, x)) continue;
      const double want = function.reference(x);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << x;
        continue;
      }
      if (std::fabs(want) < 0x1p-126) {
        ASSERT_TRUE(got == 0 || std::fabs(got) == 0x1p-126f || function.name == "sin")
            << x << " gave " << got;
        continue;
      }
      if (std::fabs(want) >= 0x1.ffffffp127) {
        ASSERT_EQ(got, want < 0 ? -kInfinity : kInfinity) << x;
        continue;
      }
      ++samples;
      const double error = ulps(got, want);
      if (error > worst) worst = error, worst_at = x;
    }
  }
  fmt::print("v_{}_f32: at most {:.4f} ulp over {} samples (at {:a}), seed {}\n", function.name, worst,
             samples, worst_at, kSeed);
  EXPECT_LE(worst, 1.0);
  EXPECT_GE(samples, static_cast<size_t>(effort(5'000'000)));
}

TEST_P(TranscendentalF32, OfHalvesIsAsGoodAsRoundingAllows) {
  const Function& function = functions()[static_cast<size_t>(GetParam())];
  Batch batch(fmt::format("v_{}_f16", function.name));
  double worst = 0;
  float worst_at = 0;
  for (uint32_t first = 0; first < 0x10000; first += Batch::kSize) {
    for (uint32_t i = 0; i < Batch::kSize; ++i) batch.in(i) = (first + i) & 0xffff;
    batch.run();
    for (uint32_t i = 0; i < Batch::kSize; ++i) {
      const float x = decode<kF16>(batch.in(i)), got = decode<kF16>(batch.out(i));
      const double want = outside(function.name, x) && !std::isinf(x) ? (function.name == "sin" ? 0 : 1)
                                                                      : function.reference(x);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(got)) << x;
      } else if (std::isinf(want) || std::fabs(want) >= 65520 || std::isinf(got)) {
        ASSERT_EQ(got, decode<kF16>(encode<kF16>(want))) << x;
      } else {
        const double unit = want == 0 ? 0x1p-24 : std::ldexp(1.0, std::max(std::ilogb(want), -14) - 10);
        const double error = std::fabs(static_cast<double>(got) - want) / unit;
        if (error > worst) worst = error, worst_at = x;
      }
    }
  }
  fmt::print("v_{}_f16: at most {:.4f} ulp over all halves (at {})\n", function.name, worst, worst_at);
  EXPECT_LE(worst, 0.51);
}

INSTANTIATE_TEST_SUITE_P(Transcendental, TranscendentalF32, testing::Range(0, 7), [](const auto& info) {
  return std::string(functions()[static_cast<size_t>(info.param)].name);
});

float once(std::string_view target, std::string_view mnemonic, float x) {
  WaveTest test(target, target.starts_with("gfx9") ? 64 : 32);
  test.set_f(1, 3, x);
  const auto done = test.run(fmt::format("{} v0, v1", mnemonic));
  EXPECT_TRUE(done) << done.error().text();
  return test.f(0, 3);
}

TEST(Transcendental, SpecialCasesAreTheManuals) {
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
    SCOPED_TRACE(target);
    const auto is = [&](std::string_view mnemonic, float x, float want) {
      const float got = once(target, mnemonic, x);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got)) << mnemonic << " " << x << " gave " << got;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want))
            << mnemonic << " " << x << " gave " << got;
    };
    is("v_exp_f32", -kInfinity, 0), is("v_exp_f32", kInfinity, kInfinity), is("v_exp_f32", -0.0f, 1),
        is("v_exp_f32", kNan, kNan);
    is("v_exp_f32", -126, 0x1p-126f), is("v_exp_f32", -127, 0), is("v_exp_f32", 127, 0x1p127f),
        is("v_exp_f32", 128, kInfinity);
    is("v_exp_f32", 1e30f, kInfinity), is("v_exp_f32", -1e30f, 0), is("v_exp_f32", 10, 1024),
        is("v_exp_f32", 1e-40f, 1);
    is("v_log_f32", 0, -kInfinity), is("v_log_f32", -0.0f, -kInfinity), is("v_log_f32", -1, kNan),
        is("v_log_f32", kInfinity, kInfinity);
    is("v_log_f32", 1, 0), is("v_log_f32", 0x1p-126f, -126), is("v_log_f32", 1e-40f, -kInfinity),
        is("v_log_f32", -kInfinity, kNan);
    is("v_log_f32", kNan, kNan), is("v_log_f32", 8, 3);
    is("v_rcp_f32", 0, kInfinity), is("v_rcp_f32", -0.0f, -kInfinity), is("v_rcp_f32", -kInfinity, -0.0f),
        is("v_rcp_f32", 1e-40f, kInfinity);
    is("v_rcp_f32", 3e38f, 0), is("v_rcp_f32", -4, -0.25f), is("v_rcp_iflag_f32", 4, 0.25f),
        is("v_rcp_f32", kNan, kNan);
    is("v_rsq_f32", 0, kInfinity), is("v_rsq_f32", -0.0f, -kInfinity), is("v_rsq_f32", kInfinity, 0),
        is("v_rsq_f32", -1, kNan);
    is("v_rsq_f32", 0.25f, 2), is("v_rsq_f32", 0x1p-126f, 0x1p63f), is("v_rsq_f32", kNan, kNan);
    is("v_sqrt_f32", -0.0f, -0.0f), is("v_sqrt_f32", -1, kNan), is("v_sqrt_f32", kInfinity, kInfinity),
        is("v_sqrt_f32", 2.25f, 1.5f);
    is("v_sin_f32", 0.25f, 1), is("v_sin_f32", -0.25f, -1), is("v_sin_f32", 0, 0),
        is("v_sin_f32", -0.0f, -0.0f), is("v_sin_f32", 256, 0);
    is("v_sin_f32", 256.25f, 0), is("v_sin_f32", kInfinity, kNan), is("v_sin_f32", kNan, kNan),
        is("v_sin_f32", 3.75f, -1);
    is("v_cos_f32", 0, 1), is("v_cos_f32", 0.5f, -1), is("v_cos_f32", 0.25f, 0), is("v_cos_f32", 300.5f, 1),
        is("v_cos_f32", -kInfinity, kNan);
  }
}

TEST(Transcendental, DoublesAreNear) {
  for (const auto [target, lanes] : all_targets()) {
    WaveTest test(target, lanes);
    std::mt19937_64 random(5);
    for (int lane = 0; lane < lanes; ++lane)
      test.set_v64(2, lane,
                   std::bit_cast<uint64_t>(std::ldexp(1.0 + static_cast<double>(random() % 1000003) * 1e-6,
                                                      static_cast<int>(random() % 600) - 300)));
    const auto done =
        test.run("v_rcp_f64 v[4:5], v[2:3]\nv_rsq_f64 v[6:7], v[2:3]\nv_sqrt_f64 v[8:9], v[2:3]");
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      const auto x = static_cast<long double>(std::bit_cast<double>(test.v64(2, lane)));
      const auto near = [&](int reg, long double want) {
        EXPECT_LE(std::fabs(std::bit_cast<double>(test.v64(reg, lane)) / want - 1), 3e-16L);
      };
      near(4, 1 / x), near(6, 1 / std::sqrt(x)), near(8, std::sqrt(x));
    }
  }
}

TEST(Transcendental, OfScalarsAgreeWithThoseOfVectors) {
  std::mt19937 random(6);
  for (const std::string_view name : {"exp", "log", "rcp", "rsq", "sqrt"})
    for (const std::string_view type : {"f32", "f16"})
      for (int round = 0; round < 40; ++round) {
        WaveTest test("gfx1201", 32);
        const float x = static_cast<float>(random() % 2000) / 64.0f - 5;
        const uint32_t word = type == "f32" ? std::bit_cast<uint32_t>(x) : encode<kF16>(x) | 0xabcd0000u;
        test.s(4) = word;
        test.v(4, 0) = type == "f32" ? word : word & 0xffff;
        const std::string_view modifiers = round % 4 == 0 || (type == "f16" && round % 4 != 1) ? ""
                                           : round % 4 == 1                                    ? " clamp"
                                           : round % 4 == 2                                    ? " mul:2"
                                                                                               : " div:2";
        const std::string_view source = round % 3 == 0 ? "-{}4" : round % 3 == 1 ? "|{}4|" : "{}4";
        const auto text = fmt::format("v_s_{0}_{1} s5, {2}{3}\nv_{0}_{1}_e64 v5, {4}{3}", name, type,
                                      fmt::format(fmt::runtime(source), "s"), modifiers,
                                      fmt::format(fmt::runtime(source), "v"));
        const auto done = test.run(text);
        ASSERT_TRUE(done) << text << done.error().text();
        if (type == "f32")
          EXPECT_EQ(test.s(5), test.v(5, 0)) << text << " of " << x;
        else
          EXPECT_EQ(test.s(5), test.v(5, 0) & 0xffff) << text << " of " << x;
      }
}

}  // namespace
}  // namespace wavesmith::emulate
