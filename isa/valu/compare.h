// Vector comparisons (VOPC). v_cmp_* write a lane mask. v_cmpx_* write EXEC; on CDNA they write the lane mask
// as well.
#pragma once

#include <type_traits>

#include "isa/row.h"

namespace wavesmith::isa {
namespace detail {

/// The two mnemonics of a comparison, whose operands have types A and B. `lanes` is lane<> or rare<>.
template <template <class> class Signature, class A, class B, class Visitor, class Body>
void both_forms(Visitor& v, std::string_view cmp, std::string_view cmpx, Body body,
                Generations generations = kEvery) {
  v(Signature<bit(A, B)>{}, cmp, body, {.generations = generations});
  if (const Generations rdna = generations & kRdna)
    v(Signature<exec(A, B)>{}, cmpx, body, {.generations = rdna});
  if (const Generations cdna = generations & kCdna)
    v(Signature<out<bit, exec>(A, B)>{}, cmpx, body, {.generations = cdna});
}
template <class T, class Visitor, class Body>
void comparison(Visitor& v, std::string_view cmp, std::string_view cmpx, Body body) {
  both_forms<LaneSignature, T, T>(v, cmp, cmpx, body);
}
template <class T, class Visitor, class Body>
void comparison_rare(Visitor& v, std::string_view cmp, std::string_view cmpx, Body body) {
  both_forms<RareSignature, T, T>(v, cmp, cmpx, body);
}
template <class T, class Visitor>
void never(Visitor& v, std::string_view cmp, std::string_view cmpx, Generations generations) {
  both_forms<RareSignature, T, T>(v, cmp, cmpx, [](auto, auto) { return Mask(false); }, generations);
}
template <class T, class Visitor>
void always(Visitor& v, std::string_view cmp, std::string_view cmpx, Generations generations) {
  both_forms<RareSignature, T, T>(v, cmp, cmpx, [](auto, auto) { return Mask(true); }, generations);
}

/// The number of a float's class, as v_cmp_class_* number them, of its bits.
template <class V>
V float_class(V x, int mantissa_bits) {
  using U = ElementOf<V>;
  constexpr int kBits = 8 * sizeof(U);
  const U one = 1, sign = static_cast<U>(one << (kBits - 1)),
          quiet = static_cast<U>(one << (mantissa_bits - 1));
  const U mantissa = static_cast<U>((one << mantissa_bits) - 1), infinity = static_cast<U>(~sign & ~mantissa);
  const V magnitude = x & V(static_cast<U>(~sign));
  const auto negative = x != magnitude;
  const auto choose = [&](U minus, U plus) { return negative ? V(minus) : V(plus); };
  return magnitude > infinity    ? ((x & V(quiet)) != V(U{0}) ? V(U{1}) : V(U{0}))
         : magnitude == infinity ? choose(2, 9)
         : magnitude == V(U{0})  ? choose(5, 6)
         : magnitude <= mantissa ? choose(4, 7)
                                 : choose(3, 8);
}

}  // namespace detail

template <class Visitor>
void compare_integers(Visitor& v) {
  using namespace detail;
  // clang-format off
  comparison<i32>(v, "v_cmp_lt_i32",   "v_cmpx_lt_i32",   [](auto a, auto b) { return lanes(a < b); });
  comparison<i32>(v, "v_cmp_eq_i32",   "v_cmpx_eq_i32",   [](auto a, auto b) { return lanes(a == b); });
  comparison<i32>(v, "v_cmp_le_i32",   "v_cmpx_le_i32",   [](auto a, auto b) { return lanes(a <= b); });
  comparison<i32>(v, "v_cmp_gt_i32",   "v_cmpx_gt_i32",   [](auto a, auto b) { return lanes(a > b); });
  comparison<i32>(v, "v_cmp_ne_i32",   "v_cmpx_ne_i32",   [](auto a, auto b) { return lanes(a != b); });
  comparison<i32>(v, "v_cmp_ge_i32",   "v_cmpx_ge_i32",   [](auto a, auto b) { return lanes(a >= b); });
  comparison<u32>(v, "v_cmp_lt_u32",   "v_cmpx_lt_u32",   [](auto a, auto b) { return lanes(a < b); });
  comparison<u32>(v, "v_cmp_eq_u32",   "v_cmpx_eq_u32",   [](auto a, auto b) { return lanes(a == b); });
  comparison<u32>(v, "v_cmp_le_u32",   "v_cmpx_le_u32",   [](auto a, auto b) { return lanes(a <= b); });
  comparison<u32>(v, "v_cmp_gt_u32",   "v_cmpx_gt_u32",   [](auto a, auto b) { return lanes(a > b); });
  comparison<u32>(v, "v_cmp_ne_u32",   "v_cmpx_ne_u32",   [](auto a, auto b) { return lanes(a != b); });
  comparison<u32>(v, "v_cmp_ge_u32",   "v_cmpx_ge_u32",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<i16>(v, "v_cmp_lt_i16",   "v_cmpx_lt_i16",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<i16>(v, "v_cmp_eq_i16",   "v_cmpx_eq_i16",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<i16>(v, "v_cmp_le_i16",   "v_cmpx_le_i16",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<i16>(v, "v_cmp_gt_i16",   "v_cmpx_gt_i16",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<i16>(v, "v_cmp_ne_i16",   "v_cmpx_ne_i16",   [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<i16>(v, "v_cmp_ge_i16",   "v_cmpx_ge_i16",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<u16>(v, "v_cmp_lt_u16",   "v_cmpx_lt_u16",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<u16>(v, "v_cmp_eq_u16",   "v_cmpx_eq_u16",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<u16>(v, "v_cmp_le_u16",   "v_cmpx_le_u16",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<u16>(v, "v_cmp_gt_u16",   "v_cmpx_gt_u16",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<u16>(v, "v_cmp_ne_u16",   "v_cmpx_ne_u16",   [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<u16>(v, "v_cmp_ge_u16",   "v_cmpx_ge_u16",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<i64>(v, "v_cmp_lt_i64",   "v_cmpx_lt_i64",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<i64>(v, "v_cmp_eq_i64",   "v_cmpx_eq_i64",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<i64>(v, "v_cmp_le_i64",   "v_cmpx_le_i64",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<i64>(v, "v_cmp_gt_i64",   "v_cmpx_gt_i64",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<i64>(v, "v_cmp_ne_i64",   "v_cmpx_ne_i64",   [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<i64>(v, "v_cmp_ge_i64",   "v_cmpx_ge_i64",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<u64>(v, "v_cmp_lt_u64",   "v_cmpx_lt_u64",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<u64>(v, "v_cmp_eq_u64",   "v_cmpx_eq_u64",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<u64>(v, "v_cmp_le_u64",   "v_cmpx_le_u64",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<u64>(v, "v_cmp_gt_u64",   "v_cmpx_gt_u64",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<u64>(v, "v_cmp_ne_u64",   "v_cmpx_ne_u64",   [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<u64>(v, "v_cmp_ge_u64",   "v_cmpx_ge_u64",   [](auto a, auto b) { return lanes(a >= b); });
  never<i32>(v,  "v_cmp_f_i32", "v_cmpx_f_i32", kCdna | kRdna3);
  always<i32>(v, "v_cmp_t_i32", "v_cmpx_t_i32", kCdna | kRdna3);
  never<u32>(v,  "v_cmp_f_u32", "v_cmpx_f_u32", kCdna | kRdna3);
  always<u32>(v, "v_cmp_t_u32", "v_cmpx_t_u32", kCdna | kRdna3);
  never<i64>(v,  "v_cmp_f_i64", "v_cmpx_f_i64", kCdna | kRdna3);
  always<i64>(v, "v_cmp_t_i64", "v_cmpx_t_i64", kCdna | kRdna3);
  never<u64>(v,  "v_cmp_f_u64", "v_cmpx_f_u64", kCdna | kRdna3);
  always<u64>(v, "v_cmp_t_u64", "v_cmpx_t_u64", kCdna | kRdna3);
  never<i16>(v,  "v_cmp_f_i16", "v_cmpx_f_i16", kCdna);
  always<i16>(v, "v_cmp_t_i16", "v_cmpx_t_i16", kCdna);
  never<u16>(v,  "v_cmp_f_u16", "v_cmpx_f_u16", kCdna);
  always<u16>(v, "v_cmp_t_u16", "v_cmpx_t_u16", kCdna);
  // clang-format on
}

template <class Visitor>
void compare_floats(Visitor& v) {
  using namespace detail;
  // clang-format off
  comparison<f32>(v, "v_cmp_lt_f32",   "v_cmpx_lt_f32",   [](auto a, auto b) { return lanes(a < b); });
  comparison<f32>(v, "v_cmp_eq_f32",   "v_cmpx_eq_f32",   [](auto a, auto b) { return lanes(a == b); });
  comparison<f32>(v, "v_cmp_le_f32",   "v_cmpx_le_f32",   [](auto a, auto b) { return lanes(a <= b); });
  comparison<f32>(v, "v_cmp_gt_f32",   "v_cmpx_gt_f32",   [](auto a, auto b) { return lanes(a > b); });
  comparison<f32>(v, "v_cmp_lg_f32",   "v_cmpx_lg_f32",   [](auto a, auto b) { return lanes((a < b) | (a > b)); });
  comparison<f32>(v, "v_cmp_ge_f32",   "v_cmpx_ge_f32",   [](auto a, auto b) { return lanes(a >= b); });
  comparison<f32>(v, "v_cmp_o_f32",    "v_cmpx_o_f32",    [](auto a, auto b) { return lanes((a == a) & (b == b)); });
  comparison<f32>(v, "v_cmp_u_f32",    "v_cmpx_u_f32",    [](auto a, auto b) { return lanes((a != a) | (b != b)); });
  comparison<f32>(v, "v_cmp_nge_f32",  "v_cmpx_nge_f32",  [](auto a, auto b) { return lanes(~(a >= b)); });
  comparison<f32>(v, "v_cmp_nlg_f32",  "v_cmpx_nlg_f32",  [](auto a, auto b) { return lanes(~((a < b) | (a > b))); });
  comparison<f32>(v, "v_cmp_ngt_f32",  "v_cmpx_ngt_f32",  [](auto a, auto b) { return lanes(~(a > b)); });
  comparison<f32>(v, "v_cmp_nle_f32",  "v_cmpx_nle_f32",  [](auto a, auto b) { return lanes(~(a <= b)); });
  comparison<f32>(v, "v_cmp_neq_f32",  "v_cmpx_neq_f32",  [](auto a, auto b) { return lanes(a != b); });
  comparison<f32>(v, "v_cmp_nlt_f32",  "v_cmpx_nlt_f32",  [](auto a, auto b) { return lanes(~(a < b)); });
  comparison_rare<f16>(v, "v_cmp_lt_f16",   "v_cmpx_lt_f16",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<f16>(v, "v_cmp_eq_f16",   "v_cmpx_eq_f16",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<f16>(v, "v_cmp_le_f16",   "v_cmpx_le_f16",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<f16>(v, "v_cmp_gt_f16",   "v_cmpx_gt_f16",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<f16>(v, "v_cmp_lg_f16",   "v_cmpx_lg_f16",   [](auto a, auto b) { return lanes((a < b) | (a > b)); });
  comparison_rare<f16>(v, "v_cmp_ge_f16",   "v_cmpx_ge_f16",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<f16>(v, "v_cmp_o_f16",    "v_cmpx_o_f16",    [](auto a, auto b) { return lanes((a == a) & (b == b)); });
  comparison_rare<f16>(v, "v_cmp_u_f16",    "v_cmpx_u_f16",    [](auto a, auto b) { return lanes((a != a) | (b != b)); });
  comparison_rare<f16>(v, "v_cmp_nge_f16",  "v_cmpx_nge_f16",  [](auto a, auto b) { return lanes(~(a >= b)); });
  comparison_rare<f16>(v, "v_cmp_nlg_f16",  "v_cmpx_nlg_f16",  [](auto a, auto b) { return lanes(~((a < b) | (a > b))); });
  comparison_rare<f16>(v, "v_cmp_ngt_f16",  "v_cmpx_ngt_f16",  [](auto a, auto b) { return lanes(~(a > b)); });
  comparison_rare<f16>(v, "v_cmp_nle_f16",  "v_cmpx_nle_f16",  [](auto a, auto b) { return lanes(~(a <= b)); });
  comparison_rare<f16>(v, "v_cmp_neq_f16",  "v_cmpx_neq_f16",  [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<f16>(v, "v_cmp_nlt_f16",  "v_cmpx_nlt_f16",  [](auto a, auto b) { return lanes(~(a < b)); });
  comparison_rare<f64>(v, "v_cmp_lt_f64",   "v_cmpx_lt_f64",   [](auto a, auto b) { return lanes(a < b); });
  comparison_rare<f64>(v, "v_cmp_eq_f64",   "v_cmpx_eq_f64",   [](auto a, auto b) { return lanes(a == b); });
  comparison_rare<f64>(v, "v_cmp_le_f64",   "v_cmpx_le_f64",   [](auto a, auto b) { return lanes(a <= b); });
  comparison_rare<f64>(v, "v_cmp_gt_f64",   "v_cmpx_gt_f64",   [](auto a, auto b) { return lanes(a > b); });
  comparison_rare<f64>(v, "v_cmp_lg_f64",   "v_cmpx_lg_f64",   [](auto a, auto b) { return lanes((a < b) | (a > b)); });
  comparison_rare<f64>(v, "v_cmp_ge_f64",   "v_cmpx_ge_f64",   [](auto a, auto b) { return lanes(a >= b); });
  comparison_rare<f64>(v, "v_cmp_o_f64",    "v_cmpx_o_f64",    [](auto a, auto b) { return lanes((a == a) & (b == b)); });
  comparison_rare<f64>(v, "v_cmp_u_f64",    "v_cmpx_u_f64",    [](auto a, auto b) { return lanes((a != a) | (b != b)); });
  comparison_rare<f64>(v, "v_cmp_nge_f64",  "v_cmpx_nge_f64",  [](auto a, auto b) { return lanes(~(a >= b)); });
  comparison_rare<f64>(v, "v_cmp_nlg_f64",  "v_cmpx_nlg_f64",  [](auto a, auto b) { return lanes(~((a < b) | (a > b))); });
  comparison_rare<f64>(v, "v_cmp_ngt_f64",  "v_cmpx_ngt_f64",  [](auto a, auto b) { return lanes(~(a > b)); });
  comparison_rare<f64>(v, "v_cmp_nle_f64",  "v_cmpx_nle_f64",  [](auto a, auto b) { return lanes(~(a <= b)); });
  comparison_rare<f64>(v, "v_cmp_neq_f64",  "v_cmpx_neq_f64",  [](auto a, auto b) { return lanes(a != b); });
  comparison_rare<f64>(v, "v_cmp_nlt_f64",  "v_cmpx_nlt_f64",  [](auto a, auto b) { return lanes(~(a < b)); });
  never<f32>(v,  "v_cmp_f_f32",   "v_cmpx_f_f32",   kCdna | kRdna3);
  always<f32>(v, "v_cmp_tru_f32", "v_cmpx_tru_f32", kCdna | kRdna3);
  always<f32>(v, "v_cmp_t_f32",   "v_cmpx_t_f32",   kRdna3);
  never<f16>(v,  "v_cmp_f_f16",   "v_cmpx_f_f16",   kCdna | kRdna3);
  always<f16>(v, "v_cmp_tru_f16", "v_cmpx_tru_f16", kCdna | kRdna3);
  always<f16>(v, "v_cmp_t_f16",   "v_cmpx_t_f16",   kRdna3);
  never<f64>(v,  "v_cmp_f_f64",   "v_cmpx_f_f64",   kCdna | kRdna3);
  always<f64>(v, "v_cmp_tru_f64", "v_cmpx_tru_f64", kCdna | kRdna3);
  always<f64>(v, "v_cmp_t_f64",   "v_cmpx_t_f64",   kRdna3);
  both_forms<RareSignature, u32, u32>(v, "v_cmp_class_f32", "v_cmpx_class_f32", [](auto a, auto b) {
    return lanes(((b >> float_class(a, 23)) & decltype(b)(1)) != decltype(b)(0));
  });
  both_forms<RareSignature, u16, u16>(v, "v_cmp_class_f16", "v_cmpx_class_f16", [](auto a, auto b) {
    return lanes(((b >> float_class(a, 10)) & decltype(b)(1)) != decltype(b)(0));
  });
  both_forms<RareSignature, f64_code, u32>(v, "v_cmp_class_f64", "v_cmpx_class_f64", [](auto a, auto b) {
    return lanes(((convert<uint64_t>(b) >> float_class(a, 52)) & Pack<uint64_t>(1)) != Pack<uint64_t>(0));
  });
  // clang-format on
}

}  // namespace wavesmith::isa
