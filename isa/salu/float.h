// Scalar floating point (RDNA3.5 and RDNA4): arithmetic, conversions, comparisons of f32 and f16 under the
// MODE register's rounding and denormal fields. Everything is computed on encodings: a double holds the exact
// result, or one rounded to odd with bits to spare (Boldo and Melquiond, "When double rounding is odd"),
// which is then rounded once as MODE asks.
#pragma once

#include <bit>
#include <cstdint>

#include "base/small_float.h"
#include "isa/row.h"
#include "isa/salu/facts.h"

namespace wavesmith::isa {

namespace salu_float {

inline constexpr FloatFormat kF32{8, 23, 127, Specials::Ieee};

/// The fields of MODE that hold for a format.
template <FloatFormat F>
struct ModeOf {
  uint32_t mode;
  static constexpr int kAt = F == kF32 ? 0 : 2;
  [[nodiscard]] constexpr Rounding rounding() const { return static_cast<Rounding>(mode >> kAt & 3); }
  [[nodiscard]] constexpr bool keeps_denormal_sources() const { return (mode >> (4 + kAt) & 1) != 0; }
  [[nodiscard]] constexpr bool keeps_denormal_results() const { return (mode >> (4 + kAt) & 2) != 0; }
  /// MODE.FP16_OVFL
  [[nodiscard]] constexpr Overflow overflow() const {
    return F != kF32 && (mode >> 23 & 1) ? Overflow::Saturate : Overflow::Special;
  }
};

template <FloatFormat F>
constexpr bool is_nan(uint32_t code) {
  return (code & F.magnitude_mask()) > F.infinity();
}
template <FloatFormat F>
constexpr bool is_signaling(uint32_t code) {
  return is_nan<F>(code) && (code & (F.nan() ^ F.infinity())) == 0;
}
template <FloatFormat F>
constexpr uint32_t quiet(uint32_t nan) {
  return nan | F.nan();
}
template <FloatFormat F>
constexpr uint32_t without_denormal(uint32_t code) {
  return (code & F.infinity()) == 0 ? code & F.sign_bit() : code;
}

/// A source's value, denormals taken as zero where MODE says so.
template <FloatFormat F>
constexpr double source(uint32_t code, uint32_t mode) {
  if (!ModeOf<F>{mode}.keeps_denormal_sources()) code = without_denormal<F>(code);
  return double{decode<F>(code)};
}
/// An exact result (or one rounded to odd) as MODE rounds it.
template <FloatFormat F>
constexpr uint32_t result(double value, uint32_t mode) {
  const ModeOf<F> of{mode};
  const uint32_t code = encode<F>(value, of.rounding(), of.overflow());
  return of.keeps_denormal_results() ? code : without_denormal<F>(code);
}

/// a + b, rounded to odd; -0 for an exact cancellation when rounding down.
template <FloatFormat F>
constexpr double add_to_odd(double a, double b, uint32_t mode) {
  const double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  if (sum == 0 && ModeOf<F>{mode}.rounding() == Rounding::Down &&
      std::bit_cast<uint64_t>(a) >> 63 != std::bit_cast<uint64_t>(b) >> 63)
    return -0.0;
  const auto code = std::bit_cast<uint64_t>(sum);
  if (!(error != 0) || (code & 1) != 0 || (code >> 52 & 0x7ff) == 0x7ff) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? code + 1 : code - 1);
}

/// Applies an operation on values to encodings: a NaN source gives itself, made quiet; an invalid one the
/// default NaN.
template <FloatFormat F, class Operation, class... Source>
constexpr uint32_t compute(Operation operation, uint32_t mode, Source... sources) {
  uint32_t nan = 0;
  ((nan == 0 && is_nan<F>(sources) ? void(nan = quiet<F>(sources)) : void()), ...);
  if (nan != 0) return nan;
  const double value = operation(source<F>(sources, mode)...);
  return value != value ? F.nan() : result<F>(value, mode);
}

template <FloatFormat F>
constexpr uint32_t add(uint32_t a, uint32_t b, uint32_t mode) {
  return compute<F>([mode](double x, double y) { return add_to_odd<F>(x, y, mode); }, mode, a, b);
}
template <FloatFormat F>
constexpr uint32_t subtract(uint32_t a, uint32_t b, uint32_t mode) {
  return compute<F>([mode](double x, double y) { return add_to_odd<F>(x, -y, mode); }, mode, a, b);
}
template <FloatFormat F>
constexpr uint32_t multiply(uint32_t a, uint32_t b, uint32_t mode) {
  return compute<F>([](double x, double y) { return x * y; }, mode, a, b);
}
template <FloatFormat F>
constexpr uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
  return compute<F>([mode](double x, double y, double z) { return add_to_odd<F>(x * y, z, mode); }, mode, a,
                    b, c);
}

