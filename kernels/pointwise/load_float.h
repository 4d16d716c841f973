// Loads of floats by kernels that take no other type: less code than load_element's.
#pragma once

#include "kernels/pointwise/elements.h"

namespace wavesmith::kernels {

/// F64 is computed in itself, the others in F32.
template <class C>
TILE_DEVICE C load_float(tile::u64 address, int type) {
  if constexpr (sizeof(C) == 8) return tile::arch::load_at<C>(address);
  if (tile::arch::late(type) == WAVESMITH_POINTWISE_F32)
    return static_cast<C>(tile::arch::load_at<float>(address));
  if (tile::arch::late(type) == WAVESMITH_POINTWISE_F16)
    return static_cast<C>(static_cast<float>(tile::arch::load_at<tile::f16>(address)));
  return static_cast<C>(static_cast<float>(tile::arch::load_at<tile::bf16>(address)));
}

}  // namespace wavesmith::kernels
