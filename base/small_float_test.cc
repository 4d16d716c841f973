// The reference builds every format's numbers from their definition with ldexp in double, and rounds by
// searching them.
#include "base/small_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace wavesmith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The value of a code by the format's definition.
double defined(const FloatFormat& f, uint32_t code) {
  const bool negative = (code >> (f.bits() - 1) & 1) != 0;
  const auto fraction = static_cast<double>(code & ((1u << f.mantissa_bits) - 1));
  const int top = (1 << f.exponent_bits) - 1;
  const int exponent = static_cast<int>(code >> f.mantissa_bits) & top;
  const double scale = std::ldexp(1.0, -f.mantissa_bits);
  if (f.specials == Specials::Ieee && exponent == top)
    return fraction != 0 ? std::nan("") : negative ? -kInfinity : kInfinity;
  if (f.specials == Specials::NanOnly && exponent == top && fraction * scale == 1 - scale)
    return std::nan("");
  if (f.specials == Specials::Fnuz && negative && exponent == 0 && fraction == 0) return std::nan("");
  const double magnitude = exponent == 0 ? std::ldexp(fraction * scale, 1 - f.bias)
                                         : std::ldexp(1 + fraction * scale, exponent - f.bias);
  return negative ? -magnitude : magnitude;
}

/// The finite magnitudes in order: the code is the index, which is what makes nearest-even a search.
std::vector<double> magnitudes(const FloatFormat& f) {
  std::vector<double> all;
  for (uint32_t code = 0; code < f.sign_bit(); ++code) {
    const double value = defined(f, code);
    if (!std::isfinite(value)) break;
    all.push_back(value);
  }
  return all;
}

struct Neighbours {
  uint32_t below;    ///< code of the largest magnitude that is not above
  double low, high;  ///< its value and the next one's (the format continued beyond its end)
};
Neighbours neighbours(const std::vector<double>& all, double magnitude) {
  const auto above = std::upper_bound(all.begin(), all.end(), magnitude);
  const auto below = static_cast<uint32_t>(above - all.begin()) - 1;
  const double next = above == all.end() ? all.back() + (all.back() - all[all.size() - 2]) : *above;
  return {below, all[below], next};
}

uint32_t expected(const FloatFormat& f, const std::vector<double>& all, double value, Rounding rounding,
                  Overflow overflow) {
  const uint32_t sign = std::signbit(value) ? f.sign_bit() : 0;
  const bool fnuz = f.specials == Specials::Fnuz;
  const auto last = static_cast<uint32_t>(all.size()) - 1;
  const uint32_t beyond = f.specials == Specials::Ieee ? sign | (last + 1)
                          : fnuz                       ? f.sign_bit()
                                                       : sign | (last + 1);
  if (std::isinf(value)) return f.specials == Specials::None ? sign | last : beyond;
  const auto [below, low, high] = neighbours(all, std::fabs(value));
  const double magnitude = std::fabs(value), middle = low + (high - low) / 2;
  uint32_t code = below;
  if (rounding == Rounding::NearestEven && (magnitude > middle || (magnitude == middle && below % 2 == 1)))
    ++code;
  const bool outward = (rounding == Rounding::Up && value > 0) || (rounding == Rounding::Down && value < 0);
  if (outward && magnitude > low) ++code;
  if (code == last && magnitude >= high) code = last + 1;  // further than one step beyond
  if (code > last) {
    const bool stays = f.specials == Specials::None || overflow == Overflow::Saturate ||
                       (f.specials == Specials::Ieee && rounding != Rounding::NearestEven && !outward);
    return stays ? sign | last : beyond;
  }
  return fnuz && code == 0 ? 0 : sign | code;
}

