// What the lanes of a wave tell one another.
#pragma once

#include "tile/vector.h"

namespace tile::arch {

/// The value of the lane whose number differs in the bit `kDistance`, 16 or 32.
template <int kDistance>
TILE_DEVICE u32 from_across(u32 value) {
  static_assert(kDistance == 16 || kDistance == 32);
#if defined(__GFX9__)
  if constexpr (kDistance == 16) return __builtin_amdgcn_ds_swizzle(value, 16 << 10 | 31);  // xor 16, and 31
  const u32 lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  return __builtin_amdgcn_ds_bpermute(static_cast<int>((lane ^ 32) * 4), value);
#else
  static_assert(kDistance == 16, "a wave of 32 lanes");
  return __builtin_amdgcn_permlanex16(value, value, 0x76543210, 0xfedcba98, false, false);
#endif
}

/// Whether it is so for any lane of the wave; the same for all.
TILE_DEVICE bool any_lane(bool so) {
#if defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(so) != 0;
#else
  return __builtin_amdgcn_ballot_w32(so) != 0;
#endif
}

}  // namespace tile::arch
