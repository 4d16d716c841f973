// Scalar integer arithmetic: SOP2 and SOPK, and the few SOP1 that compute with signs.
// SCC is the carry of unsigned and the overflow of signed additions; minima and maxima say whether the first
// source won.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

namespace salu {

inline constexpr auto carried = [](auto sum) { return Results{convert<uint32_t>(sum), sum >> 32 != 0}; };
inline constexpr auto add = [](auto a, auto b, auto carry) {
  return carried(convert<uint64_t>(a) + convert<uint64_t>(b) + convert<uint64_t>(carry));
};
inline constexpr auto subtract = [](auto a, auto b, auto borrow) {
  const auto less = convert<uint64_t>(b) + convert<uint64_t>(borrow);
  return Results{a - convert<uint32_t>(less), less > convert<uint64_t>(a)};
};
/// A sum or a difference in 64 bits, and whether 32 hold it.
inline constexpr auto overflowed = [](auto wide) {
  const auto result = convert<int32_t>(wide);
  return Results{result, convert<int64_t>(result) != wide};
};
inline constexpr auto add_signed = [](auto a, auto b) {
  return overflowed(convert<int64_t>(a) + convert<int64_t>(b));
};
inline constexpr auto multiply = [](auto a, auto b) {
  return convert<int32_t>(convert<int64_t>(a) * convert<int64_t>(b));
};
inline constexpr auto shift_add = [](auto a, int shift, auto b) {
  return carried((convert<uint64_t>(a) << shift) + convert<uint64_t>(b));
};
inline constexpr auto magnitude = [](auto a) {
  const auto result = a >> 31 ? 0u - a : a;
  return Results{result, result != 0};
};

}  // namespace salu

template <class Visitor>
void scalar_integer(Visitor& v) {
  using namespace salu;
  // clang-format off
  v(scalar<out<u32, scc>(u32, u32)>,      "s_add_u32 s_add_co_u32",      [](auto a, auto b) { return add(a, b, false); });
  v(scalar<out<u32, scc>(u32, u32, scc)>, "s_addc_u32 s_add_co_ci_u32",  [](auto a, auto b, auto c) { return add(a, b, c); });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_sub_u32 s_sub_co_u32",      [](auto a, auto b) { return subtract(a, b, false); });
  v(scalar<out<u32, scc>(u32, u32, scc)>, "s_subb_u32 s_sub_co_ci_u32",  [](auto a, auto b, auto c) { return subtract(a, b, c); });
  v(scalar<out<i32, scc>(i32, i32)>,      "s_add_i32 s_add_co_i32",      [](auto a, auto b) { return add_signed(a, b); });
  v(scalar<out<i32, scc>(i32, i32)>,      "s_sub_i32 s_sub_co_i32",      [](auto a, auto b) { return overflowed(convert<int64_t>(a) - convert<int64_t>(b)); });
  v(scalar<out<i32, scc>(old<i32>, i16)>, "s_addk_i32 s_addk_co_i32",    [](auto a, auto b) { return add_signed(a, b); });
  v(scalar<u64(u64, u64)>,                "s_add_nc_u64",                [](auto a, auto b) { return a + b; }, kSaluRdna4);
  v(scalar<u64(u64, u64)>,                "s_sub_nc_u64",                [](auto a, auto b) { return a - b; }, kSaluRdna4);
  v(scalar<u64(u64, u64)>,                "s_mul_u64",                   [](auto a, auto b) { return a * b; }, kSaluRdna4);
  v(scalar<i32(i32, i32)>,                "s_mul_i32",                   [](auto a, auto b) { return multiply(a, b); });
  v(scalar<i32(old<i32>, i16)>,           "s_mulk_i32",                  [](auto a, auto b) { return multiply(a, b); });
  v(scalar<u32(u32, u32)>,                "s_mul_hi_u32",                [](auto a, auto b) { return convert<uint32_t>(convert<uint64_t>(a) * convert<uint64_t>(b) >> 32); });
  v(scalar<i32(i32, i32)>,                "s_mul_hi_i32",                [](auto a, auto b) { return convert<int32_t>(convert<int64_t>(a) * convert<int64_t>(b) >> 32); });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl1_add_u32",             [](auto a, auto b) { return shift_add(a, 1, b); });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl2_add_u32",             [](auto a, auto b) { return shift_add(a, 2, b); });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl3_add_u32",             [](auto a, auto b) { return shift_add(a, 3, b); });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_lshl4_add_u32",             [](auto a, auto b) { return shift_add(a, 4, b); });
  v(scalar<out<i32, scc>(i32, i32)>,      "s_min_i32",                   [](auto a, auto b) { return Results{a < b ? a : b, a < b}; });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_min_u32",                   [](auto a, auto b) { return Results{a < b ? a : b, a < b}; });
  v(scalar<out<i32, scc>(i32, i32)>,      "s_max_i32",                   [](auto a, auto b) { return Results{a >= b ? a : b, a >= b}; });
  v(scalar<out<u32, scc>(u32, u32)>,      "s_max_u32",                   [](auto a, auto b) { return Results{a >= b ? a : b, a >= b}; });
  v(scalar<out<u32, scc>(u32)>,           "s_abs_i32",                   magnitude);
  v(scalar<out<u32, scc>(u32, u32)>,      "s_absdiff_i32",               [](auto a, auto b) { return magnitude(a - b); });
  // clang-format on
}

}  // namespace wavesmith::isa
