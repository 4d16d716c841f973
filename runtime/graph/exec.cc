#include "runtime/graph/exec.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "runtime/memory/copy.h"
#include "runtime/observe/check.h"
#include "runtime/stream/event.h"

namespace wavesmith::runtime {
namespace {

struct Executables {
  std::mutex mutex;
  std::unordered_map<hipGraphExec_t, std::shared_ptr<Executable>> live;
};
Executables& executables() {
  static auto& all = *new Executables;
  return all;
}

Node* find_by_original(const Graph& graph, uint64_t original) {
  for (const auto& node : graph.nodes) {
    if (node->original == original) return node.get();
    if (const auto* const child = std::get_if<ChildWork>(&node->work))
      if (Node* const found = find_by_original(*child->graph, original)) return found;
  }
  return nullptr;
}

bool copies_pageable(const Operation& operation) {
  const auto* const copy = dynamic_cast<const CopyOperation*>(&operation);
  const auto pageable = [platform = Platform::get()](const void* place) {
    return !platform->allocations.find(place) && !platform->memory->in_arena(place);
  };
  return copy && (pageable(copy->box().source) || pageable(copy->box().destination));
}

}  // namespace

/// A run of a whole graph. Branches are run one after the other, each node after those it depends on.
class GraphOperation final : public Operation {
 public:
  using Steps = std::vector<Executable::Step>;
  GraphOperation(Steps steps, check::GraphOrder order)
      : steps_(std::move(steps)),
        order_(order.empty() ? nullptr : std::make_shared<const check::GraphOrder>(std::move(order))) {}
  hipError_t run(Stream& stream) override {
    check::StreamPoint point = check::stream_point();
    point.graph = order_;
    for (const auto& [device, operation] : steps_) {
      std::optional<RunningWork> running;
      if (order_) running.emplace(point);
      ++point.step;
      if (stream.device.failure() != hipSuccess && !operation->always()) continue;
      Stream& where = device == &stream.device ? stream : *device->null_stream();
      if (const hipError_t error = operation->run(where); error != hipSuccess) stream.device.fail(error);
    }
    return hipSuccess;
  }
  [[nodiscard]] bool always() const override { return true; }

 private:
  Steps steps_;
  std::shared_ptr<const check::GraphOrder> order_;
};

/// Adds those that `more` has.
void join(std::vector<bool>& steps, const std::vector<bool>& more) {
  if (steps.size() < more.size()) steps.resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) steps[i] = steps[i] || more[i];
}

hipError_t Executable::create(Platform& platform, const Graph& graph, unsigned long long flags,
                              std::shared_ptr<Executable>& made, uint64_t& culprit) {
  auto executable = std::make_shared<Executable>();
  executable->flags = flags;
  executable->graph_ = graph.clone();
  culprit = 0;
  // A graph's memory has one address, so that two executables would share it.
  const bool allocates = std::ranges::any_of(graph.nodes, [](const auto& node) {
    return std::holds_alternative<AllocateWork>(node->work) ||
           std::holds_alternative<ReleaseWork>(node->work);
  });
  if (allocates && !graph.executable.expired()) return hipErrorNotSupported;
  if (executable->graph_->in_order().size() != graph.nodes.size()) return hipErrorInvalidValue;
  if (const hipError_t error = executable->prepare(platform, *executable->graph_); error != hipSuccess)
    return error;
  made = std::move(executable);
  return hipSuccess;
}

hipError_t Executable::prepare(Platform& platform, const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      if (child->graph->in_order().size() != child->graph->nodes.size()) return hipErrorInvalidValue;
      if (const hipError_t error = prepare(platform, *child->graph); error != hipSuccess) return error;
      continue;
    }
    if (const hipError_t error = make_operation(platform, *node, operations_[node->id]); error != hipSuccess)
      return error;
  }
  return hipSuccess;
}

void Executable::collect(const Graph& graph, const Stream& stream, Run& run,
                         const std::vector<bool>& before) const {
  const bool checked = checks() != nullptr;
  std::unordered_map<const Node*, std::vector<bool>> done;  // what a node and those before it have done
  for (const Node* const node : graph.in_order()) {
    std::vector<bool> mine;
    if (checked) {
      mine = before;
      for (const Node* const other : node->dependencies) join(mine, done[other]);
    }
    const size_t first = run.steps.size();
    collect(*node, stream, run, mine);
    if (!checked) continue;
    run.before.resize(run.steps.size(), mine);
    mine.resize(run.steps.size());
    std::fill(mine.begin() + static_cast<ptrdiff_t>(first), mine.end(), true);
    done[node] = std::move(mine);
  }
}

void Executable::collect(const Node& node, const Stream& stream, Run& run,
                         const std::vector<bool>& before) const {
  if (const auto* const child = std::get_if<ChildWork>(&node.work)) {
    collect(*child->graph, stream, run, before);
  } else if (const auto* const record = std::get_if<RecordWork>(&node.work)) {
    auto recording = std::make_shared<Recording>();
    run.steps.push_back({node.device, record_operation(recording)});
    run.recordings.emplace_back(record->event, std::move(recording));
  } else if (const auto* const wait = std::get_if<WaitWork>(&node.work)) {
    // Waits for what the graph itself records are its edges.
    const auto same = [&](const auto& each) { return each.first == wait->event; };
    if (std::any_of(run.recordings.begin(), run.recordings.end(), same)) return;
    const auto event = find_event(wait->event);
    const auto latest = event ? event->latest() : nullptr;
    if (latest && latest->ticket.stream.get() != &stream) run.tickets.push_back(latest->ticket);
  } else if (const auto found = operations_.find(node.id); found != operations_.end() && found->second) {
    run.steps.push_back({node.device, found->second});
    run.copies_pageable |= copies_pageable(*found->second);
  }
}

