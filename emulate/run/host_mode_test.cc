#include "emulate/run/host_mode.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

constexpr int kHost[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};  // as MODE numbers them

/// a op b in a rounding mode, computed by the host at run time.
template <class T, class F>
T rounded(int mode, F f, T a, T b) {
  volatile T x = a, y = b;
  std::fesetround(kHost[mode]);
  volatile T result = f(x, y);
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(HostMode, RoundingOfEachTypeIsItsOwn) {
  std::mt19937_64 random(20);
  for (const auto [target, lanes] : all_targets())
    for (int single = 0; single < 4; ++single)
      for (int wide = 0; wide < 4; ++wide) {
        SCOPED_TRACE(std::string(target) + ", f32 " + std::to_string(single) + ", f64 " +
                     std::to_string(wide));
        WaveTest test(target, lanes);
        test.s(scalar_index::kMode) = static_cast<uint32_t>(0xf0 | single | wide << 2);
        std::vector<float> a(64), b(64);
        std::vector<double> p(64), q(64);
        for (int lane = 0; lane < lanes; ++lane) {
          const auto i = static_cast<size_t>(lane);
          a[i] = static_cast<float>(random()) / 3, b[i] = static_cast<float>(random()) * 1e-6f;
          p[i] = static_cast<double>(random()) / 7, q[i] = static_cast<double>(random()) * -1e-9;
          test.set_f(2, lane, a[i]), test.set_f(3, lane, b[i]);
          test.set_v64(4, lane, std::bit_cast<uint64_t>(p[i])),
              test.set_v64(6, lane, std::bit_cast<uint64_t>(q[i]));
        }
        const auto done = test.run(
            "v_add_f32 v0, v2, v3\nv_add_f64 v[8:9], v[4:5], v[6:7]\nv_mul_f32 v1, v2, v3\nv_cvt_f32_f64 "
            "v10, v[4:5]");
        ASSERT_TRUE(done) << done.error().text();
        for (int lane = 0; lane < lanes; ++lane) {
          const auto i = static_cast<size_t>(lane);
          const auto add = [](auto x, auto y) { return x + y; };
          EXPECT_EQ(test.f(0, lane), rounded(single, add, a[i], b[i]));
          EXPECT_EQ(test.f(1, lane), rounded(single, [](float x, float y) { return x * y; }, a[i], b[i]));
          EXPECT_EQ(std::bit_cast<double>(test.v64(8, lane)), rounded(wide, add, p[i], q[i]));
          volatile double narrow = p[i];
          std::fesetround(kHost[single]);
          volatile float expected = static_cast<float>(narrow);
          std::fesetround(FE_TONEAREST);
          EXPECT_EQ(test.f(10, lane), expected);
        }
        EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "the host is left as it was";
      }
}

TEST(HostMode, ChangesWithinAProgram) {
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    const float third = 1.0f / 3;
    for (int lane = 0; lane < lanes; ++lane) test.set_f(1, lane, third);
    const auto done = test.run(R"(
      v_mul_f32 v2, 1.0, v1
      v_add_f32 v2, 1.0, v1
      s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
      v_add_f32 v3, 1.0, v1
      s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
      v_add_f32 v4, 1.0, v1
      s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
      v_add_f32 v5, 1.0, v1
    )");
    ASSERT_TRUE(done) << done.error().text();
    const float nearest = 1.0f + third;
    EXPECT_EQ(test.f(2, 0), nearest);
    EXPECT_EQ(test.f(3, 0), rounded(1, [](float x, float y) { return x + y; }, 1.0f, third));
    EXPECT_EQ(test.f(4, 0), rounded(2, [](float x, float y) { return x + y; }, 1.0f, third));
    EXPECT_LT(test.f(4, 0), test.f(3, 0));
    EXPECT_EQ(test.f(5, 0), nearest);
  }
}

