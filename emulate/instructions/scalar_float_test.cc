// Scalar floating point of RDNA3.5 and RDNA4 against the host's, under every rounding mode, and denormals
// kept or flushed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>
#include <span>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

float f(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t u(float value) { return std::bit_cast<uint32_t>(value); }

/// The host's operation under a rounding mode, kept from being moved or folded.
template <class Operation>
float rounded(int mode, Operation operation, float a, float b, float c = 0) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  volatile float x = a, y = b, z = c;
  std::fesetround(kModes[mode]);
  volatile float result = operation(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

uint32_t draw(std::mt19937& random) {
  static constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00001,
                                          0x7f800001, 0xff812345, 1,          0x80000001, 0x007fffff,
                                          0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000};
  switch (random() % 4) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return (random() & 0x807fffffu) | (120 + random() % 12) << 23;  // near 1: sums that cancel and round
    case 2:
      return random() & 0x81ffffffu;  // around the smallest normals
    default:
      return random();
  }
}

bool nan(uint32_t code) { return (code & 0x7fffffff) > 0x7f800000; }
uint32_t flush(uint32_t code) { return (code & 0x7f800000) == 0 ? code & 0x80000000 : code; }

class ScalarFloat : public testing::TestWithParam<const char*> {
 protected:
  WaveTest test{GetParam(), 32};
  std::mt19937 random{11};

  uint32_t run_one(std::string_view text, uint32_t mode, uint32_t a, uint32_t b, uint32_t d = 0) {
    test.s(scalar_index::kMode) = mode;
    test.s(0) = d, test.s(1) = a, test.s(2) = b;
    const auto done = test.run(text);
    EXPECT_TRUE(done) << done.error().text();
    return test.s(0);
  }
};

TEST_P(ScalarFloat, ArithmeticRoundsAsModeSays) {
  struct Case {
    std::string_view text;
    float (*f)(float a, float b, float d);
  };
  static constexpr Case kCases[] = {
      {"s_add_f32 s0, s1, s2", [](float a, float b, float) { return a + b; }},
      {"s_sub_f32 s0, s1, s2", [](float a, float b, float) { return a - b; }},
      {"s_mul_f32 s0, s1, s2", [](float a, float b, float) { return a * b; }},
      {"s_fmac_f32 s0, s1, s2", [](float a, float b, float d) { return std::fma(a, b, d); }},
      {"s_fmamk_f32 s0, s1, 0x3f9e0651, s2",
       [](float a, float b, float) { return std::fma(a, f(0x3f9e0651), b); }},
      {"s_fmaak_f32 s0, s1, s2, 0x3f9e0651",
       [](float a, float b, float) { return std::fma(a, b, f(0x3f9e0651)); }},
  };
  for (const Case& c : kCases)
    for (int i = 0; i < 600; ++i) {
      const int rounding = i % 4;
      const bool flushes = i % 8 >= 4;
      uint32_t a = draw(random), b = draw(random), d = draw(random);
      const uint32_t got = run_one(c.text, static_cast<uint32_t>(rounding) | (flushes ? 0 : 0xf0), a, b, d);
      if (flushes) a = flush(a), b = flush(b), d = flush(d);
      const float expected = rounded(rounding, c.f, f(a), f(b), f(d));
      if (std::isnan(expected)) {
        ASSERT_TRUE(nan(got) && (got & 0x400000)) << c.text;
      } else {
        // A result that rounding brought to the smallest normal may count as denormal or not.
        if (flushes && std::fabs(expected) <= f(0x00800000)) continue;
        ASSERT_EQ(got, u(expected)) << fmt::format("{} rounding {} flush {}: {:#x} {:#x} {:#x}", c.text,
                                                   rounding, flushes, a, b, d);
      }
    }
}

