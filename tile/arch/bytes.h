// Bytes of registers, chosen by constants.
#pragma once

#include "tile/arch/device.h"

namespace tile::arch {

/// Four bytes of two words: of the byte i, bits 4 * i and up of `kChoice` name the byte of `low`, or from 4
/// on of `high`.
template <u32 kChoice>
TILE_DEVICE u32 chosen_bytes(u32 low, u32 high) {
  constexpr u32 kSelector =
      (kChoice & 7) | (kChoice & 0x70) << 4 | (kChoice & 0x700) << 8 | (kChoice & 0x7000) << 12;
  return __builtin_amdgcn_perm(high, low, kSelector);
}

}  // namespace tile::arch
