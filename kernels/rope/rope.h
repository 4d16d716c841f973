// Rotary position embedding: pairs of a head's elements are rotated by angles that grow with the position.
#pragma once

#include "kernels/rope/arguments.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A token per workgroup.
template <int kThreads>
TILE_DEVICE void rope(const RopeArguments& g) {
  using namespace tile;
  const int token = arch::workgroup_id();
  long position = token;
  if (g.positions)
    position = g.long_positions ? static_cast<const long*>(g.positions)[token]
                                : static_cast<const int*>(g.positions)[token];
  position += g.first_position;

  const int half = g.rotated / 2, parts = ceiling(half, 8), rest = ceiling(g.elements - g.rotated, 8);
  const auto heads = [&](const void* data, int type, long token_stride, long head_stride, int elements,
                         int first) {
    const i64 at = (token * token_stride + first) * size_of(static_cast<Type>(type));
    return TypedView(static_cast<const char*>(data) + at, static_cast<Type>(type), g.heads, elements,
                     head_stride, 0, 0);
  };
  const auto table = [&](const void* data) {
    const i64 at = position * g.stride_table * size_of(static_cast<Type>(g.type_table));
    return TypedView(static_cast<const char*>(data) + at, static_cast<Type>(g.type_table), 1, half, half, 0,
                     0);
  };
  const auto x = [&](int elements, int first) {
    return heads(g.x, g.type_x, g.token_x, g.head_x, elements, first);
  };
  const auto y = [&](int elements, int first) {
    return heads(g.y, g.type_y, g.token_y, g.head_y, elements, first);
  };
  const TypedView cosines = table(g.cosines), sines = table(g.sines);
  const TypedView x_first = x(g.interleaved ? g.rotated : half, 0), x_second = x(half, half);
  const TypedView y_first = y(g.interleaved ? g.rotated : half, 0), y_second = y(half, half);
  const TypedView x_rest = x(g.elements - g.rotated, g.rotated),
                  y_rest = y(g.elements - g.rotated, g.rotated);

  for (int item = arch::thread_id(); item < g.heads * parts; item += kThreads) {
    const int head = item / parts, pair = item % parts * 8;
    const Eight cosine = cosines.load(0, pair), sine = sines.load(0, pair);
    if (arch::late(g.interleaved)) {
      const Eight low = x_first.load(head, 2 * pair), high = x_first.load(head, 2 * pair + 8);
      Eight a, b;
      TILE_UNROLL for (int i = 0; i < 4; ++i) a[i] = low[2 * i], b[i] = low[2 * i + 1],
                                              a[i + 4] = high[2 * i], b[i + 4] = high[2 * i + 1];
      const Eight turned_a = a * cosine - b * sine, turned_b = b * cosine + a * sine;
      Eight first, second;
      TILE_UNROLL for (int i = 0; i < 4; ++i) first[2 * i] = turned_a[i], first[2 * i + 1] = turned_b[i],
                                                        second[2 * i] = turned_a[i + 4],
                                                        second[2 * i + 1] = turned_b[i + 4];
      y_first.store(head, 2 * pair, first);
      y_first.store(head, 2 * pair + 8, second);
    } else {
      const Eight a = x_first.load(head, pair), b = x_second.load(head, pair);
      y_first.store(head, pair, a * cosine - b * sine);
      y_second.store(head, pair, b * cosine + a * sine);
    }
  }
  for (int item = arch::thread_id(); item < g.heads * rest; item += kThreads)
    y_rest.store(item / rest, item % rest * 8, x_rest.load(item / rest, item % rest * 8));
}

}  // namespace wavesmith::kernels
