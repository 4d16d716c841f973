// What the kernels that quantise and dequantise are given: shared by the host, which fills it in, and the
// device.
#pragma once

#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Y = X / scale, or of dequantising X * scale.
struct QuantiseArguments {
  const void* x;
  void* y;
  ScaleArguments scales;
  long stride_x, stride_y;  ///< elements between rows
  int rows, columns;        ///< columns: numbers of a row
  int type_x, type_y;       ///< tile::Type
  int shift;                ///< the logarithm of the threads that take a row's eights side by side
  int workgroups;           ///< that an eight per thread takes
  int grid;                 ///< workgroups that are launched
};

}  // namespace wavesmith::kernels
