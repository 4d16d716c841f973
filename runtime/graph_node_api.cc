// The functions that add nodes to graphs, and that ask for and change what nodes do.
//
// They come in threes: add, set in the graph, set in an executable. What differs between kinds of nodes is
// how parameters become work (graph.h), so that each function here says just that.
#include <cstring>

#include "runtime/event.h"
#include "runtime/fat_binary.h"
#include "runtime/graph_exec.h"
#include "runtime/platform.h"
#include "runtime/stream_memory.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

/// Adds a node whose work `make(Platform&, Device&, Work&)` says.
template <class Make>
hipError_t add(hipGraphNode_t* out, hipGraph_t handle, const hipGraphNode_t* dependencies, size_t count,
               Make make) {
  return api([&](Platform& platform) -> hipError_t {
    const auto graph = find_graph(handle);
    if (!out || !graph || (count > 0 && !dependencies)) return hipErrorInvalidValue;
    std::vector<Node*> before;
    for (size_t i = 0; i < count; ++i) {
      Node* const node = find_node(dependencies[i]);
      if (!graph->has(node)) return hipErrorInvalidValue;
      if (std::find(before.begin(), before.end(), node) != before.end()) return hipErrorInvalidValue;
      before.push_back(node);
    }
    Work work;
    if (const hipError_t error = make(platform, platform.current(), work); error != hipSuccess) return error;
    *out = handle_of(*graph->add(platform.current(), std::move(work), before));
    return hipSuccess;
  });
}

/// Changes the work of a node of kind W: `change(Platform&, Device&, W&)` on a copy of it.
template <class W, class Change>
hipError_t set(hipGraphNode_t handle, Change change) {
  return api([&](Platform& platform) -> hipError_t {
    Node* const node = find_node(handle);
    W* const present = node ? std::get_if<W>(&node->work) : nullptr;
    if (!present) return hipErrorInvalidValue;
    W work = *present;
    if (const hipError_t error = change(platform, *node->device, work); error != hipSuccess) return error;
    set_work(*node, std::move(work));
    return hipSuccess;
  });
}

/// The same in an executable, for the node of the graph that it was made from.
template <class W, class Change>
hipError_t set(hipGraphExec_t executable_handle, hipGraphNode_t handle, Change change) {
  return api([&](Platform& platform) -> hipError_t {
    const auto executable = find_executable(executable_handle);
    const Node* const node = find_node(handle);
    if (!executable || !node) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    Node* const mine = executable->counterpart(*node);
    const W* const present = mine ? std::get_if<W>(&mine->work) : nullptr;
    if (!present) return hipErrorInvalidValue;
    W work = *present;
    if (const hipError_t error = change(platform, *mine->device, work); error != hipSuccess) return error;
    return executable->set(platform, *mine, std::move(work));
  });
}

/// Runs `body(const W&)` on the work of a node of kind W.
template <class W, class Body>
hipError_t get(hipGraphNode_t handle, Body body) {
  return api([&](Platform&) -> hipError_t {
    const Node* const node = find_node(handle);
    const W* const work = node ? std::get_if<W>(&node->work) : nullptr;
    return work ? body(*work) : hipErrorInvalidValue;
  });
}

// How each kind's parameters become work: functors for add() and set() alike.

