// The instructions that divisions are made of, against the host's quotients.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulate/instructions/float_testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

/// The sequence that LLVM emits for a division, correctly rounded for all operands.
template <class T>
std::string division() {
  const bool wide = sizeof(T) == 8;
  const auto r = [&](int i) {
    return wide ? "v[" + std::to_string(i) + ":" + std::to_string(i + 1) + "]" : "v" + std::to_string(i);
  };
  const auto line = [&](const std::string& op, const std::vector<std::string>& operands) {
    std::string text = "v_" + op + (wide ? "_f64 " : "_f32 ");
    for (size_t i = 0; i < operands.size(); ++i) text += (i ? ", " : "") + operands[i];
    return text + "\n";
  };
  const std::string n = r(2), d = r(4), scaled_d = r(8), reciprocal = r(10), error = r(12), scaled_n = r(14),
                    quotient = r(16), rest = r(18);
  std::string text = line("div_scale", {scaled_d, "VCC", d, d, n}) + line("rcp", {reciprocal, scaled_d});
  for (int step = 0; step < (wide ? 2 : 1); ++step)
    text += line("fma", {error, "-" + scaled_d, reciprocal, "1.0"}) +
            line("fma", {reciprocal, error, reciprocal, reciprocal});
  text += line("div_scale", {scaled_n, "VCC", n, d, n}) + line("mul", {quotient, scaled_n, reciprocal});
  if (!wide)
    text += line("fma", {rest, "-" + scaled_d, quotient, scaled_n}) +
            line("fma", {quotient, rest, reciprocal, quotient});
  return text + line("fma", {rest, "-" + scaled_d, quotient, scaled_n}) +
         line("div_fmas", {rest, rest, reciprocal, quotient}) + line("div_fixup", {r(0), rest, d, n});
}

TEST(Float, DivisionIsCorrectlyRounded) {
  const auto quotient = [](auto n, auto d, auto...) { return n / d; };
  expect_lanes(division<float>(), f32(quotient), of32());
  expect_lanes(division<double>(), f64(quotient), of64());
}

TEST(Float, QuotientsThatAreAlmostNormalAreRoundedOnce) {
  // The largest denormal numbers over numbers just below 1: rounded first to 53 bits they would be normal.
  for (const std::string_view target : {"gfx90a", "gfx942", "gfx1201"}) {
    WaveTest test(target, target.starts_with("gfx9") ? 64 : 32);
    std::vector<std::pair<double, double>> operands;
    for (int lane = 0; lane < test.lanes(); ++lane) {
      const uint64_t below = static_cast<uint64_t>(lane % 8), numerator = 0x000fffffffffffff - below;
      const double n = std::bit_cast<double>(numerator | uint64_t(lane / 8 % 2) << 63);
      const double d =
          std::bit_cast<double>(0x3fefffffffffffff - 2 * below - static_cast<uint64_t>(lane / 16));
      test.set_v64(2, lane, std::bit_cast<uint64_t>(n));
      test.set_v64(4, lane, std::bit_cast<uint64_t>(d));
      operands.emplace_back(n, d);
    }
    std::string text = division<double>();
    for (size_t at; (at = text.find("VCC")) != text.npos;)
      text.replace(at, 3, test.lanes() == 64 ? "vcc" : "vcc_lo");
    const auto done = test.run(text);
    ASSERT_TRUE(done) << done.error().text();
    for (int lane = 0; lane < test.lanes(); ++lane) {
      const auto [n, d] = operands[static_cast<size_t>(lane)];
      EXPECT_EQ(std::bit_cast<double>(test.v64(0, lane)), n / d) << target << ' ' << n << " / " << d;
    }
  }
}

TEST(Float, FixupAnswersSpecialCases) {
  expect_lanes("v_div_fixup_f32 v0, v2, v4, v6", f32([](float q, float d, float n, float) {
                 const bool negative = std::signbit(d) != std::signbit(n);
                 if (!std::isfinite(d) || !std::isfinite(n) || d == 0 || n == 0) return n / d;
                 int of_n, of_d;  // exponent fields differ by as much as the exponents, but for denormals
                 of_n = static_cast<int>(Bits<float>::back(n) >> 23 & 255),
                 of_d = static_cast<int>(Bits<float>::back(d) >> 23 & 255);
                 const float magnitude = of_n - of_d < -150 ? 0.0f : std::isnan(q) ? INFINITY : std::fabs(q);
                 return negative ? -magnitude : magnitude;
               }),
               of32());
}

}  // namespace
}  // namespace wavesmith::emulate
