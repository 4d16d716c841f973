// Collectives over the links between GPUs: rings, trees, and kernels that write to all others at once.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"
#include "gpus/links.h"
#include "model/prediction.h"

namespace wavesmith::model {

enum class Collective : uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, Send };
enum class CollectiveKernel : uint8_t {
  Auto,     ///< what takes least
  Ring,     ///< n - 1 steps round, all links at once
  Tree,     ///< log2 n steps up and down
  OneShot,  ///< each reads or writes everything of all others: small buffers
  TwoShot,  ///< reduce-scatter, then all-gather, directly
};
std::optional<Collective> collective(std::string_view name);
std::optional<CollectiveKernel> collective_kernel(std::string_view name);
std::string_view name_of(CollectiveKernel kernel);

struct CollectiveProblem {
  Collective operation = Collective::AllReduce;
  double ranks = 8;
  double bytes = 0;  ///< of the buffer on each GPU: all-reduce's, what a GPU has in the end, or what one
                     ///< sends to another
  CollectiveKernel kernel = CollectiveKernel::Auto;
  bool graph = false;  ///< launched out of a graph
  /// Below 32 MiB the data carry their flags (RCCL's LL protocols); false: signals of their own (vLLM's and
  /// SGLang's kernels).
  bool flagged = true;
};

/// The links from a GPU to the others of its node.
struct Links {
  double bytes_per_second = 0;  ///< of one link, one direction, achieved
  double count = 0;             ///< that work at once: one to each other GPU
  double latency = 1;           ///< of a launch and a flag, times the MI300X's
  std::string_view name;
  bool guessed = false;
};
Links links_of(const gpus::Gpu& gpu, double ranks);

/// What is achieved over a route from a GPU to another one, or to the host.
struct RoutePerformance {
  double bytes_per_second = 0;  ///< in each direction
  double seconds = 0;           ///< from a flag's being written to its being seen
};
RoutePerformance performance_of(const gpus::Gpu& gpu, const gpus::Route& route);

Result<Prediction> predict_collective(const gpus::Gpu& gpu, const CollectiveProblem& problem);

}  // namespace wavesmith::model
