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
  float divisor;       ///< of the result: the count for a mean, otherwise 1
};

/// Eights that a thread of a part takes at once.
inline constexpr int kReduceEights = 4;

/// The columns of X, or all of it, in parts of rows: the results of part i are row i of y, or of a block of
/// columns and a part one element.
struct ReducePartArguments {
  const void* x;
  void* y;
  long stride_x, stride_y;
  int rows, columns, rows_of_part;
  int type_x, type_y;
  int reduction;
  float divisor;
  int shift;  ///< the logarithm of the threads side by side
};

}  // namespace wavesmith::kernels
