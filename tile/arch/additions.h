// Additions to floats in global memory, of all workgroups of the device, in the order in which they come.
#pragma once

#include "tile/arch/device.h"

namespace tile::arch {

/// Adds to a float of a buffer; what is outside is dropped.
TILE_DEVICE void add(Buffer to, u32 offset, float value) {
  __builtin_amdgcn_raw_ptr_buffer_atomic_fadd_f32(value, to.resource, static_cast<int>(offset), 0, 0);
}

}  // namespace tile::arch
