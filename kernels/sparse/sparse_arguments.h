// What the kernels of sparse products are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_sparse.h"

namespace wavesmith::kernels {

inline constexpr int kSparseThreads = 256;
inline constexpr unsigned kSparseEight = 8;  ///< results of a thread, of those that have so many

struct SparseOperand {
  void* data;
  int type;                                   ///< Number
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes
};

struct SparseList {
  void* data;
  int type;  ///< Number
};

struct SparseArguments {
  SparseOperand y, x, place;
  SparseList begins, columns_of, weights;
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions, along;
  unsigned elements;
  int column_step;  ///< bytes between x's elements along the dimension
  long columns;
};

}  // namespace wavesmith::kernels
