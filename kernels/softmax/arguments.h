// What a softmax's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// Y = softmax(scale * X), or its logarithm, row by row.
struct SoftmaxArguments {
  const void* x;
  void* y;
  long stride_x, stride_y;  ///< elements between rows
  int rows, columns;
  int type_x, type_y;  ///< tile::Type
  float scale;
  int logarithm;
};

}  // namespace wavesmith::kernels
