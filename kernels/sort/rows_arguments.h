// Rows of strided arrays along one of their dimensions: shared by the host, which fills them in, and the
// device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {

struct RowsOperand {
  void* data;                                 ///< null: not wanted
  int type;                                   ///< Number
  int step;                                   ///< bytes along a row
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes between rows
};

struct Rows {
  RowsOperand x, values, places;
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];  ///< of the dimensions across
  int dimensions;
  unsigned count, length;
};

}  // namespace wavesmith::kernels
