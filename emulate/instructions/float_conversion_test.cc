// Conversions between floats of all widths and integers, against scalar code of the host's C library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "emulate/instructions/float_testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

using isa::kCdna;
using isa::kRdna;

double to_int(double x, double low, double high) {
  return std::isnan(x) ? 0.0 : std::clamp(std::trunc(x), low, high);
}

uint64_t toward_zero(uint64_t x) {
  const float value = Bits<float>::of(x);
  auto half = static_cast<_Float16>(value);
  if (std::isfinite(value) && std::fabs(static_cast<float>(half)) > std::fabs(value))
    half = Bits<_Float16>::of(Bits<_Float16>::back(half) - 1);
  return Bits<_Float16>::back(half);
}

TEST(FloatConversion, FloatsAndIntegersOf32And64Bits) {
  expect_lanes(
      "v_cvt_f32_i32 v0, v2",
      [](uint64_t a, auto...) { return Bits<float>::back(static_cast<float>(static_cast<int32_t>(a))); }, {});
  expect_lanes(
      "v_cvt_f32_u32 v0, v2",
      [](uint64_t a, auto...) { return Bits<float>::back(static_cast<float>(static_cast<uint32_t>(a))); },
      {});
  expect_lanes(
      "v_cvt_i32_f32 v0, v2",
      [](uint64_t a, auto...) {
        return static_cast<uint64_t>(static_cast<int64_t>(to_int(Bits<float>::of(a), INT32_MIN, INT32_MAX)));
      },
      integer_of(32));
  expect_lanes(
      "v_cvt_u32_f32 v0, v2",
      [](uint64_t a, auto...) { return static_cast<uint64_t>(to_int(Bits<float>::of(a), 0, UINT32_MAX)); },
      integer_of(32));
  expect_lanes(
      "v_cvt_i32_f64 v0, v[2:3]",
      [](uint64_t a, auto...) {
        return static_cast<uint64_t>(static_cast<int64_t>(to_int(Bits<double>::of(a), INT32_MIN, INT32_MAX)));
      },
      integer_of(64));
  expect_lanes(
      "v_cvt_u32_f64 v0, v[2:3]",
      [](uint64_t a, auto...) { return static_cast<uint64_t>(to_int(Bits<double>::of(a), 0, UINT32_MAX)); },
      integer_of(64));
  expect_lanes("v_cvt_f64_i32 v[0:1], v2",
               [](uint64_t a, auto...) { return Bits<double>::back(static_cast<int32_t>(a)); },
               {.mask = ~uint64_t{0}});
  expect_lanes("v_cvt_f64_u32 v[0:1], v2",
               [](uint64_t a, auto...) { return Bits<double>::back(static_cast<uint32_t>(a)); },
               {.mask = ~uint64_t{0}});
  for (int i = 0; i < 4; ++i)
    expect_lanes(
        "v_cvt_f32_ubyte" + std::to_string(i) + " v0, v2",
        [i](uint64_t a, auto...) { return Bits<float>::back(static_cast<float>(a >> (8 * i) & 0xff)); }, {});
  expect_lanes(
      "v_cvt_off_f32_i4 v0, v2",
      [](uint64_t a, auto...) {
        return Bits<float>::back(static_cast<float>((a & 8 ? -16 : 0) + static_cast<int>(a & 15)) / 16);
      },
      {});
}

TEST(FloatConversion, HalvesAndIntegersOf16Bits) {
  expect_lanes(
      "v_cvt_i16_f16 v0%, v2%",
      [](uint64_t a, auto...) {
        return static_cast<uint64_t>(
            static_cast<int64_t>(to_int(static_cast<double>(Bits<_Float16>::of(a)), INT16_MIN, INT16_MAX)));
      },
      integer_of(16, isa::kEvery, 0xffff));
  expect_lanes(
      "v_cvt_u16_f16 v0%, v2%",
      [](uint64_t a, auto...) {
        return static_cast<uint64_t>(to_int(static_cast<double>(Bits<_Float16>::of(a)), 0, UINT16_MAX));
      },
      integer_of(16, isa::kEvery, 0xffff));
  expect_lanes("v_cvt_f16_i16 v0%, v2%",
               [](uint64_t a, auto...) {
                 return Bits<_Float16>::back(static_cast<_Float16>(static_cast<int16_t>(a)));
               },
               {.mask = 0xffff});
  expect_lanes("v_cvt_f16_u16 v0%, v2%",
               [](uint64_t a, auto...) {
                 return Bits<_Float16>::back(static_cast<_Float16>(static_cast<uint16_t>(a)));
               },
               {.mask = 0xffff});
}

