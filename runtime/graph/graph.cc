#include "runtime/graph/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "runtime/graph/user_object.h"

namespace wavesmith::runtime {
namespace {

std::atomic<uint64_t> next_id{1};

/// Every node and every graph that a handle may name.
struct Registry {
  std::mutex mutex;
  std::unordered_set<const Node*> nodes;
  std::unordered_map<hipGraph_t, std::shared_ptr<Graph>> owned;
  std::unordered_map<hipGraph_t, std::weak_ptr<Graph>> known;  ///< child graphs, and those being captured
};
Registry& registry() {
  static auto& all = *new Registry;
  return all;
}

void enter(const Node* node) {
  const std::scoped_lock lock(registry().mutex);
  registry().nodes.insert(node);
  if (const auto* const child = std::get_if<ChildWork>(&node->work))
    registry().known[handle_of(*child->graph)] = child->graph;
}

void leave(const Node* node) {
  const std::scoped_lock lock(registry().mutex);
  registry().nodes.erase(node);
  if (const auto* const child = std::get_if<ChildWork>(&node->work))
    registry().known.erase(handle_of(*child->graph));
}

/// Pointers into a kernel's own copies of its arguments.
void point_to_own_arguments(KernelWork& work) {
  work.pointers.clear();
  if (!work.extra.empty()) {
    work.extra = {HIP_LAUNCH_PARAM_BUFFER_POINTER, work.arguments[0].data(), HIP_LAUNCH_PARAM_BUFFER_SIZE,
                  &work.buffer_size, HIP_LAUNCH_PARAM_END};
    work.params.extra = work.extra.data();
    work.params.kernelParams = nullptr;
    return;
  }
  for (std::vector<uint8_t>& argument : work.arguments) work.pointers.push_back(argument.data());
  work.params.kernelParams = work.pointers.empty() ? nullptr : work.pointers.data();
  work.params.extra = nullptr;
}

/// Pointers into the node's own storage, after a copy or a move.
void settle(Work& work) {
  if (auto* const kernel = std::get_if<KernelWork>(&work)) point_to_own_arguments(*kernel);
  if (auto* const child = std::get_if<ChildWork>(&work)) child->graph = child->graph->clone();
  if (auto* const batch = std::get_if<BatchWork>(&work)) batch->params.paramArray = batch->operations.data();
}

}  // namespace

hipGraphNodeType type_of(const Work& work) {
  struct {
    hipGraphNodeType operator()(const EmptyWork&) { return hipGraphNodeTypeEmpty; }
    hipGraphNodeType operator()(const KernelWork&) { return hipGraphNodeTypeKernel; }
    hipGraphNodeType operator()(const CopyWork&) { return hipGraphNodeTypeMemcpy; }
    hipGraphNodeType operator()(const FillWork&) { return hipGraphNodeTypeMemset; }
    hipGraphNodeType operator()(const HostWork&) { return hipGraphNodeTypeHost; }
    hipGraphNodeType operator()(const ChildWork&) { return hipGraphNodeTypeGraph; }
    hipGraphNodeType operator()(const RecordWork&) { return hipGraphNodeTypeEventRecord; }
    hipGraphNodeType operator()(const WaitWork&) { return hipGraphNodeTypeWaitEvent; }
    hipGraphNodeType operator()(const AllocateWork&) { return hipGraphNodeTypeMemAlloc; }
    hipGraphNodeType operator()(const ReleaseWork&) { return hipGraphNodeTypeMemFree; }
    hipGraphNodeType operator()(const BatchWork&) { return hipGraphNodeTypeBatchMemOp; }
  } visitor;
  return std::visit(visitor, work);
}

Graph::~Graph() {
  for (const auto& node : nodes) leave(node.get());
  for (const auto& [object, count] : objects) release_user_object(object, count);
  make_unknown(*this);
}

void set_work(Node& node, Work work) {
  leave(&node);
  node.work = std::move(work);
  settle(node.work);
  enter(&node);
}

Node* Graph::add(Device& device, Work work, const std::vector<Node*>& dependencies) {
  auto node = std::make_unique<Node>();
  node->id = node->original = next_id++;
  node->graph = this;
  node->device = &device;
  node->work = std::move(work);
  settle(node->work);
  Node* const added = node.get();
  {
    const std::scoped_lock lock(mutex);
    nodes.push_back(std::move(node));
  }
  for (Node* const dependency : dependencies) add_edge(dependency, added);
  enter(added);
  return added;
}

bool Graph::remove(Node* node) {
  const auto at =
      std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) { return each.get() == node; });
  if (at == nodes.end()) return false;
  for (Node* const before : node->dependencies) std::erase(before->dependents, node);
  for (Node* const after : node->dependents) std::erase(after->dependencies, node);
  leave(node);
  nodes.erase(at);
  return true;
}