TEST_P(ScalarFloat, HalfArithmeticRoundsOnce) {
  // Products and sums of halves are exact in double (fma: in long double); the reference rounds that with
  // nextafter.
  const auto half = [](uint32_t bits) {
    return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  };
  struct Case {
    std::string_view text;
    long double (*f)(long double, long double, long double);
  };
  static constexpr Case kCases[] = {
      {"s_add_f16 s0, s1, s2", [](long double a, long double b, long double) { return a + b; }},
      {"s_sub_f16 s0, s1, s2", [](long double a, long double b, long double) { return a - b; }},
      {"s_mul_f16 s0, s1, s2", [](long double a, long double b, long double) { return a * b; }},
  };
  for (const Case& c : kCases)
    for (int i = 0; i < 400; ++i) {
      const uint32_t a = random() & 0xffff,
                     b = random() % 3 ? random() & 0xffff : (a ^ 0x8000) + random() % 3;
      const uint32_t mode = 0xf0 | static_cast<uint32_t>(i % 4) << 2;
      const uint32_t got = run_one(c.text, mode, a, b & 0xffff);
      const long double exact = c.f(half(a), half(b & 0xffff), 0);
      if (std::isnan(exact)) {
        ASSERT_TRUE((got & 0x7fff) > 0x7c00) << c.text;
        continue;
      }
      // The result is one of the two halves around the exact value.
      const long double value = half(got);
      ASSERT_EQ(got >> 16, 0u);
      if (std::isinf(exact)) {
        ASSERT_EQ(value, exact);
        continue;
      }
      if (value == exact) continue;
      const bool above = value > exact;
      switch (i % 4) {
        case 1:
          ASSERT_TRUE(above) << c.text;
          break;
        case 2:
          ASSERT_FALSE(above) << c.text;
          break;
        case 3:
          ASSERT_EQ(above, exact < 0) << c.text;
          break;
        default:
          break;
      }
      // No half lies strictly between.
      const auto toward = [&](uint32_t code, bool up) {
        if ((code & 0x7fff) == 0) return up ? 0x0001u : 0x8001u;
        return up == (code >> 15 == 0) ? code + 1 : code - 1;
      };
      const long double next = half(toward(got, !above));
      ASSERT_TRUE(above ? next <= exact : next >= exact) << fmt::format("{} {:#x} {:#x}", c.text, a, b);
      if (i % 4 == 0 && !std::isinf(value) && !std::isinf(next)) {
        const long double here = std::fabs(value - exact), there = std::fabs(next - exact);
        ASSERT_TRUE(here < there || (here == there && (got & 1) == 0))
            << fmt::format("{} {:#x} {:#x}", c.text, a, b);
      }
    }
}

constexpr uint32_t kIeee = 1u << 9;  // of MODE

/// Of minima and maxima.
struct Extreme {
  std::string_view text;
  uint32_t a, b, result;
  uint32_t mode = 0;  ///< beside what keeps denormals
};

class ScalarExtremes : public ScalarFloat {
 protected:
  void expect(std::span<const Extreme> cases) {
    for (const Extreme& c : cases) EXPECT_EQ(run_one(c.text, 0xf0 | c.mode, c.a, c.b), c.result) << c.text;
  }
};
class ScalarExtremesOfRdna4 : public ScalarExtremes {};
class ScalarExtremesOfRdna35 : public ScalarExtremes {};

TEST_P(ScalarExtremesOfRdna4, TreatNansAndZeros) {
  static constexpr Extreme kCases[] = {
      {"s_min_num_f32 s0, s1, s2", 0x3f800000, 0x40000000, 0x3f800000},
      {"s_max_num_f32 s0, s1, s2", 0x3f800000, 0x40000000, 0x40000000},
      {"s_min_num_f32 s0, s1, s2", 0, 0x80000000, 0x80000000},
      {"s_max_num_f32 s0, s1, s2", 0x80000000, 0, 0},
      {"s_min_num_f32 s0, s1, s2", 0x7f800001, 0x40000000, 0x40000000},
      {"s_max_num_f32 s0, s1, s2", 0x40000000, 0x7fc00000, 0x40000000},
      {"s_max_num_f32 s0, s1, s2", 0x7f800005, 0x7fc00000, 0x7fc00005},
      {"s_minimum_f32 s0, s1, s2", 0x7fc00003, 0x40000000, 0x7fc00003},
      {"s_minimum_f32 s0, s1, s2", 0x7fc00003, 0x7f800001, 0x7fc00001},
      {"s_maximum_f32 s0, s1, s2", 0xbf800000, 0x40000000, 0x40000000},
      {"s_min_num_f16 s0, s1, s2", 0x3c00, 0xbc00, 0xbc00},
      {"s_max_num_f16 s0, s1, s2", 0x7c01, 0xbc00, 0xbc00},
      {"s_maximum_f16 s0, s1, s2", 0x7c01, 0xbc00, 0x7e01},
  };
  expect(kCases);
}

