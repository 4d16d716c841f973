// What a reduction's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// As wavesmith_kernels_reduction numbers them.
enum class Reduction : int { Sum, Mean, Maximum, Minimum, SumOfSquares };

/// y = what a row of X is reduced to.
struct ReduceArguments {
  const void* x;
  void* y;
  long stride_x, stride_y;  ///< elements between rows
  int rows, columns;
  int type_x, type_y;  ///< tile::Type
  int reduction;       ///< Reduction
};

}  // namespace wavesmith::kernels
