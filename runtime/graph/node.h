// Building blocks of the functions of graph nodes: adding nodes, querying and changing their work, and
// turning parameters into work, for each kind.
//
// These functions come in threes: add, set in the graph, set in an executable. Kinds of nodes differ only in
// how parameters become work (graph.h), so each function of the API states just that.
#pragma once

#include <algorithm>

#include "runtime/device/platform.h"
#include "runtime/graph/exec.h"
#include "runtime/launch/fat_binary.h"
#include "runtime/stream/event.h"
#include "runtime/stream/stream_memory.h"

namespace wavesmith::runtime::nodes {

/// Adds a node with the work that `make(Platform&, Device&, Work&)` fills in.
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

template <class T>
hipError_t put(T* out, const T& value) {
  if (!out) return hipErrorInvalidValue;
  *out = value;
  return hipSuccess;
}

// Functors that turn each kind's parameters into work, for add() and set().

inline auto kernel(const hipKernelNodeParams* params) {
  return [=](Platform& platform, Device& device, auto& work) {
    KernelWork made;
    if constexpr (std::is_same_v<std::decay_t<decltype(work)>, KernelWork>)
      made.cooperative = work.cooperative, made.priority = work.priority, made.window = work.window;
    const hipError_t error = make_kernel_work(platform, device, params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

inline auto copy(const hipMemcpy3DParms* params) {
  return [=](Platform& platform, Device&, auto& work) {
    CopyWork made;
    const hipError_t error = make_copy_work(platform, params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

inline auto plain(void* destination, const void* source, size_t size, hipMemcpyKind kind) {
  return [=](Platform& platform, Device&, auto& work) {
    const hipMemcpy3DParms params = plain_copy(destination, source, size, kind);
    CopyWork made;
    const hipError_t error = make_copy_work(platform, &params, made);
    if (error == hipSuccess) work = std::move(made);
    return error;
  };
}

/// A copy from or to a variable of the program, at an offset; `other` is the other side.
inline auto symbol(bool into_variable, const void* variable, const void* other, size_t size, size_t offset,
                   hipMemcpyKind kind) {
  return [=](Platform& platform, Device& device, auto& work) {
    const auto found = registered_variable(platform, device, variable);
    if (!found) return hipErrorInvalidSymbol;
    // Within the device there is no host memory, the variable's own shadow on the host included.
    if (kind == hipMemcpyDeviceToDevice && !platform.xnack && !platform.allocations.find(other))
      return hipErrorInvalidValue;
    if (!other || offset > found->size || size > found->size - offset || size == 0)
      return hipErrorInvalidValue;
    void* const inside = static_cast<char*>(found->address) + offset;
    void* const elsewhere = const_cast<void*>(other);
    return plain(into_variable ? inside : elsewhere, into_variable ? elsewhere : inside, size, kind)(
        platform, device, work);
  };
}

/// Checks a copy to which a node is changed: it is not empty, and not onto itself.
template <class Make>
auto changed(Make make) {
  return [=](Platform& platform, Device& device, CopyWork& work) {
    CopyWork made = work;
    if (const hipError_t error = make(platform, device, made); error != hipSuccess) return error;
    const Box& box = made.box;
    if (box.width == 0 || box.height == 0 || box.depth == 0) return hipErrorInvalidValue;
    const auto to = reinterpret_cast<uint64_t>(box.destination),
               from = reinterpret_cast<uint64_t>(box.source);
    if (box.height == 1 && box.depth == 1 && to < from + box.width && from < to + box.width)
      return hipErrorInvalidValue;
    work = std::move(made);
    return hipSuccess;
  };
}
/// The same in an executable, where the direction stays.
template <class Make>
auto changed_in_executable(Make make) {
  return [=](Platform& platform, Device& device, CopyWork& work) {
    CopyWork made = work;
    if (const hipError_t error = changed(make)(platform, device, made); error != hipSuccess) return error;
    if (made.params.kind != work.params.kind) return hipErrorInvalidValue;
    work = std::move(made);
    return hipSuccess;
  };
}

inline auto fill(const hipMemsetParams* params) {
  return [=](Platform& platform, Device&, auto& work) {
    FillWork made;
    const hipError_t error = make_fill_work(platform, params, made);
    if (error == hipSuccess) work = made;
    return error;
  };
}

inline auto host(const hipHostNodeParams* params) {
  return [=](Platform&, Device&, auto& work) {
    if (!params || !params->fn) return hipErrorInvalidValue;
    HostWork made;
    made.params = *params;
    work = std::move(made);
    return hipSuccess;
  };
}

inline auto child(hipGraph_t graph_handle) {
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

inline auto batch(const hipBatchMemOpNodeParams* params) {
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

inline auto allocation(hipMemAllocNodeParams* params) {
  return [=](Platform& platform, Device&, auto& work) {
    if (!params || params->bytesize == 0 || params->poolProps.location.type != hipMemLocationTypeDevice)
      return hipErrorInvalidValue;
    Device* const device = platform.device(params->poolProps.location.id);
    if (!device) return hipErrorInvalidValue;
    if (params->poolProps.allocType != hipMemAllocationTypePinned ||
        (params->accessDescCount > 0 && !params->accessDescs))
      return hipErrorInvalidValue;
    AllocateWork made;
    const hipError_t error = make_allocate_work(platform, *device, params->bytesize, made);
    if (error != hipSuccess) return error;
    params->dptr = made.params.dptr;
    made.params = *params;
    work = std::move(made);
    return hipSuccess;
  };
}

inline auto release(void* pointer) {
  return [=](Platform& platform, Device&, auto& work) {
    if (!pointer || !platform.allocations.find(pointer)) return hipErrorInvalidValue;
    work = ReleaseWork{pointer};
    return hipSuccess;
  };
}

}  // namespace wavesmith::runtime::nodes

// The arguments that all functions which add nodes begin with.
#define ADD_ARGUMENTS hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count
#define ADD(work) return add(node, graph, dependencies, count, work)
