// What the kernels of searches are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {

inline constexpr int kSearchThreads = 256;

struct SearchOperand {
  void* data;
  int type;
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes
};

struct SearchArguments {
  SearchOperand x, y, sequence, sorter;
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions, step, sorter_step;  ///< bytes between a sequence's elements
  unsigned elements, length;
  int is_right;
};

}  // namespace wavesmith::kernels
