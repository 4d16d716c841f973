#include "gpus/occupancy.h"

#include <algorithm>

#include "base/bits.h"

namespace wavesmith::gpus {
namespace {

uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// Waves that fit into a register file of `total` in blocks of `granule`.
uint32_t fitting(uint32_t total, uint32_t granule, uint32_t used) {
  return total / round_up(std::max(used, 1u), granule);
}

}  // namespace

std::string_view name_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::WaveSlots:
      return "wave slots";
    case Limiter::Vgprs:
      return "VGPRs";
    case Limiter::Sgprs:
      return "SGPRs";
    case Limiter::Lds:
      return "LDS";
    case Limiter::Workgroups:
      return "workgroups";
  }
  return "unknown";
}

Occupancy occupancy(const Gpu& gpu, const KernelResources& kernel) {
  Occupancy result;
  const bool wave64 = kernel.wave_size == 64;
  const uint32_t units = kernel.one_compute_unit ? 1 : gpu.units_per_workgroup_processor;
  const uint32_t simds = gpu.simds_per_unit * units;
  const uint32_t slots = gpu.waves_per_simd;
  const uint32_t waves = std::max(1u, divide_up(kernel.workgroup, std::max(1u, kernel.wave_size)));

  const uint32_t most_vgprs = gpu.vgprs_per_wave;
  result.by_vgprs = kernel.vgprs > most_vgprs
                        ? 0
                        : fitting(wave64 ? gpu.vgprs_per_simd_wave64 : gpu.vgprs_per_simd,
                                  wave64 ? gpu.vgpr_granule_wave64 : gpu.vgpr_granule, kernel.vgprs);
  result.by_sgprs = fitting(gpu.sgprs_per_simd, gpu.sgpr_granule, kernel.sgprs);

  // A workgroup of more than one wave takes a barrier; single waves are limited by their slots only.
  const uint32_t groups_by_slots = slots * simds / waves;
  const uint32_t groups_by_barriers = waves > 1 ? gpu.max_workgroups_per_unit * units : groups_by_slots;
  const uint32_t groups_by_size =
      kernel.workgroup > gpu.max_workgroup ? 0 : std::min(groups_by_slots, groups_by_barriers);
  result.by_workgroups = divide_up(groups_by_size * waves, simds);

  uint32_t groups_by_lds = groups_by_size;
  if (kernel.lds_bytes > gpu.lds_per_workgroup)
    groups_by_lds = 0;
  else if (kernel.lds_bytes > 0)
    groups_by_lds = gpu.lds_bytes * units / round_up(kernel.lds_bytes, gpu.lds_granule);
  // Where LDS has room for all workgroups that fit otherwise, it is no limit.
  result.by_lds =
      groups_by_lds > 0 && groups_by_lds >= groups_by_size ? slots : divide_up(groups_by_lds * waves, simds);

  result.waves_per_simd = slots;
  const std::pair<uint32_t, Limiter> limits[] = {{result.by_vgprs, Limiter::Vgprs},
                                                 {result.by_sgprs, Limiter::Sgprs},
                                                 {result.by_lds, Limiter::Lds},
                                                 {result.by_workgroups, Limiter::Workgroups}};
  for (const auto& [limit, limiter] : limits)
    if (limit < result.waves_per_simd) {
      result.waves_per_simd = limit;
      result.limiter = limiter;
    }
  const uint32_t wave_slots = std::min({slots, result.by_vgprs, result.by_sgprs}) * simds;
  result.workgroups = std::min({wave_slots / waves, groups_by_size, groups_by_lds});
  if (result.workgroups == 0 && result.waves_per_simd > 0 && wave_slots < waves) result.waves_per_simd = 0;
  return result;
}

}  // namespace wavesmith::gpus
