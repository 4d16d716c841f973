// What the kernels of indexed elements are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_indexed.h"

namespace wavesmith::kernels {

inline constexpr int kIndexedThreads = 256;

struct IndexedOperand {
  void* data;
  int type;                                   ///< Number
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes
};

struct IndexedArguments {
  IndexedOperand y, x, indices[WAVESMITH_INDEXED_INDICES];
  long index_sizes[WAVESMITH_INDEXED_INDICES], index_strides[WAVESMITH_INDEXED_INDICES];
  long least_indices[WAVESMITH_INDEXED_INDICES];  ///< -size, or 0
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions, indexed;
  unsigned elements;
  int y_is_indexed;
  int operation;
  int bytes;  ///< of what is moved at once
};

}  // namespace wavesmith::kernels