// A signaling NaN wins where MODE.IEEE is set; else a number does, and of two NaNs the first stays as it is.
TEST_P(ScalarExtremesOfRdna35, TreatNansAndZeros) {
  static constexpr Extreme kCases[] = {
      {"s_min_f32 s0, s1, s2", 0x3f800000, 0x40000000, 0x3f800000},
      {"s_max_f32 s0, s1, s2", 0x3f800000, 0x40000000, 0x40000000, kIeee},
      {"s_min_f32 s0, s1, s2", 0, 0x80000000, 0x80000000},
      {"s_max_f32 s0, s1, s2", 0x80000000, 0, 0, kIeee},
      {"s_min_f32 s0, s1, s2", 0x7f800001, 0x40000000, 0x40000000},
      {"s_min_f32 s0, s1, s2", 0x7f800001, 0x40000000, 0x7fc00001, kIeee},
      {"s_max_f32 s0, s1, s2", 0x40000000, 0xff800003, 0xffc00003, kIeee},
      {"s_max_f32 s0, s1, s2", 0x40000000, 0x7fc00000, 0x40000000, kIeee},
      {"s_max_f32 s0, s1, s2", 0x7f800005, 0x7fc00000, 0x7f800005},
      {"s_max_f32 s0, s1, s2", 0x7fc00004, 0x7f800005, 0x7fc00005, kIeee},
      {"s_max_f32 s0, s1, s2", 0x7fc00004, 0xffc00005, 0x7fc00004, kIeee},
      {"s_min_f16 s0, s1, s2", 0x3c00, 0xbc00, 0xbc00},
      {"s_max_f16 s0, s1, s2", 0x7c01, 0xbc00, 0xbc00},
      {"s_max_f16 s0, s1, s2", 0x7c01, 0xbc00, 0x7e01, kIeee},
  };
  expect(kCases);
}

