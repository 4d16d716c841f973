// Graphs: work described before it is executed. A node holds the parameters of its call, so that they can be
// queried, changed and copied; instantiating (exec.h) makes operations of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/abi/graph.h"
#include "runtime/launch/launch.h"
#include "runtime/memory/copy.h"

namespace wavesmith::runtime {

class Graph;

/// A kernel and the bytes of its arguments.
struct KernelWork {
  hipKernelNodeParams params{};  ///< as given; its pointers point into `arguments` and `pointers`
  KernelFunction* function = nullptr;
  std::shared_ptr<Module> module;
  Geometry geometry;
  std::vector<std::vector<uint8_t>> arguments;  ///< one each, or the whole buffer of `extra`
  std::vector<void*> pointers;
  size_t buffer_size = 0;
  std::vector<void*> extra;
  int cooperative = 0;
  int priority = 0;
  hipLaunchAttributeValue window{};  ///< hipLaunchAttributeAccessPolicyWindow: a hint to caches, remembered
};
struct CopyWork {
  hipMemcpy3DParms params{};
  Box box;
};
struct FillWork {
  hipMemsetParams params{};
};
struct HostWork {
  hipHostNodeParams params{};
  std::function<void(Stream&)> call;  ///< what hipStreamAddCallback was given
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct RecordWork {
  hipEvent_t event = nullptr;
};
struct WaitWork {
  hipEvent_t event = nullptr;
};
class GraphAllocation;
/// Memory of a graph. Its address is fixed when the node is created, and it lives as long as the last graph
/// that has the node.
struct AllocateWork {
  hipMemAllocNodeParams params{};  ///< as given: accessDescs is the program's own
  std::shared_ptr<GraphAllocation> memory;
};
struct ReleaseWork {
  void* pointer = nullptr;
};
struct BatchWork {
  hipBatchMemOpNodeParams params{};
  std::vector<hipStreamBatchMemOpParams> operations;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, ChildWork, RecordWork,
                          WaitWork, AllocateWork, ReleaseWork, BatchWork>;

hipGraphNodeType type_of(const Work& work);

/// A node. Handles are pointers to it.
struct Node {
  uint64_t id = 0;        ///< never used twice
  uint64_t original = 0;  ///< the id of the node that this one was cloned from, and so on to the first
  uint64_t source = 0;    ///< the id of the node that this one was cloned from
  Graph* graph = nullptr;
  Device* device = nullptr;
  Work work;
  bool enabled = true;
  std::vector<Node*> dependencies, dependents;
};

class Graph {
 public:
  ~Graph();
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node* add(Device& device, Work work, const std::vector<Node*>& dependencies);
  /// Takes a node out; false when it isn't of this graph.
  bool remove(Node* node);
  [[nodiscard]] bool has(const Node* node) const;
  /// A copy, its nodes in the same order; child graphs are copied too.
  [[nodiscard]] std::shared_ptr<Graph> clone() const;
  /// The nodes in topological order; fewer than there are if they form a cycle.
  [[nodiscard]] std::vector<Node*> in_order() const;
  /// Whether the other graph's nodes are of the same kinds in the same order, with as many edges each.
  [[nodiscard]] bool has_shape_of(const Graph& other) const;

  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::pair<hipUserObject_t, int>> objects;  ///< references that are given back when it is gone
  std::mutex mutex;
  std::weak_ptr<void> executable;  ///< made of it last
  bool capturing = false;          ///< a stream adds nodes: it may not be destroyed or instantiated
};

/// Changes what a node does.
void set_work(Node& node, Work work);

bool add_edge(Node* from, Node* to);
bool remove_edge(Node* from, Node* to);

/// The graph of a handle and the node of a handle; nullptr for anything that is none.
std::shared_ptr<Graph> find_graph(hipGraph_t handle);
Node* find_node(hipGraphNode_t handle);
inline hipGraph_t handle_of(const Graph& graph) {
  return reinterpret_cast<hipGraph_t>(const_cast<Graph*>(&graph));
}
inline hipGraphNode_t handle_of(const Node& node) {
  return reinterpret_cast<hipGraphNode_t>(const_cast<Node*>(&node));
}
/// Gives a graph a handle that the program owns, until forget().
hipGraph_t own(std::shared_ptr<Graph> graph);
bool forget(hipGraph_t handle);
/// Makes a graph known that nobody owns yet: programs may add nodes to what a capture has made so far.
void make_known(const std::shared_ptr<Graph>& graph);
void make_unknown(const Graph& graph);

/// Fills in the work for a caller's parameters; returns HIP's error for invalid ones.
hipError_t make_kernel_work(Platform& platform, Device& device, const hipKernelNodeParams* params,
                            KernelWork& work);
hipError_t make_copy_work(Platform& platform, const hipMemcpy3DParms* params, CopyWork& work);
hipError_t make_fill_work(Platform& platform, const hipMemsetParams* params, FillWork& work);
/// Bytes that graphs hold on a device: from the run of an allocation's node to that of the one that frees it.
struct GraphMemory {
  std::atomic<uint64_t> used{0}, high{0};
};
GraphMemory& graph_memory(int device);
/// Notes that the memory at `pointer` is freed, if it is a graph's.
void end_graph_memory(const void* pointer);

/// Allocates memory of a graph on that device and fills in its address.
hipError_t make_allocate_work(Platform& platform, Device& device, size_t size, AllocateWork& work);
/// The parameters of hipMemcpy3D for a copy of plain memory.
hipMemcpy3DParms plain_copy(void* destination, const void* source, size_t size, hipMemcpyKind kind);

/// If `stream` is captured, adds a node with the work that `make` fills in. nullopt: it is not captured.
std::optional<hipError_t> capture_node(Stream& stream, const std::function<hipError_t(Work&)>& make);

/// Makes the operation that executes a node; null if there is nothing to execute.
hipError_t make_operation(Platform& platform, const Node& node, std::shared_ptr<Operation>& operation);

}  // namespace wavesmith::runtime
