// Components of buffer formats: encodings to what a register gets, and back.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/small_float.h"
#include "isa/memory/format.h"

namespace wavesmith::isa::formats {

/// The unsigned floats of 11 and 10 bits have f16's exponent; with room for a sign.
inline constexpr FloatFormat kFloat11{5, 6, 15, Specials::Ieee}, kFloat10{5, 5, 15, Specials::Ieee};

constexpr uint32_t mask_of(unsigned width) { return width == 32 ? ~0u : (1u << width) - 1; }
constexpr int32_t sign_extended(uint32_t code, unsigned width) {
  return static_cast<int32_t>(code << (32 - width)) >> (32 - width);
}

inline float decode_float(uint32_t code, unsigned width) {
  switch (width) {
    case 10:
      return decode<kFloat10>(code);
    case 11:
      return decode<kFloat11>(code);
    case 16:
      return decode<kF16>(code);
    default:
      return std::bit_cast<float>(code);
  }
}

/// A component as 32 bits: a float, or an integer of the integer formats.
inline uint32_t load_component(uint32_t code, unsigned width, Number number) {
  const double largest = static_cast<double>(mask_of(width)), half = static_cast<double>(mask_of(width) >> 1);
  const double as_unsigned = code, as_signed = sign_extended(code, width);
  const auto single = [](double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); };
  switch (number) {
    case Number::Unorm:
      return single(as_unsigned / largest);
    case Number::Snorm:
      return single(as_signed < -half ? -1.0 : as_signed / half);
    case Number::Uscaled:
      return single(as_unsigned);
    case Number::Sscaled:
      return single(as_signed);
    case Number::Uint:
      return code;
    case Number::Sint:
      return static_cast<uint32_t>(sign_extended(code, width));
    case Number::Float:
      return std::bit_cast<uint32_t>(decode_float(code, width));
    case Number::Invalid:
      break;
  }
  return 0;
}

inline uint32_t encode_float(float value, unsigned width) {
  const bool negative = value < 0 || (value == 0 && std::signbit(value));
  switch (width) {
    case 10:
      return negative ? 0 : encode<kFloat10>(value) & mask_of(10);
    case 11:
      return negative ? 0 : encode<kFloat11>(value) & mask_of(11);
    case 16:
      return encode<kF16>(value);
    default:
      return std::bit_cast<uint32_t>(value);
  }
}

/// The inverse: numbers beyond the format become its nearest, NaN becomes 0 where there is none.
inline uint32_t store_component(uint32_t word, unsigned width, Number number) {
  const float value = std::bit_cast<float>(word);
  const double largest = static_cast<double>(mask_of(width)), half = static_cast<double>(mask_of(width) >> 1);
  const auto bounded = [](double x, double low, double high) {
    return x != x ? 0.0 : x < low ? low : x > high ? high : __builtin_roundeven(x);
  };
  const auto code = [&](double x) { return static_cast<uint32_t>(static_cast<int64_t>(x)) & mask_of(width); };
  switch (number) {
    case Number::Unorm:
      return code(bounded(double{value} * largest, 0, largest));
    case Number::Snorm:
      return code(bounded(double{value} * half, -half, half));
    case Number::Uscaled:
      return code(bounded(value, 0, largest));
    case Number::Sscaled:
      return code(bounded(value, -half - 1, half));
    case Number::Uint:
      return code(bounded(word, 0, largest));
    case Number::Sint:
      return code(bounded(static_cast<int32_t>(word), -half - 1, half));
    case Number::Float:
      return encode_float(value, width);
    case Number::Invalid:
      break;
  }
  return 0;
}

}  // namespace wavesmith::isa::formats
