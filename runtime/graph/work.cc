// From what a caller asks of a node to the node's work, and from there to what executes it.
#include <cstring>
#include <map>
#include <unordered_map>

#include "runtime/graph/graph.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/library_call.h"
#include "runtime/memory/fill.h"
#include "runtime/memory/reach.h"
#include "runtime/observe/check.h"
#include "runtime/stream/event.h"
#include "runtime/stream/stream_memory.h"

namespace wavesmith::runtime {
namespace {

/// `func` is the kernel's stub on the host or, from a module, its handle.
KernelFunction* function_of(Platform& platform, Device& device, void* func) {
  if (registered_name(func)) {
    const auto found = registered_function(platform, device, func);
    return found ? *found : nullptr;
  }
  return find_function(reinterpret_cast<hipFunction_t>(func));
}

/// Calls something on the host when its turn comes.
class HostOperation final : public Operation {
 public:
  explicit HostOperation(std::function<void(Stream&)> call) : call_(std::move(call)) {}
  hipError_t run(Stream& stream) override {
    // It may tell any of the host's threads what has come to pass.
    tell_known(stream, check::stream_point().number);
    call_(stream);
    return hipSuccess;
  }
  [[nodiscard]] bool always() const override { return true; }

 private:
  std::function<void(Stream&)> call_;
};

Fill fill_of(const hipMemsetParams& params) {
  return {.destination = params.dst,
          .value = params.value,
          .element = params.elementSize,
          .width = params.width,
          .height = params.height,
          .pitch = params.pitch};
}

}  // namespace

hipError_t make_kernel_work(Platform& platform, Device& device, const hipKernelNodeParams* params,
                            KernelWork& work) {
  if (!params || !params->func) return hipErrorInvalidValue;
  work.params = *params;
  work.function = function_of(platform, device, params->func);
  if (!work.function) return hipErrorInvalidDeviceFunction;
  work.module = work.function->module->shared_from_this();
  if (!set_geometry(work.geometry, params->gridDim, params->blockDim, params->sharedMemBytes) ||
      work.geometry.grid.empty())
    return hipErrorInvalidConfiguration;
  work.arguments.clear();
  work.extra.clear();
  if (params->extra) {
    const void* buffer = nullptr;
    size_t size = 0;
    for (void** entry = params->extra; *entry != HIP_LAUNCH_PARAM_END; entry += 2) {
      if (*entry == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = entry[1];
      else if (*entry == HIP_LAUNCH_PARAM_BUFFER_SIZE && entry[1])
        size = *static_cast<const size_t*>(entry[1]);
      else
        return hipErrorInvalidValue;
    }
    if (!buffer && size) return hipErrorInvalidValue;
    const auto* const bytes = static_cast<const uint8_t*>(buffer);
    work.arguments.emplace_back(bytes, bytes + size);
    work.buffer_size = size;
    work.extra.resize(1);  // filled when the work has its place
  } else {
    size_t index = 0;
    for (const object::Argument& argument : work.function->kernel->arguments) {
      if (argument.hidden()) continue;
      const void* const value = params->kernelParams ? params->kernelParams[index++] : nullptr;
      if (!value) return hipErrorInvalidValue;
      const auto* const bytes = static_cast<const uint8_t*>(value);
      work.arguments.emplace_back(bytes, bytes + argument.size);
    }
  }
  return hipSuccess;
}

hipMemcpy3DParms plain_copy(void* destination, const void* source, size_t size, hipMemcpyKind kind) {
  hipMemcpy3DParms params{};
  params.srcPtr = {const_cast<void*>(source), size, size, 1};
  params.dstPtr = {destination, size, size, 1};
  params.extent = {size, 1, 1};
  params.kind = kind;
  return params;
}

hipError_t make_copy_work(Platform& platform, const hipMemcpy3DParms* params, CopyWork& work) {
  if (!params) return hipErrorInvalidValue;
  if (params->srcArray || params->dstArray) return hipErrorNotSupported;
  const hipPitchedPtr &source = params->srcPtr, &destination = params->dstPtr;
  const hipExtent& extent = params->extent;
  if (!source.ptr || !destination.ptr) return hipErrorInvalidValue;
  if (params->kind < hipMemcpyHostToHost ||
      (params->kind > hipMemcpyDefault && params->kind != hipMemcpyDeviceToDeviceNoCU))
    return hipErrorInvalidValue;
  if (extent.width &&
      (extent.width + params->srcPos.x > source.pitch || extent.width + params->dstPos.x > destination.pitch))
    return hipErrorInvalidValue;
  const size_t source_slice = saturated_product(source.pitch, source.ysize),
               destination_slice = saturated_product(destination.pitch, destination.ysize);
  work.params = *params;
  work.box = {.destination = static_cast<char*>(destination.ptr) + params->dstPos.z * destination_slice +
                             params->dstPos.y * destination.pitch + params->dstPos.x,
              .source = static_cast<const char*>(source.ptr) + params->srcPos.z * source_slice +
                        params->srcPos.y * source.pitch + params->srcPos.x,
              .width = extent.width,
              .height = extent.height,
              .depth = extent.depth,
              .destination_pitch = destination.pitch,
              .source_pitch = source.pitch,
              .destination_slice = destination_slice,
              .source_slice = source_slice};
  const auto inside = [&](const void* pointer, size_t pitch, size_t slice) {
    if (!extent.width || !extent.height || !extent.depth) return true;
    return platform.allocations.contains_or_foreign(
        pointer, reach(extent.width, extent.height, extent.depth, pitch, slice));
  };
  if (!inside(work.box.source, source.pitch, source_slice) ||
      !inside(work.box.destination, destination.pitch, destination_slice))
    return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t make_fill_work(Platform& platform, const hipMemsetParams* params, FillWork& work) {
  if (!params || !params->dst ||
      (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
    return hipErrorInvalidValue;
  if (params->width == 0 || params->height == 0) return hipErrorInvalidValue;
  const size_t row = saturated_product(params->width, params->elementSize);
  if (params->height > 1 && params->pitch < row) return hipErrorInvalidValue;
  if (!platform.allocations.find(params->dst) ||
      !platform.allocations.contains_or_foreign(params->dst, reach(row, params->height, 1, params->pitch, 0)))
    return hipErrorInvalidValue;
  work.params = *params;
  return hipSuccess;
}

GraphMemory& graph_memory(int device) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, GraphMemory>;
  const std::scoped_lock lock(mutex);
  return all[device];
}

/// The memory of an allocation's node, and whether it counts as used.
class GraphAllocation {
 public:
  GraphAllocation(Platform& platform, int device, const Allocation& allocation)
      : platform_(platform), held_(graph_memory(device)), allocation_(allocation) {
    const std::scoped_lock lock(live().mutex);
    live().by_address[allocation.begin] = this;
  }
  ~GraphAllocation() {
    end();
    {
      const std::scoped_lock lock(live().mutex);
      const auto found = live().by_address.find(allocation_.begin);
      if (found != live().by_address.end() && found->second == this) live().by_address.erase(found);
    }
    // The program may have freed it, and others may have got the address since.
    const auto now = platform_.allocations.find(allocation_.pointer());
    if (now && now->id == allocation_.id) (void)platform_.release(allocation_.pointer());
  }
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;

  void begin() {
    if (used_.exchange(true)) return;
    const uint64_t now = held_.used += allocation_.size;
    uint64_t high = held_.high;
    while (high < now && !held_.high.compare_exchange_weak(high, now)) {
    }
  }
  void end() {
    if (used_.exchange(false)) held_.used -= allocation_.size;
  }
  static void end(const void* pointer) {
    const std::scoped_lock lock(live().mutex);
    const auto found = live().by_address.find(reinterpret_cast<uint64_t>(pointer));
    if (found != live().by_address.end()) found->second->end();
  }

 private:
  struct Live {
    std::mutex mutex;
    std::unordered_map<uint64_t, GraphAllocation*> by_address;
  };
  static Live& live() {
    static auto& all = *new Live;
    return all;
  }

  Platform& platform_;
  GraphMemory& held_;
  Allocation allocation_;
  std::atomic<bool> used_{false};
};

void end_graph_memory(const void* pointer) { GraphAllocation::end(pointer); }

hipError_t make_allocate_work(Platform& platform, Device& device, size_t size, AllocateWork& work) {
  const auto memory = platform.allocate(device, size, Allocation::Kind::Device);
  if (!memory) return hip_error(memory.error());
  work.params.dptr = *memory;
  work.params.bytesize = size;
  work.memory =
      std::make_shared<GraphAllocation>(platform, device.ordinal, *platform.allocations.find(*memory));
  return hipSuccess;
}

hipError_t make_operation(Platform& platform, const Node& node, std::shared_ptr<Operation>& operation) {
  operation.reset();
  if (!node.enabled) return hipSuccess;
  if (const auto* const kernel = std::get_if<KernelWork>(&node.work)) {
    LaunchRequest request;
    request.function = kernel->function;
    request.geometry = kernel->geometry;
    request.arguments = kernel->params.kernelParams;
    request.extra = kernel->params.extra;
    request.cooperative = kernel->cooperative;
    std::shared_ptr<LaunchOperation> launch;
    const hipError_t error = make_launch(platform, kernel->module->device, request, launch);
    operation = std::move(launch);
    return error;
  }
  if (const auto* const copy = std::get_if<CopyWork>(&node.work)) {
    operation = std::make_shared<CopyOperation>(copy->box);
  } else if (const auto* const fill = std::get_if<FillWork>(&node.work)) {
    operation = std::make_shared<FillOperation>(fill_of(fill->params));
  } else if (const auto* const host = std::get_if<HostWork>(&node.work)) {
    const hipHostNodeParams params = host->params;
    operation = std::make_shared<HostOperation>(
        host->call ? host->call : [params](Stream& turn) { call_host(turn, params.fn, params.userData); });
  } else if (const auto* const record = std::get_if<RecordWork>(&node.work)) {
    // Each launch records anew.
    if (!find_event(record->event)) return hipErrorInvalidValue;
  } else if (const auto* const wait = std::get_if<WaitWork>(&node.work)) {
    // What it waits for is known at each launch, which puts it before the whole graph.
    if (!find_event(wait->event)) return hipErrorInvalidValue;
  } else if (const auto* const allocate = std::get_if<AllocateWork>(&node.work)) {
    operation = std::make_shared<HostOperation>([memory = allocate->memory](Stream&) { memory->begin(); });
  } else if (const auto* const release = std::get_if<ReleaseWork>(&node.work)) {
    operation =
        std::make_shared<HostOperation>([pointer = release->pointer](Stream&) { end_graph_memory(pointer); });
  } else if (const auto* const batch = std::get_if<BatchWork>(&node.work)) {
    operation = std::make_shared<HostOperation>(
        [operations = batch->operations](Stream&) { run_memory_operations(operations); });
  }
  return hipSuccess;
}

}  // namespace wavesmith::runtime
