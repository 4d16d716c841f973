// What the kernels of segments are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_segments.h"

namespace wavesmith::kernels {

inline constexpr int kSegmentsThreads = 256;

struct SegmentsOperand {
  void* data;
  int type;       ///< Number
  long steps[3];  ///< bytes
};

struct SegmentsArguments {
  SegmentsOperand x, y, ends, begins, lengths, upstream, gradient;
  Division inner, segments;
  unsigned elements;
  int operation, length, has_initial;
  double initial;
};

}  // namespace wavesmith::kernels
