// The gradient of softmax, and that of its logarithm.
#pragma once

#include "kernels/rows/access.h"
#include "kernels/softmax_backward/arguments.h"
#include "tile/math.h"

namespace wavesmith::kernels {

/// What an eight adds to its row's sum. Behind the row all is 0.
TILE_DEVICE float softmax_backward_sum(const SoftmaxBackwardArguments& g, const tile::Eight& y,
                                       const tile::Eight& dy) {
  return tile::sum_of(g.logarithm ? dy : dy * y);
}

TILE_DEVICE tile::Eight softmax_gradient(const SoftmaxBackwardArguments& g, const tile::Eight& y,
                                         const tile::Eight& dy, float sum) {
  using namespace tile;
  if (!g.logarithm) return y * (dy - sum) * g.scale;
  const Eight exponents = y * kLog2OfE;
  Eight powers;
  TILE_UNROLL for (int i = 0; i < 8; ++i) powers[i] = tile::exp2(exponents[i]);
  return (dy - powers * sum) * g.scale;
}

/// Rows that are kept in registers.
template <class Shape, class Access>
TILE_DEVICE void softmax_backward_kept(const SoftmaxBackwardArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int first_row = arch::workgroup_id() * Shape::kRows;
  const auto y = Access::load({g.y, g.type_y, g.stride_y, g.rows, g.columns}, first_row),
             dy = Access::load({g.dy, g.type_dy, g.stride_dy, g.rows, g.columns}, first_row);
  float sum = 0;
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) sum +=
      softmax_backward_sum(g, Access::value(y, i), Access::value(dy, i));
  sum = reduce_row<Shape::kLanes>(sum, (SharedBytes)memory, Sum{});
  KnownRow<Shape> dx;
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) dx.at[i] =
      softmax_gradient(g, Access::value(y, i), Access::value(dy, i), sum);
  Access::store({g.dx, g.type_dx, g.stride_dx, g.rows, g.columns}, first_row, dx);
}

/// Rows of any length, which are read twice.
template <class Shape>
TILE_DEVICE void softmax_backward_again(const SoftmaxBackwardArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const auto view = [&](const void* matrix, int type, long stride) {
    return TypedView(matrix, static_cast<Type>(type), g.rows, g.columns, stride, first_row, 0);
  };
  const TypedView y = view(g.y, g.type_y, g.stride_y), dy = view(g.dy, g.type_dy, g.stride_dy),
                  dx = view(g.dx, g.type_dx, g.stride_dx);
  float sum = 0;
  for (int column = Shape::column(); column < g.columns; column += Shape::kStep)
    sum += softmax_backward_sum(g, load_eight<Shape>(y, row, column), load_eight<Shape>(dy, row, column));
  sum = reduce_row<Shape::kLanes>(sum, (SharedBytes)memory, Sum{});
  for (int column = Shape::column(); column < g.columns; column += Shape::kStep)
    store_eight<Shape>(
        dx, row, column,
        softmax_gradient(g, load_eight<Shape>(y, row, column), load_eight<Shape>(dy, row, column), sum));
}

}  // namespace wavesmith::kernels