TEST(FloatConversion, BetweenFloatsOfAllWidths) {
  expect_lanes(
      "v_cvt_f16_f32 v0%, v2",
      [](uint64_t a, auto...) { return Bits<_Float16>::back(static_cast<_Float16>(Bits<float>::of(a))); },
      {.mask = 0xffff, .float_bits = 32, .result_bits = 16});
  expect_lanes(
      "v_cvt_f32_f16 v0, v2%",
      [](uint64_t a, auto...) { return Bits<float>::back(static_cast<float>(Bits<_Float16>::of(a))); },
      {.float_bits = 16, .result_bits = 32});
  expect_lanes(
      "v_cvt_f64_f32 v[0:1], v2",
      [](uint64_t a, auto...) { return Bits<double>::back(static_cast<double>(Bits<float>::of(a))); },
      {.mask = ~uint64_t{0}, .float_bits = 32, .result_bits = 64});
  expect_lanes("v_cvt_f32_f64 v0, v[2:3]",
               [](uint64_t a, auto...) { return Bits<float>::back(static_cast<float>(Bits<double>::of(a))); },
               {.float_bits = 64, .result_bits = 32});
}

TEST(FloatConversion, PackedHalvesAreRoundedTowardZero) {
  for (const auto& [name, in] :
       {std::pair{"v_cvt_pkrtz_f16_f32 v0, v2, 1.0", kCdna}, {"v_cvt_pk_rtz_f16_f32 v0, v2, 1.0", kRdna}})
    expect_lanes(name, [](uint64_t a, auto...) { return toward_zero(a); },
                 {.generations = in, .mask = 0xffff, .float_bits = 32, .result_bits = 16});
  for (const auto& [name, in] :
       {std::pair{"v_cvt_pkrtz_f16_f32 v0, 1.0, v4", kCdna}, {"v_cvt_pk_rtz_f16_f32 v0, 1.0, v4", kRdna}})
    expect_lanes(std::string(name) + "\nv_lshrrev_b32 v0, 16, v0",
                 [](uint64_t, uint64_t b, auto...) { return toward_zero(b); },
                 {.generations = in, .mask = 0xffff, .float_bits = 32, .result_bits = 16});
}

TEST(FloatConversion, PackedIntegersAreClamped) {
  expect_lanes(
      "v_cvt_pk_i16_i32 v0, v2, v4",
      [](uint64_t a, uint64_t b, auto...) {
        const auto clamped = [](uint64_t x) {
          return static_cast<uint64_t>(std::clamp<int32_t>(static_cast<int32_t>(x), INT16_MIN, INT16_MAX)) &
                 0xffff;
        };
        return clamped(a) | clamped(b) << 16;
      },
      {});
  expect_lanes("v_cvt_pk_u16_u32 v0, v2, v4",
               [](uint64_t a, uint64_t b, auto...) {
                 const auto clamped = [](uint64_t x) { return std::min<uint64_t>(x & 0xffffffff, 0xffff); };
                 return clamped(a) | clamped(b) << 16;
               },
               {});
  const auto normalized = [](uint64_t x) -> uint64_t {
    const float value = Bits<float>::of(x);
    return std::isnan(value)
               ? 0
               : static_cast<uint64_t>(std::lrint(std::clamp(value, -1.0f, 1.0f) * 32767.0)) & 0xffff;
  };
  for (const auto& [name, in] :
       {std::pair{"v_cvt_pknorm_i16_f32 v0, v2, v4", kCdna}, {"v_cvt_pk_norm_i16_f32 v0, v2, v4", kRdna}})
    expect_lanes(
        name, [&](uint64_t a, uint64_t b, auto...) { return normalized(a) | normalized(b) << 16; },
        integer_of(32, in));
}

// Every half: rounded once, to the nearest, whatever MODE says.
TEST(FloatConversion, HalvesBecomeSixteenBitFractions) {
  for (const std::string_view target : {"gfx942", "gfx1201"})
    for (const uint32_t rounding : {0u, 1u, 3u}) {
      const bool rdna = target != "gfx942";
      WaveTest test(target, rdna ? 32 : 64);
      test.s(scalar_index::kMode) = 0xf0 | rounding * 5;
      const auto lanes = static_cast<uint32_t>(test.lanes());
      for (uint32_t base = 0; base < 0x10000; base += lanes) {
        for (uint32_t lane = 0; lane < lanes; ++lane) test.v(1, static_cast<int>(lane)) = base + lane;
        const std::string half = rdna ? ".l" : "";
        const auto done =
            test.run(fmt::format("v_cvt_norm_i16_f16 v2{0}, v1{0}\nv_cvt_norm_u16_f16 v3{0}, v1{0}", half));
        ASSERT_TRUE(done) << done.error().text();
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          const auto value = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(base + lane)));
          const auto fraction = [&](double low, double one) {
            return std::isnan(value)
                       ? 0u
                       : static_cast<uint32_t>(std::lrint(std::clamp(value, low, 1.0) * one)) & 0xffff;
          };
          const auto i = static_cast<int>(lane);
          ASSERT_EQ(test.v(2, i) & 0xffff, fraction(-1, 32767))
              << target << " " << value << " mode " << rounding;
          ASSERT_EQ(test.v(3, i) & 0xffff, fraction(0, 65535))
              << target << " " << value << " mode " << rounding;
        }
      }
    }
}

}  // namespace
}  // namespace wavesmith::emulate
