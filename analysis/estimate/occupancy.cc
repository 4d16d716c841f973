#include "analysis/estimate/occupancy.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bits.h"

namespace wavesmith::analysis {
namespace {

using gpus::KernelResources;
using gpus::Limiter;

/// The most of a resource, of at most `now`, with which `fits` holds; nullopt when none does.
template <class Fits>
std::optional<uint32_t> most_that(uint32_t now, Fits fits) {
  if (!fits(0)) return std::nullopt;
  uint32_t low = 0, high = now;  // fits(low), not fits(high)
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::string waves_text(uint32_t more) {
  return more == 1 ? "one more wave" : fmt::format("{} more waves", more);
}

/// What has to shrink so that `waves` fit, each limit alone; several when several limits are equal.
std::vector<OccupancyStep> steps_to(uint32_t waves, const KernelResources& resources, const gpus::Gpu& gpu,
                                    const gpus::Occupancy& now) {
  std::vector<OccupancyStep> steps;
  const uint32_t more = waves - now.waves_per_simd;
  // One resource less, as far as its own limit then lets `waves` in.
  const auto shrink = [&](Limiter limiter, uint32_t KernelResources::* resource,
                          uint32_t gpus::Occupancy::* limit, std::string_view unit) {
    KernelResources changed = resources;
    const std::optional<uint32_t> to = most_that(resources.*resource, [&](uint32_t amount) {
      changed.*resource = amount;
      return gpus::occupancy(gpu, changed).*limit >= waves;
    });
    if (to)
      steps.push_back({limiter, resources.*resource, *to, waves,
                       fmt::format("{} {} fewer: {}", resources.*resource - *to, unit, waves_text(more))});
  };
  if (now.by_vgprs < waves)
    shrink(Limiter::Vgprs, &KernelResources::vgprs, &gpus::Occupancy::by_vgprs, "VGPRs");
  if (now.by_sgprs < waves)
    shrink(Limiter::Sgprs, &KernelResources::sgprs, &gpus::Occupancy::by_sgprs, "SGPRs");
  if (now.by_lds < waves && now.by_workgroups >= waves)
    shrink(Limiter::Lds, &KernelResources::lds_bytes, &gpus::Occupancy::by_lds, "bytes of LDS");
  if (now.by_workgroups < waves) {
    KernelResources changed = resources;
    // Workgroups may as well become larger where their number is the limit: the nearest size that fits.
    for (uint32_t distance = 1; distance < gpu.max_workgroup; ++distance) {
      std::optional<uint32_t> found;
      for (const uint32_t size : {resources.workgroup + distance, resources.workgroup - distance}) {
        if (size == 0 || size > gpu.max_workgroup || size % resources.wave_size != 0) continue;
        changed.workgroup = size;
        if (!found && gpus::occupancy(gpu, changed).by_workgroups >= waves) found = size;
      }
      if (!found) continue;
      steps.push_back({Limiter::Workgroups, resources.workgroup, *found, waves,
                       fmt::format("workgroups of {} instead of {} work-items: {}", *found,
                                   resources.workgroup, waves_text(more))});
      break;
    }
  }
  return steps;
}

/// How waves fit, a workgroup all of it or not at all.
gpus::Occupancy of_whole_workgroups(const gpus::Gpu& gpu, const KernelResources& resources) {
  gpus::Occupancy fits = gpus::occupancy(gpu, resources);
  const uint32_t units = resources.one_compute_unit ? 1 : gpu.units_per_workgroup_processor;
  const uint32_t simds = gpu.simds_per_unit * units;
  const uint32_t waves = (resources.workgroup + resources.wave_size - 1) / resources.wave_size;
  fits.waves_per_simd = std::min(fits.waves_per_simd, (fits.workgroups * waves + simds - 1) / simds);
  return fits;
}

/// The least that lets more waves in. `fit`: how they do.
template <class Fit>
std::vector<OccupancyStep> next_steps(const KernelResources& resources, const gpus::Gpu& gpu,
                                      const gpus::Occupancy& now, Fit fit) {
  for (uint32_t waves = now.waves_per_simd + 1; waves <= gpu.waves_per_simd; ++waves) {
    std::vector<OccupancyStep> steps = steps_to(waves, resources, gpu, now);
    KernelResources changed = resources;
    for (const OccupancyStep& step : steps) {
      if (step.limiter == Limiter::Vgprs) changed.vgprs = step.to;
      if (step.limiter == Limiter::Sgprs) changed.sgprs = step.to;
      if (step.limiter == Limiter::Lds) changed.lds_bytes = step.to;
      if (step.limiter == Limiter::Workgroups) changed.workgroup = step.to;
    }
    // A further wave helps nobody while the rest of its workgroup does not fit.
    if (!steps.empty() && fit(gpu, changed).waves_per_simd > now.waves_per_simd) return steps;
  }
  return {};
}

/// VGPRs of a wave that the metadata says are used, AGPRs included where the file is one; 0: it does not say.
uint32_t used_vgprs(const Resources& resources, const gpus::Gpu& gpu) {
  if (!gpu.unified_accumulation || resources.used.agprs == 0) return resources.used.vgprs;
  return (resources.used.vgprs + 3) / 4 * 4 + resources.used.agprs;  // AGPRs begin at a multiple of 4
}

}  // namespace

std::string text_of(const std::vector<OccupancyStep>& steps) {
  std::string text, effect;
  for (const OccupancyStep& step : steps) {
    const size_t colon = std::min(step.text.find(": "), step.text.size());
    text += (text.empty() ? "" : " and ") + step.text.substr(0, colon);
    effect = step.text.substr(colon);
  }
  return text + effect;
}

Resources resources_of(const object::Kernel& kernel, const isa::Target& target, const gpus::Gpu& gpu,
                       const Options& options) {
  Resources out;
  const object::Descriptor& d = kernel.fields;
  out.wave_size = target.wave64_only ? 64 : d.wave32() ? 32 : 64;
  // Blocks in which the descriptor counts: 8 VGPRs, 4 of a wave64 on RDNA.
  const uint32_t block = target.has_accumulators() || out.wave_size == 32 ? 8 : 4;
  out.vgprs_total = ((d.compute_pgm_rsrc1 & 63) + 1) * block;
  out.allocated.vgprs = out.vgprs_total;
  if (target.has_accumulators()) {
    // The file is shared: AGPRs begin at ACCUM_OFFSET.
    const uint32_t offset = ((d.compute_pgm_rsrc3 & 63) + 1) * 4;
    out.allocated.vgprs = std::min(offset, out.vgprs_total);
    out.allocated.agprs = out.vgprs_total - out.allocated.vgprs;
    out.allocated.sgprs = ((d.compute_pgm_rsrc1 >> 6 & 15) / 2 + 1) * 16;
  } else {
    out.allocated.sgprs = gpu.sgpr_granule;  // each wave has all of them
  }
  // Without a register file in common the larger of the two counts.
  out.vgprs_counted =
      gpu.unified_accumulation ? kernel.vgpr_count : std::max(kernel.vgpr_count, kernel.agpr_count);
  out.used = {kernel.vgpr_count, kernel.agpr_count, kernel.sgpr_count};
  if (target.has_accumulators() && kernel.agpr_count && kernel.vgpr_count > kernel.agpr_count)
    out.used.vgprs = std::min(kernel.vgpr_count - kernel.agpr_count, out.allocated.vgprs);
  // Where the metadata do not count AGPRs, those are what lies behind ACCUM_OFFSET.
  if (target.has_accumulators() && kernel.agpr_count == 0 && kernel.vgpr_count > out.allocated.vgprs)
    out.used.vgprs = out.allocated.vgprs, out.used.agprs = kernel.vgpr_count - out.allocated.vgprs;
  out.vgpr_spills = kernel.vgpr_spill_count;
  out.sgpr_spills = kernel.sgpr_spill_count;
  out.scratch_bytes = d.private_segment_fixed_size;
  out.dynamic_stack = kernel.uses_dynamic_stack || d.uses_dynamic_stack();
  out.lds_bytes = d.group_segment_fixed_size;
  for (const object::Argument& argument : kernel.arguments)
    out.dynamic_lds |= argument.kind == object::Argument::Kind::DynamicSharedPointer ||
                       argument.kind == object::Argument::Kind::HiddenDynamicLdsSize;
  out.max_workgroup = kernel.max_flat_workgroup_size ? kernel.max_flat_workgroup_size : gpu.max_workgroup;
  const auto required = static_cast<uint32_t>(kernel.required_workgroup_size.count());
  out.workgroup = options.workgroup ? *options.workgroup : required ? required : out.max_workgroup;
  out.workgroup_required = required != 0;
  out.kernarg_bytes = d.kernarg_size;
  return out;
}

uint32_t waves_by_compiler(const gpus::Gpu& gpu, const KernelResources& resources, uint32_t least,
                           uint32_t most) {
  const uint32_t units = resources.one_compute_unit ? 1 : gpu.units_per_workgroup_processor;
  const uint32_t simds = gpu.simds_per_unit * units, slots = gpu.waves_per_simd * simds;
  const uint32_t wave = std::max(1u, resources.wave_size);
  gpus::Gpu loose = gpu;
  loose.lds_granule = loose.sgpr_granule = 1;
  KernelResources alone = resources;
  alone.lds_bytes = 0;
  alone.workgroup = wave;
  const gpus::Occupancy registers = gpus::occupancy(loose, alone);
  const uint32_t groups_by_lds = gpu.lds_bytes * units / std::max(1u, resources.lds_bytes);
  if (groups_by_lds == 0) return 1;
  struct Size {
    uint32_t waves, groups, all;  ///< waves a group, groups a unit, waves a unit
  };
  const auto of = [&](uint32_t work_items) {
    const uint32_t waves = (std::max(work_items, 1u) + wave - 1) / wave;
    const uint32_t by_barriers = waves == 1 ? slots : gpu.max_workgroups_per_unit * units;
    const uint32_t groups = std::min({std::max(1u, slots / waves), by_barriers, groups_by_lds});
    return Size{waves, groups, waves * groups};
  };
  const Size smallest = of(least), largest = of(most);
  uint32_t waves = smallest.all;
  if (largest.all >= smallest.all) {
    waves = largest.all;
  } else if (const uint32_t left = slots - std::min(slots, smallest.all); left / smallest.groups > 0) {
    // A larger group of which as many fit.
    waves += smallest.groups * std::min(left / smallest.groups, (most - 1) / wave + 1 - smallest.waves);
  }
  return std::clamp(std::min({(waves + simds - 1) / simds, registers.by_vgprs, registers.by_sgprs}), 1u,
                    gpu.waves_per_simd);
}

Occupancy occupancy_of(const Resources& resources, const gpus::Gpu& gpu, const Options& options) {
  Occupancy out;
  out.resources = {.vgprs = gpu.unified_accumulation ? resources.vgprs_total : resources.allocated.vgprs,
                   .sgprs = resources.allocated.sgprs,
                   .lds_bytes = resources.lds_bytes + options.dynamic_lds,
                   .workgroup = resources.workgroup,
                   .wave_size = resources.wave_size};
  const bool free_size = !options.workgroup && !resources.workgroup_required;
  // The most that any kernel may have says nothing: smaller ones will do.
  const bool any_size = free_size && resources.workgroup >= gpu.max_workgroup;
  const auto fit = any_size ? gpus::occupancy : of_whole_workgroups;
  out.now = fit(gpu, out.resources);
  KernelResources as_compiled = out.resources;
  if (resources.used.sgprs != 0) as_compiled.sgprs = resources.used.sgprs;
  if (resources.vgprs_counted != 0) as_compiled.vgprs = resources.vgprs_counted;
  out.compiler_waves =
      waves_by_compiler(gpu, as_compiled, free_size ? 1 : resources.workgroup, resources.workgroup);
  // LLVM pads the allocation until no more waves fit than other limits let it count on
  // (AMDGPUAsmPrinter, getMinNumVGPRs): then those limits are the cause, and the padding goes with them.
  gpus::KernelResources cause = out.resources;
  const uint32_t used = used_vgprs(resources, gpu);
  if (used != 0 && used < cause.vgprs) cause.vgprs = used;
  const gpus::Occupancy without_padding = fit(gpu, cause);
  const bool padded = cause.vgprs != out.resources.vgprs &&
                      without_padding.waves_per_simd == out.now.waves_per_simd &&
                      without_padding.by_vgprs > out.now.by_vgprs;
  if (padded)
    out.now = without_padding;
  else
    cause = out.resources;
  if (out.now.waves_per_simd < gpu.waves_per_simd) out.next = next_steps(cause, gpu, out.now, fit);
  const auto note = [&](std::string text) { out.note += (out.note.empty() ? "" : "; ") + text; };
  if (const uint32_t alone = gpus::occupancy(gpu, cause).waves_per_simd; alone > out.now.waves_per_simd)
    note(fmt::format("{} waves per SIMD would fit, but not all waves of another workgroup of {} work-items",
                     alone, resources.workgroup));
  if (padded)
    note(fmt::format("the compiler allocates {} VGPRs though {} are used, since no more waves fit anyway",
                     out.resources.vgprs, used));
  if (free_size)
    note(fmt::format("workgroups of {} work-items are assumed, the most that the kernel allows",
                     resources.workgroup));
  if (resources.dynamic_lds && !options.dynamic_lds) note("LDS that a launch asks for beside is not counted");
  return out;
}

}  // namespace wavesmith::analysis