/// -0 is less than +0 here.
template <FloatFormat F>
constexpr bool less(uint32_t a, uint32_t b, uint32_t mode) {
  const double x = source<F>(a, mode), y = source<F>(b, mode);
  return x < y || (x == 0 && y == 0 && (a & F.sign_bit()) > (b & F.sign_bit()));
}
/// IEEE 754-2019 minimumNumber and maximumNumber: a number wins over a NaN.
template <FloatFormat F, bool kMaximum>
constexpr uint32_t number_of(uint32_t a, uint32_t b, uint32_t mode) {
  uint32_t code = 0;
  if (is_nan<F>(a)) {
    if (is_nan<F>(b)) return quiet<F>(a);
    code = b;
  } else if (is_nan<F>(b)) {
    code = a;
  } else {
    code = (kMaximum ? less<F>(b, a, mode) : less<F>(a, b, mode)) ? a : b;
  }
  return result<F>(source<F>(code, mode), mode);
}
/// IEEE 754-2019 minimum and maximum: a NaN wins, a signaling one before a quiet one.
template <FloatFormat F, bool kMaximum>
constexpr uint32_t extreme_of(uint32_t a, uint32_t b, uint32_t mode) {
  if (is_signaling<F>(a)) return quiet<F>(a);
  if (is_signaling<F>(b)) return quiet<F>(b);
  if (is_nan<F>(a)) return a;
  if (is_nan<F>(b)) return b;
  return number_of<F, kMaximum>(a, b, mode);
}
/// RDNA3.5's minimum and maximum: a number wins over a NaN, but a signaling NaN over all where MODE.IEEE is
/// set; a NaN that nothing wins over stays as it is. Source: AMD, RDNA3.5 ISA reference, S_MIN_F32.
template <FloatFormat F, bool kMaximum>
constexpr uint32_t old_number_of(uint32_t a, uint32_t b, uint32_t mode) {
  constexpr uint32_t kIeee = 1u << 9;
  if ((mode & kIeee) != 0 && is_signaling<F>(a)) return quiet<F>(a);
  if ((mode & kIeee) != 0 && is_signaling<F>(b)) return quiet<F>(b);
  return is_nan<F>(a) && is_nan<F>(b) ? a : number_of<F, kMaximum>(a, b, mode);
}

/// Truncated and saturated; NaN is 0.
template <class Integer>
constexpr Integer to_integer(uint32_t code, uint32_t mode) {
  const double value = source<kF32>(code, mode);
  if (value != value) return 0;
  constexpr double kLowest = static_cast<double>(std::numeric_limits<Integer>::min()),
                   kHighest = static_cast<double>(std::numeric_limits<Integer>::max());
  return value <= kLowest    ? std::numeric_limits<Integer>::min()
         : value >= kHighest ? std::numeric_limits<Integer>::max()
                             : static_cast<Integer>(value);
}
constexpr uint32_t to_half(uint32_t code, uint32_t mode) {
  const uint32_t half =
      encode<kF16>(source<kF32>(code, mode), ModeOf<kF16>{mode}.rounding(), ModeOf<kF16>{mode}.overflow());
  return is_nan<kF16>(half) || ModeOf<kF16>{mode}.keeps_denormal_results() ? half
                                                                           : without_denormal<kF16>(half);
}
constexpr uint32_t to_single(uint32_t half, uint32_t mode) { return encode<kF32>(source<kF16>(half, mode)); }
constexpr uint32_t to_half_toward_zero(uint32_t code) {
  return encode<kF16>(double{std::bit_cast<float>(code)}, Rounding::TowardZero);
}

}  // namespace salu_float

