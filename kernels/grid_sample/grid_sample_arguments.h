// What the kernels of sampling are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_grid_sample.h"

namespace wavesmith::kernels {

inline constexpr int kGridSampleThreads = 256;
inline constexpr int kGridSampleSteps = 5;

struct GridSampleOperand {
  void* data;
  int type;                      ///< Number
  long steps[kGridSampleSteps];  ///< bytes
};

struct GridSampleArguments {
  GridSampleOperand x, grid, y;  ///< of gradients, y is the upstream one
  GridSampleOperand x_gradient, grid_gradient;
  int sizes[3];  ///< the last one first; 1 of a dimension that there is not
  int dimensions, mode, padding, aligned;
  int channels;
  unsigned elements;  ///< places of all batches
  Division places;
};

}  // namespace wavesmith::kernels
