// Numbers of 8 bits, as conversions make them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "isa/target.h"

namespace wavesmith::check::numeric {

/// A format of 8 bits. Sources: OCP, "8-bit Floating Point Specification"; CDNA3 ISA manual, "FP8" and "BF8"
/// (one zero, and a NaN in place of the other).
struct SmallFormat {
  double most = 0;       ///< its largest finite number; 0: no such conversion
  uint8_t infinite = 0;  ///< bits that are all 1 in an infinity or a NaN, the sign apart; 0: 0x80 is the NaN
  [[nodiscard]] bool is_special(uint32_t byte) const {
    return infinite ? (byte & infinite) == infinite : byte == 0x80;
  }
  /// A finite number that it can hold at no rounding.
  [[nodiscard]] bool is_beyond(double value) const { return std::isfinite(value) && std::fabs(value) > most; }
};

/// What v_cvt_pk and v_cvt_sr make of floats.
inline SmallFormat small_format_of(std::string_view mnemonic, const isa::Target& target) {
  const bool packs = mnemonic.starts_with("v_cvt_pk_"), rounds = mnemonic.starts_with("v_cvt_sr_");
  const bool own = target.is(isa::kCdna3);
  if ((packs || rounds) && mnemonic.ends_with("fp8_f32"))
    return own ? SmallFormat{240, 0} : SmallFormat{448, 0x7f};
  if ((packs || rounds) && mnemonic.ends_with("bf8_f32"))
    return own ? SmallFormat{57344, 0} : SmallFormat{57344, 0x7c};
  return {};
}

}  // namespace wavesmith::check::numeric
