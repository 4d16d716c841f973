// Floating-point arithmetic against scalar code of the host's C library.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "emulate/instructions/float_testing.h"

namespace wavesmith::emulate {
namespace {

using isa::Generations;
using isa::kCdna;
using isa::kCdna2;
using isa::kCdna4;
using isa::kRdna;
using isa::kRdna3;
using isa::kRdna4;

constexpr auto add = [](auto a, auto b, auto...) { return a + b; };
constexpr auto sub = [](auto a, auto b, auto...) { return a - b; };
constexpr auto subrev = [](auto a, auto b, auto...) { return b - a; };
constexpr auto mul = [](auto a, auto b, auto...) { return a * b; };
constexpr auto fma3 = [](auto a, auto b, auto c, auto) { return std::fma(a, b, c); };
constexpr auto fmac = [](auto a, auto b, auto, auto d) { return std::fma(a, b, d); };
constexpr auto truncate = [](auto a, auto...) { return std::trunc(a); };
constexpr auto ceiling = [](auto a, auto...) { return std::ceil(a); };
constexpr auto nearest = [](auto a, auto...) { return std::nearbyint(a); };
constexpr auto below = [](auto a, auto...) { return std::floor(a); };

TEST(Float32, Arithmetic) {
  expect_lanes("v_add_f32 v0, v2, v4", f32(add), of32());
  expect_lanes("v_sub_f32 v0, v2, v4", f32(sub), of32());
  expect_lanes("v_subrev_f32 v0, v2, v4", f32(subrev), of32());
  expect_lanes("v_mul_f32 v0, v2, v4", f32(mul), of32());
  expect_lanes("v_fma_f32 v0, v2, v4, v6", f32(fma3), of32());
  expect_lanes("v_fmac_f32 v0, v2, v4", f32(fmac), of32());
  expect_lanes("v_fmaak_f32 v0, v2, v4, 0x40200000",
               f32([](float a, float b, auto...) { return std::fma(a, b, 2.5f); }),
               of32(isa::kEvery & ~kCdna2));
  expect_lanes("v_fmamk_f32 v0, v2, 0x40200000, v4",
               f32([](float a, float b, auto...) { return std::fma(a, 2.5f, b); }),
               of32(isa::kEvery & ~kCdna2));
  const auto dx9 = [](float a, float b, auto...) { return a == 0 || b == 0 ? 0.0f : a * b; };
  expect_lanes("v_mul_legacy_f32 v0, v2, v4", f32(dx9), of32(kCdna));
  expect_lanes("v_mul_dx9_zero_f32 v0, v2, v4", f32(dx9), of32(kRdna));
  expect_lanes("v_fma_dx9_zero_f32 v0, v2, v4, v6",
               f32([](float a, float b, float c, float) { return a == 0 || b == 0 ? c : std::fma(a, b, c); }),
               of32(kRdna));
  const auto flush = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
  expect_lanes("v_mad_f32 v0, v2, v4, v6", f32([&](float a, float b, float c, float) {
                 return flush(flush(flush(a) * flush(b)) + flush(c));
               }),
               of32(kCdna2));
  expect_lanes("v_mac_f32 v0, v2, v4", f32([&](float a, float b, float, float d) {
                 return flush(flush(flush(a) * flush(b)) + flush(d));
               }),
               of32(kCdna2));
}

TEST(Float32, RoundingAndParts) {
  expect_lanes("v_trunc_f32 v0, v2", f32(truncate), of32());
  expect_lanes("v_ceil_f32 v0, v2", f32(ceiling), of32());
  expect_lanes("v_rndne_f32 v0, v2", f32(nearest), of32());
  expect_lanes("v_floor_f32 v0, v2", f32(below), of32());
  expect_lanes("v_fract_f32 v0, v2", f32([](float a, auto...) {
                 const float r = a - std::floor(a);
                 return r == 1.0f ? std::nextafterf(1, 0) : r;
               }),
               of32());
  expect_lanes("v_frexp_mant_f32 v0, v2", f32([](float a, auto...) {
                 int e;
                 return std::isfinite(a) ? std::frexp(a, &e) : a;
               }),
               of32());
  expect_lanes(
      "v_frexp_exp_i32_f32 v0, v2",
      [](uint64_t a, auto...) -> uint64_t {
        int e = 0;
        if (const float x = Bits<float>::of(a); std::isfinite(x)) std::frexp(x, &e);
        return static_cast<uint32_t>(e);
      },
      integer_of(32));
  expect_lanes(
      "v_and_b32 v4, 0xff, v4\nv_add_u32 v4, 0xffffff80, v4\nv_ldexp_f32 v0, v2, v4",
      [](uint64_t a, uint64_t b, auto...) {
        return Bits<float>::back(std::ldexp(Bits<float>::of(a), static_cast<int>(b & 0xff) - 128));
      },
      of32(kCdna));
  expect_lanes(
      "v_ldexp_f32 v0, v2, v4",
      [](uint64_t a, uint64_t b, auto...) {
        return Bits<float>::back(
            std::ldexp(Bits<float>::of(a), std::clamp<int>(static_cast<int32_t>(b), -1000, 1000)));
      },
      of32());
}

TEST(Float64, Arithmetic) {
  const Generations before_gfx12 = kCdna | kRdna3;
  expect_lanes("v_add_f64 v[0:1], v[2:3], v[4:5]", f64(add), of64());
  expect_lanes("v_mul_f64 v[0:1], v[2:3], v[4:5]", f64(mul), of64());
  expect_lanes("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", f64(fma3), of64());
  expect_lanes("v_fmac_f64 v[0:1], v[2:3], v[4:5]", f64(fmac), of64(kCdna));
  expect_lanes("v_trunc_f64 v[0:1], v[2:3]", f64(truncate), of64());
  expect_lanes("v_ceil_f64 v[0:1], v[2:3]", f64(ceiling), of64());
  expect_lanes("v_rndne_f64 v[0:1], v[2:3]", f64(nearest), of64());
  expect_lanes("v_floor_f64 v[0:1], v[2:3]", f64(below), of64());
  expect_lanes("v_fract_f64 v[0:1], v[2:3]", f64([](double a, auto...) {
                 const double r = a - std::floor(a);
                 return r == 1.0 ? std::nextafter(1.0, 0.0) : r;
               }),
               of64());
  expect_lanes("v_frexp_mant_f64 v[0:1], v[2:3]", f64([](double a, auto...) {
                 int e;
                 return std::isfinite(a) ? std::frexp(a, &e) : a;
               }),
               of64());
  expect_lanes(
      "v_frexp_exp_i32_f64 v0, v[2:3]",
      [](uint64_t a, auto...) -> uint64_t {
        int e = 0;
        if (const double x = Bits<double>::of(a); std::isfinite(x)) std::frexp(x, &e);
        return static_cast<uint32_t>(e);
      },
      integer_of(64));
  expect_lanes(
      "v_ldexp_f64 v[0:1], v[2:3], v4",
      [](uint64_t a, uint64_t b, auto...) {
        return Bits<double>::back(
            std::ldexp(Bits<double>::of(a), std::clamp<int>(static_cast<int32_t>(b), -5000, 5000)));
      },
      of64());
  expect_lanes(
      "v_bfe_i32 v4, v4, 0, 12\nv_ldexp_f64 v[0:1], v[2:3], v4",
      [](uint64_t a, uint64_t b, auto...) {
        return Bits<double>::back(std::ldexp(Bits<double>::of(a), static_cast<int>(b << 20) >> 20));
      },
      of64());
  expect_lanes("v_add_f64 v[0:1], -v[2:3], |v[4:5]|",
               f64([](double a, double b, auto...) { return -a + std::fabs(b); }), of64(before_gfx12));
}

TEST(Float16, Arithmetic) {
  expect_lanes("v_add_f16 v0%, v2%, v4%", f16(add), of16());
  expect_lanes("v_sub_f16 v0%, v2%, v4%", f16(sub), of16());
  expect_lanes("v_subrev_f16 v0%, v2%, v4%", f16(subrev), of16());
  expect_lanes("v_mul_f16 v0%, v2%, v4%", f16(mul), of16());
  expect_lanes("v_fma_f16 v0%, v2%, v4%, v6%", f16(fma3), of16());
  expect_lanes("v_fmac_f16 v0.l, v2.l, v4.l", f16(fmac), of16(kRdna));
  expect_lanes("v_fma_legacy_f16 v0, v2, v4, v6", f16(fma3), of16(kCdna));
  expect_lanes("v_fmaak_f16 v0.l, v2.l, v4.l, 0x4100",
               f16([](double a, double b, auto...) { return std::fma(a, b, 2.5); }), of16(kRdna));
  expect_lanes("v_mac_f16 v0, v2, v4", f16([](double a, double b, double, double d) {
                 return static_cast<double>(static_cast<_Float16>(a * b)) + d;
               }),
               of16(kCdna));
  expect_lanes("v_trunc_f16 v0%, v2%", f16(truncate), of16());
  expect_lanes("v_ceil_f16 v0%, v2%", f16(ceiling), of16());
  expect_lanes("v_rndne_f16 v0%, v2%", f16(nearest), of16());
  expect_lanes("v_floor_f16 v0%, v2%", f16(below), of16());
  expect_lanes("v_fract_f16 v0%, v2%", f16([](double a, auto...) {
                 return std::min(static_cast<double>(static_cast<_Float16>(a - std::floor(a))), 1 - 0x1p-11);
               }),
               of16());
  expect_lanes("v_frexp_mant_f16 v0%, v2%", f16([](double a, auto...) {
                 int e;
                 return std::isfinite(a) ? std::frexp(a, &e) : a;
               }),
               of16());
  expect_lanes(
      "v_frexp_exp_i16_f16 v0%, v2%",
      [](uint64_t a, auto...) -> uint64_t {
        int e = 0;
        if (const auto x = static_cast<double>(Bits<_Float16>::of(a)); std::isfinite(x)) std::frexp(x, &e);
        return static_cast<uint16_t>(e);
      },
      integer_of(16, isa::kEvery, 0xffff));
  expect_lanes(
      "v_ldexp_f16 v0%, v2%, v4%",
      [](uint64_t a, uint64_t b, auto...) {
        return Bits<_Float16>::back(
            static_cast<_Float16>(std::ldexp(static_cast<double>(Bits<_Float16>::of(a)),
                                             std::clamp<int>(static_cast<int16_t>(b), -100, 100))));
      },
      of16());
}

/// What happens to the half that is not written: LLVM, GCNSubtarget::zeroesHigh16BitsOfDest.
TEST(Float16, TheOtherHalf) {
  const auto with = [](uint64_t low, uint64_t old, bool kept) { return low | (kept ? old & 0xffff0000 : 0); };
  const auto sum = f16(add), product = f16(fma3);
  for (const bool rdna : {false, true}) {
    const LaneOptions options{.generations = rdna ? kRdna : kCdna};
    // Integers, so that no NaN differs.
    expect_lanes(
        "v_add_u16 v0, v2, v4",
        [&](uint64_t a, uint64_t b, uint64_t, uint64_t old) { return with((a + b) & 0xffff, old, false); },
        {.generations = kCdna});
    expect_lanes(
        "v_mad_u16 v0%, v2%, v4%, v6%",
        [&](uint64_t a, uint64_t b, uint64_t c, uint64_t old) {
          return with((a * b + c) & 0xffff, old, true);
        },
        options);
    expect_lanes(
        "v_lshlrev_b16 v0%, v2%, v4%",
        [&](uint64_t a, uint64_t b, uint64_t, uint64_t old) {
          return with((b << (a & 15)) & 0xffff, old, rdna);
        },
        options);
  }
  expect_lanes("v_add_nc_u16 v0.h, v2.l, v4.h",
               [](uint64_t a, uint64_t b, uint64_t, uint64_t old) {
                 return (((a + (b >> 16)) & 0xffff) << 16) | (old & 0xffff);
               },
               {.generations = kRdna});
  expect_lanes("v_mad_u16 v0, v2, v4, v6 op_sel:[0,1,1,1]",
               [](uint64_t a, uint64_t b, uint64_t c, uint64_t old) {
                 return (((a * (b >> 16 & 0xffff) + (c >> 16)) & 0xffff) << 16) | (old & 0xffff);
               },
               {.generations = kCdna});
}

template <class T>
T maximum(T a, T b, bool signaling_wins, bool nan_wins) {
  const auto signaling = [](T x) {
    if constexpr (sizeof(T) == 4)
      return std::isnan(x) && !(std::bit_cast<uint32_t>(x) & 0x400000);
    else
      return std::isnan(x) && !(std::bit_cast<uint64_t>(x) & 0x8000000000000);
  };
  const T nan = std::numeric_limits<T>::quiet_NaN();
  if (nan_wins && (std::isnan(a) || std::isnan(b))) return nan;
  if (signaling_wins && (signaling(a) || signaling(b))) return nan;
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T minimum(T a, T b, bool signaling_wins, bool nan_wins) {
  return -maximum(-a, -b, signaling_wins, nan_wins);
}

TEST(FloatExtremes, NanRulesAndSignedZeros) {
  struct Names {
    const char* suffix;
    bool signaling_wins, nan_wins;
    Generations in;
    bool number;
  };
  for (const Names& n :
       {Names{"", true, false, kCdna | kRdna3, true}, Names{"_num", false, false, kRdna4, true},
        Names{"imum", false, true, kRdna4, false}}) {
    const auto max32 = [=](float a, float b) { return maximum(a, b, n.signaling_wins, n.nan_wins); };
    const auto min32 = [=](float a, float b) { return minimum(a, b, n.signaling_wins, n.nan_wins); };
    const std::string s = n.suffix, two = " v0, v2, v4", three = " v0, v2, v4, v6";
    expect_lanes("v_max" + s + "_f32" + two, f32([&](float a, float b, auto...) { return max32(a, b); }),
                 of32(n.in));
    expect_lanes("v_min" + s + "_f32" + two, f32([&](float a, float b, auto...) { return min32(a, b); }),
                 of32(n.in));
    expect_lanes("v_max" + s + "_f64 v[0:1], v[2:3], v[4:5]", f64([&](double a, double b, auto...) {
                   return maximum(a, b, n.signaling_wins, n.nan_wins);
                 }),
                 of64(n.in));
    expect_lanes("v_min" + s + "_f64 v[0:1], v[2:3], v[4:5]", f64([&](double a, double b, auto...) {
                   return minimum(a, b, n.signaling_wins, n.nan_wins);
                 }),
                 of64(n.in));
    // Widening an f16 makes a signaling NaN quiet, so that case is told from the encodings.
    const auto half = [&](const LaneReference& of_values) -> LaneReference {
      return [&n, of_values](uint64_t a, uint64_t b, uint64_t c, uint64_t old) {
        const auto signals = [](uint64_t x) { return (x & 0x7e00) == 0x7c00 && (x & 0x1ff) != 0; };
        return n.signaling_wins && (signals(a) || signals(b)) ? 0x7e00 : of_values(a, b, c, old);
      };
    };
    expect_lanes("v_max" + s + "_f16 v0%, v2%, v4%",
                 half(f16([&](double a, double b, auto...) { return maximum(a, b, false, n.nan_wins); })),
                 of16(n.in));
    expect_lanes("v_min" + s + "_f16 v0%, v2%, v4%",
                 half(f16([&](double a, double b, auto...) { return minimum(a, b, false, n.nan_wins); })),
                 of16(n.in));
    const std::string max3 = n.number ? "v_max3" + s : "v_maximum3",
                      min3 = n.number ? "v_min3" + s : "v_minimum3";
    const Generations in3 = n.number ? n.in : kCdna4 | kRdna4;
    expect_lanes(max3 + "_f32" + three,
                 f32([&](float a, float b, float c, float) { return max32(max32(a, b), c); }), of32(in3));
    expect_lanes(min3 + "_f32" + three,
                 f32([&](float a, float b, float c, float) { return min32(min32(a, b), c); }), of32(in3));
    if (!n.number) continue;
    expect_lanes("v_med3" + s + "_f32" + three, f32([&](float a, float b, float c, float) {
                   if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return min32(min32(a, b), c);
                   const float greatest =
                       max32(max32(a, b), c);  // as the manuals define it; matters for zeros
                   return greatest == a ? max32(b, c) : greatest == b ? max32(a, c) : max32(a, b);
                 }),
                 of32(n.in));
  }
}
TEST(Float, SignsClampAndOutputModifiers) {
  expect_lanes("v_fma_f32 v0, -v2, |v4|, -|v6|", f32([](float a, float b, float c, float) {
                 return std::fma(-a, std::fabs(b), -std::fabs(c));
               }),
               of32());
  expect_lanes("v_add_f32 v0, |v2|, -v4 clamp", f32([](float a, float b, auto...) {
                 const float sum = std::fabs(a) - b;
                 return sum > 0 ? std::min(sum, 1.0f) : 0.0f;
               }),
               of32());
  expect_lanes("v_mul_f16 v0%, -v2%, |v4%| clamp", f16([](double a, double b, auto...) {
                 const double product = -a * std::fabs(b);
                 return product > 0 ? std::min(product, 1.0) : 0.0;
               }),
               of16());
  expect_lanes("v_mul_f64 v[0:1], -v[2:3], v[4:5] clamp", f64([](double a, double b, auto...) {
                 const double product = -a * b;
                 return product > 0 ? std::min(product, 1.0) : 0.0;
               }),
               of64());
  expect_lanes("v_cndmask_b32 v0, -v2, |v4|, VCC",
               [](uint64_t a, auto...) { return (a ^ 0x80000000) & 0xffffffff; });
}

}  // namespace
}  // namespace wavesmith::emulate
