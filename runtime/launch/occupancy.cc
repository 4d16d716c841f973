#include "runtime/launch/occupancy.h"

#include <algorithm>

#include "gpus/occupancy.h"

namespace wavesmith::runtime {

uint32_t resident_workgroups(const KernelFunction& function, uint32_t workgroup, size_t dynamic_lds) {
  const gpus::Gpu& gpu = function.module->device.gpu;
  const object::Kernel& kernel = *function.kernel;
  if (workgroup == 0 || workgroup > gpu.max_workgroup) return 0;
  const size_t lds = kernel.fields.group_segment_fixed_size + dynamic_lds;
  if (lds > gpu.lds_per_workgroup) return 0;
  gpus::KernelResources resources;
  // Metadata counts both kinds of registers together where they share one file.
  resources.vgprs = kernel.vgpr_count;
  resources.sgprs = kernel.sgpr_count;
  resources.lds_bytes = static_cast<uint32_t>(lds);
  resources.workgroup = workgroup;
  resources.wave_size = kernel.wavefront_size;
  // WGP_MODE of COMPUTE_PGM_RSRC1; hardware without workgroup processors has it clear.
  resources.one_compute_unit =
      gpu.units_per_workgroup_processor > 1 && !(kernel.fields.compute_pgm_rsrc1 >> 29 & 1);
  return gpus::occupancy(gpu, resources).workgroups;
}

BestWorkgroup best_workgroup(const KernelFunction& function, size_t dynamic_lds, uint32_t limit) {
  const gpus::Gpu& gpu = function.module->device.gpu;
  const uint32_t wave = std::max(function.kernel->wavefront_size, 1u);
  uint32_t most = std::min(gpu.max_workgroup, std::max(function.kernel->max_flat_workgroup_size, 1u));
  if (limit > 0) most = std::min(most, limit);
  // The largest size wins among those that keep most work-items resident.
  BestWorkgroup best;
  uint64_t best_items = 0;
  for (uint32_t size = std::max(most - most % wave, std::min(wave, most)); size > 0;
       size = size > wave ? size - wave : 0) {
    const uint32_t workgroups = resident_workgroups(function, size, dynamic_lds);
    const uint64_t items = uint64_t{workgroups} * size;
    if (items > best_items) best_items = items, best = {size, workgroups * gpu.multiprocessors()};
  }
  return best;
}

}  // namespace wavesmith::runtime
