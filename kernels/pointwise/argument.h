// A kernel's argument where it lies, in the constant memory of the launch.
#pragma once

#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// The kernel's only argument: what is indexed with numbers that are known at run time only would otherwise
/// be copied to scratch memory.
template <class T>
TILE_DEVICE const T& argument_in_place(const T& /*argument*/) {
  return *(const T*)(const __attribute__((address_space(4))) T*)__builtin_amdgcn_kernarg_segment_ptr();
}

}  // namespace wavesmith::kernels
