// The functions that launch kernels.
#include <cstring>
#include <vector>

#include "runtime/device/properties.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/launch/launch.h"
#include "runtime/stream/event.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

/// What <<<...>>> leaves for the stub that it calls.
struct Configuration {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
};
thread_local std::vector<Configuration> configurations;

struct Events {
  hipEvent_t start = nullptr, stop = nullptr;
};

hipError_t enqueue(Platform& platform, Stream& stream, const LaunchRequest& request, Events events) {
  if (events.start)
    if (const hipError_t error = record_event(events.start, stream); error != hipSuccess) return error;
  if (const hipError_t error = launch(platform, stream, request); error != hipSuccess) return error;
  return events.stop ? record_event(events.stop, stream) : hipSuccess;
}

/// A launch by the address of the kernel's stub on the host.
hipError_t launch_registered(Platform& platform, const void* host, dim3 grid, dim3 block, void** arguments,
                             size_t shared, hipStream_t handle, bool cooperative = false,
                             Events events = {}) {
  const auto stream = platform.stream(handle);
  if (!stream) return hipErrorContextIsDestroyed;
  const auto function = registered_function(platform, stream->device, host);
  if (!function)
    return function.error().kind == ErrorKind::WrongTarget ? hipErrorNoBinaryForGpu
                                                           : hipErrorInvalidDeviceFunction;
  LaunchRequest request;
  request.function = *function;
  request.host = host;
  request.arguments = arguments;
  request.cooperative = cooperative;
  if (!set_geometry(request.geometry, grid, block, shared)) return hipErrorInvalidConfiguration;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return hipErrorInvalidConfiguration;
  return enqueue(platform, *stream, request, events);
}

/// A launch by handle, the grid in work-items.
hipError_t launch_handle(Platform& platform, hipFunction_t handle, const Extent3& items, const Extent3& block,
                         uint32_t shared, hipStream_t stream_handle, void** arguments, void** extra,
                         bool cooperative = false, Events events = {}) {
  const auto stream = platform.stream(stream_handle);
  if (!stream) return hipErrorInvalidValue;
  LaunchRequest request;
  request.function = find_function(handle);
  if (!request.function) return hipErrorInvalidResourceHandle;
  if (&request.function->module->device != &stream->device) return hipErrorInvalidHandle;
  request.arguments = arguments;
  request.extra = extra;
  request.cooperative = cooperative;
  if (items.empty() || block.empty()) return hipErrorInvalidValue;
  request.geometry.grid = items;
  request.geometry.workgroup = block;
  request.geometry.dynamic_lds = shared;
  return enqueue(platform, *stream, request, events);
}

/// The same, the grid in blocks.
hipError_t launch_blocks(Platform& platform, hipFunction_t handle, dim3 grid, dim3 block, uint32_t shared,
                         hipStream_t stream, void** arguments, void** extra, bool cooperative = false) {
  Geometry geometry;
  if (!set_geometry(geometry, grid, block, shared)) return hipErrorInvalidConfiguration;
  return launch_handle(platform, handle, geometry.grid, geometry.workgroup, shared, stream, arguments, extra,
                       cooperative);
}

bool wants_cooperative(const hipLaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; attributes && i < count; ++i)
    if (attributes[i].id == hipLaunchAttributeCooperative && attributes[i].value.cooperative) return true;
  return false;
}

}  // namespace

HIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return hipSuccess;
}

HIP_API hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, hipStream_t* stream) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  const Configuration& last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *stream = last.stream;
  configurations.pop_back();
  return hipSuccess;
}

HIP_API hipError_t hipLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared,
                                   hipStream_t stream) {
  return api([&](Platform& platform) {
    return launch_registered(platform, host, grid, block, arguments, shared, stream);
  });
}

HIP_API hipError_t hipLaunchKernel_spt(const void* host, dim3 grid, dim3 block, void** arguments,
                                       size_t shared, hipStream_t stream) {
  return hipLaunchKernel(host, grid, block, arguments, shared, stream ? stream : hipStreamPerThread);
}

