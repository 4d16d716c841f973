#include "runtime/launch/launch.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gpus/occupancy.h"
#include "isa/llvm/demangle.h"
#include "runtime/launch/hostcall.h"
#include "runtime/launch/printf_buffer.h"
#include "runtime/launch/queue.h"
#include "runtime/observe/check.h"
#include "runtime/observe/launch_progress.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/observe/profile.h"
#include "runtime/observe/statistics.h"
#include "runtime/observe/timeline.h"

namespace wavesmith::runtime {
namespace {

/// What the barriers of device code read and write: the memory that the hidden argument for them points to.
/// Source: the device library ockl of ROCm, cg.cl, struct mg_info.
struct GridBooks {
  const void* meeting =
      nullptr;  ///< where the grids of a set count who has arrived; null: one grid of its own
  uint32_t grid = 0, grids = 1;
  uint64_t items_before = 0, items = 0;
  uint32_t arrived[2] = {0, 0};  ///< workgroups of this grid at a barrier
  uint32_t workgroups = 0;
};
static_assert(offsetof(GridBooks, arrived) == 32 && offsetof(GridBooks, workgroups) == 40);

uint64_t workgroups(const Geometry& geometry) {
  return workgroups_of(geometry.grid, geometry.workgroup).count();
}

gpus::Occupancy occupancy_of(const gpus::Gpu& gpu, const object::Kernel& kernel, const Geometry& geometry) {
  gpus::KernelResources resources;
  resources.vgprs = kernel.vgpr_count;
  resources.sgprs = kernel.sgpr_count;
  resources.lds_bytes = kernel.fields.group_segment_fixed_size + geometry.dynamic_lds;
  resources.workgroup = static_cast<uint32_t>(geometry.workgroup.count());
  resources.wave_size = kernel.wavefront_size;
  return gpus::occupancy(gpu, resources);
}

/// Workgroups that the whole GPU holds at once.
uint64_t resident_workgroups(const gpus::Gpu& gpu, const object::Kernel& kernel, const Geometry& geometry) {
  return uint64_t{occupancy_of(gpu, kernel, geometry).workgroups} * gpu.multiprocessors();
}

/// ... and one compute unit.
uint32_t unit_workgroups(const gpus::Gpu& gpu, const object::Kernel& kernel, const Geometry& geometry) {
  return std::max(
      1u, occupancy_of(gpu, kernel, geometry).workgroups / std::max(1u, gpu.units_per_workgroup_processor));
}

/// Waves of a workgroup.
uint32_t waves_of(const object::Kernel& kernel, const Geometry& geometry) {
  const auto items = static_cast<uint32_t>(geometry.workgroup.count());
  return (items + kernel.wavefront_size - 1) / kernel.wavefront_size;
}

hipError_t refuse(hipError_t error, const KernelFunction& function, std::string what) {
  report(Error{ErrorKind::OutOfResources, std::move(what),
               fmt::format("launch of kernel '{}'", isa::function_name(function.kernel->name))});
  return error;
}

hipError_t check(const Device& device, const LaunchRequest& request) {
  const Geometry& geometry = request.geometry;
  const KernelFunction& function = *request.function;
  const object::Kernel& kernel = *function.kernel;
  // hipLaunchCooperativeKernel has answers of its own.
  const bool by_stub = request.cooperative && request.host;
  uint64_t items = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (geometry.workgroup[axis] == 0) return hipErrorInvalidConfiguration;
    if (geometry.grid[axis] == 0) return hipErrorInvalidValue;
    items *= geometry.workgroup[axis];
    if (items > device.gpu.max_workgroup)
      return refuse(by_stub ? hipErrorInvalidConfiguration : hipErrorInvalidValue, function,
                    fmt::format("a block of {} x {} x {} threads; the GPU takes {}", geometry.workgroup[0],
                                geometry.workgroup[1], geometry.workgroup[2], device.gpu.max_workgroup));
  }
  if (request.arguments && request.extra) return hipErrorInvalidValue;
  if (function.explicit_size > 0 && !request.arguments && !request.extra)
    return refuse(hipErrorInvalidValue, function, "no arguments, but the kernel takes some");
  if (items > kernel.max_flat_workgroup_size)
    return refuse(hipErrorLaunchFailure, function,
                  fmt::format("a block of {} threads; the kernel was compiled for at most {}", items,
                              kernel.max_flat_workgroup_size));
  const uint64_t lds = uint64_t{kernel.fields.group_segment_fixed_size} + geometry.dynamic_lds;
  if (lds > device.gpu.lds_per_workgroup)
    return refuse(by_stub ? hipErrorCooperativeLaunchTooLarge : hipErrorInvalidValue, function,
                  fmt::format("{} bytes of LDS ({} of them dynamic); the GPU has {}", lds,
                              geometry.dynamic_lds, device.gpu.lds_per_workgroup));
  if (request.cooperative) {
    if (workgroups(geometry) > resident_workgroups(device.gpu, kernel, geometry))
      return hipErrorCooperativeLaunchTooLarge;
  }
  return hipSuccess;
}

/// Copies the arguments that the program passes to the kernel's memory.
hipError_t copy_arguments(const LaunchRequest& request, uint8_t* memory) {
  const KernelFunction& function = *request.function;
  if (request.extra) {
    const void* buffer = nullptr;
    const size_t* size = nullptr;
    for (void** entry = request.extra; *entry != HIP_LAUNCH_PARAM_END; entry += 2) {
      if (*entry == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = entry[1];
      else if (*entry == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        size = static_cast<const size_t*>(entry[1]);
      else
        return hipErrorInvalidValue;
    }
    if (!size || (!buffer && *size)) return hipErrorInvalidValue;
    std::memcpy(memory, buffer, std::min<size_t>(*size, function.kernel->kernarg_size));
    return hipSuccess;
  }
  size_t index = 0;
  for (const object::Argument& argument : function.kernel->arguments) {
    if (argument.hidden()) continue;
    const void* const value = request.arguments[index++];
    if (!value)
      return refuse(hipErrorInvalidValue, function, fmt::format("argument {} is a null pointer", index - 1));
    std::memcpy(memory + argument.offset, value, argument.size);
  }
  return hipSuccess;
}

/// What the program gets to see of a kernel that did not end well.
hipError_t launch_error(const Error& error) {
  switch (error.kind) {
    // A failed assertion is a trap like any other: ROCm 7.1 answers hipErrorLaunchFailure, on which PyTorch's
    // tests of device-side assertions rely; hipErrorAssert is what an NVIDIA GPU's would be.
    case ErrorKind::Trap:
    case ErrorKind::BadInput:
      return hipErrorLaunchFailure;
    default:
      return hip_error(error);
  }
}

}  // namespace

bool set_geometry(Geometry& geometry, dim3 grid, dim3 block, size_t shared) {
  const Extent3 blocks{grid.x, grid.y, grid.z};
  geometry.workgroup = {block.x, block.y, block.z};
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t items = uint64_t{blocks[axis]} * geometry.workgroup[axis];
    if (items > UINT32_MAX) return false;
    geometry.grid[axis] = static_cast<uint32_t>(items);
  }
  if (shared > UINT32_MAX) return false;
  geometry.dynamic_lds = static_cast<uint32_t>(shared);
  return true;
}

hipError_t make_launch(Platform& platform, Device& device, const LaunchRequest& request,
                       std::shared_ptr<LaunchOperation>& operation) {
  if (!request.function) return hipErrorInvalidImage;
  if (const hipError_t error = check(device, request); error != hipSuccess) return error;
  KernelFunction& function = *request.function;
  const object::Kernel& kernel = *function.kernel;
  Geometry geometry = request.geometry;
  geometry.cooperative = request.cooperative;
  const uint32_t packet_offset = (std::max(kernel.kernarg_size, kernel.fields.kernarg_size) + 63) / 64 * 64;
  auto memory = Block::take(*platform.memory, packet_offset + sizeof(DispatchPacket) + sizeof(GridBooks));
  if (!memory) return hip_error(memory.error());
  std::memset(memory->data(), 0, packet_offset);
  if (const hipError_t error = copy_arguments(request, memory->data()); error != hipSuccess) return error;
  HiddenPointers pointers;
  pointers.queue = device.queue;
  if (request.cooperative) {
    GridBooks books;
    books.meeting = request.set ? request.set->meeting->data() : nullptr;
    books.grid = request.place;
    books.grids = request.set ? request.set->grids : 1;
    books.items_before = request.items_before;
    books.items = request.set ? request.set->items : geometry.grid.count();
    books.workgroups = static_cast<uint32_t>(workgroups(geometry));
    uint8_t* const place = memory->data() + packet_offset + sizeof(DispatchPacket);
    std::memcpy(place, &books, sizeof books);
    pointers.multigrid = place;
  }
  if (function.needs_hostcall) pointers.hostcall = hostcall_buffer(platform, device);
  if (function.needs_heap) pointers.heap = device_heap(platform, device);
  fill_hidden(kernel, geometry, pointers, memory->data());

  DispatchPacket packet{};
  packet.header = 2;  // a kernel dispatch
  packet.setup = 3;
  for (size_t axis = 0; axis < 3; ++axis) {
    packet.workgroup_size[axis] = static_cast<uint16_t>(geometry.workgroup[axis]);
    packet.grid_size[axis] = geometry.grid[axis];
  }
  packet.private_segment_size = kernel.fields.private_segment_fixed_size;
  packet.group_segment_size = kernel.fields.group_segment_fixed_size + geometry.dynamic_lds;
  packet.kernel_object = function.descriptor;
  packet.kernarg_address = reinterpret_cast<uint64_t>(memory->data());
  std::memcpy(memory->data() + packet_offset, &packet, sizeof packet);
  operation = std::make_shared<LaunchOperation>(function.module->shared_from_this(), function, geometry,
                                                std::move(*memory), packet_offset,
                                                request.set ? request.set->meeting : nullptr);
  return hipSuccess;
}

hipError_t launch(Platform& platform, Stream& stream, const LaunchRequest& request) {
  if (const auto noted = capture_launch(stream, request, request.host)) return *noted;
  if (const hipError_t failed = stream.device.failure(); failed != hipSuccess) return failed;
  std::shared_ptr<LaunchOperation> operation;
  if (const hipError_t error = make_launch(platform, stream.device, request, operation); error != hipSuccess)
    return error;
  if (platform.wait_before_kernels) stream.wait_all();
  if (stream.device.modelled) host_time() += stream.device.modelled->call_seconds();
  const Ticket ticket = stream.enqueue(std::move(operation));
  if (!platform.wait_after_kernels) return hipSuccess;
  stream.wait(ticket.number);
  return stream.device.failure();
}

hipError_t LaunchOperation::run(Stream& stream) {
  Platform& platform = *Platform::get();
  Device& device = stream.device;
  emulate::Dispatch dispatch;
  dispatch.program = function_.program;
  dispatch.kernel = function_.kernel;
  dispatch.entry = function_.entry;
  dispatch.grid = geometry_.grid;
  dispatch.workgroup = geometry_.workgroup;
  dispatch.kernarg = memory_.data();
  dispatch.dynamic_lds = geometry_.dynamic_lds;
  dispatch.packet = memory_.data() + packet_offset_;
  dispatch.queue = device.queue;
  dispatch.shader_mhz = device.gpu.engine_mhz;
  dispatch.realtime_mhz = device.gpu.realtime_mhz;
  dispatch.order = emulate::Order(platform.order);
  dispatch.dispatch_id = device.dispatches.fetch_add(1, std::memory_order_relaxed);
  dispatch.most_resident =
      std::max<uint64_t>(1, resident_workgroups(device.gpu, *function_.kernel, geometry_));
  emulate::GridBarrier barrier;
  if (geometry_.cooperative) {
    barrier.members = workgroups(geometry_);
    dispatch.grid_barrier = &barrier;
    // A run before may have ended at a barrier.
    std::memset(memory_.data() + packet_offset_ + sizeof(DispatchPacket) + offsetof(GridBooks, arrived), 0,
                sizeof GridBooks::arrived);
    // Grids that meet each other wait for one another while each has the host threads it happened to get: any
    // one thread must be able to hold all workgroups of its grid.
    if (meeting_) dispatch.most_resident = std::numeric_limits<uint32_t>::max();
  }
  dispatch.locate = [module = std::weak_ptr(module_)](uint64_t pc) {
    const std::shared_ptr<Module> held = module.lock();
    return held ? held->locate(pc) : std::string();
  };
  if (function_.needs_hostcall && device.hostcalls) {
    dispatch.serve = serve_hostcalls;
    dispatch.serve_context = &device;
  }
  std::optional<PrintfBuffer> messages;
  if (function_.printf_buffer) {
    auto taken = PrintfBuffer::take(*platform.memory);
    if (!taken) return hip_error(taken.error());
    const auto address = reinterpret_cast<uint64_t>(taken->address());
    std::memcpy(memory_.data() + function_.printf_buffer->offset, &address, sizeof address);
    messages.emplace(std::move(*taken));
  }
  const uint32_t on_unit = unit_workgroups(device.gpu, *function_.kernel, geometry_);
  std::unique_ptr<timing::GridLaunch> heard;
  std::vector<uint64_t> only;
  auto which = ProfiledLaunch::Selection::First;
  if (device.modelled) {
    const object::Routine* const routine = module_->object().routine_at(function_.kernel->entry());
    heard = device.modelled->listen(dispatch, stream, routine ? routine->size : 0,
                                    waves_of(*function_.kernel, geometry_), on_unit, only);
    which = dispatch.listeners.empty() ? ProfiledLaunch::Selection::Counted : ProfiledLaunch::Selection::This;
  }
  const auto profiled = ProfiledLaunch::begin(dispatch, device.gpu, on_unit, which);
  const auto checked = CheckedLaunch::begin(dispatch, *platform.memory, [&] {
    return CheckedLaunch::About{.device = device.ordinal,
                                .stream = stream.id,
                                .meets_others = meeting_ != nullptr,
                                .constants = module_->constants()};
  });
  dispatch.progress = launch_progress(function_.kernel->name);
  const auto start = std::chrono::steady_clock::now();
  emulate::Limits limits = platform.limits;
  if (profiled) profiled->limit(limits);
  auto done = emulate::run(dispatch, *platform.memory, limits);
  if (!done && profiled && profiled->again(done.error(), limits))
    done = emulate::run(dispatch, *platform.memory, limits);
  if (done && profiled) profiled->count(dispatch, *platform.memory, limits);
  if (checked) checked->end(done ? nullptr : &done.error());
  if (!done) {
    if (profiled && profiled->refuse(done.error())) return hipSuccess;
    report(done.error());
    if (platform.on_fault == Platform::FaultAction::Abort) std::abort();
    return launch_error(done.error());
  }
  const std::optional<KernelTime> time = profiled ? profiled->end(*done, dispatch.locate) : std::nullopt;
  std::optional<double> modelled;  // seconds
  if (heard) {
    const double start = device.modelled->start(stream);
    const GridSeconds took = device.modelled->finish(*heard, dispatch, stream.id, done->instructions, time);
    modelled = took.seconds;
    stream.modelled_until(start + took.seconds);
    note_timed(stream, function_.kernel->name, took.bound, start, start + took.seconds);
  }
  if (messages) messages->print(module_->object().printf_formats());
  if (dispatch.progress) dispatch.progress(done->workgroups, done->workgroups, done->instructions);
  count_launch(function_.kernel->name, module_->origin, *done, std::chrono::steady_clock::now() - start,
               modelled);
  return hipSuccess;
}

}  // namespace wavesmith::runtime