bool Graph::has(const Node* node) const { return node && node->graph == this; }

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::unordered_map<const Node*, Node*> counterpart;
  for (const auto& node : nodes) {
    Node* const made = copy->add(*node->device, node->work, {});
    made->original = node->original;
    made->source = node->id;
    made->enabled = node->enabled;
    counterpart[node.get()] = made;
  }
  for (const auto& node : nodes)
    for (const Node* const dependency : node->dependencies)
      add_edge(counterpart[dependency], counterpart[node.get()]);
  for (const auto& [object, count] : objects) {
    retain_user_object(object, count);
    copy->objects.emplace_back(object, count);
  }
  return copy;
}

std::vector<Node*> Graph::in_order() const {
  std::unordered_map<const Node*, size_t> missing;
  std::vector<Node*> order;
  for (const auto& node : nodes) {
    missing[node.get()] = node->dependencies.size();
    if (node->dependencies.empty()) order.push_back(node.get());
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (Node* const next : order[i]->dependents)
      if (--missing[next] == 0) order.push_back(next);
  return order;
}

bool Graph::has_shape_of(const Graph& other) const {
  return std::ranges::equal(in_order(), other.in_order(), [](const Node* a, const Node* b) {
    return a->work.index() == b->work.index() && a->dependencies.size() == b->dependencies.size();
  });
}

bool add_edge(Node* from, Node* to) {
  if (std::find(to->dependencies.begin(), to->dependencies.end(), from) != to->dependencies.end())
    return false;
  to->dependencies.push_back(from);
  from->dependents.push_back(to);
  return true;
}

bool remove_edge(Node* from, Node* to) {
  return std::erase(to->dependencies, from) && std::erase(from->dependents, to);
}

std::shared_ptr<Graph> find_graph(hipGraph_t handle) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  if (const auto found = all.owned.find(handle); found != all.owned.end()) return found->second;
  if (const auto found = all.known.find(handle); found != all.known.end()) return found->second.lock();
  return {};
}

Node* find_node(hipGraphNode_t handle) {
  auto* const node = reinterpret_cast<Node*>(handle);
  const std::scoped_lock lock(registry().mutex);
  return registry().nodes.contains(node) ? node : nullptr;
}

hipGraph_t own(std::shared_ptr<Graph> graph) {
  const hipGraph_t handle = handle_of(*graph);
  const std::scoped_lock lock(registry().mutex);
  registry().owned[handle] = std::move(graph);
  return handle;
}

void make_known(const std::shared_ptr<Graph>& graph) {
  const std::scoped_lock lock(registry().mutex);
  registry().known[handle_of(*graph)] = graph;
}

void make_unknown(const Graph& graph) {
  const std::scoped_lock lock(registry().mutex);
  registry().known.erase(handle_of(graph));
}

bool forget(hipGraph_t handle) {
  std::shared_ptr<Graph> last;  // destroyed without the lock, which its nodes take
  const std::scoped_lock lock(registry().mutex);
  const auto found = registry().owned.find(handle);
  if (found == registry().owned.end()) return false;
  last = std::move(found->second);
  registry().owned.erase(found);
  return true;
}

}  // namespace wavesmith::runtime