auto kernel(const hipKernelNodeParams* params) {
  return [=](Platform& platform, Device& device, auto& work) {
    KernelWork made;
    if constexpr (std::is_same_v<std::decay_t<decltype(work)>, KernelWork>)
      made.cooperative = work.cooperative, made.priority = work.priority;
    const hipError_t error = make_kernel_work(platform, device, params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

auto copy(const hipMemcpy3DParms* params) {
  return [=](Platform& platform, Device&, auto& work) {
    CopyWork made;
    const hipError_t error = make_copy_work(platform, params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

auto plain(void* destination, const void* source, size_t size, hipMemcpyKind kind) {
  return [=](Platform& platform, Device&, auto& work) {
    const hipMemcpy3DParms params = plain_copy(destination, source, size, kind);
    CopyWork made;
    const hipError_t error = make_copy_work(platform, &params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

/// From or to a variable of the program, at an offset.
auto symbol(void* destination, const void* source, const void* variable, size_t size, size_t offset,
            hipMemcpyKind kind) {
  return [=](Platform& platform, Device& device, auto& work) {
    const auto place = registered_variable(platform, device, variable);
    if (!place) return hipErrorInvalidSymbol;
    if (offset > place->size || size > place->size - offset || size == 0) return hipErrorInvalidValue;
    void* const inside = static_cast<char*>(place->address) + offset;
    return plain(destination ? destination : inside, source ? source : inside, size, kind)(platform, device,
                                                                                           work);
  };
}

auto fill(const hipMemsetParams* params) {
  return [=](Platform& platform, Device&, auto& work) {
    FillWork made;
    const hipError_t error = make_fill_work(platform, params, made);
    if (error == hipSuccess) work = made;
    return error;
  };
}

auto host(const hipHostNodeParams* params) {
  return [=](Platform&, Device&, auto& work) {
    if (!params || !params->fn) return hipErrorInvalidValue;
    HostWork made;
    made.params = *params;
    work = std::move(made);
    return hipSuccess;
  };
}

auto child(hipGraph_t graph_handle) {
  return [=](Platform&, Device&, auto& work) {
    auto graph = find_graph(graph_handle);
    if (!graph) return hipErrorInvalidValue;
    work = ChildWork{std::move(graph)};
    return hipSuccess;
  };
}

template <class W>
auto event_node(hipEvent_t event) {
  return [=](Platform&, Device&, auto& work) {
    if (!find_event(event)) return hipErrorInvalidValue;
    work = W{event};
    return hipSuccess;
  };
}

auto batch(const hipBatchMemOpNodeParams* params) {
  return [=](Platform&, Device&, auto& work) {
    if (!params || !params->paramArray || params->count == 0 || params->count > 256 || params->flags)
      return hipErrorInvalidValue;
    BatchWork made;
    made.params = *params;
    made.operations.assign(params->paramArray, params->paramArray + params->count);
    for (const auto& operation : made.operations)
      if (!is_memory_operation(operation)) return hipErrorInvalidValue;
    work = std::move(made);
    return hipSuccess;
  };
}

auto allocation(hipMemAllocNodeParams* params) {
  return [=](Platform& platform, Device&, auto& work) {
    if (!params || params->bytesize == 0 || params->poolProps.location.type != hipMemLocationTypeDevice)
      return hipErrorInvalidValue;
    Device* const device = platform.device(params->poolProps.location.id);
    if (!device) return hipErrorInvalidDevice;
    if (params->poolProps.allocType != hipMemAllocationTypePinned ||
        (params->accessDescCount > 0 && !params->accessDescs))
      return hipErrorInvalidValue;
    AllocateWork made;
    const hipError_t error = make_allocate_work(platform, *device, params->bytesize, made);
    if (error != hipSuccess) return error;
    params->dptr = made.params.dptr;
    made.params = *params;
    made.access.assign(params->accessDescs, params->accessDescs + params->accessDescCount);
    work = std::move(made);
    return hipSuccess;
  };
}

auto release(void* pointer) {
  return [=](Platform& platform, Device&, auto& work) {
    if (!pointer || !platform.allocations.find(pointer)) return hipErrorInvalidValue;
    work = ReleaseWork{pointer};
    return hipSuccess;
  };
}

/// The driver's description of a copy as the runtime's.
bool translate(const HIP_MEMCPY3D& from, hipMemcpy3DParms& to) {
  const auto side = [](hipMemoryType type, const void* host, const void* device) {
    return const_cast<void*>(type == hipMemoryTypeHost ? host : device);
  };
  if (from.srcMemoryType == hipMemoryTypeArray || from.dstMemoryType == hipMemoryTypeArray) return false;
  const bool from_host = from.srcMemoryType == hipMemoryTypeHost,
             to_host = from.dstMemoryType == hipMemoryTypeHost;
  to = {};
  to.srcPtr = {side(from.srcMemoryType, from.srcHost, from.srcDevice),
               from.srcPitch ? from.srcPitch : from.WidthInBytes, from.WidthInBytes,
               from.srcHeight ? from.srcHeight : from.Height};
  to.dstPtr = {side(from.dstMemoryType, from.dstHost, from.dstDevice),
               from.dstPitch ? from.dstPitch : from.WidthInBytes, from.WidthInBytes,
               from.dstHeight ? from.dstHeight : from.Height};
  to.srcPos = {from.srcXInBytes, from.srcY, from.srcZ};
  to.dstPos = {from.dstXInBytes, from.dstY, from.dstZ};
  to.extent = {from.WidthInBytes, from.Height, from.Depth};
  to.kind = from_host ? (to_host ? hipMemcpyHostToHost : hipMemcpyHostToDevice)
            : to_host ? hipMemcpyDeviceToHost
                      : hipMemcpyDeviceToDevice;
  if (from.srcMemoryType == hipMemoryTypeUnified || from.dstMemoryType == hipMemoryTypeUnified)
    to.kind = hipMemcpyDefault;
  return true;
}

auto driver_copy(const HIP_MEMCPY3D* params) {
  return [=](Platform& platform, Device& device, auto& work) {
    hipMemcpy3DParms runtime;
    if (!params) return hipErrorInvalidValue;
    if (!translate(*params, runtime)) return hipErrorNotSupported;
    return copy(&runtime)(platform, device, work);
  };
}

/// The work of hipGraphNodeParams' kinds.
auto any(hipGraphNodeParams* params) {
  return [=](Platform& platform, Device& device, Work& work) -> hipError_t {
    switch (params->type) {
      case hipGraphNodeTypeKernel:
        return kernel(&params->kernel)(platform, device, work);
      case hipGraphNodeTypeMemcpy:
        return copy(&params->memcpy.copyParams)(platform, device, work);
      case hipGraphNodeTypeMemset:
        return fill(&params->memset)(platform, device, work);
      case hipGraphNodeTypeHost:
        return host(&params->host)(platform, device, work);
      case hipGraphNodeTypeGraph:
        return child(params->graph.graph)(platform, device, work);
      case hipGraphNodeTypeEmpty:
        return work = EmptyWork{}, hipSuccess;
      case hipGraphNodeTypeWaitEvent:
        return event_node<WaitWork>(params->eventWait.event)(platform, device, work);
      case hipGraphNodeTypeEventRecord:
        return event_node<RecordWork>(params->eventRecord.event)(platform, device, work);
      case hipGraphNodeTypeMemAlloc:
        return allocation(&params->alloc)(platform, device, work);
      case hipGraphNodeTypeMemFree:
        return release(params->free.dptr)(platform, device, work);
      case hipGraphNodeTypeExtSemaphoreSignal:
      case hipGraphNodeTypeExtSemaphoreWait:
        return hipErrorNotSupported;
      default:
        return hipErrorInvalidValue;
    }
  };
}

template <class T>
hipError_t put(T* out, const T& value) {
  if (!out) return hipErrorInvalidValue;
  *out = value;
  return hipSuccess;
}

}  // namespace

#define ADD_ARGUMENTS hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count
#define ADD(work) return add(node, graph, dependencies, count, work)

HIP_API hipError_t hipGraphAddKernelNode(ADD_ARGUMENTS, const hipKernelNodeParams* params) {
  ADD(kernel(params));
}
HIP_API hipError_t hipGraphAddMemcpyNode(ADD_ARGUMENTS, const hipMemcpy3DParms* params) { ADD(copy(params)); }
HIP_API hipError_t hipGraphAddMemcpyNode1D(ADD_ARGUMENTS, void* to, const void* from, size_t size,
                                           hipMemcpyKind kind) {
  ADD(plain(to, from, size, kind));
}
HIP_API hipError_t hipGraphAddMemcpyNodeFromSymbol(ADD_ARGUMENTS, void* to, const void* variable, size_t size,
                                                   size_t offset, hipMemcpyKind kind) {
  ADD(symbol(to, nullptr, variable, size, offset, kind));
}
HIP_API hipError_t hipGraphAddMemcpyNodeToSymbol(ADD_ARGUMENTS, const void* variable, const void* from,
                                                 size_t size, size_t offset, hipMemcpyKind kind) {
  ADD(symbol(nullptr, from, variable, size, offset, kind));
}
HIP_API hipError_t hipGraphAddMemsetNode(ADD_ARGUMENTS, const hipMemsetParams* params) { ADD(fill(params)); }
HIP_API hipError_t hipGraphAddHostNode(ADD_ARGUMENTS, const hipHostNodeParams* params) { ADD(host(params)); }
HIP_API hipError_t hipGraphAddChildGraphNode(ADD_ARGUMENTS, hipGraph_t inner) { ADD(child(inner)); }
HIP_API hipError_t hipGraphAddEventRecordNode(ADD_ARGUMENTS, hipEvent_t event) {
  ADD(event_node<RecordWork>(event));
}
HIP_API hipError_t hipGraphAddEventWaitNode(ADD_ARGUMENTS, hipEvent_t event) {
  ADD(event_node<WaitWork>(event));
}
HIP_API hipError_t hipGraphAddMemAllocNode(ADD_ARGUMENTS, hipMemAllocNodeParams* params) {
  ADD(allocation(params));
}
HIP_API hipError_t hipGraphAddMemFreeNode(ADD_ARGUMENTS, void* pointer) { ADD(release(pointer)); }
HIP_API hipError_t hipDrvGraphAddMemFreeNode(ADD_ARGUMENTS, hipDeviceptr_t pointer) { ADD(release(pointer)); }
HIP_API hipError_t hipDrvGraphAddMemcpyNode(ADD_ARGUMENTS, const HIP_MEMCPY3D* params, hipCtx_t) {
  ADD(driver_copy(params));
}
HIP_API hipError_t hipDrvGraphAddMemsetNode(ADD_ARGUMENTS, const hipMemsetParams* params, hipCtx_t) {
  ADD(fill(params));
}
HIP_API hipError_t hipGraphAddBatchMemOpNode(ADD_ARGUMENTS, const hipBatchMemOpNodeParams* params) {
  ADD(batch(params));
}
HIP_API hipError_t hipGraphAddEmptyNode(ADD_ARGUMENTS) {
  ADD([](Platform&, Device&, Work&) { return hipSuccess; });
}
HIP_API hipError_t hipGraphAddNode(ADD_ARGUMENTS, hipGraphNodeParams* params) {
  if (!params) return wavesmith::runtime::finish(hipErrorInvalidValue);
  ADD(any(params));
}

HIP_API hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* out) {
  return get<KernelWork>(node, [&](const KernelWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* params) {
  return set<KernelWork>(node, kernel(params));
}
HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipKernelNodeParams* params) {
  return set<KernelWork>(exec, node, kernel(params));
}

HIP_API hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipLaunchAttributeID which,
                                                  const hipLaunchAttributeValue* value) {
  if (!value) return wavesmith::runtime::finish(hipErrorInvalidValue);
  return set<KernelWork>(node, [&](Platform&, Device&, KernelWork& work) {
    switch (which) {
      case hipLaunchAttributeCooperative:
        work.cooperative = value->cooperative;
        return hipSuccess;
      case hipLaunchAttributePriority:
        work.priority = value->priority;
        return hipSuccess;
      case hipLaunchAttributeAccessPolicyWindow:
        return hipSuccess;  // a hint to caches
      default:
        return hipErrorInvalidValue;
    }
  });
}
HIP_API hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipLaunchAttributeID which,
                                                  hipLaunchAttributeValue* value) {
  return get<KernelWork>(node, [&](const KernelWork& work) {
    if (!value) return hipErrorInvalidValue;
    std::memset(value, 0, sizeof *value);
    switch (which) {
      case hipLaunchAttributeCooperative:
        value->cooperative = work.cooperative;
        return hipSuccess;
      case hipLaunchAttributePriority:
        value->priority = work.priority;
        return hipSuccess;
      case hipLaunchAttributeAccessPolicyWindow:
        return hipSuccess;
      default:
        return hipErrorInvalidValue;
    }
  });
}
HIP_API hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  return get<KernelWork>(from, [&](const KernelWork& source) {
    return set<KernelWork>(to, [&](Platform&, Device&, KernelWork& work) {
      work.cooperative = source.cooperative;
      work.priority = source.priority;
      return hipSuccess;
    });
  });
}

HIP_API hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* out) {
  return get<CopyWork>(node, [&](const CopyWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* params) {
  return set<CopyWork>(node, copy(params));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   hipMemcpy3DParms* params) {
  return set<CopyWork>(exec, node, copy(params));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from, size_t size,
                                                 hipMemcpyKind kind) {
  return set<CopyWork>(node, plain(to, from, size, kind));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                                     const void* from, size_t size, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, plain(to, from, size, kind));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to, const void* variable,
                                                         size_t size, size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(node, symbol(to, nullptr, variable, size, offset, kind));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                             void* to, const void* variable, size_t size,
                                                             size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, symbol(to, nullptr, variable, size, offset, kind));
}
HIP_API hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* variable,
                                                       const void* from, size_t size, size_t offset,
                                                       hipMemcpyKind kind) {
  return set<CopyWork>(node, symbol(nullptr, from, variable, size, offset, kind));
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                           const void* variable, const void* from,
                                                           size_t size, size_t offset, hipMemcpyKind kind) {
  return set<CopyWork>(exec, node, symbol(nullptr, from, variable, size, offset, kind));
}
HIP_API hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* params) {
  return set<CopyWork>(node, driver_copy(params));
}
HIP_API hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const HIP_MEMCPY3D* params, hipCtx_t) {
  return set<CopyWork>(exec, node, driver_copy(params));
}
HIP_API hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D* out) {
  return get<CopyWork>(node, [&](const CopyWork& work) {
    if (!out) return hipErrorInvalidValue;
    const hipMemcpy3DParms& p = work.params;
    *out = {};
    const bool from_host = p.kind == hipMemcpyHostToHost || p.kind == hipMemcpyHostToDevice;
    const bool to_host = p.kind == hipMemcpyHostToHost || p.kind == hipMemcpyDeviceToHost;
    out->srcMemoryType = from_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    out->dstMemoryType = to_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    (from_host ? out->srcHost : *const_cast<const void**>(&out->srcDevice)) = p.srcPtr.ptr;
    (to_host ? out->dstHost : out->dstDevice) = p.dstPtr.ptr;
    out->srcXInBytes = p.srcPos.x, out->srcY = p.srcPos.y, out->srcZ = p.srcPos.z;
    out->dstXInBytes = p.dstPos.x, out->dstY = p.dstPos.y, out->dstZ = p.dstPos.z;
    out->srcPitch = p.srcPtr.pitch, out->srcHeight = p.srcPtr.ysize;
    out->dstPitch = p.dstPtr.pitch, out->dstHeight = p.dstPtr.ysize;
    out->WidthInBytes = p.extent.width, out->Height = p.extent.height, out->Depth = p.extent.depth;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* out) {
  return get<FillWork>(node, [&](const FillWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* params) {
  return set<FillWork>(node, fill(params));
}
HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipMemsetParams* params) {
  return set<FillWork>(exec, node, fill(params));
}
HIP_API hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const hipMemsetParams* params, hipCtx_t) {
  return set<FillWork>(exec, node, fill(params));
}

HIP_API hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* out) {
  return get<HostWork>(node, [&](const HostWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* params) {
  return set<HostWork>(node, host(params));
}
HIP_API hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                 const hipHostNodeParams* params) {
  return set<HostWork>(exec, node, host(params));
}

HIP_API hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* out) {
  return get<ChildWork>(node, [&](const ChildWork& work) { return put(out, handle_of(*work.graph)); });
}
HIP_API hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                       hipGraph_t inner) {
  return set<ChildWork>(exec, node, child(inner));
}

