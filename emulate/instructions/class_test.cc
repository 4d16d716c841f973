// v_cmp_class_* against the C library's classification, and v_trig_preop_f64 against 2/pi computed here to
// 1201 bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

/// The bit of a class: 0 signaling NaN, 1 quiet NaN, 2 to 5 negative infinity, normal, denormal, zero, 6 to 9
/// the same of positive numbers, outward.
template <class T>
int class_of(T value, bool quiet_bit) {
  const bool negative = std::signbit(value);
  switch (std::fpclassify(value)) {
    case FP_NAN:
      return quiet_bit ? 1 : 0;
    case FP_INFINITE:
      return negative ? 2 : 9;
    case FP_NORMAL:
      return negative ? 3 : 8;
    case FP_SUBNORMAL:
      return negative ? 4 : 7;
    default:
      return negative ? 5 : 6;
  }
}
/// Of an f16, by its value: its normal numbers begin at 2^-14.
int class_of_half(uint32_t code) {
  const auto value = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(code)));
  if (value != 0 && std::fabs(value) < 0x1p-14) return value < 0 ? 4 : 7;
  return class_of(value, (code & 0x200) != 0);
}

uint64_t random_float(std::mt19937_64& random, int exponent_bits, int mantissa_bits) {
  const uint64_t any = random(), exponent_mask = ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  uint64_t code = any & ((uint64_t{2} << (exponent_bits + mantissa_bits)) - 1);
  switch (random() % 5) {
    case 0:
      code &= ~exponent_mask;  // denormals
      break;
    case 1:
      code |= exponent_mask;  // NaNs
      break;
    case 2:
      code = (code | exponent_mask) & ~((uint64_t{1} << mantissa_bits) - 1);  // infinities
      break;
    case 3:
      code &= uint64_t{1} << (exponent_bits + mantissa_bits);  // zeros
      break;
    default:
      break;
  }
  return code;
}

TEST(CompareClass, TellsTheTenKinds) {
  std::mt19937_64 random(41);
  for (const auto [target, lanes] : all_targets())
    for (const int bits : {16, 32, 64})
      for (const uint64_t mode :
           {0xf0u, 0x00u}) {  // denormals are told from zeros even where they are flushed
        SCOPED_TRACE(fmt::format("{} {} f{} mode {:#x}", target, lanes, bits, mode));
        WaveTest test(target, lanes);
        test.s(scalar_index::kMode) = static_cast<uint32_t>(mode);
        for (int round = 0; round < 20; ++round) {
          const uint64_t exec =
              (round % 2 != 0 ? random() : ~uint64_t{0}) & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
          test.exec() = exec;
          uint64_t expected = 0;
          for (int lane = 0; lane < lanes; ++lane) {
            const uint64_t code = bits == 64   ? random_float(random, 11, 52)
                                  : bits == 32 ? random_float(random, 8, 23)
                                               : random_float(random, 5, 10);
            const auto mask = static_cast<uint32_t>(random() & 0x3ff);
            test.set_v64(2, lane, code), test.v(4, lane) = mask;
            const int kind = bits == 64   ? class_of(std::bit_cast<double>(code), (code >> 51 & 1) != 0)
                             : bits == 32 ? class_of(std::bit_cast<float>(static_cast<uint32_t>(code)),
                                                     (code >> 22 & 1) != 0)
                                          : class_of_half(static_cast<uint32_t>(code));
            expected |= uint64_t{mask >> kind & 1} << lane;
          }
          const bool halves = bits == 16 && target.starts_with("gfx1");
          const auto done =
              test.run(fmt::format("v_cmp_class_f{} {}, {}, {}", bits, lanes == 64 ? "vcc" : "vcc_lo",
                                   bits == 64 ? "v[2:3]"
                                   : halves   ? "v2.l"
                                              : "v2",
                                   halves ? "v4.l" : "v4"));
          ASSERT_TRUE(done) << done.error().text();
          EXPECT_EQ(test.vcc() & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu), expected & exec);
        }
      }
}

// A 32-bit literal of a 64-bit float is its upper half (ISA manuals, "Literal Constants").
TEST(CompareClass, OfALiteralOf64Bits) {
  constexpr unsigned kSeed = 43;
  std::mt19937_64 random(kSeed);
  for (const auto [target, lanes] : all_targets())
    for (int round = 0; round < 20; ++round) {
      // No integer or float that is an inline constant instead.
      const auto upper = static_cast<uint32_t>(random_float(random, 11, 52) >> 32 | 0x101);
      const double value = std::bit_cast<double>(uint64_t{upper} << 32);
      SCOPED_TRACE(fmt::format("{} {} seed {}: {:#x}", target, lanes, kSeed, upper));
      WaveTest test(target, lanes);
      uint64_t expected = 0;
      for (int lane = 0; lane < lanes; ++lane) {
        test.v(4, lane) = static_cast<uint32_t>(random() & 0x3ff);
        expected |= uint64_t{test.v(4, lane) >> class_of(value, (upper >> 19 & 1) != 0) & 1} << lane;
      }
      const auto done =
          test.run(fmt::format("v_cmp_class_f64 {}, {:#x}, v4", lanes == 64 ? "vcc" : "vcc_lo", upper));
      ASSERT_TRUE(done) << done.error().text();
      EXPECT_EQ(test.vcc() & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu), expected);
    }
}

