// Conversions between integers and the IEEE floats.
#pragma once

#include "isa/row.h"
#include "isa/valu/integer32.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {
namespace detail {

template <class To>
inline constexpr auto integer_of = [](auto a) { return to_integer<To>(a); };
template <class To>
inline constexpr auto converted = [](auto a) { return convert<To>(a); };

template <int kByte>
inline constexpr auto byte_to_float =
    [](auto a) { return convert<float>((a >> uint32_t{8 * kByte}) & 0xff); };

template <class V>
auto join_halves(V low, V high) {
  return convert<uint32_t>(bits<Pack<uint16_t>>(low)) | convert<uint32_t>(bits<Pack<uint16_t>>(high)) << 16;
}
/// a in -1..1 (0..1) as a 16-bit fraction, to the nearest, whatever MODE says: the product is exact in f64.
template <class To, class V>
auto normalized(V a) {
  constexpr double kOne = std::is_signed_v<To> ? 32767.0 : 65535.0;
  const V low = std::is_signed_v<To> ? -1 : 0;
  const V bounded = a > V(1) ? V(1) : a > low ? a : is_nan(a) ? V(0) : low;
  const auto nearest = __builtin_elementwise_roundeven(convert<double>(bounded) * kOne);
  return to_integer<To>(convert<float>(nearest));
}
template <class To>
inline constexpr auto normalize = [](auto a) { return normalized<To>(a); };
template <class To>
inline constexpr auto normalize_two =
    [](auto a, auto b) { return join_halves(normalized<To>(a), normalized<To>(b)); };
template <class To>
inline constexpr auto integers_of_two =
    [](auto a, auto b) { return join_halves(to_integer<To>(a), to_integer<To>(b)); };
template <class To>
inline constexpr auto saturate_two =
    [](auto a, auto b) { return join_halves(saturated<To>(a), saturated<To>(b)); };

/// A float as a byte, to the nearest; NaN becomes 0.
template <class V>
auto to_byte(V a) {
  const V nearest = __builtin_elementwise_roundeven(a);
  return to_integer<uint32_t>(nearest > V(255) ? V(255) : nearest);
}
inline constexpr auto insert_byte = [](auto a, auto where, auto word) {
  const auto shift = (where & 3) * 8;
  return (word & ~(0xffu << shift)) | to_byte(a) << shift;
};

}  // namespace detail

