// Launches on several devices at once: cooperative ones, whose grids may meet at barriers, and those that
// only are launched together.
#include <algorithm>
#include <vector>

#include "runtime/launch/fat_binary.h"
#include "runtime/launch/launch.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

/// One device's part.
struct Part {
  std::shared_ptr<Stream> stream;
  KernelFunction* function;
  dim3 grid, block;
  size_t shared;
  void** arguments;
};

/// Launches the parts; `cooperative` ones may meet. Nothing runs when one of them cannot be launched.
hipError_t launch_together(Platform& platform, const std::vector<Part>& parts, unsigned flags,
                           bool cooperative) {
  if (parts.empty() || parts.size() > platform.devices.size()) return hipErrorInvalidValue;
  if (flags > (hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync))
    return hipErrorInvalidValue;
  GridSet set;
  set.grids = static_cast<uint32_t>(parts.size());
  std::vector<LaunchRequest> requests(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (!part.stream || part.stream->kind == Stream::Kind::Null) return hipErrorInvalidResourceHandle;
    if (std::any_of(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(i),
                    [&](const Part& other) { return &other.stream->device == &part.stream->device; }))
      return hipErrorInvalidDevice;
    if (refuse_captured(*part.stream)) return hipErrorStreamCaptureUnsupported;
    LaunchRequest& request = requests[i];
    request.function = part.function;
    request.arguments = part.arguments;
    request.cooperative = cooperative;
    request.place = static_cast<uint32_t>(i);
    request.items_before = set.items;
    if (part.block.x == 0 || part.block.y == 0 || part.block.z == 0 ||
        !set_geometry(request.geometry, part.grid, part.block, part.shared))
      return hipErrorInvalidConfiguration;
    set.items += request.geometry.grid.count();
  }
  if (cooperative) {
    auto meeting = Block::take(*platform.memory, 64);
    if (!meeting) return hip_error(meeting.error());
    std::fill_n(meeting->data(), 64, uint8_t{0});
    set.meeting = std::make_shared<Block>(std::move(*meeting));
  }
  std::vector<std::shared_ptr<LaunchOperation>> operations(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (cooperative) requests[i].set = &set;
    if (const hipError_t error = make_launch(platform, parts[i].stream->device, requests[i], operations[i]);
        error != hipSuccess)
      return error;
  }
  const auto wait = [&] {
    for (const Part& part : parts) part.stream->wait_all();
  };
  if (!(flags & hipCooperativeLaunchMultiDeviceNoPreSync)) wait();
  // On a device that has failed nothing runs any more, and the grids of the others would wait for its grid.
  for (const Part& part : parts)
    if (const hipError_t failed = part.stream->device.failure(); failed != hipSuccess) return failed;
  for (size_t i = 0; i < parts.size(); ++i) parts[i].stream->enqueue(std::move(operations[i]));
  if (!(flags & hipCooperativeLaunchMultiDeviceNoPostSync)) wait();
  return hipSuccess;
}

/// By the addresses of the kernels' stubs on the host.
hipError_t launch_registered(const hipLaunchParams* list, int count, unsigned flags, bool cooperative) {
  return api([&](Platform& platform) -> hipError_t {
    if (!list || count <= 0) return hipErrorInvalidValue;
    std::vector<Part> parts;
    for (int i = 0; i < count; ++i) {
      const hipLaunchParams& each = list[i];
      auto stream = platform.stream(each.stream);
      if (!stream) return hipErrorInvalidValue;
      const auto function = registered_function(platform, stream->device, each.func);
      if (!function) return hipErrorInvalidDeviceFunction;
      parts.push_back({std::move(stream), *function, each.gridDim, each.blockDim, each.sharedMem, each.args});
    }
    return launch_together(platform, parts, flags, cooperative);
  });
}

}  // namespace

HIP_API hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* list, int count, unsigned flags) {
  return launch_registered(list, count, flags, true);
}

HIP_API hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* list, int count, unsigned flags) {
  return launch_registered(list, count, flags, false);
}

HIP_API hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* list, unsigned count,
                                                               unsigned flags) {
  return api([&](Platform& platform) -> hipError_t {
    if (!list || count == 0 || count > platform.devices.size()) return hipErrorInvalidValue;
    std::vector<Part> parts;
    for (unsigned i = 0; i < count; ++i) {
      const hipFunctionLaunchParams& each = list[i];
      auto stream = platform.stream(each.hStream);
      if (!stream) return hipErrorInvalidValue;
      KernelFunction* const function = find_function(each.function);
      if (!function || &function->module->device != &stream->device) return hipErrorInvalidResourceHandle;
      parts.push_back({std::move(stream),
                       function,
                       {each.gridDimX, each.gridDimY, each.gridDimZ},
                       {each.blockDimX, each.blockDimY, each.blockDimZ},
                       each.sharedMemBytes,
                       each.kernelParams});
    }
    return launch_together(platform, parts, flags, true);
  });
}