template <FloatFormat F, class Code, class Visitor>
void scalar_float_of(Visitor& v, const char* const (&names)[28]) {
  using namespace salu_float;
  using code = uint32_t;
  // clang-format off
  v(scalar<Code(Code, Code, float_mode)>,            names[0],  [](code a, code b, code m) { return add<F>(a, b, m); }, kSaluFloat);
  v(scalar<Code(Code, Code, float_mode)>,            names[1],  [](code a, code b, code m) { return subtract<F>(a, b, m); }, kSaluFloat);
  v(scalar<Code(Code, Code, float_mode)>,            names[2],  [](code a, code b, code m) { return multiply<F>(a, b, m); }, kSaluFloat);
  v(scalar<Code(old<Code>, Code, Code, float_mode)>, names[3],  [](code d, code a, code b, code m) { return multiply_add<F>(a, b, d, m); }, kSaluFloat);
  v(scalar<Code(Code, Code, float_mode)>,            names[4],  [](code a, code b, code m) { return number_of<F, false>(a, b, m); }, {.generations = kRdna4, .alias = names[26]});
  v(scalar<Code(Code, Code, float_mode)>,            names[5],  [](code a, code b, code m) { return number_of<F, true>(a, b, m); }, {.generations = kRdna4, .alias = names[27]});
  v(scalar<Code(Code, Code, float_mode)>,            names[6],  [](code a, code b, code m) { return extreme_of<F, false>(a, b, m); }, kSaluRdna4);
  v(scalar<Code(Code, Code, float_mode)>,            names[7],  [](code a, code b, code m) { return extreme_of<F, true>(a, b, m); }, kSaluRdna4);
  v(scalar<Code(Code, Code, float_mode)>,            names[26], [](code a, code b, code m) { return old_number_of<F, false>(a, b, m); }, kSaluRdna35);
  v(scalar<Code(Code, Code, float_mode)>,            names[27], [](code a, code b, code m) { return old_number_of<F, true>(a, b, m); }, kSaluRdna35);
  v(scalar<Code(Code, float_mode)>,                  names[8],  [](code a, code m) { return compute<F>([](double x) { return __builtin_ceil(x); }, m, a); }, kSaluFloat);
  v(scalar<Code(Code, float_mode)>,                  names[9],  [](code a, code m) { return compute<F>([](double x) { return __builtin_floor(x); }, m, a); }, kSaluFloat);
  v(scalar<Code(Code, float_mode)>,                  names[10], [](code a, code m) { return compute<F>([](double x) { return __builtin_trunc(x); }, m, a); }, kSaluFloat);
  v(scalar<Code(Code, float_mode)>,                  names[11], [](code a, code m) { return compute<F>([](double x) { return __builtin_roundeven(x); }, m, a); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[12], [](code a, code b, code m) { return source<F>(a, m) <  source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[13], [](code a, code b, code m) { return source<F>(a, m) == source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[14], [](code a, code b, code m) { return source<F>(a, m) <= source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[15], [](code a, code b, code m) { return source<F>(a, m) >  source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[16], [](code a, code b, code m) { return source<F>(a, m) <  source<F>(b, m) || source<F>(a, m) > source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[17], [](code a, code b, code m) { return source<F>(a, m) >= source<F>(b, m); }, kSaluFloat);
  v(scalar<scc(Code, Code)>,                         names[18], [](code a, code b) { return !is_nan<F>(a) && !is_nan<F>(b); }, kSaluFloat);
  v(scalar<scc(Code, Code)>,                         names[19], [](code a, code b) { return is_nan<F>(a) || is_nan<F>(b); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[20], [](code a, code b, code m) { return !(source<F>(a, m) >= source<F>(b, m)); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[21], [](code a, code b, code m) { return !(source<F>(a, m) <  source<F>(b, m) || source<F>(a, m) > source<F>(b, m)); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[22], [](code a, code b, code m) { return !(source<F>(a, m) >  source<F>(b, m)); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[23], [](code a, code b, code m) { return !(source<F>(a, m) <= source<F>(b, m)); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[24], [](code a, code b, code m) { return !(source<F>(a, m) == source<F>(b, m)); }, kSaluFloat);
  v(scalar<scc(Code, Code, float_mode)>,             names[25], [](code a, code b, code m) { return !(source<F>(a, m) <  source<F>(b, m)); }, kSaluFloat);
  // clang-format on
}

template <class Visitor>
void scalar_float(Visitor& v) {
  using namespace salu_float;
  // clang-format off
  scalar_float_of<kF32, f32_code>(v, {
      "s_add_f32", "s_sub_f32", "s_mul_f32", "s_fmac_f32", "s_min_num_f32", "s_max_num_f32", "s_minimum_f32", "s_maximum_f32",
      "s_ceil_f32", "s_floor_f32", "s_trunc_f32", "s_rndne_f32", "s_cmp_lt_f32", "s_cmp_eq_f32", "s_cmp_le_f32", "s_cmp_gt_f32",
      "s_cmp_lg_f32", "s_cmp_ge_f32", "s_cmp_o_f32", "s_cmp_u_f32", "s_cmp_nge_f32", "s_cmp_nlg_f32", "s_cmp_ngt_f32",
      "s_cmp_nle_f32", "s_cmp_neq_f32", "s_cmp_nlt_f32", "s_min_f32", "s_max_f32"});
  scalar_float_of<kF16, f16_code>(v, {
      "s_add_f16", "s_sub_f16", "s_mul_f16", "s_fmac_f16", "s_min_num_f16", "s_max_num_f16", "s_minimum_f16", "s_maximum_f16",
      "s_ceil_f16", "s_floor_f16", "s_trunc_f16", "s_rndne_f16", "s_cmp_lt_f16", "s_cmp_eq_f16", "s_cmp_le_f16", "s_cmp_gt_f16",
      "s_cmp_lg_f16", "s_cmp_ge_f16", "s_cmp_o_f16", "s_cmp_u_f16", "s_cmp_nge_f16", "s_cmp_nlg_f16", "s_cmp_ngt_f16",
      "s_cmp_nle_f16", "s_cmp_neq_f16", "s_cmp_nlt_f16", "s_min_f16", "s_max_f16"});
  // Printed in the order in which they are multiplied and added: D = A * K + B and D = A * B + K.
  v(scalar<f32_code(f32_code, f32_code, f32_code, float_mode)>, "s_fmamk_f32 s_fmaak_f32", [](uint32_t a, uint32_t b, uint32_t c, uint32_t m) { return multiply_add<kF32>(a, b, c, m); }, kSaluFloat);
  v(scalar<f32_code(i32, float_mode)>,      "s_cvt_f32_i32",    [](int32_t a, uint32_t m) { return result<kF32>(double(a), m); }, kSaluFloat);
  v(scalar<f32_code(u32, float_mode)>,      "s_cvt_f32_u32",    [](uint32_t a, uint32_t m) { return result<kF32>(double(a), m); }, kSaluFloat);
  v(scalar<i32(f32_code, float_mode)>,      "s_cvt_i32_f32",    [](uint32_t a, uint32_t m) { return to_integer<int32_t>(a, m); }, kSaluFloat);
  v(scalar<u32(f32_code, float_mode)>,      "s_cvt_u32_f32",    [](uint32_t a, uint32_t m) { return to_integer<uint32_t>(a, m); }, kSaluFloat);
  v(scalar<f16_code(f32_code, float_mode)>, "s_cvt_f16_f32",    [](uint32_t a, uint32_t m) { return static_cast<uint16_t>(to_half(a, m)); }, kSaluFloat);
  v(scalar<f32_code(f16_code, float_mode)>, "s_cvt_f32_f16",    [](uint32_t a, uint32_t m) { return to_single(a, m); }, kSaluFloat);
  v(scalar<f32_code(u32, float_mode)>,      "s_cvt_hi_f32_f16", [](uint32_t a, uint32_t m) { return to_single(a >> 16, m); }, kSaluFloat);
  v(scalar<u32(f32_code, f32_code)>,        "s_cvt_pk_rtz_f16_f32", [](uint32_t a, uint32_t b) { return to_half_toward_zero(a) | to_half_toward_zero(b) << 16; }, kSaluFloat);
  // clang-format on
}

}  // namespace wavesmith::isa
