// The functions that make, ask about and run graphs.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "check/host_call.h"
#include "runtime/api/version.h"
#include "runtime/device/platform.h"
#include "runtime/graph/exec.h"

using namespace wavesmith::runtime;

namespace {

constexpr unsigned long long kInstantiateFlags =
    hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload |
    hipGraphInstantiateFlagDeviceLaunch | hipGraphInstantiateFlagUseNodePriority;

/// Runs `body(Graph&)` on the graph of a handle.
template <class Body>
hipError_t with_graph(hipGraph_t handle, Body body) {
  return api([&](Platform&) -> hipError_t {
    const auto graph = find_graph(handle);
    return graph ? body(*graph) : hipErrorInvalidValue;
  });
}

template <class Body>
hipError_t with_node(hipGraphNode_t handle, Body body) {
  return api([&](Platform&) -> hipError_t {
    Node* const node = find_node(handle);
    return node ? body(*node) : hipErrorInvalidValue;
  });
}

template <class Body>
hipError_t with_executable(hipGraphExec_t handle, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const auto executable = find_executable(handle);
    if (!executable) return hipErrorInvalidValue;
    const std::scoped_lock lock(executable->mutex);
    return body(platform, *executable);
  });
}

/// Fills a caller's array as HIP's listing functions do: with no array the count is returned; entries beyond
/// what there is are set to null, and the count becomes what was written.
template <class Handle, class Get>
hipError_t list(size_t there, Handle* out, size_t* count, Get get) {
  if (!count) return hipErrorInvalidValue;
  if (!out) return *count = there, hipSuccess;
  for (size_t i = 0; i < *count; ++i) out[i] = i < there ? get(i) : Handle{};
  *count = std::min(*count, there);
  return hipSuccess;
}

hipError_t list_nodes(const std::vector<Node*>& nodes, hipGraphNode_t* out, size_t* count) {
  return list(nodes.size(), out, count, [&](size_t i) { return handle_of(*nodes[i]); });
}

hipError_t change_edges(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t count,
                        bool (*change)(Node*, Node*)) {
  return with_graph(handle, [&](Graph& graph) {
    if (count > 0 && (!from || !to)) return hipErrorInvalidValue;
    std::vector<std::pair<Node*, Node*>> edges;
    for (size_t i = 0; i < count; ++i) {
      Node *const a = find_node(from[i]), *const b = find_node(to[i]);
      if (!graph.has(a) || !graph.has(b) || a == b) return hipErrorInvalidValue;
      edges.emplace_back(a, b);
    }
    for (const auto& [a, b] : edges)
      if (!change(a, b)) return hipErrorInvalidValue;
    return hipSuccess;
  });
}

hipError_t instantiate(hipGraphExec_t* out, hipGraph_t handle, unsigned long long flags,
                       hipGraphInstantiateResult* result) {
  return api([&](Platform& platform) {
    if (!out || (flags & ~kInstantiateFlags)) return hipErrorInvalidValue;
    const auto graph = find_graph(handle);
    if (!graph || graph->capturing) return hipErrorInvalidValue;
    std::shared_ptr<Executable> made;
    uint64_t culprit = 0;
    const hipError_t error = Executable::create(platform, *graph, flags, made, culprit);
    if (result)
      *result = error == hipSuccess             ? hipGraphInstantiateSuccess
                : error == hipErrorInvalidValue ? hipGraphInstantiateInvalidStructure
                                                : hipGraphInstantiateError;
    if (error == hipSuccess) {
      graph->executable = made;
      *out = own(std::move(made));
    }
    return error;
  });
}

