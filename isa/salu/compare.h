// Scalar comparisons: their result is SCC alone. The 16-bit immediate of the SOPK forms is extended as the
// type says.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

template <class Visitor>
void scalar_compare(Visitor& v) {
  // clang-format off
  v(scalar<scc(i32, i32)>, "s_cmp_eq_i32",  [](auto a, auto b) { return a == b; });
  v(scalar<scc(u32, u32)>, "s_cmp_eq_u32",  [](auto a, auto b) { return a == b; });
  v(scalar<scc(i32, i32)>, "s_cmp_lg_i32",  [](auto a, auto b) { return a != b; });
  v(scalar<scc(u32, u32)>, "s_cmp_lg_u32",  [](auto a, auto b) { return a != b; });
  v(scalar<scc(i32, i32)>, "s_cmp_gt_i32",  [](auto a, auto b) { return a > b; });
  v(scalar<scc(u32, u32)>, "s_cmp_gt_u32",  [](auto a, auto b) { return a > b; });
  v(scalar<scc(i32, i32)>, "s_cmp_ge_i32",  [](auto a, auto b) { return a >= b; });
  v(scalar<scc(u32, u32)>, "s_cmp_ge_u32",  [](auto a, auto b) { return a >= b; });
  v(scalar<scc(i32, i32)>, "s_cmp_lt_i32",  [](auto a, auto b) { return a < b; });
  v(scalar<scc(u32, u32)>, "s_cmp_lt_u32",  [](auto a, auto b) { return a < b; });
  v(scalar<scc(i32, i32)>, "s_cmp_le_i32",  [](auto a, auto b) { return a <= b; });
  v(scalar<scc(u32, u32)>, "s_cmp_le_u32",  [](auto a, auto b) { return a <= b; });
  v(scalar<scc(u64, u64)>, "s_cmp_eq_u64",  [](auto a, auto b) { return a == b; });
  v(scalar<scc(u64, u64)>, "s_cmp_lg_u64",  [](auto a, auto b) { return a != b; });
  v(scalar<scc(i32, i16)>, "s_cmpk_eq_i32", [](auto a, auto b) { return a == b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_eq_u32", [](auto a, auto b) { return a == b; }, kSaluBeforeRdna4);
  v(scalar<scc(i32, i16)>, "s_cmpk_lg_i32", [](auto a, auto b) { return a != b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_lg_u32", [](auto a, auto b) { return a != b; }, kSaluBeforeRdna4);
  v(scalar<scc(i32, i16)>, "s_cmpk_gt_i32", [](auto a, auto b) { return a > b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_gt_u32", [](auto a, auto b) { return a > b; }, kSaluBeforeRdna4);
  v(scalar<scc(i32, i16)>, "s_cmpk_ge_i32", [](auto a, auto b) { return a >= b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_ge_u32", [](auto a, auto b) { return a >= b; }, kSaluBeforeRdna4);
  v(scalar<scc(i32, i16)>, "s_cmpk_lt_i32", [](auto a, auto b) { return a < b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_lt_u32", [](auto a, auto b) { return a < b; }, kSaluBeforeRdna4);
  v(scalar<scc(i32, i16)>, "s_cmpk_le_i32", [](auto a, auto b) { return a <= b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u16)>, "s_cmpk_le_u32", [](auto a, auto b) { return a <= b; }, kSaluBeforeRdna4);
  v(scalar<scc(u32, u32)>, "s_bitcmp0_b32", [](auto a, auto b) { return (a >> (b & 31) & 1) == 0; });
  v(scalar<scc(u32, u32)>, "s_bitcmp1_b32", [](auto a, auto b) { return (a >> (b & 31) & 1) != 0; });
  v(scalar<scc(u64, u32)>, "s_bitcmp0_b64", [](auto a, auto b) { return (a >> (b & 63) & 1) == 0; });
  v(scalar<scc(u64, u32)>, "s_bitcmp1_b64", [](auto a, auto b) { return (a >> (b & 63) & 1) != 0; });
  // clang-format on
}

}  // namespace wavesmith::isa
