// What the kernels that quantise and dequantise are given: shared by the host, which fills it in, and the
// device.
#pragma once

#include "kernels/rows/eight_grid.h"
#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Eights that a thread takes: what the kernel computes for all of them, its scalar instructions above all,
/// is the larger part otherwise.
inline constexpr int kQuantisedEights = 4;

/// Y = X / scale, or of dequantising X * scale.
struct QuantiseArguments {
  const void* x;
  void* y;
  ScaleArguments scales;
  long stride_x, stride_y;  ///< elements between rows
  int rows, columns;        ///< columns: numbers of a row
  int type_x, type_y;       ///< tile::Type
  EightGrid eights;
  int grid;  ///< workgroups that are launched
};

}  // namespace wavesmith::kernels