HIP_API hipError_t hipExtLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                                      size_t shared, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                      int /*flags*/) {
  return api([&](Platform& platform) {
    return launch_registered(platform, host, grid, block, arguments, shared, stream, false, {start, stop});
  });
}

HIP_API hipError_t hipLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                                              unsigned shared, hipStream_t stream) {
  return api([&](Platform& platform) {
    return launch_registered(platform, host, grid, block, arguments, shared, stream, true);
  });
}

HIP_API hipError_t hipLaunchCooperativeKernel_spt(const void* host, dim3 grid, dim3 block, void** arguments,
                                                  unsigned shared, hipStream_t stream) {
  return hipLaunchCooperativeKernel(host, grid, block, arguments, shared,
                                    stream ? stream : hipStreamPerThread);
}

HIP_API hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* host, void** arguments) {
  return api([&](Platform& platform) {
    if (!config) return hipErrorInvalidValue;
    return launch_registered(platform, host, config->gridDim, config->blockDim, arguments,
                             config->dynamicSmemBytes, config->stream,
                             wants_cooperative(config->attrs, config->numAttrs));
  });
}

HIP_API hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t function,
                                        void** arguments, void** extra) {
  return api([&](Platform& platform) {
    if (!config) return hipErrorInvalidValue;
    return launch_blocks(platform, function, {config->gridDimX, config->gridDimY, config->gridDimZ},
                         {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes,
                         config->hStream, arguments, extra,
                         wants_cooperative(config->attrs, config->numAttrs));
  });
}

HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared, hipStream_t stream,
                                         void** arguments, void** extra) {
  return api([&](Platform& platform) {
    // Only this function looks (ROCm's runtime, CLR): others go on to the limit of work-items.
    if (grid_x > kMaxGrid[0] || grid_y > kMaxGrid[1] || grid_z > kMaxGrid[2]) return hipErrorInvalidValue;
    return launch_blocks(platform, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared,
                         stream, arguments, extra);
  });
}

HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                                    unsigned grid_z, unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned shared, hipStream_t stream,
                                                    void** arguments) {
  return api([&](Platform& platform) {
    return launch_blocks(platform, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared,
                         stream, arguments, nullptr, true);
  });
}

namespace {

hipError_t ext_module_launch(hipFunction_t function, const Extent3& items, const Extent3& block,
                             size_t shared, hipStream_t stream, void** arguments, void** extra,
                             Events events) {
  return api([&](Platform& platform) {
    return launch_handle(platform, function, items, block, static_cast<uint32_t>(shared), stream, arguments,
                         extra, false, events);
  });
}

}  // namespace

HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                            uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                            uint32_t block_z, size_t shared, hipStream_t stream,
                                            void** arguments, void** extra, hipEvent_t start, hipEvent_t stop,
                                            uint32_t /*flags*/) {
  return ext_module_launch(function, {items_x, items_y, items_z}, {block_x, block_y, block_z}, shared, stream,
                           arguments, extra, {start, stop});
}

HIP_API hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                            uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                            uint32_t block_z, size_t shared, hipStream_t stream,
                                            void** arguments, void** extra, hipEvent_t start,
                                            hipEvent_t stop) {
  return ext_module_launch(function, {items_x, items_y, items_z}, {block_x, block_y, block_z}, shared, stream,
                           arguments, extra, {start, stop});
}

// Both with C++ names as well: programs of before HIP 6 link to them so.
extern "C" __attribute__((visibility("default"), alias("hipExtModuleLaunchKernel"))) hipError_t
_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
    hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**,
    void**, hipEvent_t, hipEvent_t, uint32_t);
extern "C" __attribute__((visibility("default"), alias("hipHccModuleLaunchKernel"))) hipError_t
_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
    hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**,
    void**, hipEvent_t, hipEvent_t);