template <FloatFormat F>
void check_encode(double value, const std::vector<double>& all) {
  for (const Rounding rounding : {Rounding::NearestEven, Rounding::Up, Rounding::Down, Rounding::TowardZero})
    for (const Overflow overflow : {Overflow::Special, Overflow::Saturate}) {
      const uint32_t want = expected(F, all, value, rounding, overflow);
      ASSERT_EQ((encode<F>(value, rounding, overflow)), want)
          << value << " rounding " << static_cast<int>(rounding) << " overflow "
          << static_cast<int>(overflow);
      if (static_cast<double>(static_cast<float>(value)) == value) {
        ASSERT_EQ((encode<F>(static_cast<float>(value), rounding, overflow)), want) << value << " from float";
      }
    }
}

template <FloatFormat F>
void check_format() {
  const std::vector<double> all = magnitudes(F);
  ASSERT_EQ(all.size(), F.largest() + 1);
  for (uint32_t code = 0; code < 2 * F.sign_bit(); ++code) {
    const double want = defined(F, code);
    const float got = decode<F>(code);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << code;
      continue;
    }
    ASSERT_EQ(static_cast<double>(got), want) << code;
    ASSERT_EQ(std::signbit(got), std::signbit(want)) << code;
    ASSERT_EQ((encode<F>(got)), code);
  }
  // Each number, each middle between two, and what is just beside them.
  const size_t step = std::max<size_t>(1, all.size() / 2048);
  for (size_t i = 0; i < all.size(); i += step) {
    const double next = i + 1 < all.size() ? all[i + 1] : 2 * all[i] - all[i - 1];
    for (const double at : {all[i], all[i] + (next - all[i]) / 2, next})
      for (const double value : {at, std::nextafter(at, kInfinity), std::nextafter(at, -kInfinity),
                                 static_cast<double>(std::nextafter(static_cast<float>(at), 1e38f)),
                                 static_cast<double>(std::nextafter(static_cast<float>(at), -1e38f))}) {
        check_encode<F>(value, all);
        check_encode<F>(-value, all);
      }
  }
  for (const double value :
       {0.0, -0.0, kInfinity, -kInfinity, 1e-320, -1e-320, 1e-45, 1e300, -1e300, 1e38, 5e-324})
    check_encode<F>(value, all);
  constexpr unsigned kSeed = 20251;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const double wide = std::bit_cast<double>(random());
    if (!std::isnan(wide)) check_encode<F>(wide, all);
    const auto single = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(single)) check_encode<F>(single, all);
    check_encode<F>(
        std::ldexp(static_cast<double>(random()) * 0x1p-63 - 1, static_cast<int>(random() % 40) - 25), all);
  }
}

TEST(SmallFloat, F16) { check_format<kF16>(); }
TEST(SmallFloat, Bf16) { check_format<kBf16>(); }
TEST(SmallFloat, Fp8) { check_format<kFp8>(); }
TEST(SmallFloat, Bf8) { check_format<kBf8>(); }
TEST(SmallFloat, Fp8Fnuz) { check_format<kFp8Fnuz>(); }
TEST(SmallFloat, Bf8Fnuz) { check_format<kBf8Fnuz>(); }
TEST(SmallFloat, Fp6) { check_format<kFp6>(); }
TEST(SmallFloat, Bf6) { check_format<kBf6>(); }
TEST(SmallFloat, Fp4) { check_format<kFp4>(); }

TEST(SmallFloat, TheLargestNumbersAreThePublishedOnes) {
  static_assert(decode<kF16>(kF16.largest()) == 65504);
  static_assert(decode<kFp8>(kFp8.largest()) == 448);
  static_assert(decode<kBf8>(kBf8.largest()) == 57344);
  static_assert(decode<kFp8Fnuz>(kFp8Fnuz.largest()) == 240);
  static_assert(decode<kBf8Fnuz>(kBf8Fnuz.largest()) == 57344);
  static_assert(decode<kFp6>(kFp6.largest()) == 7.5);
  static_assert(decode<kBf6>(kBf6.largest()) == 28);
  static_assert(decode<kFp4>(kFp4.largest()) == 6);
  static_assert(decode<kFp8Fnuz>(1) == 0x1p-10f && decode<kBf8Fnuz>(1) == 0x1p-17f);
}

