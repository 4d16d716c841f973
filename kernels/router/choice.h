// Which kernel serves a number of experts in groups.
#pragma once

#include <bit>

#include "kernels/router/configurations.h"

namespace wavesmith::kernels {

/// The lanes that a group takes where each has so many experts: a power of two, as they are combined in
/// pairs.
constexpr int lanes_of_group(int experts, int each) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>((experts + each - 1) / each)));
}

/// The first that holds all groups of `in_group` experts and has a lane for each of the chosen; null where
/// there is none.
constexpr const RouterConfiguration* router_configuration(int groups, int in_group, int chosen) {
  for (const RouterConfiguration& one : kRouterConfigurations)
    if (groups * lanes_of_group(in_group, one.each) <= one.lanes && chosen <= one.lanes) return &one;
  return nullptr;
}

}  // namespace wavesmith::kernels
