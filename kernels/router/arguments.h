// What the kernels of a router are given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// The logits, and what the weights of the chosen are.
struct RouterScores {
  const void* logits;
  long stride;  ///< elements between rows
  int type;     ///< tile::Type
  int tokens, experts, chosen;
  int sigmoid;  ///< scores are sigmoids; else softmaxes
  int renormalised;
  float factor;
};

struct RouterArguments {
  RouterScores scores;
  const float* bias;  ///< null: none
  float* weights;
  int* ids;
  int groups, groups_kept;
  int in_group;     ///< experts
  int group_shift;  ///< the lanes of a group are 2 to this power
  int two_largest;  ///< a group is worth the sum of its two largest; else its largest
};

struct RouterBackwardArguments {
  RouterScores scores;
  const int* ids;
  const float* dweights;
  void* dlogits;
  long dlogits_stride;  ///< elements between rows
  int dlogits_type;     ///< tile::Type
};

}  // namespace wavesmith::kernels
