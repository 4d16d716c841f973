// What the kernels of cross entropy are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_loss.h"

namespace wavesmith::kernels {

/// A row of logits each workgroup.
struct CrossEntropyArguments {
  const void* logits;
  const long* targets;
  float *losses, *logs;
  long stride, classes, ignored;  ///< the stride in elements
  int type;                       ///< wavesmith_kernels_type
  int aligned;
  float kept, spread;  ///< 1 - smoothing, and smoothing / all classes
  // Of classes in parts.
  long first_class, all_classes;
  float* state;  ///< of each row the target's logit, and the sum of logits; null: these are all classes
  // Of the gradient.
  void* gradient;
  const float* upstream;
  long gradient_stride, upstream_stride;
  int gradient_type;
  float factor;
};

}  // namespace wavesmith::kernels