HIP_API hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* out) {
  return get<RecordWork>(node, [&](const RecordWork& work) { return put(out, work.event); });
}
HIP_API hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set<RecordWork>(node, event_node<RecordWork>(event));
}
HIP_API hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                       hipEvent_t event) {
  return set<RecordWork>(exec, node, event_node<RecordWork>(event));
}
HIP_API hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* out) {
  return get<WaitWork>(node, [&](const WaitWork& work) { return put(out, work.event); });
}
HIP_API hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set<WaitWork>(node, event_node<WaitWork>(event));
}
HIP_API hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                     hipEvent_t event) {
  return set<WaitWork>(exec, node, event_node<WaitWork>(event));
}

HIP_API hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* out) {
  return get<AllocateWork>(node, [&](const AllocateWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* out) {
  return get<ReleaseWork>(
      node, [&](const ReleaseWork& work) { return put(static_cast<void**>(out), work.pointer); });
}

HIP_API hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* out) {
  return get<BatchWork>(node, [&](const BatchWork& work) { return put(out, work.params); });
}
HIP_API hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* params) {
  return set<BatchWork>(node, batch(params));
}
HIP_API hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                       const hipBatchMemOpNodeParams* params) {
  return set<BatchWork>(exec, node, batch(params));
}

namespace {

/// hipGraphNodeParams for a node that exists: its kind may not change.
template <class Set>
hipError_t set_any(hipGraphNode_t handle, hipGraphNodeParams* params, Set set_work_of) {
  return api([&](Platform& platform) -> hipError_t {
    Node* const node = find_node(handle);
    if (!node || !params || type_of(node->work) != params->type || params->type == hipGraphNodeTypeMemAlloc)
      return hipErrorInvalidValue;
    Work work;
    if (const hipError_t error = any(params)(platform, *node->device, work); error != hipSuccess)
      return error;
    return set_work_of(platform, *node, std::move(work));
  });
}

}  // namespace