/// Fixed-point numbers of kWords 32-bit words after the point, the most significant first, the whole part
/// before them.
constexpr size_t kWords = 44;
using Fixed = std::vector<uint32_t>;

Fixed divided(const Fixed& a, uint32_t by) {
  Fixed result(a.size());
  uint64_t rest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    rest = rest << 32 | a[i];
    result[i] = static_cast<uint32_t>(rest / by), rest %= by;
  }
  return result;
}
void add(Fixed& a, const Fixed& b, bool subtract) {
  int64_t carry = 0;
  for (size_t i = a.size(); i-- > 0;) {
    carry +=
        static_cast<int64_t>(a[i]) + (subtract ? -static_cast<int64_t>(b[i]) : static_cast<int64_t>(b[i]));
    a[i] = static_cast<uint32_t>(carry), carry >>= 32;
  }
}
bool is_zero(const Fixed& a) {
  for (const uint32_t word : a)
    if (word != 0) return false;
  return true;
}
Fixed arctangent_of_inverse(uint32_t n) {
  Fixed power(kWords + 1);
  power[0] = 1;
  power = divided(power, n);
  Fixed sum = power;
  for (uint32_t k = 1; !is_zero(power); ++k) {
    power = divided(divided(power, n), n);
    add(sum, divided(power, 2 * k + 1), k % 2 == 1);
  }
  return sum;
}
/// Bits of 2/pi after the point; [0] is the first. Machin's formula, then long division.
std::vector<bool> two_over_pi(size_t count) {
  Fixed pi(kWords + 1);
  const Fixed fifth = arctangent_of_inverse(5), other = arctangent_of_inverse(239);
  for (int i = 0; i < 16; ++i) add(pi, fifth, false);
  for (int i = 0; i < 4; ++i) add(pi, other, true);
  Fixed rest(kWords + 1);
  rest[0] = 2;
  std::vector<bool> bits;
  while (bits.size() < count) {
    add(rest, Fixed(rest), false);
    const bool one = rest >= pi;
    if (one) add(rest, pi, true);
    bits.push_back(one);
  }
  return bits;
}

TEST(TrigPreop, GivesFiftyThreeBitsOfTwoOverPi) {
  const std::vector<bool> bits = two_over_pi(1201 + 64);
  // 2/pi = 0.6366197723675814 (the first 53 bits).
  double head = 0;
  for (size_t i = 0; i < 53; ++i) head += bits[i] ? std::ldexp(1.0, -static_cast<int>(i) - 1) : 0;
  ASSERT_NEAR(head, 0.63661977236758134308, 1e-15);
  std::mt19937_64 random(42);
  for (const auto [target, lanes] : all_targets()) {
    SCOPED_TRACE(target);
    WaveTest test(target, lanes);
    for (int round = 0; round < 10; ++round) {
      for (int lane = 0; lane < lanes; ++lane) {
        const uint64_t exponent = random() % 3 == 0 ? random() % 2047 : 1070 + random() % 977;
        test.set_v64(2, lane, (random() & 0x800fffffffffffff) | exponent << 52);
        test.v(4, lane) = static_cast<uint32_t>(random());
      }
      ASSERT_TRUE(test.run("v_trig_preop_f64 v[0:1], v[2:3], v4"));
      for (int lane = 0; lane < lanes; ++lane) {
        const auto exponent = static_cast<int>(test.v64(2, lane) >> 52 & 0x7ff);
        int shift = static_cast<int>(test.v(4, lane) & 31) * 53;
        if (exponent > 1077) shift += exponent - 1077;
        double fraction = 0;  // 53 bits after the shift, as an integer
        for (int i = 0; i < 53; ++i) {
          const int at = shift + i;
          fraction = fraction * 2 + (at < 1201 && bits[static_cast<size_t>(at)] ? 1 : 0);
        }
        const double expected = std::ldexp(fraction, -53 - shift + (exponent >= 1968 ? 128 : 0));
        EXPECT_EQ(std::bit_cast<double>(test.v64(0, lane)), expected)
            << exponent << ' ' << (test.v(4, lane) & 31);
      }
    }
  }
}

}  // namespace
}  // namespace wavesmith::emulate