template <class Visitor>
void convert_numbers(Visitor& v) {
  using namespace detail;
  constexpr auto floor_to_integer = [](auto a) {
    return to_integer<int32_t>(__builtin_elementwise_floor(a));
  };
  constexpr auto nearest_to_integer = [](auto a) {
    return to_integer<int32_t>(__builtin_elementwise_floor(a + 0.5f));
  };
  constexpr std::string_view kNearestBound = "to the nearest even; the manual does not say how it rounds";
  constexpr auto same = [](auto a) { return a; };
  constexpr Facts wide{.issue = Issue::Double}, wide_bounded{.issue = Issue::Double, .bounded = true};
  constexpr Facts bounded{.bounded = true}, rdna_bounded{.generations = kRdna, .bounded = true};
  constexpr Facts fraction{.fidelity = Fidelity::Approximate, .bound = kNearestBound, .bounded = true};
  // clang-format off
  v(lane<f32(i32)>,         "v_cvt_f32_i32", converted<float>);
  v(lane<f32(u32)>,         "v_cvt_f32_u32", converted<float>);
  v(lane<i32(f32)>,         "v_cvt_i32_f32", integer_of<int32_t>, bounded);
  v(lane<u32(f32)>,         "v_cvt_u32_f32", integer_of<uint32_t>, bounded);
  v(lane<f16(f32)>,         "v_cvt_f16_f32", same);
  v(lane<f32(f16)>,         "v_cvt_f32_f16", same);
  v(rare<f64(f32)>,         "v_cvt_f64_f32", converted<double>, wide);
  v(rare<f32(f64)>,         "v_cvt_f32_f64", converted<float>, wide);
  v(rare<f64(i32)>,         "v_cvt_f64_i32", converted<double>, wide);
  v(rare<f64(u32)>,         "v_cvt_f64_u32", converted<double>, wide);
  v(rare<i32(f64)>,         "v_cvt_i32_f64", integer_of<int32_t>, wide_bounded);
  v(rare<u32(f64)>,         "v_cvt_u32_f64", integer_of<uint32_t>, wide_bounded);
  v(rare<f16(i16)>,         "v_cvt_f16_i16", converted<float>);
  v(rare<f16(u16)>,         "v_cvt_f16_u16", converted<float>);
  v(rare<i16(f16)>,         "v_cvt_i16_f16", integer_of<int16_t>, bounded);
  v(rare<u16(f16)>,         "v_cvt_u16_f16", integer_of<uint16_t>, bounded);
  v(rare<i32(f32)>,         "v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", floor_to_integer, bounded);
  v(rare<i32(f32)>,         "v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", nearest_to_integer, bounded);
  v(rare<f32(u32)>,         "v_cvt_f32_ubyte0", byte_to_float<0>);
  v(rare<f32(u32)>,         "v_cvt_f32_ubyte1", byte_to_float<1>);
  v(rare<f32(u32)>,         "v_cvt_f32_ubyte2", byte_to_float<2>);
  v(rare<f32(u32)>,         "v_cvt_f32_ubyte3", byte_to_float<3>);
  v(rare<f32(u32)>,         "v_cvt_off_f32_i4", [](auto a) { return convert<float>(bits<Pack<int32_t>>(a << 28) >> 28) * 0.0625f; });

  v(rare<u32(f32, f32)>,    "v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32", [](auto a, auto b) {
    return join_halves(convert<_Float16>(truncated16(a)), convert<_Float16>(truncated16(b)));
  });
  v(rare<u32(f32, f32)>,    "v_cvt_pk_f16_f32", [](auto a, auto b) { return join_halves(convert<_Float16>(a), convert<_Float16>(b)); }, {.generations = kCdna4, .nearest = true});
  v(rare<u32(i32, i32)>,    "v_cvt_pk_i16_i32", saturate_two<int16_t>, bounded);
  v(rare<u32(u32, u32)>,    "v_cvt_pk_u16_u32", saturate_two<uint16_t>, bounded);
  v(rare<u32(f32, f32)>,    "v_cvt_pk_i16_f32", integers_of_two<int16_t>, rdna_bounded);
  v(rare<u32(f32, f32)>,    "v_cvt_pk_u16_f32", integers_of_two<uint16_t>, rdna_bounded);
  v(rare<u32(f32, f32)>,    "v_cvt_pknorm_i16_f32 v_cvt_pk_norm_i16_f32", normalize_two<int16_t>, fraction);
  v(rare<u32(f32, f32)>,    "v_cvt_pknorm_u16_f32 v_cvt_pk_norm_u16_f32", normalize_two<uint16_t>, fraction);
  v(rare<u32(f16, f16)>,    "v_cvt_pknorm_i16_f16 v_cvt_pk_norm_i16_f16", normalize_two<int16_t>, fraction);
  v(rare<u32(f16, f16)>,    "v_cvt_pknorm_u16_f16 v_cvt_pk_norm_u16_f16", normalize_two<uint16_t>, fraction);
  v(rare<i16(f16)>,         "v_cvt_norm_i16_f16", normalize<int16_t>, fraction);
  v(rare<u16(f16)>,         "v_cvt_norm_u16_f16", normalize<uint16_t>, fraction);
  v(rare<u32(f32, u32, u32)>, "v_cvt_pk_u8_f32", insert_byte, fraction);
  v(rare<u32(f32, u32, old<u32>)>, "v_cvt_pkaccum_u8_f32", insert_byte, {.generations = kCdna, .fidelity = Fidelity::Approximate, .bound = kNearestBound, .bounded = true});
  // clang-format on
}

}  // namespace wavesmith::isa
