// What the kernels of random numbers are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_random.h"

namespace wavesmith::kernels {

inline constexpr int kRandomThreads = 256;
/// Of a row's samples, and the rows that a grid has at most.
inline constexpr int kChoiceThreads = 128, kChoiceRows = 65536;

/// wavesmith_random_source; `block` is the first counter.
struct RandomSource {
  unsigned long seed, block;
  const unsigned long* state;
};

struct RandomOperand {
  void* data;
  int type;                                   ///< Number
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes
};

struct RandomArguments {
  RandomSource source;
  RandomOperand operands[3];  ///< y, x and what is drawn
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions, operation;
  unsigned elements, threads;  ///< of all workgroups
  int at_once, is_wide;
  double p, q;
  double r;  ///< of GEOMETRIC log(1 - p), of DROPOUT 1 / p
  unsigned long range;
  long base;
};

struct ChoiceArguments {
  RandomSource source;
  const void *sums, *weights;
  int type;
  long* y;
  unsigned rows, samples;
  int categories;
};

struct ShuffleArguments {
  RandomSource source;
  const long* keys;
  long* values;
  unsigned count;
};

}  // namespace wavesmith::kernels