HIP_API hipError_t hipGraphNodeSetParams(hipGraphNode_t handle, hipGraphNodeParams* params) {
  return set_any(handle, params, [](Platform&, Node& node, Work work) {
    return set_work(node, std::move(work)), hipSuccess;
  });
}
HIP_API hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t handle,
                                             hipGraphNodeParams* params) {
  return set_any(handle, params, [&](Platform& platform, Node& node, Work work) {
    const auto executable = find_executable(exec);
    if (!executable) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    Node* const mine = executable->counterpart(node);
    return mine ? executable->set(platform, *mine, std::move(work)) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t handle, unsigned enabled) {
  return api([&](Platform& platform) -> hipError_t {
    const auto executable = find_executable(exec);
    const Node* const node = find_node(handle);
    if (!executable || !node) return hipErrorInvalidValue;
    const hipGraphNodeType type = type_of(node->work);
    if (type != hipGraphNodeTypeKernel && type != hipGraphNodeTypeMemcpy && type != hipGraphNodeTypeMemset)
      return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    Node* const mine = executable->counterpart(*node);
    return mine ? executable->enable(platform, *mine, enabled != 0) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t handle, unsigned* enabled) {
  return api([&](Platform&) -> hipError_t {
    const auto executable = find_executable(exec);
    const Node* const node = find_node(handle);
    if (!executable || !node || !enabled) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    const Node* const mine = executable->counterpart(*node);
    if (!mine) return hipErrorInvalidValue;
    *enabled = mine->enabled;
    return hipSuccess;
  });
}
