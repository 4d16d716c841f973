// What the kernels of connectionist temporal classification are given: shared by the host, which fills it in,
// and the device.
#pragma once

#include "kernels/wavesmith_ctc.h"

namespace wavesmith::kernels {

inline constexpr int kCtcThreads = 256;
inline constexpr int kCtcSequences = 64;  ///< of a launch

struct CtcSequence {
  int steps, labels, first;  ///< the first label's number in targets
};

/// Places and distances count bytes.
struct CtcArguments {
  const void *log_probs, *targets;
  long class_step, sequence_step, time_step, target_step;
  void *losses, *alphas, *betas;
  int target_is_short;  ///< I32, else I64
  int times, classes, blank, states;
  int first_sequence;  ///< the number of the launch's first
  // Of the gradient.
  void* gradient;
  const void* upstream;
  long class_gradient, sequence_gradient, time_gradient, upstream_step;
  int zero_infinity;
  CtcSequence sequences[kCtcSequences];
};

}  // namespace wavesmith::kernels
