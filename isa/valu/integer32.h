// 32-bit integer arithmetic and logic of the vector unit.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {
namespace detail {

/// The low 24 bits of each lane, sign-extended.
template <class V>
V signed24(V a) {
  return (a << 8) >> 8;
}
template <class To, class V>
auto wide_product(V a, V b) {
  return convert<To>(a) * convert<To>(b);
}
/// a - b - borrow, and whether it needed to borrow.
template <class V, class M>
auto subtract(V a, V b, M borrow) {
  const V one = borrow ? V(1) : V(0);
  return Results{a - b - one, lanes(a < b) | (lanes(a == b) & borrow)};
}
/// a + b + carry, and whether it carried.
template <class V, class M>
auto add(V a, V b, M carry) {
  const V partial = a + b, sum = partial + (carry ? V(1) : V(0));
  return Results{sum, lanes(partial < a) | lanes(sum < partial)};
}
/// No lane.
inline constexpr auto none = [](auto a) { return lanes(a != a); };
/// What clamp makes of a sum that carried or of a difference that borrowed; the carry stays as it is.
template <class V, class M>
auto clamped(Results<V, M> result, V limit) {
  return Results{result.second ? limit : result.first, result.second};
}
template <class V>
V median(V a, V b, V c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

inline constexpr auto min = [](auto a, auto b) { return smaller(a, b); };
inline constexpr auto max = [](auto a, auto b) { return larger(a, b); };

/// Bit i of a result is bit (4 a_i + 2 b_i + c_i) of the table.
template <class V>
V truth_table(V a, V b, V c, V table) {
  V result{};
  for (unsigned i = 0; i < 8; ++i) {
    const V chosen = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    result |= choose((table >> i & 1) != 0, chosen, V{});
  }
  return result;
}

}  // namespace detail

template <class Visitor>
void integer32(Visitor& v) {
  using namespace detail;
  constexpr Facts rdna{.generations = kRdna}, sat{.saturates = true}, commutes{.commutes = true};
  constexpr Facts multiply{.issue = Issue::Multiply};
  constexpr Facts multiply_commutes{.issue = Issue::Multiply, .commutes = true};
  constexpr Facts chooses{.chooses = true}, extreme{.commutes = true, .chooses = true};
  constexpr Facts rdna_chooses{.generations = kRdna, .chooses = true};
  // clang-format off
  v(lane<u32(u32)>,                    "v_mov_b32", [](auto a) { return a; }, {.copies = true, .dual = true});
  v(lane<u32(u32)>,                    "v_not_b32", [](auto a) { return ~a; });
  v(lane<u32(u32, u32)>,               "v_and_b32", [](auto a, auto b) { return a & b; }, commutes);
  v(lane<u32(u32, u32)>,               "v_or_b32",  [](auto a, auto b) { return a | b; }, commutes);
  v(lane<u32(u32, u32)>,               "v_xor_b32", [](auto a, auto b) { return a ^ b; }, commutes);
  v(rare<u32(u32, u32)>,               "v_xnor_b32", [](auto a, auto b) { return ~(a ^ b); });
  v(lane<u32(u32, u32, u32)>,          "v_and_or_b32", [](auto a, auto b, auto c) { return (a & b) | c; }, commutes);
  v(lane<u32(u32, u32, u32)>,          "v_or3_b32",  [](auto a, auto b, auto c) { return a | b | c; }, commutes);
  v(rare<u32(u32, u32, u32)>,          "v_xor3_b32", [](auto a, auto b, auto c) { return a ^ b ^ c; }, rdna);
  v(rare<u32(u32, u32, u32)>,          "v_xad_u32",  [](auto a, auto b, auto c) { return (a ^ b) + c; });
  v(rare<u32(u32, u32, u32, u32)>,     "v_bitop3_b32", [](auto a, auto b, auto c, auto table) { return truth_table(a, b, c, table); }, {.generations = kCdna4, .modifier = "bitop3"});
  v(lane<u32(u32, u32, bit)>,          "v_cndmask_b32", [](auto a, auto b, auto which) { return which ? b : a; }, {.dual = true});

  v(lane<u32(u32, u32)>,               "v_lshlrev_b32", [](auto a, auto b) { return b << (a & 31); });
  v(lane<u32(u32, u32)>,               "v_lshrrev_b32", [](auto a, auto b) { return b >> (a & 31); });
  v(lane<i32(i32, i32)>,               "v_ashrrev_i32", [](auto a, auto b) { return b >> (a & 31); });
  v(lane<u32(u32, u32, u32)>,          "v_lshl_add_u32", [](auto a, auto b, auto c) { return (a << (b & 31)) + c; });
  v(lane<u32(u32, u32, u32)>,          "v_add_lshl_u32", [](auto a, auto b, auto c) { return (a + b) << (c & 31); });
  v(lane<u32(u32, u32, u32)>,          "v_lshl_or_b32", [](auto a, auto b, auto c) { return (a << (b & 31)) | c; });

  v(lane<u32(u32, u32)>,               "v_add_u32 v_add_nc_u32", [](auto a, auto b) { return a + b; }, commutes);
  v(lane<u32(u32, u32)>,               "v_sub_u32 v_sub_nc_u32", [](auto a, auto b) { return a - b; });
  v(rare<u32(u32, u32)>,               "v_subrev_u32 v_subrev_nc_u32", [](auto a, auto b) { return b - a; });
  v(rare<u32(u32, u32)>,               "v_add_i32 v_add_nc_i32", [](auto a, auto b) { return a + b; });
  v(rare<u32(u32, u32)>,               "v_sub_i32 v_sub_nc_i32", [](auto a, auto b) { return a - b; });
  v(rare<u32(u32, u32)>,               "v_add_u32 v_add_nc_u32", [](auto a, auto b) { return add_saturated(a, b); }, sat);
  v(rare<u32(u32, u32)>,               "v_sub_u32 v_sub_nc_u32", [](auto a, auto b) { return subtract_saturated(a, b); }, sat);
  v(rare<u32(u32, u32)>,               "v_subrev_u32 v_subrev_nc_u32", [](auto a, auto b) { return subtract_saturated(b, a); }, sat);
  v(rare<i32(i32, i32)>,               "v_add_i32 v_add_nc_i32", [](auto a, auto b) { return add_saturated(a, b); }, sat);
  v(rare<i32(i32, i32)>,               "v_sub_i32 v_sub_nc_i32", [](auto a, auto b) { return subtract_saturated(a, b); }, sat);
  v(lane<u32(u32, u32, u32)>,          "v_add3_u32", [](auto a, auto b, auto c) { return a + b + c; }, commutes);

  v(lane<out<u32, bit>(u32, u32)>,     "v_add_co_u32", [](auto a, auto b) { auto sum = a + b; return Results{sum, lanes(sum < a)}; });
  v(lane<out<u32, bit>(u32, u32)>,     "v_sub_co_u32", [](auto a, auto b) { return Results{a - b, lanes(a < b)}; });
  v(rare<out<u32, bit>(u32, u32)>,     "v_subrev_co_u32", [](auto a, auto b) { return Results{b - a, lanes(b < a)}; });
  v(lane<out<u32, bit>(u32, u32, bit)>, "v_addc_co_u32 v_add_co_ci_u32", [](auto a, auto b, auto carry) { return add(a, b, carry); });
  v(lane<out<u32, bit>(u32, u32, bit)>, "v_subb_co_u32 v_sub_co_ci_u32", [](auto a, auto b, auto borrow) { return subtract(a, b, borrow); });
  v(rare<out<u32, bit>(u32, u32, bit)>, "v_subbrev_co_u32 v_subrev_co_ci_u32", [](auto a, auto b, auto borrow) { return subtract(b, a, borrow); });
  v(rare<out<u32, bit>(u32, u32)>,     "v_add_co_u32", [](auto a, auto b) { return clamped(add(a, b, none(a)), ~decltype(a){}); }, sat);
  v(rare<out<u32, bit>(u32, u32)>,     "v_sub_co_u32", [](auto a, auto b) { return clamped(subtract(a, b, none(a)), decltype(a){}); }, sat);
  v(rare<out<u32, bit>(u32, u32)>,     "v_subrev_co_u32", [](auto a, auto b) { return clamped(subtract(b, a, none(a)), decltype(a){}); }, sat);
  v(rare<out<u32, bit>(u32, u32, bit)>, "v_addc_co_u32 v_add_co_ci_u32", [](auto a, auto b, auto carry) { return clamped(add(a, b, carry), ~decltype(a){}); }, sat);
  v(rare<out<u32, bit>(u32, u32, bit)>, "v_subb_co_u32 v_sub_co_ci_u32", [](auto a, auto b, auto borrow) { return clamped(subtract(a, b, borrow), decltype(a){}); }, sat);
  v(rare<out<u32, bit>(u32, u32, bit)>, "v_subbrev_co_u32 v_subrev_co_ci_u32", [](auto a, auto b, auto borrow) { return clamped(subtract(b, a, borrow), decltype(a){}); }, sat);

  v(lane<u32(u32, u32)>,               "v_mul_lo_u32 v_mul_lo_i32", [](auto a, auto b) { return a * b; }, multiply_commutes);
  v(lane<u32(u32, u32)>,               "v_mul_hi_u32", [](auto a, auto b) { return convert<uint32_t>(wide_product<uint64_t>(a, b) >> 32); }, multiply_commutes);
  v(rare<i32(i32, i32)>,               "v_mul_hi_i32", [](auto a, auto b) { return convert<int32_t>(wide_product<int64_t>(a, b) >> 32); }, multiply);
  v(lane<u32(u32, u32)>,               "v_mul_u32_u24", [](auto a, auto b) { return (a & 0xffffff) * (b & 0xffffff); }, commutes);
  v(lane<i32(i32, i32)>,               "v_mul_i32_i24", [](auto a, auto b) { return bits<Pack<int32_t>>(bits<Pack<uint32_t>>(signed24(a)) * bits<Pack<uint32_t>>(signed24(b))); }, commutes);
  v(rare<u32(u32, u32)>,               "v_mul_hi_u32_u24", [](auto a, auto b) { return convert<uint32_t>(wide_product<uint64_t>(a & 0xffffff, b & 0xffffff) >> 32); }, multiply);
  v(rare<i32(i32, i32)>,               "v_mul_hi_i32_i24", [](auto a, auto b) { return convert<int32_t>(wide_product<int64_t>(signed24(a), signed24(b)) >> 32); }, multiply);
  v(lane<u32(u32, u32, u32)>,          "v_mad_u32_u24", [](auto a, auto b, auto c) { return (a & 0xffffff) * (b & 0xffffff) + c; }, commutes);
  v(lane<i32(i32, i32, i32)>,          "v_mad_i32_i24", [](auto a, auto b, auto c) {
    return bits<Pack<int32_t>>(bits<Pack<uint32_t>>(signed24(a)) * bits<Pack<uint32_t>>(signed24(b)) + bits<Pack<uint32_t>>(c));
  });
  v(rare<u32(u32, u32, u32)>,          "v_mad_u32_u24", [](auto a, auto b, auto c) {
    return saturated<uint32_t>(wide_product<uint64_t>(a & 0xffffff, b & 0xffffff) + convert<uint64_t>(c));
  }, sat);
  v(rare<i32(i32, i32, i32)>,          "v_mad_i32_i24", [](auto a, auto b, auto c) {
    return saturated<int32_t>(wide_product<int64_t>(signed24(a), signed24(b)) + convert<int64_t>(c));
  }, sat);
  v(rare<u32(u16, u16, u32)>,          "v_mad_u32_u16", [](auto a, auto b, auto c) { return wide_product<uint32_t>(a, b) + c; });
  v(rare<i32(i16, i16, i32)>,          "v_mad_i32_i16", [](auto a, auto b, auto c) {
    return bits<Pack<int32_t>>(bits<Pack<uint32_t>>(wide_product<int32_t>(a, b)) + bits<Pack<uint32_t>>(c));
  });
  v(rare<u32(u16, u16, u32)>,          "v_mad_u32_u16", [](auto a, auto b, auto c) { return add_saturated(wide_product<uint32_t>(a, b), c); }, sat);
  v(rare<i32(i16, i16, i32)>,          "v_mad_i32_i16", [](auto a, auto b, auto c) { return add_saturated(wide_product<int32_t>(a, b), c); }, sat);

  v(lane<u32(u32, u32)>,               "v_min_u32", min, extreme);
  v(lane<u32(u32, u32)>,               "v_max_u32", max, extreme);
  v(lane<i32(i32, i32)>,               "v_min_i32", min, extreme);
  v(lane<i32(i32, i32)>,               "v_max_i32", max, extreme);
  v(rare<u32(u32, u32, u32)>,          "v_min3_u32", [](auto a, auto b, auto c) { return min(min(a, b), c); }, chooses);
  v(rare<u32(u32, u32, u32)>,          "v_max3_u32", [](auto a, auto b, auto c) { return max(max(a, b), c); }, chooses);
  v(rare<i32(i32, i32, i32)>,          "v_min3_i32", [](auto a, auto b, auto c) { return min(min(a, b), c); }, chooses);
  v(rare<i32(i32, i32, i32)>,          "v_max3_i32", [](auto a, auto b, auto c) { return max(max(a, b), c); }, chooses);
  v(rare<u32(u32, u32, u32)>,          "v_med3_u32", [](auto a, auto b, auto c) { return median(a, b, c); }, chooses);
  v(rare<i32(i32, i32, i32)>,          "v_med3_i32", [](auto a, auto b, auto c) { return median(a, b, c); }, chooses);
  v(rare<u32(u32, u32, u32)>,          "v_minmax_u32", [](auto a, auto b, auto c) { return max(min(a, b), c); }, rdna_chooses);
  v(rare<u32(u32, u32, u32)>,          "v_maxmin_u32", [](auto a, auto b, auto c) { return min(max(a, b), c); }, rdna_chooses);
  v(rare<i32(i32, i32, i32)>,          "v_minmax_i32", [](auto a, auto b, auto c) { return max(min(a, b), c); }, rdna_chooses);
  v(rare<i32(i32, i32, i32)>,          "v_maxmin_i32", [](auto a, auto b, auto c) { return min(max(a, b), c); }, rdna_chooses);
  // clang-format on
}

}  // namespace wavesmith::isa
