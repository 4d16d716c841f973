// Softmax of rows that are kept in registers, and its logarithm, both matrices being of one type.
#pragma once

#include "kernels/softmax/arguments.h"
#include "tile/known_row.h"
#include "tile/math.h"

namespace wavesmith::kernels {

template <class Shape, class T>
TILE_DEVICE void softmax_known(const SoftmaxArguments& g) {
  using namespace tile;
  using View = KnownView<Shape, T>;
  TILE_SHARED static float memory[2][16];
  KnownRow<Shape> values = View::widened(View::rows(g.x, g.stride_x, g.rows, g.columns).load());
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) values.at[i] *= g.scale;
  const float most = reduce_row<Shape::kLanes>(values.combined(g.columns, Max{}, greatest_of),
                                               (SharedBytes)memory[0], Max{});
  KnownRow<Shape> powers;
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
    values.at[i] -= most;
    const Eight exponents = values.at[i] * kLog2OfE;
    TILE_UNROLL for (int j = 0; j < 8; ++j) powers.at[i][j] = exp2(exponents[j]);
  }
  const float total =
      reduce_row<Shape::kLanes>(powers.combined(g.columns, Sum{}, sum_of), (SharedBytes)memory[1], Sum{});
  const View y = View::rows(g.y, g.stride_y, g.rows, g.columns);
  if (g.logarithm) {
    const float shift = log2(total) * kLogOf2;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) y.store(i, View::narrow(values.at[i] - shift));
  } else {
    const float factor = 1 / total;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) y.store(i, View::narrow(powers.at[i] * factor));
  }
}

}  // namespace wavesmith::kernels
