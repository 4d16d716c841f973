// The gradients of weighted sums of rows, as the results of a token's experts are combined.
#pragma once

#include "kernels/combine_backward/arguments.h"
#include "kernels/rows/configurations.h"
#include "tile/arch/lanes.h"
#include "tile/known_row.h"
#include "tile/reduce.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A row per workgroup, of which each is read once: eight elements per thread at a time.
TILE_DEVICE void combine_backward(const CombineBackwardArguments& g) {
  using namespace tile;
  TILE_SHARED static float memory[16];
  const int row = arch::workgroup_id();
  const int token = arch::uniform(arch::load_global_as<int>(g.tokens_of, row));
  if (token >= g.tokens) __builtin_trap();
  // Of no token all is 0.
  const TypedView above(g.dy, static_cast<Type>(g.type_dy), token < 0 ? 0 : g.tokens, g.columns, g.stride_dy,
                        token < 0 ? 0 : token, 0);
  const auto view = [&](const void* matrix, int type, long stride) {
    return TypedView(matrix, static_cast<Type>(type), matrix ? g.rows : 0, g.columns, stride, row, 0);
  };
  const TypedView x = view(g.x, g.type_x, g.stride_x), dx = view(g.dx, g.type_dx, g.stride_dx);
  const float weight = g.weights ? arch::load_global(g.weights, row) : 1;
  float sum = 0;
  for (int column = arch::thread_id() * 8; column < g.columns; column += kRowThreads * 8) {
    const Eight gradients = above.load(0, column);
    if (arch::late(g.dweights != nullptr)) sum += sum_of(gradients * x.load(0, column));
    if (arch::late(g.dx != nullptr)) dx.store(0, column, gradients * weight);
  }
  if (!g.dweights) return;
  sum = reduce_row<kRowThreads>(sum, (SharedBytes)memory, Sum{});
  if (arch::thread_id() == 0) g.dweights[row] = sum;
}

}  // namespace wavesmith::kernels
