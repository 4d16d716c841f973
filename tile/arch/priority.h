// Which of a SIMD's waves goes first.
#pragma once

#include "tile/arch/language.h"

namespace tile::arch {

/// Of waves that could issue an instruction, the one with the highest priority does; 0 to 3.
template <int kPriority>
TILE_DEVICE void priority() {
  static_assert(kPriority >= 0 && kPriority <= 3, "priorities are 0 to 3");
#if !defined(__NVCC__)
  __builtin_amdgcn_s_setprio(kPriority);
#endif
}

}  // namespace tile::arch