TEST_P(ScalarFloat, ComparisonsOfEveryKind) {
  struct Case {
    std::string_view name;
    bool (*f)(float, float);
  };
  static constexpr Case kCases[] = {
      {"lt", [](float a, float b) { return a < b; }},
      {"eq", [](float a, float b) { return a == b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"lg", [](float a, float b) { return a < b || a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"o", [](float a, float b) { return a == a && b == b; }},
      {"u", [](float a, float b) { return a != a || b != b; }},
      {"nge", [](float a, float b) { return !(a >= b); }},
      {"nlg", [](float a, float b) { return !(a < b || a > b); }},
      {"ngt", [](float a, float b) { return !(a > b); }},
      {"nle", [](float a, float b) { return !(a <= b); }},
      {"neq", [](float a, float b) { return !(a == b); }},
      {"nlt", [](float a, float b) { return !(a < b); }},
  };
  static constexpr float kValues[] = {-1, -0.0f, 0, 1, 2, INFINITY, NAN};
  for (const Case& c : kCases)
    for (const float a : kValues)
      for (const float b : kValues) {
        const auto text = fmt::format("s_cmp_{}_f32 s1, s2\ns_cselect_b32 s0, 1, 0", c.name);
        EXPECT_EQ(run_one(text, 0xf0, u(a), u(b)), uint32_t{c.f(a, b)}) << text << a << " " << b;
        const auto half = [](float x) { return uint32_t{std::bit_cast<uint16_t>(static_cast<_Float16>(x))}; };
        const auto text16 = fmt::format("s_cmp_{}_f16 s1, s2\ns_cselect_b32 s0, 1, 0", c.name);
        EXPECT_EQ(run_one(text16, 0xf0, half(a) | 0xabcd0000, half(b)), uint32_t{c.f(a, b)})
            << text16 << a << " " << b;
      }
}

TEST_P(ScalarFloat, RoundsToIntegers) {
  for (int i = 0; i < 300; ++i) {
    const uint32_t a = i < 100 ? u(static_cast<float>(i - 50) * 0.25f) : draw(random);
    if (nan(a)) continue;
    EXPECT_EQ(run_one("s_ceil_f32 s0, s1", 0xf0, a, 0), u(std::ceil(f(a)))) << f(a);
    EXPECT_EQ(run_one("s_floor_f32 s0, s1", 0xf0, a, 0), u(std::floor(f(a)))) << f(a);
    EXPECT_EQ(run_one("s_trunc_f32 s0, s1", 0xf0, a, 0), u(std::trunc(f(a)))) << f(a);
    EXPECT_EQ(run_one("s_rndne_f32 s0, s1", 0xf0, a, 0), u(std::nearbyint(f(a)))) << f(a);
  }
  EXPECT_EQ(run_one("s_rndne_f16 s0, 0x4100", 0xf0, 0, 0), 0x4000u);
  EXPECT_EQ(run_one("s_floor_f16 s0, -0.5", 0xf0, 0, 0), 0xbc00u);
}

TEST_P(ScalarFloat, Conversions) {
  EXPECT_EQ(run_one("s_cvt_f32_i32 s0, s1", 0xf0, 0xffffffff, 0), u(-1));
  EXPECT_EQ(run_one("s_cvt_f32_u32 s0, s1", 0xf0, 0xffffffff, 0), u(4294967296.0f));
  EXPECT_EQ(run_one("s_cvt_f32_u32 s0, s1", 0xf3, 0xffffffff, 0), 0x4f7fffffu);
  EXPECT_EQ(run_one("s_cvt_i32_f32 s0, s1", 0xf0, u(-2.9f), 0), 0xfffffffeu);
  EXPECT_EQ(run_one("s_cvt_i32_f32 s0, s1", 0xf0, u(3e9f), 0), 0x7fffffffu);
  EXPECT_EQ(run_one("s_cvt_i32_f32 s0, s1", 0xf0, u(-INFINITY), 0), 0x80000000u);
  EXPECT_EQ(run_one("s_cvt_u32_f32 s0, s1", 0xf0, u(-3.0f), 0), 0u);
  EXPECT_EQ(run_one("s_cvt_u32_f32 s0, s1", 0xf0, u(1e20f), 0), 0xffffffffu);
  EXPECT_EQ(run_one("s_cvt_u32_f32 s0, s1", 0xf0, u(NAN), 0), 0u);
  for (int i = 0; i < 300; ++i) {
    const float a =
        std::ldexp(static_cast<float>(static_cast<int32_t>(random())), static_cast<int>(random() % 50) - 55);
    EXPECT_EQ(run_one("s_cvt_f16_f32 s0, s1", 0xf0, u(a), 0),
              std::bit_cast<uint16_t>(static_cast<_Float16>(a)));
    const uint32_t half = random() & 0xffff;
    if ((half & 0x7fff) > 0x7c00) continue;
    const auto value = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(half)));
    EXPECT_EQ(run_one("s_cvt_f32_f16 s0, s1", 0xf0, half | 0x12340000, 0), u(value));
    EXPECT_EQ(run_one("s_cvt_hi_f32_f16 s0, s1", 0xf0, half << 16 | 0x77, 0), u(value));
  }
  EXPECT_EQ(run_one("s_cvt_pk_rtz_f16_f32 s0, s1, s2", 0xf0, u(65535.0f), u(-1.0009f)), 0xbc007bffu);
}

INSTANTIATE_TEST_SUITE_P(, ScalarFloat, testing::Values("gfx1151", "gfx1201"));
INSTANTIATE_TEST_SUITE_P(, ScalarExtremesOfRdna35, testing::Values("gfx1151"));
INSTANTIATE_TEST_SUITE_P(, ScalarExtremesOfRdna4, testing::Values("gfx1201"));

}  // namespace
}  // namespace wavesmith::emulate
