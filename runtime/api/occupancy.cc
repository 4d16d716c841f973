// The functions that ask about occupancy.
#include "runtime/launch/occupancy.h"
#include "runtime/abi/launch.h"
#include "runtime/launch/fat_binary.h"

using namespace wavesmith::runtime;

namespace {

bool are_flags(unsigned flags) {
  return flags == hipOccupancyDefault || flags == hipOccupancyDisableCachingOverride;
}

hipError_t active_blocks(const KernelFunction& function, int* blocks, int workgroup, size_t dynamic_lds) {
  if (workgroup <= 0) return hipErrorInvalidValue;
  *blocks = static_cast<int>(resident_workgroups(function, static_cast<uint32_t>(workgroup), dynamic_lds));
  return hipSuccess;
}

hipError_t potential(const KernelFunction& function, int* grid, int* workgroup, size_t dynamic_lds,
                     int limit) {
  const BestWorkgroup best =
      best_workgroup(function, dynamic_lds, limit > 0 ? static_cast<uint32_t>(limit) : 0);
  *workgroup = static_cast<int>(best.size);
  *grid = static_cast<int>(best.workgroups);
  return hipSuccess;
}

/// Runs `body(const KernelFunction&)` for the kernel of a stub on the host.
template <class Body>
hipError_t with_registered(const void* host, Body body) {
  return api([&](Platform& platform) {
    const auto function = registered_function(platform, platform.current(), host);
    return function ? body(**function) : hipErrorInvalidDeviceFunction;
  });
}

template <class Body>
hipError_t with_handle(hipFunction_t handle, Body body) {
  return api([&](Platform&) {
    return handle ? body(*reinterpret_cast<KernelFunction*>(handle)) : hipErrorInvalidValue;
  });
}

}  // namespace

HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                         int workgroup, size_t dynamic_lds,
                                                                         unsigned flags) {
  if (!blocks || !are_flags(flags)) return finish(hipErrorInvalidValue);
  return with_registered(
      host, [&](const KernelFunction& f) { return active_blocks(f, blocks, workgroup, dynamic_lds); });
}

HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int workgroup,
                                                                size_t dynamic_lds) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, workgroup, dynamic_lds,
                                                               hipOccupancyDefault);
}

HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, hipFunction_t function, int workgroup, size_t dynamic_lds, unsigned flags) {
  if (!blocks || !are_flags(flags)) return finish(hipErrorInvalidValue);
  return with_handle(
      function, [&](const KernelFunction& f) { return active_blocks(f, blocks, workgroup, dynamic_lds); });
}

HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function,
                                                                      int workgroup, size_t dynamic_lds) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, workgroup, dynamic_lds,
                                                                     hipOccupancyDefault);
}

HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* workgroup, const void* host,
                                                     size_t dynamic_lds, int limit) {
  if (!grid || !workgroup) return finish(hipErrorInvalidValue);
  return with_registered(
      host, [&](const KernelFunction& f) { return potential(f, grid, workgroup, dynamic_lds, limit); });
}

HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* workgroup,
                                                                    hipFunction_t function,
                                                                    size_t dynamic_lds, int limit,
                                                                    unsigned flags) {
  if (!grid || !workgroup || !are_flags(flags)) return finish(hipErrorInvalidValue);
  return with_handle(
      function, [&](const KernelFunction& f) { return potential(f, grid, workgroup, dynamic_lds, limit); });
}

HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* workgroup, hipFunction_t function,
                                                           size_t dynamic_lds, int limit) {
  return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid, workgroup, function, dynamic_lds, limit,
                                                          hipOccupancyDefault);
}

HIP_API hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* host, int blocks,
                                                            int workgroup) {
  if (!bytes || blocks <= 0 || workgroup <= 0) return finish(hipErrorInvalidValue);
  return with_registered(host, [&](const KernelFunction& f) {
    const wavesmith::gpus::Gpu& gpu = f.module->device.gpu;
    const uint64_t own = f.kernel->fields.group_segment_fixed_size;
    const uint64_t share =
        uint64_t{gpu.lds_bytes} * gpu.units_per_workgroup_processor / static_cast<uint64_t>(blocks);
    *bytes = std::min<uint64_t>(share, gpu.lds_per_workgroup) > own
                 ? std::min<uint64_t>(share, gpu.lds_per_workgroup) - own
                 : 0;
    return hipSuccess;
  });
}
