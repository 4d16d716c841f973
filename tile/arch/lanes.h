// What a wave's lanes know of one another: values of other lanes, and which is the first of its kind.
#pragma once

#include "tile/arch/language.h"

namespace tile::arch {

/// Waits until all that this wave has asked of any memory is done.
TILE_DEVICE void wait_for_memory() {
#if defined(__GFX9__)
  asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" : : : "memory");
#elif defined(__GFX12__)
  asm volatile("s_wait_loadcnt_dscnt 0x0\n\ts_wait_storecnt 0x0" : : : "memory");
#else
  asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_waitcnt_vscnt null, 0x0" : : : "memory");
#endif
}

/// The thread's lane, which no register holds before.
TILE_DEVICE int lane_id() { return __builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0)); }

/// The value of a lane, the same for all.
TILE_DEVICE int of_lane(int value, int lane) { return __builtin_amdgcn_readlane(value, lane); }

/// The value of a lane that each lane names; of one that does not exist any.
TILE_DEVICE int from_lane(int value, int lane) { return __builtin_amdgcn_ds_bpermute(lane * 4, value); }

/// The first lane of the wave for which it is so, -1 if there is none.
TILE_DEVICE int first_lane(bool so) {
#if defined(__GFX9__)
  return __builtin_ffsll(static_cast<long>(__builtin_amdgcn_ballot_w64(so))) - 1;
#else
  return __builtin_ffs(static_cast<int>(__builtin_amdgcn_ballot_w32(so))) - 1;
#endif
}

/// Lanes of a wave, a bit each.
#if defined(__GFX9__)
using LaneMask = unsigned long;
#else
using LaneMask = unsigned;
#endif

/// The lanes for which it is so.
TILE_DEVICE LaneMask lanes_where(bool so) {
#if defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(so);
#else
  return __builtin_amdgcn_ballot_w32(so);
#endif
}
/// How many lanes are among them.
TILE_DEVICE unsigned lanes_in(LaneMask lanes) {
  return static_cast<unsigned>(sizeof(LaneMask) == 8 ? __builtin_popcountll(lanes)
                                                     : __builtin_popcount(static_cast<unsigned>(lanes)));
}
/// How many of them come before this lane.
TILE_DEVICE unsigned lanes_below(LaneMask lanes) {
  const auto low = static_cast<unsigned>(lanes);
#if defined(__GFX9__)
  return __builtin_amdgcn_mbcnt_hi(static_cast<unsigned>(lanes >> 32), __builtin_amdgcn_mbcnt_lo(low, 0));
#else
  return __builtin_amdgcn_mbcnt_lo(low, 0);
#endif
}

}  // namespace tile::arch
