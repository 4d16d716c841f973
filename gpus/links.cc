#include "gpus/links.h"

#include <algorithm>

namespace wavesmith::gpus {
namespace {

/// A GPU's hive, and its row in the matrix of links.
struct HivePosition {
  int hive = 0;
  uint32_t row = 0;
};

HivePosition position_of(std::span<const Gpu* const> machine, int ordinal) {
  HivePosition position{.hive = -1};
  const Gpu* before = nullptr;
  for (int i = 0; i <= ordinal; ++i) {
    const Gpu* const gpu = machine[static_cast<size_t>(i)];
    ++position.row;
    if (gpu != before || position.row >= std::max(1u, hive_size(*gpu))) ++position.hive, position.row = 0;
    before = gpu;
  }
  return position;
}

/// Links one after the other on the shortest route; 0: there is none.
uint32_t hops_between(const Gpu& gpu, uint32_t from, uint32_t to) {
  const uint32_t gpus = hive_size(gpu);
  std::vector<uint32_t> hops(gpus, 0), reached{from};
  for (size_t i = 0; i < reached.size(); ++i)
    for (uint32_t next = 0; next < gpus; ++next)
      if (next != from && hops[next] == 0 && gpu.peer_links[reached[i] * gpus + next] != 0)
        hops[next] = hops[reached[i]] + 1, reached.push_back(next);
  return hops[to];
}

}  // namespace

uint32_t hive_size(const Gpu& gpu) {
  uint32_t side = 0;
  while (side * side < gpu.peer_links.size()) ++side;
  return side;
}

int hive_of(std::span<const Gpu* const> machine, int ordinal) { return position_of(machine, ordinal).hive; }

Route route_between(std::span<const Gpu* const> machine, int from, int to) {
  const Gpu &gpu = *machine[static_cast<size_t>(from)], &other = *machine[static_cast<size_t>(to)];
  const HivePosition a = position_of(machine, from), b = position_of(machine, to);
  if (a.hive == b.hive)
    if (const uint32_t hops = hops_between(gpu, a.row, b.row)) {
      const uint32_t links = gpu.peer_links[a.row * hive_size(gpu) + b.row];
      return {Route::Kind::Xgmi, hops, links, std::max(1u, links) * gpu.link_gigabytes_per_second};
    }
  return {Route::Kind::Pcie, 2, 0, std::min(gpu.pcie_gigabytes_per_second, other.pcie_gigabytes_per_second)};
}

}  // namespace wavesmith::gpus
