// Wait states that compilers leave out.
#pragma once

#include "tile/arch/here.h"

namespace tile::arch {

/// Before branches: vector instructions behind them may write what the last products read. LLVM 22 looks at
/// one way to where branches meet again when it counts the wait states between the two, and hardware of CDNA
/// 2 does not wait by itself.
TILE_DEVICE void keep_products() {
#if defined(__gfx90a__)
  keep_order();
  asm volatile("s_nop 6");
  keep_order();
#endif
}

}  // namespace tile::arch
