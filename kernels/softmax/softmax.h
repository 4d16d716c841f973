// Softmax of the rows of a matrix, and its logarithm.
#pragma once

#include "kernels/softmax/arguments.h"
#include "tile/math.h"
#include "tile/row.h"

namespace wavesmith::kernels {

template <class Shape>
TILE_DEVICE void softmax(const SoftmaxArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[2][16];
  const int first_row = arch::workgroup_id() * Shape::kRows, row = arch::thread_id() / Shape::kLanes;
  const TypedView x(g.x, static_cast<Type>(g.type_x), g.rows, g.columns, g.stride_x, first_row, 0),
      y(g.y, static_cast<Type>(g.type_y), g.rows, g.columns, g.stride_y, first_row, 0);
  const auto load = [&](RowEights<Shape>& eights, int column) __attribute__((always_inline)) {
    eights.load(x, row, column);
    TILE_UNROLL for (int i = 0; i < Shape::kBlock; ++i) eights.at[i] *= g.scale;
  };

  RowEights<Shape> values;
  float most = Max::kNeutral, total = 0;
  for_each_eight(
      values, g.columns, true, load, [&](const Eight& eight, int column) __attribute__((always_inline)) {
        most = Max{}(most, reduce_eight(eight, column, g.columns, Max{}, [](float value) { return value; }));
      });
  most = reduce_row<Shape::kLanes>(most, (SharedBytes)memory[0], Max{});
  const auto power = [&](float value) { return tile::exp2((value - most) * kLog2OfE); };
  for_each_eight(values, g.columns, false, load,
                 [&](Eight& eight, int column) __attribute__((always_inline)) {
                   Eight powers;
                   TILE_UNROLL for (int i = 0; i < 8; ++i) powers[i] = power(eight[i]);
                   total += reduce_eight(powers, column, g.columns, Sum{}, [](float value) { return value; });
                   if (Shape::kKept && !g.logarithm) eight = powers;
                 });
  total = reduce_row<Shape::kLanes>(total, (SharedBytes)memory[1], Sum{});

  const float factor = 1 / total, shift = tile::log2(total) / kLog2OfE;
  for_each_eight(values, g.columns, false, load,
                 [&](const Eight& eight, int column) __attribute__((always_inline)) {
                   Eight result;
                   if (g.logarithm) {
                     result = eight - most - shift;
                   } else {
                     TILE_UNROLL for (int i = 0; i < 8; ++i) result[i] =
                         (Shape::kKept ? eight[i] : power(eight[i])) * factor;
                   }
                   store_eight<Shape>(y, row, column, result);
                 });
}

}  // namespace wavesmith::kernels