/// A node as Graphviz's language writes it.
void print_node(FILE* file, const Node& node, unsigned flags) {
  static constexpr const char* kNames[] = {"Kernel",
                                           "Memcpy",
                                           "Memset",
                                           "Host",
                                           "Graph",
                                           "Empty",
                                           "WaitEvent",
                                           "EventRecord",
                                           "ExtSemaphoreSignal",
                                           "ExtSemaphoreWait",
                                           "MemAlloc",
                                           "MemFree",
                                           "MemcpyFromSymbol",
                                           "MemcpyToSymbol",
                                           "BatchMemOp"};
  const bool verbose = flags & hipGraphDebugDotFlagsVerbose;
  std::string label = kNames[type_of(node.work)];
  const auto add = [&](const char* format, auto... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    label += text;
  };
  if (const auto* const kernel = std::get_if<KernelWork>(&node.work)) {
    add("\\n%s", kernel->function->kernel->name.c_str());
    if (verbose || (flags & hipGraphDebugDotFlagsKernelNodeParams)) {
      const auto& p = kernel->params;
      add("\\n<<<(%u,%u,%u), (%u,%u,%u), %u>>>", p.gridDim.x, p.gridDim.y, p.gridDim.z, p.blockDim.x,
          p.blockDim.y, p.blockDim.z, p.sharedMemBytes);
    }
  } else if (const auto* const copy = std::get_if<CopyWork>(&node.work)) {
    if (verbose || (flags & hipGraphDebugDotFlagsMemcpyNodeParams))
      add("\\n%p to %p\\n%zu x %zu x %zu", copy->box.source, copy->box.destination, copy->box.width,
          copy->box.height, copy->box.depth);
  } else if (const auto* const fill = std::get_if<FillWork>(&node.work)) {
    if (verbose || (flags & hipGraphDebugDotFlagsMemsetNodeParams))
      add("\\n%p\\n%zu x %zu of %#x", fill->params.dst, fill->params.width, fill->params.height,
          fill->params.value);
  }
  if (flags & hipGraphDebugDotFlagsHandles) add("\\n%p", static_cast<const void*>(&node));
  std::fprintf(file, "  \"n%llu\" [label=\"%s\"];\n", static_cast<unsigned long long>(node.id),
               label.c_str());
  for (const Node* const next : node.dependents)
    std::fprintf(file, "  \"n%llu\" -> \"n%llu\";\n", static_cast<unsigned long long>(node.id),
                 static_cast<unsigned long long>(next->id));
}

void print_graph(FILE* file, const Graph& graph, unsigned flags) {
  for (const auto& node : graph.nodes) {
    print_node(file, *node, flags);
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      std::fprintf(file, "  subgraph \"cluster_%llu\" {\n", static_cast<unsigned long long>(node->id));
      print_graph(file, *child->graph, flags);
      std::fprintf(file, "  }\n");
    }
  }
}

}  // namespace

HIP_API hipError_t hipGraphCreate(hipGraph_t* handle, unsigned flags) {
  return api([&](Platform&) {
    if (!handle || flags) return hipErrorInvalidValue;
    *handle = own(std::make_shared<Graph>());
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphDestroy(hipGraph_t handle) {
  return api([&](Platform&) { return forget(handle) ? hipSuccess : hipErrorInvalidValue; });
}

HIP_API hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t original) {
  return with_graph(original, [&](Graph& graph) {
    if (!clone) return hipErrorInvalidValue;
    *clone = own(graph.clone());
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found, hipGraphNode_t original, hipGraph_t clone) {
  return with_graph(clone, [&](Graph& graph) {
    const Node* const node = find_node(original);
    if (!found || !node) return hipErrorInvalidValue;
    for (const auto& each : graph.nodes)
      if (each->original == node->original) return *found = handle_of(*each), hipSuccess;
    return hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGraphGetNodes(hipGraph_t handle, hipGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    return list(graph.nodes.size(), nodes, count, [&](size_t i) { return handle_of(*graph.nodes[i]); });
  });
}

HIP_API hipError_t hipGraphGetRootNodes(hipGraph_t handle, hipGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    std::vector<Node*> roots;
    for (const auto& node : graph.nodes)
      if (node->dependencies.empty()) roots.push_back(node.get());
    return list_nodes(roots, nodes, count);
  });
}

HIP_API hipError_t hipGraphGetEdges(hipGraph_t handle, hipGraphNode_t* from, hipGraphNode_t* to,
                                    size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    if (!count || (from == nullptr) != (to == nullptr)) return hipErrorInvalidValue;
    std::vector<std::pair<Node*, Node*>> edges;
    for (const auto& node : graph.nodes)
      for (Node* const next : node->dependents) edges.emplace_back(node.get(), next);
    size_t room = *count;
    if (const hipError_t error =
            list(edges.size(), from, count, [&](size_t i) { return handle_of(*edges[i].first); });
        error != hipSuccess)
      return error;
    return to ? list(edges.size(), to, &room, [&](size_t i) { return handle_of(*edges[i].second); })
              : hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeGetDependencies(hipGraphNode_t handle, hipGraphNode_t* nodes, size_t* count) {
  return with_node(handle, [&](Node& node) { return list_nodes(node.dependencies, nodes, count); });
}
HIP_API hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle, hipGraphNode_t* nodes,
                                                 size_t* count) {
  return with_node(handle, [&](Node& node) { return list_nodes(node.dependents, nodes, count); });
}

HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                           const hipGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, add_edge);
}
HIP_API hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                              const hipGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, remove_edge);
}

HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t handle, hipGraphNodeType* type) {
  return with_node(handle, [&](Node& node) {
    if (!type) return hipErrorInvalidValue;
    // HIP 5 counts the kinds from 1.
    *type = static_cast<hipGraphNodeType>(type_of(node.work) + (hip_major() < 6 ? 1 : 0));
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  return with_node(handle,
                   [](Node& node) { return node.graph->remove(&node) ? hipSuccess : hipErrorInvalidValue; });
}

HIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* out, hipGraph_t graph,
                                                unsigned long long flags) {
  // One flag at a time, as in ROCm; hipGraphInstantiateWithParams takes several.
  if (!std::has_single_bit(flags) && flags != 0) return finish(hipErrorInvalidValue);
  return instantiate(out, graph, flags, nullptr);
}

HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t* out, hipGraph_t graph, hipGraphNode_t* culprit,
                                       char* log, size_t size) {
  const hipError_t error = instantiate(out, graph, 0, nullptr);
  if (culprit) *culprit = nullptr;
  if (log && size > 0) log[0] = '\0';
  return error;
}

HIP_API hipError_t hipGraphUpload(hipGraphExec_t handle, hipStream_t stream) {
  return with_executable(handle, [&](Platform& platform, Executable&) {
    return platform.stream(stream) ? hipSuccess : hipErrorContextIsDestroyed;
  });
}

HIP_API hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* out, hipGraph_t graph,
                                                 hipGraphInstantiateParams* params) {
  if (!params) return finish(hipErrorInvalidValue);
  params->errNode_out = nullptr;
  const hipError_t error = instantiate(out, graph, params->flags, &params->result_out);
  if (error == hipSuccess && (params->flags & hipGraphInstantiateFlagUpload))
    return hipGraphUpload(*out, params->uploadStream);
  return error;
}

HIP_API hipError_t hipGraphExecGetFlags(hipGraphExec_t handle, unsigned long long* flags) {
  return with_executable(handle, [&](Platform&, Executable& executable) {
    return flags ? (*flags = executable.flags, hipSuccess) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipGraphLaunch(hipGraphExec_t handle, hipStream_t stream_handle) {
  const wavesmith::check::HostCallScope call;
  return api([&](Platform& platform) -> hipError_t {
    const auto executable = find_executable(handle);
    const auto stream = platform.stream(stream_handle);
    if (!executable) return hipErrorInvalidValue;
    if (!stream) return hipErrorContextIsDestroyed;
    if (const hipError_t failed = stream->device.failure(); failed != hipSuccess) return failed;
    if (const auto noted = capture_node(*stream, [&](Work& work) {
          work = ChildWork{executable->snapshot()};
          return hipSuccess;
        }))
      return *noted;
    executable->launch(*stream);
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphLaunch_spt(hipGraphExec_t handle, hipStream_t stream) {
  const wavesmith::check::HostCallScope call;
  return hipGraphLaunch(handle, stream ? stream : hipStreamPerThread);
}

HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t handle) {
  return api([&](Platform&) { return forget(handle) ? hipSuccess : hipErrorInvalidValue; });
}

HIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t handle, hipGraph_t graph_handle, hipGraphNode_t* culprit,
                                      hipGraphExecUpdateResult* result) {
  return with_executable(handle, [&](Platform& platform, Executable& executable) {
    const auto graph = find_graph(graph_handle);
    if (!graph || !culprit || !result) return hipErrorInvalidValue;
    uint64_t id = 0;
    *culprit = nullptr;
    const hipError_t error = executable.update(platform, *graph, *result, id);
    for (const auto& node : graph->nodes)
      if (id && node->id == id) *culprit = handle_of(*node);
    return error;
  });
}

HIP_API hipError_t hipGraphDebugDotPrint(hipGraph_t handle, const char* path, unsigned flags) {
  return with_graph(handle, [&](Graph& graph) {
    if (!path) return hipErrorInvalidValue;
    FILE* const file = std::fopen(path, "w");
    if (!file) return hipErrorOperatingSystem;
    std::fprintf(file, "digraph graph_%p {\n  node [shape=box];\n", static_cast<void*>(&graph));
    print_graph(file, graph, flags);
    std::fprintf(file, "}\n");
    return std::fclose(file) == 0 ? hipSuccess : hipErrorOperatingSystem;
  });
}
