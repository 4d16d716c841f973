// RMSNorm and LayerNorm of the rows of a matrix, with a residual that is added before.
#pragma once

#include "kernels/norm/arguments.h"
#include "tile/math.h"
#include "tile/row.h"

namespace wavesmith::kernels {

template <class Shape>
TILE_DEVICE void norm(const NormArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[2][16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const auto type = [](int number) { return static_cast<Type>(number); };
  const auto view = [&](const void* matrix, int number, long stride) {
    return TypedView(matrix, type(number), matrix ? g.rows : 0, g.columns, stride, first_row, 0);
  };
  const auto vector = [&](const void* elements, int number) {
    return TypedView(elements, type(number), elements ? 1 : 0, g.columns, g.columns, 0, 0);
  };
  const TypedView x = view(g.x, g.type_x, g.stride_x),
                  residual = view(g.residual, g.type_residual, g.stride_residual),
                  sum = view(g.sum, g.type_sum, g.stride_sum), y = view(g.y, g.type_y, g.stride_y),
                  weight = vector(g.weight, g.type_weight), bias = vector(g.bias, g.type_bias);

  // X, or its sum with the residual as the sum's type keeps it.
  const auto load = [&](RowEights<Shape>& eights, int column) __attribute__((always_inline)) {
    eights.load(x, row, column);
    if (arch::late(g.residual != nullptr)) {
      RowEights<Shape> others;
      others.load(residual, row, column);
      TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) eights.at[i] =
          sum.rounded(eights.at[i] + others.at[i]);
    }
  };

  RowEights<Shape> values;
  const float per_column = 1 / static_cast<float>(g.columns);
  float mean = 0, squares = 0;
  if (g.centred) {
    float total = 0;
    for_each_eight(
        values, g.columns, true, load, [&](const Eight& eight, int column) __attribute__((always_inline)) {
          total += reduce_eight(eight, column, g.columns, Sum{}, [](float value) { return value; });
        });
    mean = reduce_row<Shape::kLanes>(total, (SharedBytes)memory[0], Sum{}) * per_column;
  }
  for_each_eight(values, g.columns, !g.centred, load,
                 [&](const Eight& eight, int column) __attribute__((always_inline)) {
                   squares += reduce_eight(eight, column, g.columns, Sum{},
                                           [&](float value) { return (value - mean) * (value - mean); });
                 });
  squares = reduce_row<Shape::kLanes>(squares, (SharedBytes)memory[1], Sum{});
  const float factor = reciprocal_root(squares * per_column + g.epsilon);

  for_each_eight(values, g.columns, false, load,
                 [&](const Eight& eight, int column) __attribute__((always_inline)) {
                   if (arch::late(g.sum != nullptr)) store_eight<Shape>(sum, row, column, eight);
                   Eight result = (eight - mean) * factor;
                   if (arch::late(g.weight != nullptr))
                     result *= load_eight<Shape>(weight, 0, column) + g.weight_offset;
                   if (arch::late(g.bias != nullptr)) result += load_eight<Shape>(bias, 0, column);
                   store_eight<Shape>(y, row, column, result);
                 });
}

}  // namespace wavesmith::kernels
