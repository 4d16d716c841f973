// What the kernels of cross entropy are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_loss.h"

namespace wavesmith::kernels {

/// Rows up to which a workgroup of a known type has 1,024 threads instead of 256: so few do not keep a GPU
/// busy else.
inline constexpr int64_t kFewLossRows = 1024;

/// A row of logits each workgroup.
struct CrossEntropyArguments {
  const void* logits;
  const long* targets;
  float *losses, *logs;
  long stride, classes, ignored;  ///< the stride in elements
  int type;                       ///< wavesmith_kernels_type
  int aligned;
  float kept, spread;  ///< 1 - smoothing, and smoothing / classes
  // Of the gradient.
  void* gradient;
  const float* upstream;
  long gradient_stride, upstream_stride;
  int gradient_type;
  float factor;
};

}  // namespace wavesmith::kernels
