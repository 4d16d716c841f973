// Bit fields, counting and searching bits.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {
namespace detail {

/// Leading zeros; all ones (-1) for 0.
inline constexpr auto leading_zeros = [](auto a) {
  using V = decltype(a);
  return a == V(0) ? V(~0u) : count_leading_zeros(a);
};
/// How far below the highest bit the first one stands that differs from it; -1 when none does.
inline constexpr auto leading_signs = [](auto a) {
  return leading_zeros(bits<Pack<uint32_t>>(a ^ (a >> 31)));
};
/// The lanes of `mask` (a half of a wave's) below this one.
template <class V>
V below(V mask, V lane, int half) {
  const V from = lane - static_cast<uint32_t>(32 * half);  // wraps for lanes of the half before
  const V thread_mask = bits<Pack<int32_t>>(from) < 0 ? V(0) : from > 31 ? V(~0u) : (V(1) << (from & 31)) - 1;
  return mask & thread_mask;
}

/// The shader engines, a bit each, that a rectangle of 32-pixel tiles touches. The operand is { x_min[6:5],
/// y_min[6:5], x_max[6:5], y_max[6:5] }, tile (x, y) belongs to engine { x[0] ^ y[1], y[0] ^ x[1] }, and a
/// maximum below its minimum lies in the next four tiles. The Vega ISA manual prints this as a table of 256
/// entries (V_SCREEN_PARTITION_4SE_B32).
inline constexpr auto shader_engines = [](auto a) {
  using V = decltype(a);
  const V columns = (V(2) << ((a >> 2) - (a >> 6) & 3)) - 1, rows = (V(2) << (a - (a >> 4) & 3)) - 1;
  V engines(0u);
  for (uint32_t right = 0; right < 4; ++right)
    for (uint32_t down = 0; down < 4; ++down) {
      const V x = (a >> 6) + right, y = (a >> 4) + down;
      const V engine = ((x ^ y >> 1) & 1) << 1 | ((y ^ x >> 1) & 1);
      engines = engines | (columns >> right & rows >> down & 1) << engine;
    }
  return engines;
};

}  // namespace detail

template <class Visitor>
void bitfield(Visitor& v) {
  using namespace detail;
  // clang-format off
  v(lane<u32(u32, u32, u32)>,        "v_bfe_u32",    [](auto a, auto b, auto c) { return (a >> (b & 31)) & ((1 << (c & 31)) - 1); });
  v(rare<i32(i32, u32, u32)>,        "v_bfe_i32",    [](auto a, auto offset, auto width) {
    const auto w = bits<Pack<int32_t>>(width & 31), unused = (32 - w) & 31;
    return w == 0 ? decltype(a)(0) : (a >> bits<Pack<int32_t>>(offset & 31)) << unused >> unused;
  });
  v(lane<u32(u32, u32, u32)>,        "v_bfi_b32",    [](auto a, auto b, auto c) { return (a & b) | (~a & c); });
  v(rare<u32(u32, u32)>,             "v_bfm_b32",    [](auto a, auto b) { return ((1 << (a & 31)) - 1) << (b & 31); });
  v(rare<u32(u32)>,                  "v_bfrev_b32",  [](auto a) { return reverse_bits(a); });
  v(rare<u32(u32)>,                  "v_ffbh_u32 v_clz_i32_u32", leading_zeros);
  v(rare<u32(i32)>,                  "v_ffbh_i32 v_cls_i32", leading_signs);
  v(rare<u32(u32)>,                  "v_ffbl_b32 v_ctz_i32_b32", [](auto a) {
    return a == 0 ? decltype(a)(~0u) : count_trailing_zeros(a);
  });
  v(rare<u32(u32, u32)>,             "v_bcnt_u32_b32", [](auto a, auto b) { return count_ones(a) + b; });
  v(rare<u32(u32, u32, lane_number)>, "v_mbcnt_lo_u32_b32", [](auto a, auto b, auto lane) { return count_ones(below(a, lane, 0)) + b; });
  v(rare<u32(u32, u32, lane_number)>, "v_mbcnt_hi_u32_b32", [](auto a, auto b, auto lane) { return count_ones(below(a, lane, 1)) + b; });
  v(rare<u32(u32)>,                  "v_screen_partition_4se_b32", shader_engines, {.generations = kCdna});
  // clang-format on
}

}  // namespace wavesmith::isa
