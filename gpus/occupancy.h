// How many waves a SIMD holds at once: the limits that registers, LDS and the workgroup's size set.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// A kernel's use of a compute unit's resources.
struct KernelResources {
  uint32_t vgprs = 0;      ///< of one wave; where the file is unified, accumulation VGPRs included
  uint32_t sgprs = 0;      ///< of one wave, VCC and the like included
  uint32_t lds_bytes = 0;  ///< of one workgroup
  uint32_t workgroup = 1;  ///< work-items
  uint32_t wave_size = 64;
  bool one_compute_unit =
      false;  ///< RDNA's CU mode: the workgroup stays on one compute unit of its processor
};

/// The resource that limits occupancy.
enum class Limiter : uint8_t { WaveSlots, Vgprs, Sgprs, Lds, Workgroups };
std::string_view name_of(Limiter limiter);

struct Occupancy {
  uint32_t waves_per_simd = 0;  ///< the compiler's "Occupancy"; 0: the kernel does not fit at all
  Limiter limiter = Limiter::WaveSlots;
  uint32_t workgroups =
      0;  ///< resident at once on one multiprocessor (hipOccupancyMaxActiveBlocksPerMultiprocessor)
  uint32_t by_vgprs = 0, by_sgprs = 0, by_lds = 0, by_workgroups = 0;  ///< waves per SIMD, each limit alone
};

/// Sources: LLVM 22, AMDGPUSubtarget.cpp getOccupancyWithWorkGroupSizes and AMDGPUBaseInfo.cpp
/// getNumWavesPerEUWithNumVGPRs; AMD, ISA references, sections on VGPR, SGPR and LDS allocation. A test
/// compares with the compiler.
Occupancy occupancy(const Gpu& gpu, const KernelResources& kernel);

}  // namespace wavesmith::gpus
