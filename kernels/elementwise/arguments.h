// What an elementwise operation's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/rows/eight_grid.h"

namespace wavesmith::kernels {

/// As wavesmith_kernels_elementwise_operation numbers them.
enum class Elementwise : int {
  Add,
  Subtract,
  Multiply,
  Divide,
  Minimum,
  Maximum,
  Negate,
  Absolute,
  Exp,
  Log,
  Sqrt,
  ReciprocalRoot,
  Tanh,
  Sigmoid,
  Relu,
  Gelu,
  Silu,
  Square
};
constexpr bool is_of_two(Elementwise operation) { return operation < Elementwise::Negate; }

/// Eights that a thread takes: with more, registers leave too few waves to keep memory busy (README.md).
inline constexpr int kElementwiseEights = 2;

/// Y = f(alpha * X), or f(alpha * X, beta * Z).
struct ElementwiseArguments {
  const void *x, *z;
  void* y;
  long stride_x, stride_z, stride_y;  ///< elements between rows; of a Z with one row 0
  int rows, columns;
  int type_x, type_z, type_y;  ///< tile::Type
  int operation;               ///< Elementwise
  float alpha, beta;
  int z_has_columns;  ///< otherwise each of its rows is one element
  EightGrid eights;
};

}  // namespace wavesmith::kernels
