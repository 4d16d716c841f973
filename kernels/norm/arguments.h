// What a norm's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Y = (X + R - mean) / sqrt(mean square + epsilon) * (weight + weight_offset) + bias, row by row.
struct NormArguments {
  const void *x, *residual, *weight, *bias;              ///< all but x may be null
  ScaleArguments scales;                                 ///< of y
  void *y, *sum;                                         ///< sum, X + R, may be null
  long stride_x, stride_residual, stride_y, stride_sum;  ///< elements between rows
  int rows, columns;
  int type_x, type_residual, type_y, type_sum, type_weight, type_bias;  ///< tile::Type
  float epsilon, weight_offset;
  int centred;  ///< LayerNorm: the mean is subtracted
};

}  // namespace wavesmith::kernels