Node* Executable::counterpart(const Node& original) {
  // Nodes of the graph itself by what they were cloned from: a node of a clone of that graph is none of ours.
  for (const auto& mine : graph_->nodes) {
    if (mine->source == original.id) return mine.get();
    if (mine->original == original.original) return nullptr;
  }
  return find_by_original(*graph_, original.original);
}

hipError_t Executable::set(Platform& platform, Node& mine, Work work) {
  Work before = mine.work;
  set_work(mine, std::move(work));
  if (const auto* const child = std::get_if<ChildWork>(&mine.work)) return prepare(platform, *child->graph);
  std::shared_ptr<Operation> operation;
  if (const hipError_t error = make_operation(platform, mine, operation); error != hipSuccess) {
    set_work(mine, std::move(before));
    return error;
  }
  operations_[mine.id] = std::move(operation);
  return hipSuccess;
}

hipError_t Executable::enable(Platform& platform, Node& mine, bool enabled) {
  mine.enabled = enabled;
  return make_operation(platform, mine, operations_[mine.id]);
}

hipError_t Executable::update(Platform& platform, const Graph& graph, hipGraphExecUpdateResult& result,
                              uint64_t& culprit) {
  const auto ours = graph_->in_order(), theirs = graph.in_order();
  culprit = 0;
  const auto refuse = [&](hipGraphExecUpdateResult why, const Node* node) {
    result = why;
    culprit = node ? node->id : 0;
    return hipErrorGraphExecUpdateFailure;
  };
  if (ours.size() != theirs.size()) return refuse(hipGraphExecUpdateErrorTopologyChanged, nullptr);
  std::unordered_map<const Node*, const Node*> counterpart;
  for (size_t i = 0; i < ours.size(); ++i) counterpart[theirs[i]] = ours[i];
  for (size_t i = 0; i < ours.size(); ++i) {
    const Node &mine = *ours[i], &other = *theirs[i];
    if (mine.work.index() != other.work.index())
      return refuse(hipGraphExecUpdateErrorNodeTypeChanged, &other);
    if (mine.dependencies.size() != other.dependencies.size())
      return refuse(hipGraphExecUpdateErrorTopologyChanged, &other);
    for (const Node* const dependency : other.dependencies)
      if (std::find(mine.dependencies.begin(), mine.dependencies.end(), counterpart[dependency]) ==
          mine.dependencies.end())
        return refuse(hipGraphExecUpdateErrorTopologyChanged, &other);
    if (const auto* const kernel = std::get_if<KernelWork>(&mine.work))
      if (&kernel->module->device != &std::get<KernelWork>(other.work).module->device)
        return refuse(hipGraphExecUpdateErrorUnsupportedFunctionChange, &other);
    if (const auto* const copy = std::get_if<CopyWork>(&mine.work))
      if (copy->params.kind != std::get<CopyWork>(other.work).params.kind)
        return refuse(hipGraphExecUpdateErrorParametersChanged, &other);
    if (std::holds_alternative<AllocateWork>(mine.work) || std::holds_alternative<ReleaseWork>(mine.work))
      return refuse(hipGraphExecUpdateErrorNotSupported, &other);
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    // From now on the given graph's nodes are those that name ours.
    ours[i]->original = theirs[i]->original;
    ours[i]->source = theirs[i]->id;
    if (set(platform, *ours[i], theirs[i]->work) != hipSuccess)
      return refuse(hipGraphExecUpdateErrorParametersChanged, theirs[i]);
  }
  result = hipGraphExecUpdateSuccess;
  return hipSuccess;
}

std::shared_ptr<Graph> Executable::snapshot() {
  const std::scoped_lock lock(mutex);
  return graph_->clone();
}

void Executable::launch(Stream& stream) {
  Run run;
  {
    const std::scoped_lock lock(mutex);
    collect(*graph_, stream, run, {});
  }
  const Ticket ticket = stream.enqueue(
      std::make_shared<GraphOperation>(std::move(run.steps), std::move(run.before)), std::move(run.tickets));
  for (auto& [event, recording] : run.recordings) {
    recording->ticket = ticket;
    publish(event, std::move(recording));
  }
  if (run.copies_pageable) stream.wait(ticket.number);
}

std::shared_ptr<Executable> find_executable(hipGraphExec_t handle) {
  const std::scoped_lock lock(executables().mutex);
  const auto found = executables().live.find(handle);
  return found == executables().live.end() ? nullptr : found->second;
}

hipGraphExec_t own(std::shared_ptr<Executable> executable) {
  const auto handle = reinterpret_cast<hipGraphExec_t>(executable.get());
  const std::scoped_lock lock(executables().mutex);
  executables().live[handle] = std::move(executable);
  return handle;
}

bool forget(hipGraphExec_t handle) {
  const std::scoped_lock lock(executables().mutex);
  return executables().live.erase(handle) > 0;
}

}  // namespace wavesmith::runtime
