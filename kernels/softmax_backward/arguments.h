// What the kernel of a softmax's gradient is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// Of the results Y: dX = scale * Y * (dY - sum(dY * Y)), or of their logarithms
/// dX = scale * (dY - e^Y * sum(dY)), row by row.
struct SoftmaxBackwardArguments {
  const void *y, *dy;
  void* dx;
  long stride_y, stride_dy, stride_dx;  ///< elements between rows
  int rows, columns;
  int type_y, type_dy, type_dx;  ///< tile::Type
  float scale;
  int logarithm;
};

}  // namespace wavesmith::kernels
