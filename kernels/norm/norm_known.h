// RMSNorm and LayerNorm of rows that are kept in registers, all matrices and vectors being of one type.
#pragma once

#include "kernels/norm/arguments.h"
#include "tile/known_row.h"
#include "tile/math.h"

namespace wavesmith::kernels {

template <class Shape, class T>
TILE_DEVICE void norm_known(const NormArguments& g) {
  using namespace tile;
  using View = KnownView<Shape, T>;
  TILE_SHARED static float memory[2][16];
  const auto view = [&](const void* matrix, long stride) {
    return View::rows(matrix, stride, g.rows, g.columns);
  };
  // Both are under way before the first is waited for.
  const auto pieces = view(g.x, g.stride_x).load();
  KnownPieces<Shape, T> residual_pieces;
  if (g.residual) residual_pieces = view(g.residual, g.stride_residual).load();

  KnownRow<Shape> values = View::widened(pieces);
  if (g.residual) {
    const View sum = view(g.sum, g.stride_sum);
    const KnownRow<Shape> residual = View::widened(residual_pieces);
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      const Piece rounded = View::narrow(values.at[i] + residual.at[i]);
      sum.store(i, rounded);
      values.at[i] = View::widened(rounded);
    }
  }

  const float per_column = 1 / static_cast<float>(g.columns);
  if (g.centred) {
    const float total = values.combined(g.columns, Sum{}, sum_of);
    const float mean = reduce_row<Shape::kLanes>(total, (SharedBytes)memory[0], Sum{}) * per_column;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) values.at[i] -= mean;
  }
  const float squares = values.combined(g.columns, Sum{}, squares_of);
  // The weight arrives while the lanes meet: ahead of the row it would keep memory from that. A bias would
  // take registers by which fewer waves fit.
  arch::keep_order();
  const auto weight_pieces = View::vector(g.weight, g.columns).load();
  arch::keep_order();
  const float factor = reciprocal_root(
      reduce_row<Shape::kLanes>(squares, (SharedBytes)memory[1], Sum{}) * per_column + g.epsilon);

  KnownRow<Shape> weight = View::widened(weight_pieces);
  // Without a weight the factor is 1: what is read of none is 0.
  const float offset = g.weight ? g.weight_offset : 1;
  if (offset != 0) {
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) weight.at[i] += offset;
  }
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) values.at[i] = values.at[i] * factor * weight.at[i];
  if (g.bias) {
    const KnownRow<Shape> bias = View::widened(View::vector(g.bias, g.columns).load());
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) values.at[i] += bias.at[i];
  }
  const View y = view(g.y, g.stride_y);
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) y.store(i, View::narrow(values.at[i]));
}

}  // namespace wavesmith::kernels
