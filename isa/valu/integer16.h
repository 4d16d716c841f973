// 16-bit integer arithmetic and logic. Sources are halves of registers; see the translator for the other half
// of a result's register.
#pragma once

#include "isa/row.h"
#include "isa/valu/integer32.h"

namespace wavesmith::isa {

template <class Visitor>
void integer16(Visitor& v) {
  using namespace detail;
  constexpr Facts cdna{.generations = kCdna}, rdna{.generations = kRdna};
  // Those that CDNA can aim at either half leave the other one.
  constexpr Facts kept{.keeps_high = true};
  constexpr Facts chooses{.chooses = true}, kept_chooses{.keeps_high = true, .chooses = true};
  constexpr Facts bounded{.generations = kRdna, .bounded = true};
  constexpr Facts sat{.saturates = true}, kept_sat{.keeps_high = true, .saturates = true};
  constexpr auto mad = [](auto a, auto b, auto c) { return static_cast<decltype(a)>(a * b + c); };
  constexpr auto mad_sat_u16 = [](auto a, auto b, auto c) {
    return saturated<uint16_t>(wide_product<uint64_t>(a, b) + convert<uint64_t>(c));
  };
  constexpr auto mad_sat_i16 = [](auto a, auto b, auto c) {
    return saturated<int16_t>(wide_product<int64_t>(a, b) + convert<int64_t>(c));
  };
  constexpr auto min3 = [](auto a, auto b, auto c) { return min(min(a, b), c); };
  constexpr auto max3 = [](auto a, auto b, auto c) { return max(max(a, b), c); };
  constexpr auto med3 = [](auto a, auto b, auto c) { return median(a, b, c); };
  constexpr auto add_sat = [](auto a, auto b) { return add_saturated(a, b); };
  constexpr auto sub_sat = [](auto a, auto b) { return subtract_saturated(a, b); };
  // clang-format off
  v(rare<u16(u16)>,           "v_mov_b16", [](auto a) { return a; }, {.generations = kRdna, .copies = true});
  v(rare<u16(u16)>,           "v_not_b16", [](auto a) { return ~a; }, rdna);
  v(rare<u16(u16, u16)>,      "v_and_b16", [](auto a, auto b) { return a & b; }, rdna);
  v(rare<u16(u16, u16)>,      "v_or_b16",  [](auto a, auto b) { return a | b; }, rdna);
  v(rare<u16(u16, u16)>,      "v_xor_b16", [](auto a, auto b) { return a ^ b; }, rdna);
  v(rare<u16(u16, u16, u16, u16)>, "v_bitop3_b16", [](auto a, auto b, auto c, auto table) { return truth_table(a, b, c, table); }, {.issue = Issue::Half, .generations = kCdna4, .keeps_high = true, .modifier = "bitop3"});
  v(rare<u16(u16, u16, bit)>, "v_cndmask_b16", [](auto a, auto b, auto which) { return which ? b : a; }, rdna);
  v(rare<u16(u16, u16)>,      "v_lshlrev_b16", [](auto a, auto b) { return b << (a & decltype(a)(15)); });
  v(rare<u16(u16, u16)>,      "v_lshrrev_b16", [](auto a, auto b) { return b >> (a & decltype(a)(15)); });
  v(rare<i16(i16, i16)>,      "v_ashrrev_i16", [](auto a, auto b) { return b >> (a & decltype(a)(15)); });
  v(rare<u16(u16, u16)>,      "v_add_u16 v_add_nc_u16", [](auto a, auto b) { return a + b; });
  v(rare<u16(u16, u16)>,      "v_sub_u16 v_sub_nc_u16", [](auto a, auto b) { return a - b; });
  v(rare<u16(u16, u16)>,      "v_subrev_u16", [](auto a, auto b) { return b - a; }, cdna);
  v(rare<u16(u16, u16)>,      "v_add_i16 v_add_nc_i16", [](auto a, auto b) { return a + b; }, kept);
  v(rare<u16(u16, u16)>,      "v_sub_i16 v_sub_nc_i16", [](auto a, auto b) { return a - b; }, kept);
  v(rare<u16(u16, u16)>,      "v_add_u16 v_add_nc_u16", add_sat, sat);
  v(rare<u16(u16, u16)>,      "v_sub_u16 v_sub_nc_u16", sub_sat, sat);
  v(rare<u16(u16, u16)>,      "v_subrev_u16", [](auto a, auto b) { return subtract_saturated(b, a); }, {.generations = kCdna, .saturates = true});
  v(rare<i16(i16, i16)>,      "v_add_i16 v_add_nc_i16", add_sat, kept_sat);
  v(rare<i16(i16, i16)>,      "v_sub_i16 v_sub_nc_i16", sub_sat, kept_sat);
  v(rare<u16(u16, u16)>,      "v_mul_lo_u16", [](auto a, auto b) { return a * b; });
  v(rare<u16(u16, u16, u16)>, "v_mad_u16", mad, kept);
  v(rare<u16(u16, u16, u16)>, "v_mad_i16", mad, kept);
  v(rare<u16(u16, u16, u16)>, "v_mad_legacy_u16 v_mad_legacy_i16", mad, cdna);
  v(rare<u16(u16, u16, u16)>, "v_mad_u16", mad_sat_u16, kept_sat);
  v(rare<i16(i16, i16, i16)>, "v_mad_i16", mad_sat_i16, kept_sat);
  v(rare<u16(u16, u16, u16)>, "v_mad_legacy_u16", mad_sat_u16, {.generations = kCdna, .saturates = true});
  v(rare<i16(i16, i16, i16)>, "v_mad_legacy_i16", mad_sat_i16, {.generations = kCdna, .saturates = true});
  v(rare<u16(u16, u16)>,      "v_min_u16", min, chooses);
  v(rare<u16(u16, u16)>,      "v_max_u16", max, chooses);
  v(rare<i16(i16, i16)>,      "v_min_i16", min, chooses);
  v(rare<i16(i16, i16)>,      "v_max_i16", max, chooses);
  v(rare<u16(u16, u16, u16)>, "v_min3_u16", min3, kept_chooses);
  v(rare<u16(u16, u16, u16)>, "v_max3_u16", max3, kept_chooses);
  v(rare<u16(u16, u16, u16)>, "v_med3_u16", med3, kept_chooses);
  v(rare<i16(i16, i16, i16)>, "v_min3_i16", min3, kept_chooses);
  v(rare<i16(i16, i16, i16)>, "v_max3_i16", max3, kept_chooses);
  v(rare<i16(i16, i16, i16)>, "v_med3_i16", med3, kept_chooses);
  v(rare<u32(u16)>,           "v_cvt_u32_u16", [](auto a) { return convert<uint32_t>(a); }, bounded);
  v(rare<i32(i16)>,           "v_cvt_i32_i16", [](auto a) { return convert<int32_t>(a); }, bounded);
  // clang-format on
}

}  // namespace wavesmith::isa
