// A kernel's resources, its occupancy, and the changes that would raise it.
#pragma once

#include "analysis/analyse.h"
#include "analysis/report.h"

namespace wavesmith::analysis {

/// Reads the resources from the descriptor and the metadata. Registers are those that the hardware allocates
/// by the descriptor's fields (LLVM, "User Guide for AMDGPU Backend", compute_pgm_rsrc1 and 3); `target` says
/// how the fields count.
Resources resources_of(const object::Kernel& kernel, const isa::Target& target, const gpus::Gpu& gpu,
                       const Options& options);

Occupancy occupancy_of(const Resources& resources, const gpus::Gpu& gpu, const Options& options);

/// Waves per SIMD as LLVM 22 counts them (AMDGPUSubtarget, getOccupancyWithWorkGroupSizes): near the best
/// case for workgroups of `least` to `most` work-items, with LDS and SGPRs not rounded up to their allocation
/// granularity. At least 1, even for a kernel that does not fit.
uint32_t waves_by_compiler(const gpus::Gpu& gpu, const gpus::KernelResources& resources, uint32_t least,
                           uint32_t most);

}  // namespace wavesmith::analysis
