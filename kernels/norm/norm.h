// RMSNorm and LayerNorm of the rows of a matrix, with a residual that is added before.
#pragma once

#include "kernels/norm/arguments.h"
#include "kernels/rows/quantised.h"
#include "tile/math.h"

namespace wavesmith::kernels {

/// `kQuantised`: y may be of 8 bits.
template <class Shape, bool kQuantised>
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

  // What only some of the code needs. Where scalar registers are scarce it is read again there, and where a
  // row is not kept in each round of its loop.
  constexpr bool kScarce = kQuantised && (!Shape::kKept || Shape::kParts > 4);
  const auto there = [&]() __attribute__((always_inline)) {
    if constexpr (kScarce)
      return arch::argument_again(g);
    else
      return g;
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

  struct End {
    TypedView sum, weight, bias;
    float weight_offset;
  };
  const auto end_of = [&](const NormArguments& a) __attribute__((always_inline)) {
    return End{view(a.sum, a.type_sum, a.stride_sum), vector(a.weight, a.type_weight),
               vector(a.bias, a.type_bias), a.weight_offset};
  };
  const NormArguments a = there();
  const End end = end_of(a);
  // What a norm makes of an eight; the last time its sum is kept.
  const auto make = [&](Eight& eight, int column, bool last) __attribute__((always_inline)) {
    const End e = kScarce ? end_of(there()) : end;
    if (last && arch::late(e.sum.rows > 0)) store_eight<Shape>(e.sum, row, column, eight);
    eight = (eight - mean) * factor;
    if (arch::late(e.weight.rows > 0)) eight *= load_eight<Shape>(e.weight, 0, column) + e.weight_offset;
    if (arch::late(e.bias.rows > 0)) eight += load_eight<Shape>(e.bias, 0, column);
  };
  if constexpr (kQuantised) {
    const auto rows_of = [&](const NormArguments& b) __attribute__((always_inline)) {
      return QuantisedRows<Shape::kAligned>(b.y, b.type_y, b.rows, b.columns, b.stride_y, b.scales,
                                            first_row);
    };
    const auto y = rows_of(a);
    write_rows<Shape>([&]() __attribute__((always_inline)) { return Shape::kKept ? y : rows_of(there()); },
                      row, values, Shape::kKept, (SharedBytes)memory[2], load, make);
  } else {
    const TypedView y = view(a.y, a.type_y, a.stride_y);
    for_each_eight(values, g.columns, false, load,
                   [&](Eight& eight, int column) __attribute__((always_inline)) {
                     make(eight, column, true);
                     store_eight<Shape>(y, row, column, eight);
                   });
  }
}

}  // namespace wavesmith::kernels
