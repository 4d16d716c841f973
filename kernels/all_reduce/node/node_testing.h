// For tests of ranks on GPUs of their own: the machine, and how the ranks of one process reach each other.
#pragma once

#include "kernels/all_reduce/testing.h"

extern "C" {
int hipDeviceEnablePeerAccess(int peer, unsigned flags);
}

namespace wavesmith::kernels {

/// Before the first call of HIP: two nodes of eight GPUs, four and two that have links, and two on PCIe.
inline const bool kNodes =
    setenv("WAVESMITH_GPU", "mi300x:8,mi355x:8,mi210:4,mi250x:2,rx7900xtx:2,rx9070xt:2", 1) == 0;

struct Node {
  const char* name;
  int first, gpus;
};
inline constexpr Node kNodesOfGpus[] = {{"mi300x", 0, 8},  {"mi355x", 8, 8},     {"mi210", 16, 4},
                                        {"mi250x", 20, 2}, {"rx7900xtx", 22, 2}, {"rx9070xt", 24, 2}};

/// The first GPUs of a node, each with access to the others.
inline std::vector<int> gpus_of(const Node& node, int count) {
  constexpr int kAlready = 704;  // hipErrorPeerAccessAlreadyEnabled
  std::vector<int> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), node.first);
  for (const int one : all) {
    EXPECT_EQ(hipSetDevice(one), 0);
    for (const int other : all) {
      if (one == other) continue;
      const int returned = hipDeviceEnablePeerAccess(other, 0);
      EXPECT_TRUE(returned == 0 || returned == kAlready) << returned;
    }
  }
  return all;
}

}  // namespace wavesmith::kernels
