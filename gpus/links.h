// The connections between the GPUs of a machine: links of their own, or PCIe.
#pragma once

#include <cstdint>
#include <span>

#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// The number of GPUs of this kind that links join: the side of `peer_links`.
uint32_t hive_size(const Gpu& gpu);

/// The route from one GPU of a machine to another.
struct Route {
  enum class Kind : uint8_t { Pcie, Xgmi } kind = Kind::Pcie;
  uint32_t hops = 1;                ///< links one after the other; over PCIe 2, through the host
  uint32_t links = 0;               ///< side by side; 0 over PCIe, and where there is another GPU in between
  double gigabytes_per_second = 0;  ///< one direction, peak; where there are several hops, a single link's
};

/// The hive, counted from 0, to which the n-th GPU of a machine belongs. Neighbours of one kind form a hive,
/// as many as their links join; the next ones form another.
int hive_of(std::span<const Gpu* const> machine, int ordinal);

/// The shortest route between two different GPUs of a machine.
Route route_between(std::span<const Gpu* const> machine, int from, int to);

}  // namespace wavesmith::gpus
