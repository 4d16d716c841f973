// Scalar instructions that count, search, move and select bits.
#pragma once

#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

/// Bit fields: the offset is in the low bits of the second source, the width in its bits 16 to 22.
template <class T, class W>
constexpr T scalar_field(T value, W where, unsigned bits) {
  const W width = where >> 16 & 0x7f;
  const T shifted = value >> (where & (bits - 1));
  return width >= bits ? shifted : shifted & ((T(1) << width) - 1);
}

/// The same for signed fields: bit width-1 is copied upwards. A field of width 0 is 0.
template <class T, class W>
constexpr T scalar_signed_field(T value, W where, unsigned bits) {
  const W width = where >> 16 & 0x7f;
  const T shifted = value >> (where & (bits - 1));
  if (width == 0) return 0;
  if (width >= bits) return shifted;
  const W up = bits - width;
  return (shifted << up) >> up;
}

/// Every quad of lanes of which one is set, as one bit a quad.
template <class T>
constexpr T quads(T mask) {
  T result = 0;
  for (int quad = 0; quad < 2 * int{sizeof(ElementOf<T>)}; ++quad)
    result |= convert<ElementOf<T>>((mask >> (4 * quad) & 15) != 0) << quad;
  return result;
}

namespace salu {

inline constexpr auto first_one = [](auto a) {
  return a == 0 ? ~0u : convert<uint32_t>(count_trailing_zeros(a));
};
inline constexpr auto last_one = [](auto a) {
  return a == 0 ? ~0u : convert<uint32_t>(count_leading_zeros(a));
};
inline constexpr auto whole_quads = [](auto a) {
  auto any = a | a >> 1;
  any |= any >> 2;
  any &= static_cast<decltype(a)>(0x1111111111111111u);
  return static_cast<decltype(a)>(any * 15u);
};

}  // namespace salu

template <class Visitor>
void scalar_bits(Visitor& v) {
  using namespace salu;
  // clang-format off
  v(scalar<u32(u32)>,             "s_brev_b32", [](auto a) { return reverse_bits(a); });
  v(scalar<u64(u64)>,             "s_brev_b64", [](auto a) { return reverse_bits(a); });
  v(scalar<out<u32, scc>(u32)>,   "s_bcnt0_i32_b32", [](auto a) { return nonzero(convert<uint32_t>(count_ones(~a))); });
  v(scalar<out<u32, scc>(u64)>,   "s_bcnt0_i32_b64", [](auto a) { return nonzero(convert<uint32_t>(count_ones(~a))); });
  v(scalar<out<u32, scc>(u32)>,   "s_bcnt1_i32_b32", [](auto a) { return nonzero(convert<uint32_t>(count_ones(a))); });
  v(scalar<out<u32, scc>(u64)>,   "s_bcnt1_i32_b64", [](auto a) { return nonzero(convert<uint32_t>(count_ones(a))); });
  v(scalar<u32(u32)>,             "s_ff0_i32_b32", [](auto a) { return first_one(~a); }, kSaluCdna);
  v(scalar<u32(u64)>,             "s_ff0_i32_b64", [](auto a) { return first_one(~a); }, kSaluCdna);
  v(scalar<u32(u32)>,             "s_ff1_i32_b32 s_ctz_i32_b32", [](auto a) { return first_one(a); });
  v(scalar<u32(u64)>,             "s_ff1_i32_b64 s_ctz_i32_b64", [](auto a) { return first_one(a); });
  v(scalar<u32(u32)>,             "s_flbit_i32_b32 s_clz_i32_u32", [](auto a) { return last_one(a); });
  v(scalar<u32(u64)>,             "s_flbit_i32_b64 s_clz_i32_u64", [](auto a) { return last_one(a); });
  v(scalar<u32(i32)>,             "s_flbit_i32 s_cls_i32", [](auto a) { return last_one(convert<uint32_t>(a ^ (a >> 31))); });
  v(scalar<u32(i64)>,             "s_flbit_i32_i64 s_cls_i32_i64", [](auto a) { return last_one(convert<uint64_t>(a ^ (a >> 63))); });
  v(scalar<u32(old<u32>, u32)>,   "s_bitset0_b32", [](auto d, auto a) { return d & ~(1u << (a & 31)); });
  v(scalar<u64(old<u64>, u32)>,   "s_bitset0_b64", [](auto d, auto a) { return d & ~(uint64_t{1} << (a & 63)); });
  v(scalar<u32(old<u32>, u32)>,   "s_bitset1_b32", [](auto d, auto a) { return d | 1u << (a & 31); });
  v(scalar<u64(old<u64>, u32)>,   "s_bitset1_b64", [](auto d, auto a) { return d | uint64_t{1} << (a & 63); });
  v(scalar<u64(u32)>,             "s_bitreplicate_b64_b32", [](auto a) {
    auto result = convert<uint64_t>(a & 0);
    for (int i = 0; i < 32; ++i) result |= convert<uint64_t>(a >> i & 1) * 3 << (2 * i);
    return result;
  });
  v(scalar<out<u32, scc>(u32)>,   "s_quadmask_b32", [](auto a) { return nonzero(quads(a)); });
  v(scalar<out<u64, scc>(u64)>,   "s_quadmask_b64", [](auto a) { return nonzero(quads(a)); });
  v(scalar<out<u32, scc>(u32)>,   "s_wqm_b32", [](auto a) { return nonzero(whole_quads(a)); });
  v(scalar<out<u64, scc>(u64)>,   "s_wqm_b64", [](auto a) { return nonzero(whole_quads(a)); });
  v(scalar<out<u32, scc>(u32, u32)>, "s_bfe_u32", [](auto a, auto b) { return nonzero(scalar_field(a, b, 32)); });
  v(scalar<out<u64, scc>(u64, u32)>, "s_bfe_u64", [](auto a, auto b) { return nonzero(scalar_field(a, b, 64)); });
  v(scalar<out<i32, scc>(i32, u32)>, "s_bfe_i32", [](auto a, auto b) { return nonzero(scalar_signed_field(a, b, 32)); });
  v(scalar<out<i64, scc>(i64, u32)>, "s_bfe_i64", [](auto a, auto b) { return nonzero(scalar_signed_field(a, b, 64)); });
  v(scalar<u32(u32, u32)>,        "s_bfm_b32", [](auto a, auto b) { return ((1u << (a & 31)) - 1) << (b & 31); });
  v(scalar<u64(u32, u32)>,        "s_bfm_b64", [](auto a, auto b) { return ((uint64_t{1} << (a & 63)) - 1) << (b & 63); });
  v(scalar<u32(u32, u32)>,        "s_pack_ll_b32_b16", [](auto a, auto b) { return b << 16 | (a & 0xffff); });
  v(scalar<u32(u32, u32)>,        "s_pack_lh_b32_b16", [](auto a, auto b) { return (b & 0xffff0000) | (a & 0xffff); });
  v(scalar<u32(u32, u32)>,        "s_pack_hh_b32_b16", [](auto a, auto b) { return (b & 0xffff0000) | a >> 16; });
  v(scalar<u32(u32, u32)>,        "s_pack_hl_b32_b16", [](auto a, auto b) { return b << 16 | a >> 16; }, kSaluRdna);
  v(scalar<i32(u32)>,             "s_sext_i32_i8",  [](auto a) { return convert<int32_t>(convert<int8_t>(a)); });
  v(scalar<i32(u32)>,             "s_sext_i32_i16", [](auto a) { return convert<int32_t>(convert<int16_t>(a)); });
  // clang-format on
}

}  // namespace wavesmith::isa
