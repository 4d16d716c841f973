#include "model/library/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/constants.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {
namespace {

constexpr std::pair<std::string_view, Collective> kCollectives[] = {
    {"all-reduce", Collective::AllReduce},         {"all-gather", Collective::AllGather},
    {"reduce-scatter", Collective::ReduceScatter}, {"all-to-all", Collective::AllToAll},
    {"broadcast", Collective::Broadcast},          {"send", Collective::Send},
};
constexpr std::pair<std::string_view, CollectiveKernel> kKernels[] = {
    {"auto", CollectiveKernel::Auto},        {"ring", CollectiveKernel::Ring},
    {"tree", CollectiveKernel::Tree},        {"one-shot", CollectiveKernel::OneShot},
    {"two-shot", CollectiveKernel::TwoShot},
};

/// What an algorithm asks of the links.
struct AlgorithmCost {
  double steps = 0;       ///< one after the other, each with a link's latency
  double bytes_sent = 0;  ///< by each GPU
  double links = 0;       ///< links of a GPU that share these bytes
};

AlgorithmCost cost_of(const CollectiveProblem& problem, CollectiveKernel kernel, const Links& links) {
  const double n = problem.ranks, bytes = problem.bytes, share = (n - 1) / n;
  if (problem.operation == Collective::Send) return {1, bytes, 1};
  const bool all_reduce = problem.operation == Collective::AllReduce;
  switch (kernel) {
    case CollectiveKernel::Ring:
      return {(all_reduce ? 2 : 1) * (n - 1), (all_reduce ? 2 : 1) * bytes * share, links.count};
    case CollectiveKernel::Tree:
      return {(all_reduce ? 2 : 1) * std::ceil(std::log2(n)), (all_reduce ? 2 : 1) * bytes,
              std::min(2.0, links.count)};
    case CollectiveKernel::OneShot:
      return {1, all_reduce ? bytes * (n - 1) : bytes * share, links.count};
    default:
      return {all_reduce ? 2.0 : 1.0, (all_reduce ? 2 : 1) * bytes * share, links.count};
  }
}

}  // namespace

std::optional<Collective> collective(std::string_view name) {
  for (const auto& [known, operation] : kCollectives)
    if (known == name) return operation;
  return std::nullopt;
}
std::optional<CollectiveKernel> collective_kernel(std::string_view name) {
  for (const auto& [known, kernel] : kKernels)
    if (known == name) return kernel;
  return std::nullopt;
}
std::string_view name_of(CollectiveKernel kernel) { return kKernels[static_cast<size_t>(kernel)].first; }

Links links_of(const gpus::Gpu& gpu, double ranks) {
  Links links{.name = gpu.link_kind, .guessed = find_judged("collectives", gpu) == nullptr};
  if (gpu.is_cdna() && gpu.generation >= 4) links.latency = constant::kLinkLatencyCdna4;
  if (gpu.peer_links.empty()) {
    links.bytes_per_second = constant::kLinkPcie * gpu.pcie_gigabytes_per_second * 1e9;
    links.count = 1;
    return links;
  }
  const double share = gpu.link_kind == "NVLink" ? constant::kLinkNvlink : constant::kLinkXgmi;
  links.bytes_per_second = share * gpu.link_gigabytes_per_second * 1e9;
  // To a switch all links go at once, whoever is behind it; otherwise those to the first of the others.
  if (gpu.switched_links) {
    links.count = std::ranges::max(gpu.peer_links);
    return links;
  }
  const auto others = static_cast<size_t>(std::max(1.0, ranks - 1));
  for (size_t other = 1; other < gpus::hive_size(gpu) && other <= others; ++other)
    links.count += gpu.peer_links[other];
  return links;
}

RoutePerformance performance_of(const gpus::Gpu& gpu, const gpus::Route& route) {
  const double share = route.kind == gpus::Route::Kind::Xgmi ? constant::kLinkXgmi : constant::kLinkPcie;
  return {route.gigabytes_per_second * 1e9 * share,
          route.hops * constant::kLinkHop * links_of(gpu, 2).latency};
}

Result<Prediction> predict_collective(const gpus::Gpu& gpu, const CollectiveProblem& problem) {
  if (!(problem.ranks >= 2))
    return fail(ErrorKind::BadInput, fmt::format("{} GPUs have nothing to exchange", problem.ranks), {},
                "ranks are at least 2");
  if (!(problem.bytes >= 1)) return fail(ErrorKind::BadInput, "an empty buffer", {}, "bytes are at least 1");
  const Links links = links_of(gpu, problem.ranks);
  if (links.bytes_per_second <= 0)
    return fail(ErrorKind::Unsupported, fmt::format("neither a link nor a slot joins several {}", gpu.name),
                {}, "its file says so: links.peers, links.pcie_gigabytes_per_second");
  const double launch = constant::kCollectiveLaunch * links.latency;
  const double share = problem.flagged && problem.bytes < 32.0 * 1024 * 1024 ? constant::kFlaggedShare
                                                                             : constant::kCollectiveShare;
  const auto seconds_of = [&](CollectiveKernel kernel) {
    const AlgorithmCost cost = cost_of(problem, kernel, links);
    return std::pair{cost.steps * constant::kLinkHop * links.latency,
                     cost.bytes_sent / (cost.links * links.bytes_per_second * share)};
  };
  CollectiveKernel kernel = problem.kernel;
  if (kernel == CollectiveKernel::Auto) {
    double least = 0;
    for (const CollectiveKernel tried :
         {CollectiveKernel::OneShot, CollectiveKernel::TwoShot, CollectiveKernel::Tree}) {
      const auto [hops, moving] = seconds_of(tried);
      if (least == 0 || hops + moving < least) least = hops + moving, kernel = tried;
    }
  }
  const AlgorithmCost cost = cost_of(problem, kernel, links);
  const auto [hops, moving] = seconds_of(kernel);
  Prediction result;
  result.clock_mhz = gpu.engine_mhz;
  result.clock_kind = gpus::Kind::Read;
  result.seconds = launch + hops + moving;
  result.bytes = problem.bytes;
  result.bound = moving > hops + launch ? "links" : hops > launch ? "link latency" : "launch";
  result.parts = {
      {"links", moving, moving},
      {"link latency", hops, hops},
      {"launch", launch, launch},
  };
  const double rate = cost.links * links.bytes_per_second * share;
  const Sustained memory = sustained_memory(gpu);
  result.levels = {
      {"link", cost.bytes_sent, moving, rate, 0},
      {memory_name(gpu), 3 * problem.bytes, 3 * problem.bytes / memory.bytes_per_second,
       memory.bytes_per_second, 0},
  };
  const bool reduces = problem.operation == Collective::AllReduce;
  result.notes.push_back(fmt::format(
      "{}: {:.0f} step{}, {:.0f} {} link{} of {:.3g} GB/s a direction; bus bandwidth {:.4g} GB/s",
      name_of(kernel), cost.steps, cost.steps == 1 ? "" : "s", cost.links, links.name,
      cost.links == 1 ? "" : "s", links.bytes_per_second / 1e9,
      problem.bytes * (reduces ? 2 : 1) * (problem.ranks - 1) / problem.ranks / result.seconds / 1e9));
  if (problem.ranks > 8)
    result.notes.emplace_back("more than a node: the links between nodes are not modelled");
  result.confidence = links.guessed || problem.ranks > 8 ? Confidence::Low : Confidence::Medium;
  mark_doubt(result, "collective");
  if (links.latency != 1) mark_doubt(result, "collective.cdna4");
  result.judged = find_judged("collectives", gpu);
  finish(result);
  return result;
}

}  // namespace wavesmith::model