TEST(HostMode, DenormalsAreFlushedWhereModeSays) {
  const float tiny = std::numeric_limits<float>::denorm_min() * 12345;
  const double tiny64 = std::numeric_limits<double>::denorm_min() * 12345;
  for (const auto [target, lanes] : all_targets())
    for (const uint32_t denormals : {0u, 0xc0u, 0x30u, 0xf0u}) {
      SCOPED_TRACE(std::string(target) + " " + std::to_string(denormals));
      WaveTest test(target, lanes);
      test.s(scalar_index::kMode) = denormals;
      for (int lane = 0; lane < lanes; ++lane) {
        test.set_f(1, lane, tiny), test.set_v64(2, lane, std::bit_cast<uint64_t>(tiny64));
        test.set_f(6, lane, 0x1p-100f), test.set_f(7, lane, -0x1p-40f);
      }
      const std::string max = isa::find_target(target)->is(isa::kRdna4) ? "v_max_num_f32" : "v_max_f32";
      const auto done =
          test.run("v_mul_f32 v0, 2.0, v1\nv_mul_f64 v[4:5], 2.0, v[2:3]\nv_mul_f32 v8, v6, v7\n" + max +
                   " v9, v1, v1\nv_mov_b32 v10, v1\nv_add_f32 v11, v1, v1");
      ASSERT_TRUE(done) << done.error().text();
      const bool keeps32 = denormals & 0x30, keeps64 = denormals & 0xc0;
      EXPECT_EQ(test.f(0, 0), keeps32 ? tiny * 2 : 0);
      EXPECT_EQ(std::bit_cast<double>(test.v64(4, 0)), keeps64 ? tiny64 * 2 : 0);
      EXPECT_EQ(test.f(8, 0), keeps32 ? -0x1p-140f : 0);
      EXPECT_TRUE(std::signbit(test.f(8, 0)));
      EXPECT_EQ(test.f(9, 0), keeps32 ? tiny : 0);
      EXPECT_EQ(test.f(10, 0), tiny) << "a move is no arithmetic";
      EXPECT_EQ(test.f(11, 0), keeps32 ? tiny * 2 : 0);
    }
}

// The mantissa of a flushed denormal is a zero of its sign, as its exponent is 0.
TEST(HostMode, TheMantissaOfAFlushedDenormalIsZero) {
  const float tiny = -std::numeric_limits<float>::denorm_min() * 5;     // -0.625 * 2^-146
  const double tiny64 = std::numeric_limits<double>::denorm_min() * 3;  // 0.75 * 2^-1072
  for (const auto [target, lanes] : all_targets())
    for (const uint32_t denormals : {0u, 0xc0u, 0x30u, 0xf0u}) {
      SCOPED_TRACE(std::string(target) + " " + std::to_string(denormals));
      WaveTest test(target, lanes);
      test.s(scalar_index::kMode) = denormals;
      for (int lane = 0; lane < lanes; ++lane)
        test.set_f(1, lane, tiny), test.set_v64(2, lane, std::bit_cast<uint64_t>(tiny64));
      const auto done = test.run(
          "v_frexp_mant_f32 v4, v1\nv_frexp_exp_i32_f32 v5, v1\n"
          "v_frexp_mant_f64 v[6:7], v[2:3]\nv_frexp_exp_i32_f64 v8, v[2:3]");
      ASSERT_TRUE(done) << done.error().text();
      const bool keeps32 = denormals & 0x30, keeps64 = denormals & 0xc0;
      EXPECT_EQ(test.v(4, 0), std::bit_cast<uint32_t>(keeps32 ? -0.625f : -0.0f));
      EXPECT_EQ(static_cast<int32_t>(test.v(5, 0)), keeps32 ? -146 : 0);
      EXPECT_EQ(test.v64(6, 0), std::bit_cast<uint64_t>(keeps64 ? 0.75 : 0.0));
      EXPECT_EQ(static_cast<int32_t>(test.v(8, 0)), keeps64 ? -1072 : 0);
    }
}

TEST(HostMode, OutputModifiersWorkOnlyWhereDenormalsAreFlushed) {
  for (const uint32_t mode : {0xc0u, 0xf0u, 0x2c0u}) {
    WaveTest test("gfx942");
    test.s(scalar_index::kMode) = mode;
    test.set_f(1, 0, 3);
    ASSERT_TRUE(test.run("v_add_f32_e64 v0, v1, v1 mul:4\nv_add_f32_e64 v2, v1, v1 div:2"));
    EXPECT_EQ(test.f(0, 0), mode == 0xc0 ? 24 : 6);
    EXPECT_EQ(test.f(2, 0), mode == 0xc0 ? 3 : 6);
  }
}

}  // namespace
}  // namespace wavesmith::emulate
