// What the kernels that quantise and dequantise are given: shared by the host, which fills it in, and the
// device.
#pragma once

#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Eights that a thread takes, one below the other, where it does not take rows: what the kernel computes for
/// all of them, its scalar instructions above all, is the larger part otherwise. With more the offsets within
/// a workgroup's rows would not fit 32 bits.
inline constexpr int kEightsPerThread = 4;

/// Y = X / scale, or of dequantising X * scale.
struct QuantiseArguments {
  const void* x;
  void* y;
  ScaleArguments scales;
  long stride_x, stride_y;  ///< elements between rows
  int rows, columns;        ///< columns: numbers of a row
  int type_x, type_y;       ///< tile::Type
  int shift;                ///< the logarithm of the threads that take a row's eights side by side
  int workgroups;           ///< that kEightsPerThread for each thread make
  int grid;                 ///< workgroups that are launched
};

}  // namespace wavesmith::kernels
