// What the kernels of a reduction are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_reduction.h"

namespace wavesmith::kernels {

using Reduction = wavesmith_reduction_operation;

inline constexpr int kReductionThreads = 256;

struct ReductionOperand {
  void* data;                                 ///< null: not wanted
  int type;                                   ///< Number
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes along the dimensions of the results
};

struct ReductionArguments {
  ReductionOperand x, y, second;
  Division result_sizes[WAVESMITH_POINTWISE_DIMENSIONS], reduced_sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int reduced_steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< of x
  int result_dimensions, reduced_dimensions;          ///< at least one each
  unsigned results, terms;                            ///< terms of one result
  unsigned lanes, lanes_shift;                        ///< threads that share a result, a power of two
  int results_first;     ///< threads that follow each other have different results
  unsigned parts, part;  ///< of a result's terms, and how many each has
  int operation;
  double p;
  void* workspace;  ///< of each part and result a state
};

/// What is known of some of a result's terms.
template <class C>
struct ReductionState {
  C value, other;
  long count;
};

}  // namespace wavesmith::kernels
