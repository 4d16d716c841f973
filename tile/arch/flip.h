// Values of the lane whose number differs in one bit.
#pragma once

#include "tile/arch/device.h"

namespace tile::arch {

/// The value of the lane whose number differs in the bit `kBit`, a power of two up to 16.
template <int kBit>
TILE_DEVICE u32 flip_lane(u32 value) {
  static_assert(kBit <= 16);
  const int bits = static_cast<int>(value);
  // LLVM, AMDGPUUsage and the ISA manuals' "DPP": row_ror:8 turns rows of 16 lanes by half.
  constexpr int kTurnEight = 0x128;
  if constexpr (kBit == 4)
    return static_cast<u32>(
        __builtin_amdgcn_ds_swizzle(bits, kBit << 10 | 0x1f));  // of 32 lanes, one bit flipped
  else if constexpr (kBit == 8)
    return static_cast<u32>(__builtin_amdgcn_update_dpp(0, bits, kTurnEight, 0xf, 0xf, true));
  else
    return bits_as<u32>(swap_lanes<kBit>(bits_as<float>(value)));
}

}  // namespace tile::arch