TEST(SmallFloat, F16AgreesWithTheHost) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    EXPECT_EQ(encode<kF16>(value), std::bit_cast<uint16_t>(static_cast<_Float16>(value))) << value;
  }
}

TEST(SmallFloat, NansStayNansOrBecomeTheLargest) {
  for (const uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc12345u, 0xff800001u}) {
    const auto value = std::bit_cast<float>(bits);
    const uint32_t sign = bits >> 31;
    EXPECT_TRUE(std::isnan(decode<kF16>(encode<kF16>(value))));
    EXPECT_TRUE(std::isnan(decode<kBf16>(encode<kBf16>(value))));
    EXPECT_EQ(encode<kBf16>(value), (bits >> 16) | 0x40);
    EXPECT_EQ(encode<kFp8>(value), 0x7f | sign << 7);
    EXPECT_TRUE(std::isnan(decode<kBf8>(encode<kBf8>(value))));
    EXPECT_EQ(encode<kFp8Fnuz>(value), 0x80u);
    EXPECT_EQ(encode<kBf8Fnuz>(value), 0x80u);
    EXPECT_EQ(encode<kFp6>(value), 0x1f | sign << 5);
    EXPECT_EQ(encode<kFp4>(value), 7 | sign << 3);
  }
}

/// Over all values of the random bits that count, a number is rounded up as often as it lies near the upper
/// neighbour.
template <FloatFormat F>
void check_stochastic(float value) {
  const std::vector<double> all = magnitudes(F);
  const auto [below, low, high] = neighbours(all, std::fabs(static_cast<double>(value)));
  constexpr int kBits = 23 - F.mantissa_bits;
  uint32_t up = 0;
  const uint32_t samples = 1u << 12;
  for (uint32_t i = 0; i < samples; ++i) {
    const uint32_t random = (i << 20) | 0xfffff;
    const uint32_t code =
        encode<F>(value, Rounding::Stochastic, Overflow::Special, random) & F.magnitude_mask();
    ASSERT_TRUE(code == below || code == below + 1) << value;
    up += code == below + 1;
  }
  const double share = (std::fabs(static_cast<double>(value)) - low) / (high - low);
  EXPECT_NEAR(up, share * samples, 1.0 + std::ldexp(1.0, 12 - kBits)) << value;
}

TEST(SmallFloat, StochasticRoundingGoesUpInProportion) {
  for (const float value : {1.0f, 1.03f, -1.07f, 200.0f, 3.14159f, -0.7f, 0.0137f, -0.003f, 0.0021f}) {
    check_stochastic<kFp8>(value);
    check_stochastic<kBf8>(value);
    check_stochastic<kFp8Fnuz>(value);
    check_stochastic<kBf8Fnuz>(value);
  }
  for (const float value : {1.0f, 1.03f, -1.07f, 3.14159f, -0.7f, 0.0137f, -0.003f}) {
    check_stochastic<kFp6>(value);
    check_stochastic<kBf6>(value);
    check_stochastic<kFp4>(value);
  }
}

TEST(SmallFloat, ScalesArePowersOfTwo) {
  for (uint32_t code = 0; code < 255; ++code)
    EXPECT_EQ(static_cast<double>(decode_e8m0(code)), std::ldexp(1.0, static_cast<int>(code) - 127));
  EXPECT_TRUE(std::isnan(decode_e8m0(255)));
}

TEST(SmallFloat, TheRandomGeneratorShiftsAndFolds) {
  // 0 stays 0; the bit that is shifted out is folded into bits 7, 6, 2 and 0.
  EXPECT_EQ(next_random(0), 0u);
  EXPECT_EQ(next_random(1), 2u);
  EXPECT_EQ(next_random(0x80000000u), 197u);
  EXPECT_EQ(next_random(0xffffffffu), 0xfffffffeu ^ 197u);
}

}  // namespace
}  // namespace wavesmith
