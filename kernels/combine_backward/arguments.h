// What the kernel of a weighted sum of rows' gradients is given: shared by the host, which fills it in, and
// the device.
#pragma once

namespace wavesmith::kernels {

/// dX[r] = weight[r] * dY[token[r]], dWeight[r] = the sum of dY[token[r]] * X[r].
struct CombineBackwardArguments {
  const void *x, *dy;
  void* dx;                             ///< may be null
  const float* weights;                 ///< null: all 1
  float* dweights;                      ///< may be null, as x is then
  const int* tokens_of;                 ///< below 0: of none
  long stride_x, stride_dy, stride_dx;  ///< elements between rows
  int rows, columns, tokens;
  int type_x, type_dy, type_dx;  ///< tile::Type
};

}  // namespace wavesmith::kernels
