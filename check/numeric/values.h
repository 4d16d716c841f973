// Numbers as registers hold them: which lanes hold none that is finite.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "isa/types.h"

namespace wavesmith::check::numeric {

/// Float formats by the bits of a dword that are all 1 in an infinity or a NaN: one for each number in it.
struct Exponents {
  uint32_t low = 0, high = 0;  ///< 0: there is no such number
  [[nodiscard]] bool any() const { return low | high; }
};

/// Of a dword of this type; of a 64-bit one, of its second dword. Nothing for what is no float.
constexpr Exponents exponents_of(isa::Type type) {
  using isa::Type;
  switch (type) {
    case Type::F32:
    case Type::V2F32:
    case Type::Mixed:
      return {.low = 0x7f80'0000};
    case Type::F64:
      return {.low = 0x7ff0'0000};
    case Type::F16:
      return {.low = 0x7c00};
    case Type::BF16:
      return {.low = 0x7f80};
    case Type::V2F16:
      return {.low = 0x7c00, .high = 0x7c00'0000};
    case Type::V2BF16:
      return {.low = 0x7f80, .high = 0x7f80'0000};
    default:
      return {};
  }
}

constexpr bool infinite_or_nan(uint32_t bits, Exponents of) {
  return (of.low && (bits & of.low) == of.low) || (of.high && (bits & of.high) == of.high);
}

/// Lanes whose number, or one of whose numbers, is an infinity or a NaN.
inline uint64_t infinite_or_nan(std::span<const uint32_t> row, Exponents of) {
  bool any = false;
  if (of.high)
    for (const uint32_t bits : row) any |= (bits & of.low) == of.low || (bits & of.high) == of.high;
  else
    for (const uint32_t bits : row) any |= (bits & of.low) == of.low;
  if (!any || !of.any()) return 0;
  uint64_t lanes = 0;
  for (size_t lane = 0; lane < row.size(); ++lane) lanes |= uint64_t{infinite_or_nan(row[lane], of)} << lane;
  return lanes;
}

/// Whether the number, an infinity or a NaN, is a NaN. Of a 64-bit one `rest` is the first dword.
constexpr bool is_nan(uint32_t bits, Exponents of, uint32_t rest = 0) {
  const auto one = [&](uint32_t exponent) {
    if (!exponent || (bits & exponent) != exponent) return false;
    const uint32_t below = (exponent & -exponent) - 1,
                   part = exponent > 0xffff && of.high ? 0xffff0000u : ~0u;
    return (bits & below & part) != 0 || (exponent == 0x7ff0'0000 && rest != 0);
  };
  return one(of.low) || one(of.high);
}

}  // namespace wavesmith::check::numeric
