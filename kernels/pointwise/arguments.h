// What a pointwise kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels {

inline constexpr int kPointwiseThreads = 256;

/// A number in the type that computes.
struct alignas(16) Immediate {
  unsigned long bits[2];
};

struct PointwiseOperand {
  void* data;                                 ///< null: the number
  int type;                                   ///< Number
  int repeats;                                ///< the elements of a group are the same one
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes between groups along each dimension
};

/// A thread takes a group: one element, or several along the first dimension.
struct PointwiseArguments {
  Immediate numbers[3], inputs_numbers[3];
  PointwiseOperand operands[4];                    ///< y, and the inputs
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];  ///< in groups
  int dimensions, inputs, operation;
  unsigned groups, elements;  ///< only with one dimension the last group may have fewer elements
};

}  // namespace wavesmith::kernels
