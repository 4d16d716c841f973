// RMSNorm and LayerNorm of the rows of a matrix, with a residual that is added before.
#pragma once

#include "kernels/norm/arguments.h"
#include "kernels/rows/quantised.h"
#include "tile/math.h"

namespace wavesmith::kernels {

template <class Shape>
TILE_DEVICE void norm(const NormArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[3][16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const auto type = [](int number) { return static_cast<Type>(number); };
  const auto view = [&](const void* matrix, int number, long stride) {
    return TypedView(matrix, type(number), matrix ? g.rows : 0, g.columns, stride, first_row, 0);
  };
  const auto vector = [&](const void* elements, int number) {
    return TypedView(elements, type(number), elements ? 1 : 0, g.columns, g.columns, 0, 0);
  };
  const TypedView x = view(g.x, g.type_x, g.stride_x);

  // What only some of the code needs: where scalar registers are scarce it is read again there.
  const auto there = [&]() __attribute__((always_inline)) {
    if constexpr (Shape::kKept && Shape::kParts <= 4)
      return g;
    else
      return arch::argument_again<NormArguments>();
  };

  // X, or its sum with the residual as the sum's type keeps it.
  const auto load = [&](RowEights<Shape>& eights, int column) __attribute__((always_inline)) {
    eights.load(x, row, column);
    if (arch::late(g.residual != nullptr)) {
      const NormArguments a = there();
      const TypedView residual = view(a.residual, a.type_residual, a.stride_residual),
                      sum = view(a.sum, a.type_sum, a.stride_sum);
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

  const auto y_of = [&](const NormArguments& a) __attribute__((always_inline)) {
    return QuantisedRows<Shape::kAligned>(a.y, a.type_y, a.rows, a.columns, a.stride_y, a.scales, first_row);
  };
  const auto y = y_of(there());
  write_rows<Shape>(
      [&]() __attribute__((always_inline)) {
        if constexpr (Shape::kKept)
          return y;
        else
          return y_of(there());
      },
      row, values, (SharedBytes)memory[2],
      [&](RowEights<Shape>& eights, int first_column, bool last) __attribute__((always_inline)) {
        if (!Shape::kKept) load(eights, first_column);
        const NormArguments a = there();
        const TypedView sum = view(a.sum, a.type_sum, a.stride_sum), weight = vector(a.weight, a.type_weight),
                        bias = vector(a.bias, a.type_bias);
        TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) {
          const int column = first_column + i * Shape::kStep;
          if (column >= g.columns) continue;
          Eight& eight = eights.at[i];
          if (last && arch::late(a.sum != nullptr)) store_eight<Shape>(sum, row, column, eight);
          eight = (eight - mean) * factor;
          if (arch::late(a.weight != nullptr))
            eight *= load_eight<Shape>(weight, 0, column) + a.weight_offset;
          if (arch::late(a.bias != nullptr)) eight += load_eight<Shape>(bias, 0, column);
        }
      });
}

}  // namespace wavesmith::kernels
