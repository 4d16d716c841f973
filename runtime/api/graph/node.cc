// The functions of nodes of graphs: those of every kind, and the kinds that have only a few.
#include "runtime/graph/node.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace wavesmith::runtime::nodes;

namespace {

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

}  // namespace

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
  return set<ChildWork>(exec, node, [&](Platform& platform, Device& device, ChildWork& work) {
    const auto graph = find_graph(inner);
    if (!graph || !graph->has_shape_of(*work.graph)) return hipErrorInvalidValue;
    return child(inner)(platform, device, work);
  });
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

namespace {
bool can_be_disabled(const Node& node) {
  const hipGraphNodeType type = type_of(node.work);
  return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemset;
}
}  // namespace

HIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t handle, unsigned enabled) {
  return api([&](Platform& platform) -> hipError_t {
    const auto executable = find_executable(exec);
    const Node* const node = find_node(handle);
    if (!executable || !node) return hipErrorInvalidValue;
    if (!can_be_disabled(*node)) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    Node* const mine = executable->counterpart(*node);
    return mine ? executable->enable(platform, *mine, enabled != 0) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t handle, unsigned* enabled) {
  return api([&](Platform&) -> hipError_t {
    const auto executable = find_executable(exec);
    const Node* const node = find_node(handle);
    if (!executable || !node || !enabled || !can_be_disabled(*node)) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    const Node* const mine = executable->counterpart(*node);
    if (!mine) return hipErrorInvalidValue;
    *enabled = mine->enabled;
    return hipSuccess;
  });
}
