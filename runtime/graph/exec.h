// Executable graphs: a copy of a graph as it was when instantiated, and its operations.
#pragma once

#include <map>

#include "runtime/graph/graph.h"

namespace wavesmith::runtime {

struct Recording;

class Executable {
 public:
  /// Instantiates a graph. Error: that of making a node's operation; hipErrorInvalidValue for a cycle.
  /// `culprit` is the node.
  static hipError_t create(Platform& platform, const Graph& graph, unsigned long long flags,
                           std::shared_ptr<Executable>& made, uint64_t& culprit);

  /// Our copy of a node of the graph that this was made from; nullptr when there is none.
  [[nodiscard]] Node* counterpart(const Node& original);
  /// Changes the work of our copy of a node and makes its operation anew. An error changes nothing.
  hipError_t set(Platform& platform, Node& mine, Work work);
  /// Enables or disables a node of ours.
  hipError_t enable(Platform& platform, Node& mine, bool enabled);
  /// Takes over the work of a graph of the same shape.
  hipError_t update(Platform& platform, const Graph& graph, hipGraphExecUpdateResult& result,
                    uint64_t& culprit);
  /// A copy of the graph in its current state, for use as a child graph.
  [[nodiscard]] std::shared_ptr<Graph> snapshot();
  /// Enqueues one run; waits for it where pageable memory of the host is copied from or to, as ROCm does.
  void launch(Stream& stream);

  unsigned long long flags = 0;
  std::mutex mutex;

 private:
  struct Step {
    Device* device = nullptr;
    std::shared_ptr<Operation> operation;
  };
  hipError_t prepare(Platform& platform, const Graph& graph);
  /// A run: its operations, the events that it records, and the tickets for which it waits first.
  struct Run {
    std::vector<Step> steps;
    std::vector<std::pair<hipEvent_t, std::shared_ptr<Recording>>> recordings;
    std::vector<Ticket> tickets;
    bool copies_pageable = false;  ///< the host's memory, which may change or go once the launch returns
    check::GraphOrder before;      ///< by step, those before it; empty: nobody asks
  };
  /// Adds the steps of a graph, which come after those that `before` names.
  void collect(const Graph& graph, const Stream& stream, Run& run, const std::vector<bool>& before) const;
  void collect(const Node& node, const Stream& stream, Run& run, const std::vector<bool>& before) const;

  std::shared_ptr<Graph> graph_;
  std::map<uint64_t, std::shared_ptr<Operation>> operations_;  ///< by the id of our node
  friend class GraphOperation;
};

std::shared_ptr<Executable> find_executable(hipGraphExec_t handle);
hipGraphExec_t own(std::shared_ptr<Executable> executable);
bool forget(hipGraphExec_t handle);

}  // namespace wavesmith::runtime
