// Scalar integer arithmetic: SOP2 and SOPK, and the few SOP1 that compute with signs.
// SCC is the carry of unsigned and the overflow of signed additions; minima and maxima say whether the first
// source won.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

namespace salu {

inline constexpr auto add = [](uint32_t a, uint32_t b, bool carry) {
  const uint64_t sum = uint64_t{a} + b + carry;
  return Results{static_cast<uint32_t>(sum), sum >> 32 != 0};
};
inline constexpr auto subtract = [](uint32_t a, uint32_t b, bool borrow) {
  return Results{a - b - borrow, uint64_t{b} + borrow > a};
};
inline constexpr auto add_signed = [](int32_t a, int32_t b) {
  int32_t sum = 0;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return Results{sum, overflow};
};
inline constexpr auto multiply = [](int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
};
inline constexpr auto shift_add = [](uint32_t a, int shift, uint32_t b) {
  const uint64_t sum = (uint64_t{a} << shift) + b;
  return Results{static_cast<uint32_t>(sum), sum >> 32 != 0};
};

}  // namespace salu

template <class Visitor>
void scalar_integer(Visitor& v) {
  using namespace salu;
  // clang-format off
  v(scalar<out<u32, scc>(u32, u32)>,      "s_add_u32 s_add_co_u32",      [](auto a, auto b) { return add(a, b, false); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32, scc)>, "s_addc_u32 s_add_co_ci_u32",  [](auto a, auto b, bool c) { return add(a, b, c); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_sub_u32 s_sub_co_u32",      [](auto a, auto b) { return subtract(a, b, false); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32, scc)>, "s_subb_u32 s_sub_co_ci_u32",  [](auto a, auto b, bool c) { return subtract(a, b, c); }, kSalu);
  v(scalar<out<i32, scc>(i32, i32)>,      "s_add_i32 s_add_co_i32",      [](auto a, auto b) { return add_signed(a, b); }, kSalu);
  v(scalar<out<i32, scc>(i32, i32)>,      "s_sub_i32 s_sub_co_i32",      [](int32_t a, int32_t b) {
    int32_t difference = 0;
    const bool overflow = __builtin_sub_overflow(a, b, &difference);
    return Results{difference, overflow};
  }, kSalu);
  v(scalar<out<i32, scc>(old<i32>, i16)>, "s_addk_i32 s_addk_co_i32",    [](int32_t a, int16_t b) { return add_signed(a, b); }, kSalu);
  v(scalar<u64(u64, u64)>,                "s_add_nc_u64",                [](auto a, auto b) { return a + b; }, kSaluRdna4);
  v(scalar<u64(u64, u64)>,                "s_sub_nc_u64",                [](auto a, auto b) { return a - b; }, kSaluRdna4);
  v(scalar<u64(u64, u64)>,                "s_mul_u64",                   [](auto a, auto b) { return a * b; }, kSaluRdna4);
  v(scalar<i32(i32, i32)>,                "s_mul_i32",                   [](auto a, auto b) { return multiply(a, b); }, kSalu);
  v(scalar<i32(old<i32>, i16)>,           "s_mulk_i32",                  [](int32_t a, int16_t b) { return multiply(a, b); }, kSalu);
  v(scalar<u32(u32, u32)>,                "s_mul_hi_u32",                [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }, kSalu);
  v(scalar<i32(i32, i32)>,                "s_mul_hi_i32",                [](int32_t a, int32_t b) { return static_cast<int32_t>(int64_t{a} * b >> 32); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl1_add_u32",             [](auto a, auto b) { return shift_add(a, 1, b); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl2_add_u32",             [](auto a, auto b) { return shift_add(a, 2, b); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl3_add_u32",             [](auto a, auto b) { return shift_add(a, 3, b); }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl4_add_u32",             [](auto a, auto b) { return shift_add(a, 4, b); }, kSalu);
  v(scalar<out<i32, scc>(i32, i32)>,      "s_min_i32",                   [](auto a, auto b) { return Results{a < b ? a : b, a < b}; }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_min_u32",                   [](auto a, auto b) { return Results{a < b ? a : b, a < b}; }, kSalu);
  v(scalar<out<i32, scc>(i32, i32)>,      "s_max_i32",                   [](auto a, auto b) { return Results{a >= b ? a : b, a >= b}; }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_max_u32",                   [](auto a, auto b) { return Results{a >= b ? a : b, a >= b}; }, kSalu);
  v(scalar<out<u32, scc>(u32)>,           "s_abs_i32",                   [](uint32_t a) {
    const uint32_t magnitude = a >> 31 ? 0u - a : a;
    return Results{magnitude, magnitude != 0};
  }, kSalu);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_absdiff_i32",               [](uint32_t a, uint32_t b) {
    const uint32_t difference = a - b, magnitude = difference >> 31 ? 0u - difference : difference;
    return Results{magnitude, magnitude != 0};
  }, kSalu);
  // clang-format on
}

}  // namespace wavesmith::isa
