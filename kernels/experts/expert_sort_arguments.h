// What the kernels that sort tokens' choices by expert are given: shared by the host, which fills it in, and
// the device.
#pragma once

namespace wavesmith::kernels {

/// Threads of a workgroup: one for each pair of experts.
inline constexpr int kExpertThreads = 512, kMostExperts = 2 * kExpertThreads;

struct ExpertSortArguments {
  const int *ids, *map;            ///< of the choices; map: null, or the number here of `mapped` experts
  const unsigned* weights;         ///< floats, of which the bits are moved
  int *offsets, *tokens, *places;  ///< the latter two may be null, as the following
  unsigned* sorted_weights;
  unsigned* counts;  ///< of each chunk, of each pair of experts, 16 bits each
  unsigned mapped, experts, pairs;
  unsigned choices, all;   ///< of each token; in all
  unsigned chunk, chunks;  ///< choices that a workgroup takes; how many such there are
};

}  // namespace wavesmith::kernels
