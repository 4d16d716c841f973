// A value of one lane for its neighbours.
#pragma once

#include "tile/arch/device.h"

namespace tile::arch {

/// The value of the lane `kLane` of each row of 16, for all lanes of the row. The instruction that uses it
/// reads it there.
template <int kLane>
TILE_DEVICE u32 share_in_row(u32 value) {
  static_assert(kLane >= 0 && kLane < 16);
  // LLVM, AMDGPUUsage and the ISA manuals' "DPP": row_newbcast of CDNA, row_share of RDNA.
  constexpr int kShare = 0x150;
  return static_cast<u32>(
      __builtin_amdgcn_update_dpp(0, static_cast<int>(value), kShare + kLane, 0xf, 0xf, true));
}
template <int kLane>
TILE_DEVICE float share_in_row(float value) {
  return bits_as<float>(share_in_row<kLane>(bits_as<u32>(value)));
}

}  // namespace tile::arch
