// Bytes of registers: permutes, alignment, averages and sums of absolute differences.
#pragma once

#include "isa/row.h"
#include "isa/valu/integer32.h"

namespace wavesmith::isa {
namespace detail {

template <class V>
V absolute_difference(V a, V b) {
  return max(a, b) - min(a, b);
}
template <class V>
V byte_of(V a, int index) {
  return (a >> static_cast<uint32_t>(8 * index)) & 0xff;
}
/// The sum of the absolute differences of four bytes; masked: without those where b's byte is 0.
template <bool kMasked, class V>
V sum_of_differences(V a, V b) {
  V sum{};
  for (int i = 0; i < 4; ++i) {
    const V difference = absolute_difference(byte_of(a, i), byte_of(b, i));
    sum += kMasked ? choose(byte_of(b, i) == 0, V(0), difference) : difference;
  }
  return sum;
}
/// Four such sums, of the four byte-aligned dwords that begin in a's low half, added to the 16-bit parts of
/// c.
template <bool kMasked, class W, class V>
W four_sums(W a, V b, W c) {
  W result{};
  for (int i = 0; i < 4; ++i) {
    const auto window = convert<uint32_t>(a >> static_cast<uint64_t>(8 * i));
    const auto accumulator = convert<uint32_t>(c >> static_cast<uint64_t>(16 * i)) & 0xffff;
    const auto sum = (sum_of_differences<kMasked>(window, b) + accumulator) & 0xffff;
    result |= convert<uint64_t>(sum) << static_cast<uint64_t>(16 * i);
  }
  return result;
}
/// The byte that a selector of v_perm_b32 names, of {a, b} with b's bytes 0-3.
template <class V>
V permuted_byte(V a, V b, V selector) {
  const V shift = (selector & 3) * 8;
  const V byte = choose((selector & 4) != 0, a, b) >> shift & 0xff;
  const V half = choose((selector & 2) != 0, a, b);  // 8, 9: b's sign bits; 10, 11: a's
  const V sign = choose((selector & 1) != 0, half >> 31, half >> 15 & 1) * 0xff;
  return choose(selector > 12, V(0xff), choose(selector == 12, V(0), choose(selector > 7, sign, byte)));
}
/// a shifted right arithmetically by c and saturated to a byte.
template <class To, class V>
auto shifted_byte(V a, V c) {
  return bits<Pack<uint32_t>>(convert<int32_t>(saturated<To>(a >> (c & 31)))) & 0xff;
}

}  // namespace detail

template <class Visitor>
void bytes(Visitor& v) {
  using namespace detail;
  constexpr Facts sat{.saturates = true};
  // clang-format off
  v(lane<u32(u32, u32, u32)>,     "v_perm_b32", [](auto a, auto b, auto c) {
    decltype(a) result{};
    for (int i = 0; i < 4; ++i) result |= permuted_byte(a, b, byte_of(c, i)) << static_cast<uint32_t>(8 * i);
    return result;
  });
  v(rare<u32(u32, u32, u16)>,     "v_alignbit_b32", [](auto a, auto b, auto c) {
    return convert<uint32_t>((convert<uint64_t>(a) << 32 | convert<uint64_t>(b)) >> convert<uint64_t>(c & decltype(c)(31)));
  }, {.bounded = true});
  v(rare<u32(u32, u32, u16)>,     "v_alignbyte_b32", [](auto a, auto b, auto c) {
    return convert<uint32_t>((convert<uint64_t>(a) << 32 | convert<uint64_t>(b)) >> convert<uint64_t>((c & decltype(c)(3)) * decltype(c)(8)));
  }, {.bounded = true});
  v(rare<u32(u32, u32, u32)>,     "v_lerp_u8", [](auto a, auto b, auto c) {
    decltype(a) result{};
    for (int i = 0; i < 4; ++i) result |= (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) >> 1 << static_cast<uint32_t>(8 * i);
    return result;
  });
  v(rare<u32(u32, u32, u32)>,     "v_sad_u8",  [](auto a, auto b, auto c) { return sum_of_differences<false>(a, b) + c; });
  v(rare<u32(u32, u32, u32)>,     "v_msad_u8", [](auto a, auto b, auto c) { return sum_of_differences<true>(a, b) + c; });
  v(rare<u32(u32, u32, u32)>,     "v_sad_hi_u8", [](auto a, auto b, auto c) { return (sum_of_differences<false>(a, b) << 16) + c; });
  v(rare<u32(u32, u32, u32)>,     "v_sad_u16", [](auto a, auto b, auto c) {
    return absolute_difference(a & 0xffff, b & 0xffff) + absolute_difference(a >> 16, b >> 16) + c;
  });
  v(rare<u32(u32, u32, u32)>,     "v_sad_u32", [](auto a, auto b, auto c) { return absolute_difference(a, b) + c; });
  v(rare<u32(u32, u32, u32)>,     "v_sad_u8",  [](auto a, auto b, auto c) { return add_saturated(sum_of_differences<false>(a, b), c); }, sat);
  v(rare<u32(u32, u32, u32)>,     "v_sad_u32", [](auto a, auto b, auto c) { return add_saturated(absolute_difference(a, b), c); }, sat);
  v(rare<u32(u32, u32, u32)>,     "v_msad_u8", [](auto a, auto b, auto c) { return add_saturated(sum_of_differences<true>(a, b), c); }, sat);
  v(rare<u32(u32, u32, u32)>,     "v_sad_hi_u8", [](auto a, auto b, auto c) { return add_saturated(sum_of_differences<false>(a, b) << 16, c); }, sat);
  v(rare<u32(u32, u32, u32)>,     "v_sad_u16", [](auto a, auto b, auto c) {
    return add_saturated(absolute_difference(a & 0xffff, b & 0xffff) + absolute_difference(a >> 16, b >> 16), c);
  }, sat);
  v(rare<u64(u64, u32, u64)>,     "v_qsad_pk_u16_u8",  [](auto a, auto b, auto c) { return four_sums<false>(a, b, c); }, {.issue = Issue::Quarter});
  v(rare<u64(u64, u32, u64)>,     "v_mqsad_pk_u16_u8", [](auto a, auto b, auto c) { return four_sums<true>(a, b, c); }, {.issue = Issue::Quarter});
  v(rare<u16(i32, i32, i32)>,     "v_ashr_pk_i8_i32", [](auto a, auto b, auto c) {
    return convert<uint16_t>(shifted_byte<int8_t>(a, c) | shifted_byte<int8_t>(b, c) << 8);
  }, {.generations = kCdna4});
  v(rare<u16(i32, i32, i32)>,     "v_ashr_pk_u8_i32", [](auto a, auto b, auto c) {
    return convert<uint16_t>(shifted_byte<uint8_t>(a, c) | shifted_byte<uint8_t>(b, c) << 8);
  }, {.generations = kCdna4});
  v(rare<u16(u32)>,               "v_sat_pk_u8_i16", [](auto a) {
    const auto low = bits<Pack<int32_t>>(a << 16) >> 16, high = bits<Pack<int32_t>>(a) >> 16;
    const auto byte = [](auto x) { return convert<uint16_t>(min(max(x, decltype(x)(0)), decltype(x)(255))); };
    const auto upper = byte(high);
    return byte(low) | upper << decltype(upper)(8);
  });
  v(rare<u32(u16, u16)>,          "v_pack_b32_f16", [](auto a, auto b) { return convert<uint32_t>(a) | convert<uint32_t>(b) << 16; });
  // clang-format on
}

}  // namespace wavesmith::isa
